import SQLite

/// The rows of a damaged store, found on the leaf pages of its tables, with or without the pages above them.
///
/// The shape of a row shows its table. Where pointer maps are intact, they exclude pages of other tables and
/// unused pages, and the history excludes objects that were deleted.
struct SalvageScan {
    /// A row that may be one of an entity.
    struct Candidate {
        let id: Int64
        let version: Int64
        /// How certain the page belongs to the table; 0 for an unused page.
        fileprivate(set) var rank: Int
        let page: Int
        let cell: Int

        func precedes(_ other: Candidate) -> Bool {
            if id != other.id { return id < other.id }
            if (rank == 0) != (other.rank == 0) { return other.rank == 0 }
            return version != other.version ? version > other.version : rank > other.rank
        }
    }

    let pages: DamagedPages
    private let model: StoreModel
    /// The candidates of each entity of the model, by ID, the most probable one first.
    private(set) var candidates: [[Candidate]]
    /// The IDs on pages of each entity's table whose record cannot be read.
    private(set) var unreadable: [[Int64]]
    /// The IDs of all cells, of any table, which SQLite may be able to read.
    private(set) var ids: Set<Int64> = []
    /// The IDs of cells that the end of the file divides. SQLite reads zeros for the rest.
    private(set) var dividedIDs: Set<Int64> = []
    /// The last assigned ID of each table.
    private(set) var sequences: [String: Int64] = [:]
    /// The names of the columns of each entity's table that was found in the schema, the last one first.
    private var foundColumns: [String: [[String]]] = [:]
    private var columns: [String: [String]] = [:]
    /// The shapes of the rows of each entity of the model, and those of all known tables.
    private var rowShapes: [TableShape] = []
    private var shapes: [TableShape] = []
    private var tables: [Int: String] = [:]
    /// The attributes of indexes, by the first page of each.
    private var indexes: [Int: (entity: String, attribute: String)] = [:]
    private var entityIDs: [String: Int64] = [:]
    private var changes: [ObjectKey: (number: Int64, isDeletion: Bool)] = [:]

    private struct ObjectKey: Hashable {
        let entity: Int64
        let object: Int64
    }

    init(_ pages: DamagedPages, model: StoreModel, progress: (_ done: Int, _ of: Int) -> Void) {
        (self.pages, self.model) = (pages, model)
        (candidates, unreadable) = (model.entities.map { _ in [] }, model.entities.map { _ in [] })
        let count = max(1, pages.count)
        for number in 1...count * 2 {
            if number == count + 1 {
                chooseColumns()
                rowShapes = model.entities.map { TableShape(of: $0, columns: columnNames(of: $0)) }
                shapes = rowShapes + TableShape.others(model) { columnNames(of: $0) }
            }
            if number <= count { readFacts(number) } else { readRows(number - count) }
            if number.isMultiple(of: 4096) { progress(number, count * 2) }
        }
        confirmCandidates()
        for index in candidates.indices { candidates[index].sort { $0.precedes($1) } }
    }

    /// Whether an object existed last, as the history that was found says; nil if it says nothing.
    func isLive(_ id: Int64, of entity: EntityDescription) -> Bool? {
        guard let known = entityIDs[entity.name] else { return nil }
        return changes[ObjectKey(entity: known, object: id)].map { !$0.isDeletion }
    }

    /// The IDs of the objects that existed last, as the history that was found says.
    func liveIDs(of entity: EntityDescription) -> [Int64] {
        guard let known = entityIDs[entity.name] else { return [] }
        return changes.compactMap { $0.key.entity == known && !$0.value.isDeletion ? $0.key.object : nil }
    }

    /// The IDs of the objects of an entity that existed, as the history or a cell in their table says.
    func namedIDs(_ position: Int) -> Set<Int64> {
        let entity = model.entities[position]
        let last = sequences[entity.name] ?? 0
        return Set(liveIDs(of: entity)).union(
            unreadable[position].filter { (1...max(1, last)).contains($0) && isLive($0, of: entity) != false }
        )
    }

