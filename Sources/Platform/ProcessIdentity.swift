#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A process, distinguished from a later one with the same number by its start time (proc(5)).
package struct ProcessIdentity: Equatable, Sendable, CustomStringConvertible {
    package let process: Int32
    /// The start time in clock ticks since boot; nil if the process has exited.
    package let start: Int64?
    private let name: String?

    package static let current = ProcessIdentity(process: getpid())

    package init(process: Int32) {
        self.process = process
        let fields = Self.read("/proc/\(process)/stat")
        // The second field is the name in parentheses and may itself contain spaces and parentheses.
        let open = fields.firstIndex(of: "(")
        let close = fields.lastIndex(of: ")")
        if let open, let close, open < close {
            name = String(fields[fields.index(after: open)..<close])
            let rest = fields[fields.index(after: close)...].split(separator: " ")
            // A zombie has exited, but its parent has not reaped it yet.
            let isZombie = rest.first == "Z" || rest.first == "X"
            start = rest.count > 19 && !isZombie ? Int64(rest[19]) : nil
        } else {
            name = nil
            start = nil
        }
    }

    package var description: String { name.map { "\($0) (process \(process))" } ?? "process \(process)" }

    /// Whether exactly that process is running.
    package static func isAlive(_ process: Int32, start: Int64?) -> Bool {
        let now = ProcessIdentity(process: process)
        return now.start != nil && now.start == start
    }

    private static func read(_ path: String) -> String {
        guard let file = try? FileDescriptor(path) else { return "" }
        return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            let count = (try? DescriptorIO.readAvailable(file.number, into: buffer)) ?? 0
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
