import SQLite

/// A leaf page of a table, with the cells that fit their page.
struct LeafPage {
    struct Cell {
        let id: Int64
        /// The bytes of the record, here and on its overflow pages.
        let size: Int
        /// The part on this page.
        let local: UnsafeRawBufferPointer
        /// The first overflow page; 0 if there is none.
        let overflow: Int
        let offset: Int
        let length: Int
    }

    let cells: [Cell]

    /// Creates the cells; nil if it is not a leaf page of a table.
    ///
    /// - Parameters:
    ///   - page: The bytes of the page, fewer if the file ends inside it.
    ///   - usable: The bytes that a whole page has for data.
    init?(_ page: UnsafeRawBufferPointer, usable: Int, headerAt start: Int) {
        guard page.count >= start + 8, page[start] == 13 else { return nil }
        let count = Int(page.integer(start + 3, 2))
        guard count > 0, start + 8 + 2 * count <= page.count else { return nil }
        cells = (0..<count).compactMap { index in
            Self.cell(
                page, usable, Int(page.integer(start + 8 + 2 * index, 2)), after: start + 8 + 2 * count)
        }
    }

    /// Returns the IDs of all cells that SQLite can find on a page, whether or not they fit it.
    static func ids(_ page: UnsafeRawBufferPointer, size: Int, headerAt start: Int) -> [Int64] {
        guard page.count >= start + 8, page[start] == 13 else { return [] }
        let count = min(Int(page.integer(start + 3, 2)), (page.count - start - 8) / 2)
        return (0..<count).compactMap { index in
            // SQLite reads the low bits of an offset (btree.c, findCell).
            let offset = Int(page.integer(start + 8 + 2 * index, 2)) & (size - 1)
            return page.variable(offset).flatMap { page.variable(offset + $0.length)?.value }
        }
    }

    private static func cell(
        _ page: UnsafeRawBufferPointer, _ usable: Int, _ offset: Int, after start: Int
    ) -> Cell? {
        guard offset >= start, let size = page.variable(offset), size.value > 0, size.value <= Int32.max,
            let id = page.variable(offset + size.length)
        else { return nil }
        let (payload, header) = (Int(size.value), size.length + id.length)
        // The part of a long record that stays on the page (sqlite.org/fileformat2.html 1.6).
        let (most, least) = (usable - 35, (usable - 12) * 32 / 255 - 23)
        let short = least + (payload - least) % (usable - 4)
        let stays = payload <= most ? payload : short <= most ? short : least
        guard let local = page.part(offset + header, stays) else { return nil }
        guard stays < payload else {
            return Cell(
                id: id.value, size: payload, local: local, overflow: 0, offset: offset, length: header + stays
            )
        }
        guard let next = page.part(offset + header + stays, 4) else { return nil }
        return Cell(
            id: id.value, size: payload, local: local, overflow: Int(next.integer(0, 4)), offset: offset,
            length: header + stays + 4)
    }
}

/// A page of an index.
enum IndexPage {
    /// Returns the text and the ID of each entry of one text that is whole on the page.
    static func entries(_ page: UnsafeRawBufferPointer) -> [(text: String, id: Int64)] {
        // An interior page has a longer header, and a page number before each entry (sqlite.org/fileformat2.html 1.6).
        guard page.count >= 12, page[0] == 10 || page[0] == 2 else { return [] }
        let (start, before) = page[0] == 2 ? (12, 4) : (8, 0)
        let count = min(Int(page.integer(3, 2)), (page.count - start) / 2)
        let most = (page.count - 12) * 64 / 255 - 23
        return (0..<count).compactMap { index in
            let offset = Int(page.integer(start + 2 * index, 2)) + before
            guard let size = page.variable(offset), (1...Int64(most)).contains(size.value),
                let local = page.part(offset + size.length, Int(size.value)),
                let record = DamagedRecord(local, size: local.count), record.types.count == 2,
                let text = record.value(0, in: local)?.text, let id = record.value(1, in: local)?.integer
            else { return nil }
            return (text, id)
        }
    }
}

/// The header of a record: the kind and the length of each value.
struct DamagedRecord {
    /// The serial types (sqlite.org/fileformat2.html 2.1).
    let types: [Int64]
    private let headerLength: Int

    /// Reads the header of a cell's record; nil unless the lengths of the values add up to that of the record.
    init?(_ cell: LeafPage.Cell) { self.init(cell.local, size: cell.size) }

    /// - Parameters:
    ///   - local: The bytes of the record that are on its page.
    ///   - size: The number of all its bytes.
    init?(_ local: UnsafeRawBufferPointer, size: Int) {
        guard let header = local.variable(0), header.value >= Int64(header.length),
            header.value <= Int64(local.count)
        else { return nil }
        headerLength = Int(header.value)
        var (offset, total, types) = (header.length, headerLength, [Int64]())
        while offset < headerLength {
            guard let type = local.variable(offset), let length = Self.length(type.value) else {
                return nil
            }
            types.append(type.value)
            offset += type.length
            total += length
        }
        guard offset == headerLength, total == size else { return nil }
        self.types = types
    }

    static func length(_ type: Int64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 12...(1 << 31): Int(type - 12) / 2
        default: nil
        }
    }

    /// Returns a value of bytes that contain the whole record, or the part of it up to that value.
    func value(_ index: Int, in bytes: UnsafeRawBufferPointer) -> DamagedValue? {
        let start = types[..<index].reduce(headerLength) { $0 + (Self.length($1) ?? 0) }
        guard let part = bytes.part(start, Self.length(types[index]) ?? 0) else { return nil }
        switch types[index] {
        case 0: return .null
        case 8, 9: return .integer(types[index] - 8)
        case 7: return .real(Double(bitPattern: part.integer(0, 8)))
        case 1...6:
            let shift = 64 - 8 * part.count
            return .integer(Int64(bitPattern: part.integer(0, part.count) << UInt64(shift)) >> Int64(shift))
        case let type: return type % 2 == 1 ? .text(part) : .blob(part)
        }
    }
}

/// A value of a record. Text may not be valid UTF-8.
enum DamagedValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)

    var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    var text: String? {
        if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    /// The value as one of a kind. One changed bit makes a text a blob of the same bytes.
    func `as`(_ kind: AttributeDescription.Kind) -> DamagedValue {
        switch (self, kind) {
        case (.blob(let bytes), .text): .text(bytes)
        case (.text(let bytes), .blob): .blob(bytes)
        default: self
        }
    }

    func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        switch self {
        case .null: try statement.bindNull(at: index)
        case .integer(let value): try statement.bind(value, at: index)
        case .real(let value): try statement.bind(value, at: index)
        case .text(let bytes): try statement.bind(utf8: Array(bytes), at: index)
        case .blob(let bytes): try statement.bind(Array(bytes), at: index)
        }
    }
}

extension DamagedPages {
    /// Returns the whole record of a cell; nil if its overflow pages are incomplete.
    func record(_ cell: LeafPage.Cell) -> [UInt8]? {
        guard cell.size <= count * usable else { return nil }
        var bytes = Array(cell.local)
        var next = cell.overflow
        while bytes.count < cell.size {
            guard next > 1, let page = page(next) else { return nil }
            bytes += page.dropFirst(4).prefix(cell.size - bytes.count)
            next = Int(page.integer(0, 4))
        }
        return bytes
    }
}
