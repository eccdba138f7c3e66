import CProcess
import Glibc
import Platform

/// Reading what is piped in, with a bound. A signal that ``PendingInterrupt`` holds ends it.
enum StandardInput {
    /// A file, a pipe or a socket; not a terminal and not /dev/null. A folder counts: reading it is an error.
    static var isPiped: Bool {
        guard process_was_closed(STDIN_FILENO) == 0, let status = FileStatus(descriptor: STDIN_FILENO) else {
            return false
        }
        return [S_IFREG, S_IFIFO, S_IFSOCK, S_IFDIR].contains(status.type)
    }

    /// Whether what is read now cannot be read again, as it can from a file.
    static var comesOnce: Bool { FileStatus(descriptor: STDIN_FILENO)?.isRegular == false }

    /// Reads to the end, or until there are more than `limit` bytes. What was read is in `bytes` after an error, too.
    static func readAll(into bytes: inout [UInt8], limit: Int) throws(InputError) {
        while bytes.count <= limit, let chunk = try readChunk() { bytes.append(contentsOf: chunk) }
    }

    /// Calls `body` with each line, without its end, and its number from 1. A line beyond `limit` bytes is
    /// handed to `overlong` in pieces, with its end, and to `body` as nil.
    ///
    /// - Returns: false when a signal ended the reading; a line that was not whole by then is left out.
    static func forEachLine(
        limit: Int, overlong: (ArraySlice<UInt8>) -> Void,
        _ body: (Int, ArraySlice<UInt8>?) async throws -> Void
    ) async throws -> Bool {
        var pending: [UInt8] = []
        var isTooLong = false
        var number = 0
        func add(_ piece: ArraySlice<UInt8>) {
            pending.append(contentsOf: piece)
            guard isTooLong || pending.count > limit else { return }
            isTooLong = true
            overlong(pending[...])
            pending.removeAll()
        }
        func end() async throws {
            number += 1
            if isTooLong { overlong([UInt8(ascii: "\n")]) }
            try await body(number, isTooLong ? nil : pending[...])
            pending.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        do {
            while let chunk = try readChunk() {
                var rest = chunk[...]
                while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    add(rest[..<newline])
                    try await end()
                    rest = rest[rest.index(after: newline)...]
                }
                add(rest)
            }
        } catch let error as InputError where error.isInterruption {
            return false
        }
        if !pending.isEmpty || isTooLong { try await end() }
        return true
    }

    private static func readChunk() throws(InputError) -> [UInt8]? {
        do {
            return try DescriptorIO.read(
                STDIN_FILENO, isInterrupted: PendingInterrupt.isHeld ? { PendingInterrupt.isThere } : nil)
        } catch {
            throw InputError(
                "Standard input cannot be read: \(error).", isInterruption: error.code == EINTR)
        }
    }
}

struct InputError: Error, CustomStringConvertible {
    let description: String
    var isInterruption = false

    init(_ description: String, isInterruption: Bool = false) {
        self.description = description
        self.isInterruption = isInterruption
    }
}
