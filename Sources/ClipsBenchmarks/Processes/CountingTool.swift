import Platform

/// A tool that counts the work of a program; its counts repeat on a busy machine.
enum CountingTool: String {
    case valgrind, strace

    /// Returns a command line that runs a program and writes its counts to a file.
    func command(_ program: [String], output: String) -> [String] {
        switch self {
        case .valgrind:
            let options = [
                "--separate-threads=yes", "--callgrind-out-file=\(output)", "--log-file=/dev/null",
            ]
            return [rawValue, "--tool=callgrind"] + options + program
        case .strace: return [rawValue, "-f", "-c", "-o", output] + program
        }
    }

    /// Returns the counts of a program that has exited: the instructions of each thread, the main thread first, or
    /// the system calls of all threads.
    func counts(_ output: String) throws -> [Double] {
        let counts =
            switch self {
            case .valgrind:
                (1...99).map { "\(output)-\($0 < 10 ? "0" : "")\($0)" }.compactMap {
                    Self.number(1, inLine: { $0.first == "totals:" }, of: $0)
                }
            case .strace: [Self.number(3, inLine: { $0.last == "total" }, of: output)].compactMap { $0 }
            }
        guard !counts.isEmpty else { throw BenchmarkError("\(rawValue) wrote no counts to \(output)") }
        return counts
    }

    private static func number(_ column: Int, inLine isWanted: ([Substring]) -> Bool, of path: String)
        -> Double?
    {
        let lines = (TextFile.read(path) ?? "").split(separator: "\n").map {
            $0.split(whereSeparator: \.isWhitespace)
        }
        return lines.last(where: isWanted).flatMap { $0.count > column ? Double($0[column]) : nil }
    }
}