    /// The IDs that were assigned after another one, and of which the rows may be beyond the end of the file.
    func idsBeyondEnd(after id: Int64, of entity: EntityDescription) -> [Int64] {
        // A row has more than 16 bytes. A damaged header or sequence may have any number.
        let most = Int64(min(pages.lostBytes / 16, 1 << 22))
        guard let last = sequences[entity.name], last > id, last - id <= most else { return [] }
        return (id + 1...last).filter { isLive($0, of: entity) != false }
    }

    /// Returns the attributes of a row with their values; nil if the row is not one of the entity.
    func row(_ candidate: Candidate, of entity: EntityDescription) -> FoundRow? {
        guard let leaf = leaf(candidate.page) else { return nil }
        let cell = leaf.cells[candidate.cell]
        guard let record = DamagedRecord(cell), let bytes = pages.record(cell) else { return nil }
        let attributes = zip(columnNames(of: entity), record.types.indices).compactMap { name, index in
            entity.attribute(name).map { ($0, index) }
        }
        return FoundRow(
            id: cell.id, version: candidate.version, attributes: attributes.map(\.0), record: record,
            bytes: bytes, indexes: attributes.map(\.1))
    }

    private func leaf(_ number: Int) -> LeafPage? {
        pages.start(of: number).flatMap {
            LeafPage($0, usable: pages.usable, headerAt: number == 1 ? 100 : 0)
        }
    }

    func columnNames(of entity: EntityDescription) -> [String] {
        columns[entity.name] ?? ["id", "version"] + entity.attributes.map(\.name)
    }

    // MARK: Facts

    /// Reads rows of the schema, of the history, and of the last assigned IDs.
    private mutating func readFacts(_ number: Int) {
        guard let leaf = leaf(number), pages.role(number) != .free else { return }
        for cell in leaf.cells {
            guard let record = DamagedRecord(cell) else { continue }
            func integer(_ index: Int) -> Int64? { record.value(index, in: cell.local)?.integer }
            func text(_ index: Int) -> String? { record.value(index, in: cell.local)?.text }
            switch record.types.count {
            case 2:
                if record.types[0] == 0, let name = text(1), model.entity(name) != nil {
                    entityIDs[name] = cell.id
                } else if let name = text(0), let last = integer(1), (0..<1 << 53).contains(last) {
                    sequences[name] = max(last, sequences[name] ?? 0)
                }
            case 5:
                guard let kind = text(0), let name = text(1), let root = integer(3) else { continue }
                if kind == "index", let entity = text(2).flatMap({ model.entity($0) }),
                    let attribute = entity.attributes.first(where: {
                        StoreSchema.indexName($0.name, entity.name) == name
                    })
                {
                    indexes[Int(clamping: root)] = (entity.name, attribute.name)
                }
                guard kind == "table" else { continue }
                tables[Int(clamping: root)] = name
                if model.entity(name) != nil,
                    let sql = pages.record(cell).flatMap({ bytes in
                        bytes.withUnsafeBytes { record.value(4, in: $0)?.text }
                    })
                {
                    foundColumns[name, default: []].insert(Self.columnNames(sql), at: 0)
                }
            case 10:
                guard record.types[0] == 0, let kind = integer(1), (0...2).contains(kind),
                    let entity = integer(2), let object = integer(3)
                else { continue }
                let key = ObjectKey(entity: entity, object: object)
                guard changes[key].map({ $0.number < cell.id }) ?? true else { continue }
                changes[key] = (cell.id, Int(kind) == HistoryChange.Kind.delete.rawValue)
            default: continue
            }
        }
    }

