import Glibc

/// Reading what is piped in, with a bound.
enum StandardInput {
    /// A file, a pipe or a socket; not a terminal and not /dev/null.
    static var isPiped: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        return [S_IFREG, S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// Whether what is read now cannot be read again, as it can from a file.
    static var comesOnce: Bool {
        var status = stat()
        return fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    static func readAll(limit: Int) throws(InputError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try readChunk() {
            bytes.append(contentsOf: chunk)
            guard bytes.count <= limit else {
                throw InputError("The input is longer than \(limit >> 20) MB.")
            }
        }
        return bytes
    }

    /// Calls `body` with each line, without its end, and its number from 1. A line beyond `limit` bytes is
    /// handed over as nil.
    static func forEachLine(limit: Int, _ body: (Int, ArraySlice<UInt8>?) async throws -> Void) async throws {
        var pending: [UInt8] = []
        var isTooLong = false
        var number = 0
        while let chunk = try readChunk() {
            var rest = chunk[...]
            while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                pending.append(contentsOf: rest[..<newline])
                rest = rest[rest.index(after: newline)...]
                number += 1
                try await body(number, isTooLong || pending.count > limit ? nil : pending[...])
                pending.removeAll(keepingCapacity: true)
                isTooLong = false
            }
            pending.append(contentsOf: rest)
            if pending.count > limit {
                pending.removeAll()
                isTooLong = true
            }
        }
        if !pending.isEmpty || isTooLong {
            try await body(number + 1, isTooLong ? nil : pending[...])
        }
    }

    private static func readChunk() throws(InputError) -> [UInt8]? {
        while true {
            var code: CInt = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                let result = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
                code = result < 0 ? errno : 0
                count = max(0, result)
            }
            if code == EINTR { continue }
            guard code == 0 else {
                throw InputError("Standard input cannot be read: \(String(cString: strerror(code))).")
            }
            return chunk.isEmpty ? nil : chunk
        }
    }
}

struct InputError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
