import Glibc
import Platform

/// The functions and variables that `clips` uses, in the order of their first use.
///
/// A linker that places them next to each other saves page faults and cache misses: in the order of the source files,
/// each page of code and variables contains a few that are used and many that are not.
struct SymbolOrder {
    private let program: String
    private let workspace: Workspace
    private let symbols: [Symbol]
    private var isFound: [Bool]
    private(set) var names: [String] = []

    /// Records a process that saves a clip, the browser extension's host, and the app. Takes five minutes.
    init(_ workspace: Workspace) throws {
        self.workspace = workspace
        program = try workspace.withoutDebugInformation(workspace.clipsProgram())
        symbols = try Self.symbols(of: program)
        isFound = Array(repeating: false, count: symbols.count)
        for trace in try [commandTrace(), hostTrace(), appTrace()] { try add(trace) }
    }

    private func commandTrace() throws -> String {
        let trace = workspace.newPath("trace")
        try ChildProcess.run(tracing(OneShot.clips(program, try workspace.newStore(), 1000), trace))
        return trace
    }

    private func hostTrace() throws -> String {
        let trace = workspace.newPath("trace")
        setenv("CLIPS_STORE", try workspace.newStore(), 1)
        defer { unsetenv("CLIPS_STORE") }
        let host = try HostClient(tracing([program, HostClient.origin], trace))
        _ = try host.times(of: 2)
        host.close()
        return trace
    }

    private func appTrace() throws -> String {
        let (trace, store) = (workspace.newPath("trace"), try workspace.newStore())
        let app = try TerminalProgram(tracing([program, "--store", store], trace))
        _ = try app.wait(for: [SampleClip.title(99), "live"], seconds: Self.patience)
        // Until then, the app may have the write lock for longer than the writer waits.
        try app.readUntilIdle(milliseconds: 5000, atMost: Self.patience)
        let writer = try RoleWriter(.writer(store: store))
        for number in 1...3 {
            try writer.commit(1)
            _ = try app.wait(for: [SampleClip.marker(number)], seconds: Self.patience)
            _ = try writer.begun()
        }
        for key in ["j", "k", "\r", "q"] {
            app.press(key)
            try app.readUntilIdle(milliseconds: 5000, atMost: Self.patience)
        }
        app.press("q")
        try app.waitForExit()
        return trace
    }

    /// Returns a command line that runs a program and writes each address that it uses to a file.
    private func tracing(_ command: [String], _ trace: String) -> [String] {
        // "I  0052b2c0,3" for instructions; " L ", " S ", or " M " for data.
        let script = """
            valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$@" \
            9> >(awk -F '[ ,]+' '!/^=/ && !seen[$(NF - 1)]++ { print $(NF - 1) }' > "$0")
            status=$?
            wait $!
            exit $status
            """
        return ["bash", "-c", script, trace] + command
    }

    private mutating func add(_ trace: String) throws {
        var sections: Set<String> = []
        for line in (TextFile.read(trace) ?? "").split(separator: "\n") {
            guard let address = UInt(line, radix: 16), let index = index(of: address) else { continue }
            let symbol = symbols[index]
            sections.insert(symbol.section)
            guard !isFound[index], Self.orderedSections.contains(symbol.section) else { continue }
            isFound[index] = true
            names.append(symbol.name)
        }
        guard sections.isSuperset(of: Self.orderedSections) else {
            throw BenchmarkError(
                "\(trace) has no functions or no variables of \(program): run valgrind by hand")
        }
    }

    /// The sections of functions and variables; the runtime reads most constants at the start.
    private static let orderedSections: Set = [".text", ".data", ".bss"]

    /// Returns the last symbol that is not above an address; nil outside the program.
    private func index(of address: UInt) -> Int? {
        guard let last = symbols.last, address < last.address else { return nil }
        let next = symbols.partitionPoint { $0.address > address }
        return next > 0 ? next - 1 : nil
    }

    /// The time in seconds for one step of the app: the tool writes a line for each instruction.
    private static let patience: Double = 120

    /// Returns the symbols of a program, sorted by address.
    private static func symbols(of program: String) throws -> [Symbol] {
        try ChildProcess.output(of: ["nm", "-n", "--format=sysv", program]).split(separator: "\n").compactMap
        {
            // name|value|class|type|size|line|section, each padded with spaces.
            let fields = $0.split(separator: "|").map { $0.filter { $0 != " " } }
            guard fields.count == 7, let address = UInt(fields[1], radix: 16) else { return nil }
            return Symbol(address: address, name: fields[0], section: fields[6])
        }
    }

    private struct Symbol {
        let address: UInt
        let name: String
        let section: String
    }
}