    /// Returns the names of the columns in the text of a table: the first word of each definition.
    private static func columnNames(_ sql: String) -> [String] {
        var (names, word, quote, depth, isFirst) = ([String](), "", Character?.none, 0, false)
        for character in sql {
            if let open = quote {
                if character == open { quote = nil } else if isFirst, depth == 1 { word.append(character) }
            } else if "\"'`".contains(character) {
                quote = character
            } else if character == "(" {
                depth += 1
                if depth == 1 { isFirst = true }
            } else if character == ")" || character == ",", depth == 1 {
                names.append(word)
                (word, isFirst) = ("", true)
                if character == ")" { break }
            } else if character == ")" {
                depth -= 1
            } else if character == " ", !word.isEmpty {
                isFirst = false
            } else if isFirst, depth == 1, !character.isWhitespace {
                word.append(character)
            }
        }
        return names
    }

    /// Chooses the columns that most rows have, since the schema can be damaged, too: of the found ones and those of
    /// the model, and of equal ones those with more attributes, then the found ones. Where pages of the table are known,
    /// only their rows count: an unknown name admits values of any table.
    private mutating func chooseColumns() {
        var choices: [(entity: EntityDescription, lists: [[String]], shapes: [TableShape])] = []
        for entity in model.entities {
            let lists = foundColumns[entity.name, default: []] + [columnNames(of: entity)]
            guard Set(lists).count > 1 else { continue }
            choices.append((entity, lists, lists.map { TableShape(of: entity, columns: $0) }))
        }
        guard !choices.isEmpty else { return }
        var fits = choices.map { $0.lists.map { _ in (rows: [0, 0], exactly: [0, 0]) } }
        for number in 1...max(1, pages.count) {
            guard let leaf = leaf(number) else { continue }
            let table: String? = if case .tree(let root) = pages.role(number) { tables[root] } else { nil }
            for record in leaf.cells.compactMap(DamagedRecord.init) {
                for (choice, (entity, lists, shapes)) in choices.enumerated() {
                    for (index, shape) in shapes.enumerated() where shape.admits(record) {
                        let isKnown = table == entity.name ? 1 : 0
                        fits[choice][index].rows[isKnown] += 1
                        if record.types.count == lists[index].count {
                            fits[choice][index].exactly[isKnown] += 1
                        }
                    }
                }
            }
        }
        for (fits, (entity, lists, _)) in zip(fits, choices) {
            let part = fits.contains { $0.rows[1] > 0 } ? 1 : 0
            let scores = zip(fits, lists).map { fit, names in
                (fit.rows[part], fit.exactly[part], names.count { entity.attribute($0) != nil })
            }
            columns[entity.name] = scores.indices.max {
                scores[$0] < scores[$1] || scores[$0] == scores[$1] && $0 > $1
            }
            .map { lists[$0] }
        }
    }

    // MARK: Rows

    private mutating func readRows(_ number: Int) {
        guard let start = pages.start(of: number) else { return }
        let found = LeafPage.ids(start, size: pages.pageSize, headerAt: number == 1 ? 100 : 0)
        ids.formUnion(found)
        let leaf = leaf(number)
        if start.count < pages.usable {
            dividedIDs.formUnion(Set(found).subtracting(leaf?.cells.map(\.id) ?? []))
        }
        guard let leaf else { return }
        let role = pages.role(number)
        var table: String? = if case .tree(let root) = role { tables[root] } else { nil }
        if let stated = table, isMisplaced(leaf, in: stated) { table = nil }
        let owner = model.entities.firstIndex { $0.name == table }
        for (index, cell) in leaf.cells.enumerated() {
            guard let record = DamagedRecord(cell), record.types.count > 1,
                let version = record.value(1, in: cell.local)?.integer,
                let position = entityIndex(record, in: table)
            else {
                if let owner { unreadable[owner].append(cell.id) }
                continue
            }
            let rank = role == .free ? 0 : table == model.entities[position].name ? 2 : 1
            candidates[position].append(
                Candidate(id: cell.id, version: version, rank: rank, page: number, cell: index))
        }
    }

