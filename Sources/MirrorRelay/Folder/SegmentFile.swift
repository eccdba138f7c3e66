import Glibc
import Platform

/// A file of the folder: a sealed table of contents, and the sealed records that it lists.
///
/// All are sealed for the file's name and their position, so that a file that was renamed, cut, or composed of parts of
/// others does not open. The first byte lets git treat the file as binary.
enum SegmentFile {
    /// One revision in the table of contents.
    struct Item: Hashable, Sendable {
        let key: RecordKey
        let stamp: Int64
        /// The clock of the writer in milliseconds.
        let time: Int64
        /// The sealed bytes of the record.
        let length: UInt32
    }

    struct Table: Hashable, Sendable {
        /// The sequences of all segments that the machine had in the folder, with this one. Others are superseded.
        var live: [ClosedRange<UInt32>]
        var items: [Item]

        var bytes: [UInt8] {
            var bytes = [version]
            func add(_ number: some FixedWidthInteger) {
                withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
            }
            add(UInt32(live.count))
            for range in live {
                add(range.lowerBound)
                add(range.upperBound)
            }
            add(UInt32(items.count))
            for item in items {
                add(item.key.high)
                add(item.key.low)
                add(item.stamp)
                add(item.time)
                add(item.length)
            }
            return bytes
        }
    }

    /// A table that was read, and the offset of the first record.
    struct Contents: Sendable {
        let table: Table
        let start: Int
        /// The number of the key with which the table is sealed.
        let key: UInt64
        var end: Int { table.items.reduce(start) { $0 + Int($1.length) } }
    }

    private static let mark = Array("\0clips1\n".utf8)
    private static let version: UInt8 = 1
    /// The bounds of a segment that is written. A larger record has a segment of its own.
    static let maxItems = 4096
    static let maxBytes = 4 << 20
    /// A table that claims to be larger is not read.
    private static let maxTable = 4 << 20

    static func subject(_ name: SegmentName, _ index: Int?) -> String {
        "folder " + name.text + " " + (index.map(String.init) ?? "table")
    }

    /// The bytes that precede the records of a segment.
    ///
    /// - Parameter sealed: The sealed table.
    static func head(_ sealed: [UInt8]) -> [UInt8] {
        mark + withUnsafeBytes(of: UInt32(sealed.count).littleEndian) { Array($0) } + sealed
    }

    /// Opens a file that may be anything: a link, a pipe, or a file of any size is rejected without reading more than
    /// its table.
    static func open(_ path: String) -> FileDescriptor? {
        guard let file = try? FileDescriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            file.status?.isRegular == true
        else { return nil }
        return file
    }

    /// Reads the table of a file; nil if it is not a complete segment of the name.
    static func read(
        _ file: borrowing FileDescriptor, _ name: SegmentName, _ cipher: RecordCipher
    ) -> Contents? {
        let fixed = mark.count + 4
        guard let first = bytes(of: file, at: 0, count: fixed), first.starts(with: mark) else { return nil }
        let length = Int(first[mark.count...].reversed().reduce(0) { $0 << 8 | UInt32($1) })
        guard length <= maxTable, let sealed = bytes(of: file, at: fixed, count: length),
            let plain = cipher.open(sealed, subject: subject(name, nil)), let table = table(plain)
        else { return nil }
        let contents = Contents(table: table, start: fixed + length, key: ZoneEpoch.id(of: sealed))
        return file.status?.size == contents.end ? contents : nil
    }

    /// Reads a record; nil if it is damaged.
    static func record(
        of file: borrowing FileDescriptor, _ name: SegmentName, _ index: Int, at offset: Int, count: Int,
        _ cipher: RecordCipher
    ) -> [UInt8]? {
        bytes(of: file, at: offset, count: count).flatMap { cipher.open($0, subject: subject(name, index)) }
    }

    private static func table(_ plain: [UInt8]) -> Table? {
        var rest = plain[...]
        func next<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
            let size = MemoryLayout<Number>.size
            guard rest.count >= size else { return nil }
            defer { rest = rest.dropFirst(size) }
            return rest.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
        }
        guard next(UInt8.self) == version, let ranges = next(UInt32.self), Int(ranges) <= rest.count else {
            return nil
        }
        var table = Table(live: [], items: [])
        for _ in 0..<ranges {
            guard let low = next(UInt32.self), let high = next(UInt32.self), low <= high else { return nil }
            table.live.append(low...high)
        }
        guard let count = next(UInt32.self), Int(count) <= rest.count else { return nil }
        table.items.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let high = next(UInt64.self), let low = next(UInt64.self), let stamp = next(Int64.self),
                let time = next(Int64.self), let length = next(UInt32.self)
            else { return nil }
            table.items.append(
                Item(key: RecordKey(high: high, low: low), stamp: stamp, time: time, length: length))
        }
        return table
    }

    static func bytes(of file: borrowing FileDescriptor, at offset: Int, count: Int) -> [UInt8]? {
        let number = file.number
        var read = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count + 1) { buffer, initialized in
            while read < count {
                let part = pread(number, buffer.baseAddress.map { $0 + read }, count - read, offset + read)
                if part < 0, Errno.last.code == EINTR { continue }
                guard part > 0 else { break }
                read += part
            }
            initialized = read
        }
        return read == count ? bytes : nil
    }
}
