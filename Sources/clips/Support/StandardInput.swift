import CProcess
import Glibc
import Platform

/// Reads standard input up to a limit. A signal that ``PendingInterrupt`` holds ends the reading.
enum StandardInput {
    /// Whether it is a file, a pipe, or a socket, or a folder, of which reading fails.
    static var isPiped: Bool {
        guard process_was_closed(STDIN_FILENO) == 0, let status = FileStatus(descriptor: STDIN_FILENO) else {
            return false
        }
        return [S_IFREG, S_IFIFO, S_IFSOCK, S_IFDIR].contains(status.type)
    }

    /// Whether the input cannot be read again, unlike a file.
    static var comesOnce: Bool { FileStatus(descriptor: STDIN_FILENO)?.isRegular == false }

    /// Whether bytes or the end of the input can be read.
    ///
    /// - Parameter time: The time to wait for them.
    static func hasBegun(within time: Duration) -> Bool {
        DescriptorIO.poll([STDIN_FILENO], for: time).contains(where: \.hasEvent)
    }

    /// Appends the input up to its end, or until there are more than `limit` bytes; after an error, the part
    /// read.
    static func readAll(into bytes: inout [UInt8], limit: Int) throws(InputError) {
        while bytes.count <= limit, let chunk = try readChunk() { bytes.append(contentsOf: chunk) }
    }

    /// Calls `body` with the number of each line, from 1, and the line without its end. A line of more than
    /// `limit` bytes goes to `overlong` in pieces, with its end, and to `body` as nil.
    ///
    /// - Returns: False if a signal ended the reading; an incomplete line is then left out.
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
                while let newline = Self.newline(in: rest) {
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

    private static func newline(in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress,
                let end = memchr(start, CInt(UInt8(ascii: "\n")), buffer.count)
            else { return nil }
            return bytes.startIndex + (UnsafeRawPointer(end) - start)
        }
    }

    private static func readChunk() throws(InputError) -> [UInt8]? {
        do {
            return try DescriptorIO.read(
                STDIN_FILENO, isInterrupted: PendingInterrupt.isHeld ? { PendingInterrupt.isThere } : nil)
        } catch {
            let isInterruption = error.code == EINTR
            throw InputError(
                isInterruption
                    ? "Interrupted while reading standard input."
                    : "Standard input cannot be read: \(error).",
                isInterruption: isInterruption)
        }
    }
}

struct InputError: Error, CustomStringConvertible {
    let description: String
    let isInterruption: Bool

    init(_ description: String, isInterruption: Bool) {
        self.description = description
        self.isInterruption = isInterruption
    }
}
