import PersistentStore
import SQLite
import TestSupport

/// Random transactions of several authors and of external writers, and random requests for parts of them.
struct RandomHistory {
    var random: SeededRandom
    let container: PersistentContainer

    static let authors: [String?] = ["app", "cli", nil]
    static let names: [String?] = ["view", "import", nil]

    static func model() throws -> StoreModel {
        let attributes = [
            AttributeDescription(
                "title", .text, isOptional: true, history: [.preservesValueOnDeletion, .recordsOldValue]),
            AttributeDescription("rank", .integer, defaultValue: .value(0)),
        ]
        return try StoreModel(
            version: 1,
            entities: [
                EntityDescription("Note", attributes: attributes),
                EntityDescription("Tag", attributes: attributes.reversed()),
            ])
    }

    mutating func any<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    mutating func write(_ count: Int) async throws {
        for _ in 0..<count {
            if Bool.random(using: &random) { try await save() } else { try externalWriterCommits() }
        }
    }

    private mutating func save() async throws {
        let context = container.makeContext(author: any(Self.authors), name: any(Self.names))
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let id = ObjectID(entity: any(["Note", "Tag"]), key: Int64.random(in: 1...8, using: &random))
            let isThere = try await !container.objects(FetchRequest(id.entity, where: .keys([id.key])))
                .isEmpty
            switch (isThere, Int.random(in: 0...2, using: &random)) {
            case (false, _), (_, 0): try await context.insert(id.entity, ["title": "new"])
            case (_, 1):
                try await context.update(id, ["rank": .integer(Int64.random(in: 0...99, using: &random))])
            default: try await context.delete(id)
            }
        }
        try await context.save()
    }

    private mutating func externalWriterCommits() throws {
        let connection = try Connection(path: container.path, access: .readWrite)
        let table = any(["Note", "Tag"])
        try connection.execute(
            any([
                "INSERT INTO \(table) (title) VALUES ('a'), ('b'), ('c')",
                "UPDATE \(table) SET title = title || '!' WHERE id % 3 = 1",
                "UPDATE \(table) SET rank = rank + 1, title = 'both' WHERE id < 6",
                "DELETE FROM \(table) WHERE id % 5 = 2", "REPLACE INTO \(table) (id, title) VALUES (3, 'r')",
            ]))
    }

    mutating func transactionPredicate(_ depth: Int = 3, among all: [HistoryTransaction])
        -> TransactionPredicate
    {
        func parts(_ history: inout RandomHistory) -> [TransactionPredicate] {
            (0..<Int.random(in: 0...3, using: &history.random)).map { _ in
                history.transactionPredicate(depth - 1, among: all)
            }
        }
        switch Int.random(in: 0...(depth > 0 ? 9 : 5), using: &random) {
        case 0: return .author(any(Self.authors + ["missing"]))
        case 1:
            let name = any(Self.names)
            guard let name, Bool.random(using: &random) else { return .contextName(name) }
            return .contextNamePrefix(String(name.prefix(2)))
        case 2: return .program(any(all).program)
        case 3: return .process(any(all).process)
        case 4: return .after(any(all).timestamp)
        case 5: return .before(any(all).timestamp)
        case 6: return .and(parts(&self))
        case 7, 8: return .or(parts(&self))
        default: return .not(transactionPredicate(depth - 1, among: all))
        }
    }

    mutating func changePredicate(_ depth: Int = 3) -> ChangePredicate {
        func parts(_ history: inout RandomHistory) -> [ChangePredicate] {
            (0..<Int.random(in: 0...3, using: &history.random)).map { _ in history.changePredicate(depth - 1)
            }
        }
        switch Int.random(in: 0...(depth > 0 ? 6 : 3), using: &random) {
        case 0: return .entity(any(["Note", "Tag", "None"]))
        case 1: return .kind(any(HistoryChange.Kind.allCases))
        case 2:
            let ids = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                ObjectID(
                    entity: any(["Note", "Tag", "None"]), key: Int64.random(in: -1...12, using: &random),
                    storeID: container.storeID)
            }
            return .objects(Set(ids))
        case 3: return .updated(any(["title", "rank", "none"]))
        case 4: return .and(parts(&self))
        case 5: return .or(parts(&self))
        default: return .not(changePredicate(depth - 1))
        }
    }

    mutating func request(among all: [HistoryTransaction]) -> HistoryFetchRequest {
        let number = Int64.random(in: 0...(all.last?.number ?? 0), using: &random)
        let token = HistoryToken("\(container.storeID).1.\(number)") ?? all[0].token
        var request = HistoryFetchRequest(
            any([
                .beginning, .newest, .newest, .after(token), .afterTransaction(number),
                .ending(at: token), .afterDate(any(all).timestamp),
            ]))
        if Bool.random(using: &random) { request.predicate = transactionPredicate(among: all) }
        if Bool.random(using: &random) { request.changePredicate = changePredicate() }
        request.limit = any([nil, nil, 0, 1, 5, 100])
        request.offset = any([0, 0, 1, 7, 100])
        request.maxChangesAtOnce = any([nil, 1, 2, 3])
        request.includesChanges = any([true, true, true, false])
        return request
    }
}
