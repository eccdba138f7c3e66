import Platform
import SQLite

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The pages of a damaged database and of its log, read without SQLite (sqlite.org/fileformat2.html).
///
/// Requires no header: the size of a page is found from the pages themselves.
struct DamagedPages {
    typealias Bytes = UnsafeRawBufferPointer

    let pageSize: Int
    /// The bytes of a page that contain data.
    let usable: Int
    let count: Int
    /// The bytes that the header names beyond the end of the file.
    let lostBytes: Int
    private let file: MappedFile
    private let log: MappedFile?
    /// The offset in the log of the newest committed image of a page.
    private let logged: [Int: Int]
    /// The pages with intact pointer maps; none in a file without automatic vacuum.
    private var maps: Set<Int> = []

    /// Creates the pages of a private copy of a file and its log.
    init(path: String) throws(Errno) {
        file = try MappedFile(path)
        log = try? MappedFile(path + "-wal")
        let (file, log) = (file.bytes, log?.bytes)
        let header = log.flatMap(LogHeader.init)
        let hasHeader = file.count >= 100 && file.starts(with: "SQLite format 3\0".utf8)
        let reserved = hasHeader ? Int(file[20]) : 0
        let stated = hasHeader ? Self.pageSize(UInt32(file.integer(16, 2))) : nil
        let size = header?.pageSize ?? Self.likelySize(file, stated, reserved) ?? 4096
        pageSize = size
        usable = max(480, size - reserved)
        let frames = log.map { Self.frames($0, pageSize: size) } ?? (pages: [:], count: 0)
        logged = frames.pages
        count = max((file.count + size - 1) / size, frames.count)
        lostBytes =
            hasHeader ? max(0, Int(file.integer(28, 4)) * size - max(file.count, frames.count * size)) : 0
        maps = Set(stride(from: 2, through: count, by: usable / 5 + 1).filter(isIntactMap))
    }

    /// Returns a page, from 1; nil if it is beyond the end, or incomplete.
    func page(_ number: Int) -> Bytes? {
        start(of: number).flatMap { $0.count < usable ? nil : $0 }
    }

    /// Returns the bytes of a page that exist; nil if it is beyond the end.
    func start(of number: Int) -> Bytes? {
        if let offset = logged[number] { return log?.bytes.part(offset, usable) }
        guard number > 0, number <= count else { return nil }
        let offset = (number - 1) * pageSize
        return file.bytes.part(offset, min(usable, file.bytes.count - offset))
    }

    /// Whether the file ends within a page, the rest of which SQLite reads as zeros.
    var isCutWithinPage: Bool { !file.bytes.count.isMultiple(of: pageSize) }

    // MARK: Size

    private static func pageSize(_ value: UInt32) -> Int? {
        let size = value == 1 ? 65536 : Int(value)
        return (512...65536).contains(size) && size & (size - 1) == 0 ? size : nil
    }

    /// Returns the size with which most pages end with a cell, as those of a tree do.
    private static func likelySize(_ file: Bytes, _ stated: Int?, _ reserved: Int) -> Int? {
        var best: (size: Int, score: Int)?
        for size in [stated].compactMap(\.self) + (9...16).map({ 1 << $0 }) {
            let step = max(1, file.count / size / 4000)
            var score = 0
            for number in stride(from: 2, through: file.count / size, by: step) {
                guard let page = file.part((number - 1) * size, size - reserved),
                    let leaf = LeafPage(page, usable: page.count, headerAt: 0)
                else { continue }
                let ends = leaf.cells.map { $0.offset + $0.length }
                if let last = ends.max(), page.count - 4...page.count ~= last { score += size }
            }
            if score > best?.score ?? 0 { best = (size, score) }
        }
        return best?.size ?? stated
    }

    // MARK: Log

    /// The valid header of a log (sqlite.org/fileformat2.html 4.1).
    private struct LogHeader {
        let pageSize: Int

        init?(_ log: Bytes) {
            guard log.count >= 32, log.integer(0, 4) & ~1 == 0x377F_0682,
                Checksum(log).of(0..<24) == (log.word(24), log.word(28)),
                let size = DamagedPages.pageSize(log.word(8))
            else { return nil }
            pageSize = size
        }
    }

    /// The checksum of a log, in the byte order of its machine.
    private struct Checksum {
        private let log: Bytes
        private let isBigEndian: Bool

        init(_ log: Bytes) {
            self.log = log
            isBigEndian = log.word(0) & 1 == 1
        }