    /// Whether a page in the position of a page of a table contains rows of another one: none has the shape of the
    /// table's rows, and most have that of the other table's.
    private func isMisplaced(_ leaf: LeafPage, in table: String) -> Bool {
        guard let shape = shapes.first(where: { $0.table == table }) else { return false }
        if let entity = model.entities.firstIndex(where: { StoreSchema.tables(of: $0.name).last == table }) {
            // Notes have the same shape as the rows, but at most one has a number that a version can be.
            let areRows = leaf.cells.allSatisfy { cell in
                guard let record = DamagedRecord(cell), rowShapes[entity].admits(record) else { return false }
                return record.value(1, in: cell.local)?.integer ?? 0 > 0
            }
            if areRows { return leaf.cells.count > 1 }
        }
        guard !leaf.cells.contains(where: { DamagedRecord($0).map(shape.admits) ?? false }) else {
            return false
        }
        let records = leaf.cells.compactMap(DamagedRecord.init)
        // A damaged row of an entity may have the shape of a note of it.
        let notes = StoreSchema.tables(of: table).last
        return shapes.contains { other in
            other.table != notes && records.count(where: other.admits) * 2 > leaf.cells.count
        }
    }

    /// Raises the rank of rows on pages that a pointer map states as unused, if an index contains one of their values:
    /// it contains none of a deleted object.
    private mutating func confirmCandidates() {
        for (position, entity) in model.entities.enumerated() {
            let all = candidates[position]
            let doubtful = all.indices.filter { all[$0].rank == 0 && isLive(all[$0].id, of: entity) == nil }
            guard !doubtful.isEmpty else { continue }
            let entries = entries(of: Set(doubtful.map { all[$0].id }), of: entity)
            for index in doubtful {
                guard let known = entries[all[index].id], let row = row(all[index], of: entity) else {
                    continue
                }
                if known.contains(where: { row.text(of: $0.attribute) == $0.text }) {
                    candidates[position][index].rank = 1
                }
            }
        }
    }

    /// Returns the texts of objects in the indexes of single attributes.
    private func entries(
        of ids: Set<Int64>, of entity: EntityDescription
    ) -> [Int64: [(attribute: String, text: String)]] {
        var entries: [Int64: [(attribute: String, text: String)]] = [:]
        for number in 1...max(1, pages.count) {
            guard case .tree(let root) = pages.role(number), let index = indexes[root],
                index.entity == entity.name, let page = pages.page(number)
            else { continue }
            for (text, id) in IndexPage.entries(page) where ids.contains(id) {
                entries[id, default: []].append((index.attribute, text))
            }
        }
        return entries
    }

    /// Returns the entity of a row by its shape; that of its table if that is known.
    private func entityIndex(_ record: DamagedRecord, in table: String?) -> Int? {
        model.entities.indices.first { index in
            let entity = model.entities[index]
            if let table, table != entity.name,
                StoreSchema.tables(of: entity.name).contains(table) || model.entity(table) != nil
            {
                return false
            }
            return rowShapes[index].admits(record)
        }
    }
}

/// A row that was found on a leaf page.
struct FoundRow: SalvagedRow {
    let id: Int64
    let version: Int64
    let attributes: [AttributeDescription]
    fileprivate let record: DamagedRecord
    fileprivate let bytes: [UInt8]
    fileprivate let indexes: [Int]

    private func value(_ attribute: Int, in bytes: UnsafeRawBufferPointer) -> DamagedValue? {
        record.value(indexes[attribute], in: bytes)?.as(attributes[attribute].kind)
    }

    fileprivate func text(of name: String) -> String? {
        attributes.firstIndex { $0.name == name }.flatMap { index in
            bytes.withUnsafeBytes { value(index, in: $0)?.text }
        }
    }

    func bind(_ attribute: Int, to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(SQLiteError) in
                try value(attribute, in: bytes)?.bind(to: statement, at: index)
            }
        }
        try result.get()
    }

    func isDamagedText(_ attribute: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard case .text(let text) = value(attribute, in: bytes) else { return false }
            return String(validating: text, as: UTF8.self) == nil
        }
    }
}
