import TestSupport
import Testing

@testable import PersistentStore

/// Swift's evaluation of sort orders and predicates, which must equal SQLite's.
@Suite struct SortAndPredicateTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let context: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        let model = try StoreModel(
            version: 1,
            entities: [
                EntityDescription(
                    "Thing",
                    attributes: [
                        AttributeDescription("plain", .text, defaultValue: .value(""), isIndexed: true),
                        AttributeDescription("folded", .text, defaultValue: .value(""), ignoresCase: true),
                        AttributeDescription("whole", .integer, defaultValue: .value(0)),
                        AttributeDescription("real", .real, defaultValue: .value(.real(0))),
                        AttributeDescription("bytes", .blob, defaultValue: .value(.blob([]))),
                        AttributeDescription("maybe", .text, isOptional: true, isIndexed: true),
                        AttributeDescription("few", .integer, isOptional: true),
                    ])
            ])
        container = try await PersistentContainer(path: folder.path(of: "things.db"), model: model)
        context = container.makeContext(author: "a")
    }

    private static let letters = [
        "a", "A", "b", "B", "z", "Z", "_", "[", "\u{E4}", "\u{C4}", "\u{1F600}", "\0", "%", "\\",
    ]

    private static func text(_ random: inout SeededRandom) -> AttributeValue {
        .text(
            (0..<Int.random(in: 0...4, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? ""
            }.joined())
    }

    private static func thing(_ random: inout SeededRandom) -> [String: AttributeValue] {
        let whole: [Int64] = [.min, .max, -1, 0, 1, 1 << 53, 1 << 53 + 1]
        let real: [Double] = [-.infinity, .infinity, 0, 0.1, 1e300, 9_007_199_254_740_992]
        return [
            "plain": text(&random), "folded": text(&random),
            "whole": .integer(whole.randomElement(using: &random) ?? 0),
            "real": .real(real.randomElement(using: &random) ?? 0),
            "bytes": .blob(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in .random(in: 0...255, using: &random) }),
            "maybe": Bool.random(using: &random) ? .null : text(&random),
            "few": [.null, 1, 2].randomElement(using: &random) ?? .null,
        ]
    }

    private static let attributes = ["plain", "folded", "whole", "real", "bytes", "maybe", "few", "id"]

    private func insertThings(_ random: inout SeededRandom) async throws {
        for _ in 0..<200 { try await context.insert("Thing", Self.thing(&random)) }
        try await context.save()
    }

    @Test(arguments: attributes, [true, false])
    func `positions sort as in SQLite, and bounds split at them, by one attribute`(
        attribute: String, isAscending: Bool
    ) async throws {
        var random = SeededRandom(seed: 4711)
        try await insertThings(&random)
        try await expectOrder([SortKey(attribute, isAscending: isAscending)], &random)
    }

    @Test(arguments: 0..<8)
    func `positions sort as in SQLite, and bounds split at them, by several attributes`(
        seed: UInt64
    ) async throws {
        var random = SeededRandom(seed: seed)
        try await insertThings(&random)
        for _ in 0..<6 {
            // The first attributes have few values, so that the later ones decide.
            let names = ["few", "maybe"].shuffled(using: &random) + Self.attributes.shuffled(using: &random)
            let sort = names.prefix(Int.random(in: 0...4, using: &random)).map {
                SortKey($0, isAscending: Bool.random(using: &random))
            }
            try await expectOrder(sort, &random)
        }
    }

    /// Compares positions, and the objects after and before them, with SQLite's ORDER BY.
    private func expectOrder(_ sort: [SortKey], _ random: inout SeededRandom) async throws {
        let terms = sort.map { "\"\($0.attribute)\" \($0.isAscending ? "ASC" : "DESC")" }
        let isKeyAscending = sort.last?.isAscending ?? true
        let sql =
            "SELECT id FROM Thing ORDER BY "
            + (terms + ["id \(isKeyAscending ? "ASC" : "DESC")"]).joined(separator: ", ")
        let expected = try Shell.run("sqlite3", [container.path, sql]).output.split(separator: "\n").map(
            String.init)
        let (keys, positions) = try await container.read { snapshot in
            let objects = try snapshot.fetch(FetchRequest("Thing", sort: sort))
            return (objects.map(\.id.key), objects.map { snapshot.position(of: $0, in: sort) })
        }
        #expect(keys.map(String.init) == expected, "\(sort)")
        for (first, second) in zip(positions, positions.dropFirst()) {
            #expect(first < second && !(second < first), "\(sort)")
        }
        #expect(positions.shuffled(using: &random).sorted() == positions, "\(sort)")
        for index in [0, 199] + (0..<8).map({ _ in Int.random(in: 0..<200, using: &random) }) {
            var request = FetchRequest("Thing", sort: sort, limit: 3)
            request.after = positions[index]
            let after = try await container.objects(request)
            #expect(after.map(\.id.key) == Array(keys[(index + 1)...].prefix(3)), "\(sort)")
            request.after = nil
            request.before = positions[index]
            request.isReversed = true
            let before = try await container.objects(request)
            #expect(before.map(\.id.key) == Array(keys[..<index].suffix(3)), "\(sort)")
            let bounds = request
            #expect(try await container.read { try $0.count(bounds) } == index, "\(sort)")
        }
    }

    @Test(arguments: [
        ([SortKey("plain")], true), ([SortKey("plain", isAscending: false)], true), ([], true),
        ([SortKey("maybe")], true), ([SortKey("plain"), SortKey("few", isAscending: false)], true),
        ([SortKey("whole")], false),
    ])
    func `SQLite finds the objects after a position in the index of the first attribute`(
        sort: [SortKey], usesIndex: Bool
    ) throws {
        let entity = try #require(container.model.entity("Thing"))
        let order = SortOrder(sort, of: entity)
        var values: [AttributeValue] = []
        let position = order.position(of: 7, ["plain": "m", "maybe": "m", "few": 1, "whole": 1])
        let condition = order.condition(position, isAfter: true, entity, &values)
        let sql =
            "EXPLAIN QUERY PLAN SELECT id FROM Thing WHERE \(condition)"
            + order.clause(entity, isReversed: false)
        let literals = values.map(StoreSchema.literal)
        let bound = zip(sql.split(separator: "?", omittingEmptySubsequences: false), literals + [""])
            .map { "\($0)\($1)" }.joined()
        let plan = try Shell.run("sqlite3", [container.path, bound]).output
        #expect(plan.contains("SEARCH Thing") == usesIndex, "\(plan)")
    }

    @Test func `numbers of two kinds compare exactly`() {
        func position(_ value: AttributeValue) -> SortPosition {
            let component = SortOrder.Component("a", isAscending: true, ignoresCase: false)
            return SortPosition([value], key: 1, in: SortOrder([component], isKeyAscending: true))
        }
        let big: Int64 = 1 << 53
        let order: [AttributeValue] = [
            .null, .real(-.infinity), .integer(.min), .real(-0.5), .integer(0), .real(0.5), .integer(big),
            .integer(big + 1), .real(Double(big + 2)), .integer(.max), .real(9.3e18), .text(""), .blob([]),
        ]
        for (first, second) in zip(order, order.dropFirst()) { #expect(position(first) < position(second)) }
    }

    @Test(arguments: ["%", "_", "\\", "%\u{301}", "a%", "\\%", "'", "\"", "\u{E4}", "A"])
    func `words are found literally, regardless of their meaning to LIKE`(words: String) async throws {
        let texts = [
            "100%", "a_b", "c\\d", "%\u{301}x", "plain", "a%", "\\%", "it's", "say \"x\"", "\u{E4}h",
        ]
        for text in texts { try await context.insert("Thing", ["plain": .text(text)]) }
        try await context.save()
        func folded(_ text: String) -> [UInt8] {
            text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        }
        func holds(_ text: String) -> Bool {
            let (text, words) = (folded(text), folded(words))
            return text.indices.contains { text[$0...].starts(with: words) }
        }
        let found = try await container.objects(FetchRequest("Thing", where: .contains("plain", words)))
        #expect(found.compactMap { $0["plain"].textValue } == texts.filter(holds))
    }

    @Test func `evaluation in memory equals a fetch`() async throws {
        let seed: UInt64 = 99
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 { try await context.insert("Thing", Self.thing(&random)) }
        try await context.save()
        let objects = try await container.objects(FetchRequest("Thing"))
        let names = ["plain", "folded", "whole", "real", "bytes", "maybe"]
        func predicate(_ depth: Int) -> ObjectPredicate {
            let name = names.randomElement(using: &random) ?? ""
            switch Int.random(in: 0...(depth > 0 ? 6 : 3), using: &random) {
            case 0, 1:
                let all: [ObjectPredicate.Comparison] = [
                    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
                ]
                return .compare(
                    name, all.randomElement(using: &random) ?? .equal,
                    objects.randomElement(using: &random)?[name] ?? .null)
            case 2:
                return .contains("folded", Self.text(&random).textValue?.replacing("\0", with: "") ?? "")
            case 3: return .keys((0..<5).map { _ in Int64.random(in: 1...60, using: &random) })
            case 4: return .and([predicate(depth - 1), predicate(depth - 1)])
            case 5: return .or([predicate(depth - 1), predicate(depth - 1)])
            default: return .not(predicate(depth - 1))
            }
        }
        for _ in 0..<150 {
            let predicate = predicate(2)
            let agreed = try await container.read { snapshot in
                let fetched = Set(try snapshot.fetch(FetchRequest("Thing", where: predicate)).map(\.id))
                let matched = try objects.filter { object in
                    var values = object.values
                    values["id"] = .integer(object.id.key)
                    return try snapshot.matches(predicate, values, entity: "Thing")
                }
                return fetched == Set(matched.map(\.id))
            }
            #expect(agreed, "seed \(seed): \(predicate)")
        }
    }

    @Test func `a fetch accepts any number of keys`() async throws {
        try await context.insert("Thing", [:])
        try await context.save()
        let request = FetchRequest("Thing", where: .keys(Array(-100_000...100_000)))
        #expect(try await container.objects(request).count == 1)
        #expect(try await container.objects(FetchRequest("Thing", where: .keys([]))).isEmpty)
    }

    @Test func `sorting by an unknown attribute is rejected`() async throws {
        let request = FetchRequest("Thing", sort: [SortKey("plain"), SortKey("none")])
        await #expect(throws: StoreError.unknownAttribute("none", entity: "Thing")) {
            try await container.objects(request)
        }
    }
}