        func of(_ range: Range<Int>, after start: (UInt32, UInt32) = (0, 0)) -> (UInt32, UInt32) {
            var (first, second) = start
            for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                let words = (log.word(offset), log.word(offset + 4))
                first &+= (isBigEndian ? words.0 : words.0.byteSwapped) &+ second
                second &+= (isBigEndian ? words.1 : words.1.byteSwapped) &+ first
            }
            return (first, second)
        }
    }

    /// Returns the newest committed image of each page, and the number of pages.
    ///
    /// Each frame contains the checksum of all frames before it, so a damaged one invalidates only itself: the
    /// next is verified with the stored checksum, not the computed one.
    private static func frames(_ log: Bytes, pageSize: Int) -> (pages: [Int: Int], count: Int) {
        guard log.count >= 32 else { return ([:], 0) }
        let checksum = Checksum(log)
        var committed: [Int: Int] = [:]
        var pending: [Int: Int] = [:]
        var count = 0
        var previous = (log.word(24), log.word(28))
        for frame in stride(from: 32, through: log.count - 24 - pageSize, by: 24 + pageSize) {
            let stored = (log.word(frame + 16), log.word(frame + 20))
            defer { previous = stored }
            guard log.word(frame + 8) == log.word(16), log.word(frame + 12) == log.word(20) else { continue }
            let header = checksum.of(frame..<frame + 8, after: previous)
            if checksum.of(frame + 24..<frame + 24 + pageSize, after: header) == stored {
                let page = Int(log.word(frame))
                if page > 0 { pending[page] = frame + 24 }
                if log.word(frame + 4) > 0 {
                    count = Int(log.word(frame + 4))
                    committed.merge(pending) { $1 }
                    pending = [:]
                }
            }
        }
        return (committed, count)
    }

    // MARK: Pointer maps

    /// The role of a page in the file, as an intact pointer map states it.
    enum Role: Equatable {
        case unknown
        case free
        case other
        /// A page of the tree that begins with a page.
        case tree(Int)
    }

    /// Returns the role of a page. Follows the parents up to the first page of its tree.
    func role(_ number: Int) -> Role {
        var page = number
        for _ in 0..<40 {
            guard let entry = entry(page) else { return .unknown }
            switch entry.kind {
            case 1: return .tree(page)
            case 2: return .free
            case 5: page = entry.parent
            case 3, 4: return page == number ? .other : .unknown
            default: return .unknown
            }
        }
        return .unknown
    }

    private func mapPage(_ number: Int) -> Int { (number - 2) / (usable / 5 + 1) * (usable / 5 + 1) + 2 }

    private func entry(_ number: Int) -> (kind: UInt8, parent: Int)? {
        let first = mapPage(number)
        guard number > first, maps.contains(first), let map = page(first) else { return nil }
        let offset = 5 * (number - first - 1)
        return (map[offset], Int(map.integer(offset + 1, 4)))
    }

    private func isIntactMap(_ number: Int) -> Bool {
        guard let map = page(number) else { return false }
        let entries = min(count - number, usable / 5)
        return entries > 0 && (0..<entries).allSatisfy { 1...5 ~= map[5 * $0] }
    }
}

/// A file in memory, without locks.
private final class MappedFile {
    let bytes: UnsafeRawBufferPointer

    init(_ path: String) throws(Errno) {
        let file = try FileDescriptor(path, O_RDONLY | O_NONBLOCK)
        let size = file.status?.size ?? 0
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, file.number, 0)
        guard let address, address != MAP_FAILED else { throw .last }
        bytes = UnsafeRawBufferPointer(start: address, count: size)
    }

    deinit {
        if let address = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: address), bytes.count) }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns a part with offsets from 0; nil if it exceeds the bytes.
    func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer? {
        guard offset >= 0, count >= 0, offset <= self.count - count else { return nil }
        return UnsafeRawBufferPointer(rebasing: self[offset..<offset + count])
    }

    /// Returns a big-endian integer without a sign.
    func integer(_ offset: Int, _ count: Int) -> UInt64 {
        self[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    fileprivate func word(_ offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Returns a variable-length integer and its length; nil if it exceeds the bytes.
    func variable(_ offset: Int) -> (value: Int64, length: Int)? {
        var value: UInt64 = 0
        for length in 1...9 {
            guard offset + length <= count else { return nil }
            let byte = self[offset + length - 1]
            if length == 9 { return (Int64(bitPattern: value << 8 | UInt64(byte)), 9) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return (Int64(bitPattern: value), length) }
        }
        return nil
    }
}

/// A private copy of a damaged store, in which SQLite reads rows by their IDs.
///
/// SQLite reads some records that ``DamagedRecord`` rejects, and where a tree is intact, it finds the row that an ID
/// really has.
final class DamagedTables {
    private let connection: Connection
    private let isCutWithinPage: Bool

    /// Opens the copy; nil if SQLite cannot. Damage of a part of the schema fails only what needs that part.
    ///
    /// - Parameter isCutWithinPage: Whether SQLite reads zeros for the rest of the last page.
    init?(copy: String, isCutWithinPage: Bool) {
        self.isCutWithinPage = isCutWithinPage
        do {
            connection = try Connection(path: copy, access: .readWrite)
            // The copy is mapped into memory too, and must not change.
            connection.skipCheckpointOnClose()
            // SQLite then tolerates errors of the schema, and a file that is shorter than its header says.
            connection.setWritableSchema(enabled: true)
        } catch {
            return nil
        }
    }

    /// Returns the attributes of an entity that its table has; nil if it does not have these columns.
    func attributes(of entity: EntityDescription, columns: [String]) -> [AttributeDescription]? {
        let query = """
            SELECT columns.name FROM pragma_table_list(?1) AS tables, pragma_table_info(?1) AS columns
            WHERE tables.schema = 'main' AND tables.type = 'table'
            """
        guard let names = try? connection.texts(query, entity.name), names == columns else { return nil }
        return names.compactMap { entity.attribute($0) }
    }

    /// Returns the versions of the rows that have one of the IDs.
    func versions(of entity: EntityDescription, _ ids: [Int64]) -> [Int64] {
        let query = "SELECT version FROM \(StoreSchema.quoted(entity.name)) NOT INDEXED WHERE id = ?1"
        return ids.compactMap { try? connection.integer(query, $0) }
    }

    /// Returns the row of an ID, which has the ID, a version, and attributes with values of their kinds; nil if SQLite
    /// cannot read it.
    func row(_ id: Int64, of entity: EntityDescription, _ attributes: [AttributeDescription]) -> ReadRow? {
        let names = (["id", "version"] + attributes.map(\.name)).map(StoreSchema.quoted)
        let table = StoreSchema.quoted(entity.name)
        guard
            let row = try? connection.prepare(
                "SELECT \(names.joined(separator: ", ")) FROM \(table) NOT INDEXED WHERE id = ?1", [id]),
            (try? row.step()) == true, row.type(0) == .integer, row.integer(0) == id,
            row.type(1) == .integer
        else { return nil }
        for (index, attribute) in attributes.enumerated() {
            guard attribute.admits(row.type(index + ReadRow.first)) else { return nil }
        }
        return ReadRow(
            id: id, version: row.integer(1), attributes: attributes, mayContainZeros: isCutWithinPage,
            statement: row)
    }
}

/// A row of a damaged store, from one of the sources.
protocol SalvagedRow: ~Copyable {
    var id: Int64 { get }
    var version: Int64 { get }
    var attributes: [AttributeDescription] { get }

    /// Binds the value of an attribute, with its bytes as stored.
    func bind(_ attribute: Int, to statement: borrowing Statement, at index: Int) throws(SQLiteError)

    /// Whether a value is text that is not valid UTF-8, or may have zeros in the position of a part that is missing.
    func isDamagedText(_ attribute: Int) -> Bool
}

/// A row that SQLite reads.
struct ReadRow: ~Copyable, SalvagedRow {
    static let first = 2

    let id: Int64
    let version: Int64
    let attributes: [AttributeDescription]
    /// Whether zeros in a text are those of a page that the file's end divides.
    fileprivate let mayContainZeros: Bool
    fileprivate let statement: Statement

    func bind(_ attribute: Int, to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        let column = attribute + Self.first
        // See ``DamagedValue/as(_:)``.
        switch (attributes[attribute].kind, self.statement.type(column)) {
        case (.text, .blob): try statement.bind(utf8: self.statement.blob(column), at: index)
        case (.blob, .text): try statement.bind(self.statement.blob(column), at: index)
        default: try statement.bind(column, of: self.statement, at: index)
        }
    }

    func isDamagedText(_ attribute: Int) -> Bool {
        guard attributes[attribute].kind == .text else { return false }
        return statement.withBlob(attribute + Self.first) {
            String(validating: $0, as: UTF8.self) == nil || mayContainZeros && $0.contains(0)
        }
    }
}

extension AttributeDescription {
    fileprivate func admits(_ type: StorageClass) -> Bool {
        switch type {
        case .null: isOptional
        case .integer: kind == .integer || kind == .real
        case .real: kind == .real
        case .text, .blob: kind == .text || kind == .blob
        }
    }
}