/// Predicates at and beyond SQLite's limits.
@Suite struct LargePredicateTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
        let long = String(repeating: "Ab", count: 40_000)
        let context = container.makeContext(author: "a")
        for title in ["a", "x" + long + "y", "nul\0after"] {
            try await context.insert(
                "Note", ["title": .text(title), "rank": .integer(Int64(title.utf8.count))])
        }
        try await context.save()
    }

    private func ranks(_ predicate: ObjectPredicate) async throws -> [Int64?] {
        try await container.objects(FetchRequest("Note", where: predicate)).map { $0["rank"].integerValue }
    }

    @Test func `conditions that add no level are limited as well`() async throws {
        let wraps: [(ObjectPredicate) -> ObjectPredicate] = [
            { .not(.not($0)) }, { .and([$0]) }, { .or([.isOneOf("rank", [1]), .keys([1]), $0]) },
        ]
        func nested(_ count: Int, _ wrap: (ObjectPredicate) -> ObjectPredicate) -> ObjectPredicate {
            (0..<count).reduce(.equal("rank", 1)) { part, _ in wrap(part) }
        }
        for wrap in wraps.prefix(2) { #expect(try await ranks(nested(1000, wrap)) == [1]) }
        for wrap in wraps { await #expect(throws: StoreError.self) { try await ranks(nested(3000, wrap)) } }
        let keys = ObjectPredicate.or((0..<40_000).map { .keys([$0]) })
        await #expect(throws: StoreError.self) { try await ranks(keys) }
    }

    @Test func `words longer than LIKE's limit are found`() async throws {
        let words = String(repeating: "aB", count: 30_000)
        #expect(try await ranks(.contains("title", words)) == [80_002])
        #expect(try await ranks(.contains("title", words + "z")) == [])
    }

    @Test func `a NUL ends the searched words`() async throws {
        #expect(try await ranks(.contains("title", "nul")) == [9])
        #expect(try await ranks(.contains("title", "after")) == [])
    }

    @Test func `a predicate of two thousand conditions is evaluated`() async throws {
        let parts = (0..<2000).map { ObjectPredicate.equal("rank", .integer(Int64($0))) }
        #expect(try await ranks(.or(parts)) == [1, 9])
        #expect(try await ranks(.and(parts.map { .not($0) })) == [80_002])
    }

    @Test(arguments: [0, 1, 2])
    func `nested conditions are evaluated, or rejected as too deep`(way: Int) async throws {
        func nested(_ levels: Int) -> ObjectPredicate {
            var predicate = ObjectPredicate.equal("rank", 1)
            for level in 0..<levels {
                switch (way + level) % 3 {
                case 0: predicate = .and([predicate, .compare("rank", .less, 5)])
                case 1: predicate = .not(predicate)
                default: predicate = .or([.compare("rank", .greater, 5), predicate])
                }
            }
            return predicate
        }
        for levels in 1...25 { _ = try await ranks(nested(levels)) }
        var deletion = BatchRequest.delete("Note", where: .and([nested(24), .equal("rank", -1)]))
        deletion.returnsObjectIDs = true
        try await container.execute(deletion, author: "a")
        for levels in [26, 40, 1000] {
            let error = await #expect(throws: StoreError.self) { try await ranks(nested(levels)) }
            guard case .predicateTooComplex = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        let wide = ObjectPredicate.or((0..<3000).map { .equal("rank", .integer($0)) })
        let error = await #expect(throws: StoreError.self) { try await ranks(wide) }
        #expect(error?.description.contains("2000 parts") == true)
    }
}
