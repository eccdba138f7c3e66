import Foundation
import PersistentStore
import TestSupport
import Testing

@Suite struct RecordTests {
    enum Priority: Int, Codable, AttributeConvertible { case low = 1, high = 2 }

    /// An attribute of each type.
    struct Sample: Record, Equatable {
        var text = ""
        var integer = 0
        var large: Int64 = 0
        var small: UInt8 = 0
        var real = 0.0
        var float: Float = 0
        var flag = false
        var date = Date(timeIntervalSince1970: 0)
        var uuid = UUID()
        var url = URL(fileURLWithPath: "/")
        var data = Data()
        var priority = Priority.low
        var note: String?
        var count: Int?
        var due: Date?
        var key: UUID?
        var link: URL?
        var bytes: Data?
        var done: Bool?
        var score: Double?
        var rating: Priority?

        static let entity = RecordEntity<Sample>("Sample") {
            RecordAttribute(\.text, isIndexed: true, ignoresCase: true)
            RecordAttribute(\.integer)
            RecordAttribute(\.large)
            RecordAttribute(\.small)
            RecordAttribute(\.real)
            RecordAttribute(\.float)
            RecordAttribute(\.flag)
            RecordAttribute(\.date, defaultValue: .now)
            RecordAttribute(\.uuid, defaultValue: .uuid, isUnique: true)
            RecordAttribute(\.url)
            RecordAttribute(\.data)
            RecordAttribute(\.priority)
            RecordAttribute(\.note, history: [.preservesValueOnDeletion, .recordsOldValue])
            RecordAttribute(\.count)
            RecordAttribute(\.due)
            RecordAttribute(\.key)
            RecordAttribute(\.link)
            RecordAttribute(\.bytes)
            RecordAttribute(\.done)
            RecordAttribute(\.score)
            RecordAttribute(\.rating)
        }

        static func random(_ random: inout SeededRandom) -> Sample {
            func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
            return Sample(
                text: ["", "a", "B", "b\u{0}c", "🜁"].randomElement(using: &random) ?? "",
                integer: Int.random(in: -2...2, using: &random),
                large: [.min, -1, 0, .max].randomElement(using: &random) ?? 0,
                small: UInt8.random(in: 0...255, using: &random),
                real: [-0.5, 0, 1, 1e300].randomElement(using: &random) ?? 0,
                float: Float(Int.random(in: -9...9, using: &random)) / 4, flag: Bool.random(using: &random),
                date: Date(
                    timeIntervalSince1970: Double(Int.random(in: -9_999...9_999, using: &random)) / 1000),
                data: Data((0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }),
                priority: Bool.random(using: &random) ? .low : .high, note: maybe("note"), count: maybe(3),
                due: maybe(Date(timeIntervalSince1970: 1.5)), key: maybe(UUID()),
                link: maybe(URL(fileURLWithPath: "/tmp/a b")), bytes: maybe(Data([0, 255])),
                done: maybe(false), score: maybe(0.25), rating: maybe(.high))
        }
    }

    private let folder: TemporaryFolder
    private let container: PersistentContainer
    private let context: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        container = try await PersistentContainer(
            path: folder.path(of: "samples.db"), model: StoreModel(version: 1, records: Sample.self))
        context = container.makeContext(author: "app")
    }

    private func samples(_ count: Int) -> [Sample] {
        var random = SeededRandom(seed: 7)
        return (0..<count).map { _ in Sample.random(&random) }
    }

    @Test func `records of every attribute type are read as they were saved`() async throws {
        let samples = samples(200)
        try await context.insert(samples)
        try await context.save()
        let stored = try await container.fetch(RecordRequest<Sample>())
        #expect(stored.map(\.record) == samples)
        #expect(try await context.fetch(RecordRequest<Sample>()).map(\.record) == samples)
        #expect(stored.allSatisfy { $0.version == 1 && $0.id.entity == "Sample" })
        #expect(stored.map(\.uuid) == samples.map(\.uuid))
        let objects = try await container.fetch(FetchRequest("Sample"))
        #expect(try objects.map { try StoredRecord<Sample>($0).record } == samples)
    }

    @Test func `a batch of records stores the same as a context`() async throws {
        let samples = samples(3000)
        let result = try await container.execute(.insert(samples), author: "importer")
        #expect(result.rows == samples.count)
        let lazy = samples.map { sample in
            var sample = sample
            sample.uuid = UUID()
            return sample
        }
        try await container.execute(
            .insert(total: 3000) { lazy.lazy.filter { $0.flag } }, author: nil)
        let stored = try await container.fetch(RecordRequest<Sample>()).map(\.record)
        #expect(stored == samples + lazy.filter(\.flag))
    }

    @Test func `predicates and sort keys agree with Swift's operators`() async throws {
        let samples = samples(300)
        try await context.insert(samples)
        try await context.save()
        let now = Date(timeIntervalSince1970: 0)
        let cases: [(RecordPredicate<Sample>, (Sample) -> Bool)] = [
            (\.integer > 0, { $0.integer > 0 }),
            (\.integer >= 0 && \.flag == true, { $0.integer >= 0 && $0.flag }),
            (\.date < now || \.real <= 0, { $0.date < now || $0.real <= 0 }),
            (!(\.priority == .high), { $0.priority != .high }),
            (\.note == nil, { $0.note == nil }),
            (\.note != "note", { $0.note != "note" }),
            (\.count > 2, { ($0.count ?? 0) > 2 }),
            (\.rating == .high, { $0.rating == .high }),
            (\.link != nil && \.done == false, { $0.link != nil && $0.done == false }),
            (\.uuid == samples[0].uuid, { $0.uuid == samples[0].uuid }),
            (.isOneOf(\.integer, [1, 2]), { [1, 2].contains($0.integer) }),
            (.isOneOf(\.real, [1, -0.5]), { [1, -0.5].contains($0.real) }),
            (.isOneOf(\.rating, [.high]), { $0.rating == .high }),
            (.isOneOf(\.data, [samples[1].data]), { $0.data == samples[1].data }),
            (.contains(\.note, "OT"), { $0.note != nil }),
            (.hasPrefix(\.note, "no"), { $0.note != nil }),
            (.matches(\.note, "n?te"), { $0.note != nil }),
            (.contains(\.text, "b"), { $0.text.lowercased().hasPrefix("b") }),
        ]
        for (predicate, admits) in cases {
            let request = RecordRequest(where: predicate)
            let found = try await container.fetch(request).map(\.record)
            #expect(found == samples.filter(admits), "\(predicate)")
            #expect(try await container.count(request) == found.count)
        }
        let sorted = try await container.fetch(
            RecordRequest<Sample>(sort: [.descending(\.date), .ascending(\.large)], limit: 10))
        let dates = samples.map(\.date).sorted(by: >)
        #expect(sorted.map(\.date) == Array(dates.prefix(10)))
        let ids = sorted.prefix(3).map(\.id)
        #expect(try await container.fetch(RecordRequest<Sample>(where: .objects(ids))).count == 3)
    }

    @Test func `an update saves and records only the attributes that differ`() async throws {
        try await context.insert(Sample(text: "a"))
        try await context.save()
        let stored = try #require(try await container.fetch(RecordRequest<Sample>()).first)
        try await context.update(stored) {
            $0.note = "new"
            $0.priority = .high
            $0.integer = 0
        }
        let token = try #require(try await context.save().token)
        let change = try await container.transactions(HistoryFetchRequest(.ending(at: token))).first?.changes
            .first
        #expect(Set(change?.updatedAttributes ?? []) == ["note", "priority"])
        try await context.update(stored) { _ in }
        #expect(await !context.hasChanges)
    }

    @Test func `a conflict has both sides as records, and its properties as key paths`() async throws {
        try await context.insert(Sample(text: "base"))
        try await context.save()
        let stored = try #require(try await container.fetch(RecordRequest<Sample>()).first)
        let other = container.makeContext(author: "other")
        try await other.update(stored) { ($0.text, $0.integer) = ("theirs", 1) }
        try await other.save()
        // Read before the other save.
        let fresh = container.makeContext(author: "app")
        try await fresh.update(stored) { ($0.text, $0.real) = ("mine", 2) }
        do {
            try await fresh.save()
            Issue.record("no conflict")
        } catch {
            guard case .conflict(let conflicts) = error else { throw error }
            let first = try #require(conflicts.first)
            let mine: Sample? = try first.mine()
            #expect((mine?.text, mine?.real, mine?.integer) == ("mine", 2, 0))
            let theirs: StoredRecord<Sample>? = try first.stored()
            #expect((theirs?.text, theirs?.integer) == ("theirs", 1))
            #expect(first.isClashing(\Sample.text) && !first.isClashing(\Sample.real))
        }
        await fresh.setMergePolicy(.byPropertyObjectTrumps)
        try await fresh.save()
        let merged = try #require(try await container.fetch(RecordRequest<Sample>()).first)
        #expect((merged.text, merged.real, merged.integer) == ("mine", 2, 1))
    }

    @Test func `deleting a record that another writer changed is a conflict`() async throws {
        try await context.insert(Sample())
        try await context.save()
        let stored = try #require(try await container.fetch(RecordRequest<Sample>()).first)
        let other = container.makeContext(author: "other")
        try await other.update(stored) { $0.flag = true }
        try await other.save()
        let fresh = container.makeContext(author: "app")
        try await fresh.delete(stored)
        await #expect(throws: StoreError.self) { try await fresh.save() }
        await fresh.rollback()
        let current = try #require(try await fresh.fetch(RecordRequest<Sample>()).first)
        try await fresh.delete(current)
        try await fresh.save()
        #expect(try await container.count(RecordRequest<Sample>()) == 0)
    }

    @Test func `batch updates and deletions take key paths`() async throws {
        try await context.insert(samples(100))
        try await context.save()
        try await container.execute(
            .update(where: \Sample.flag == true, set: \.priority, to: .high), author: "app")
        try await container.execute(
            .update(where: \Sample.flag == false, set: \.note, to: nil), author: "app")
        try await container.execute(.delete(where: \Sample.integer > 0), author: "app")
        let stored = try await container.fetch(RecordRequest<Sample>())
        #expect(!stored.isEmpty)
        #expect(stored.allSatisfy { $0.flag ? $0.priority == .high : $0.note == nil })
        #expect(stored.allSatisfy { $0.integer <= 0 })
    }

    struct Money: Codable, Equatable, AttributeConvertible {
        var cents: Int

        static var attributeForm: AttributeForm<Money> {
            AttributeForm(.text) {
                .text("\($0.cents) ct")
            } from: {
                $0.textValue.flatMap { Int($0.dropLast(3)) }.map(Money.init)
            }
        }
    }

    struct Purchase: Record {
        var price: Money
        var discount: Money?

        static let entity = RecordEntity<Purchase>("Purchase") {
            RecordAttribute(\.price)
            RecordAttribute(\.discount)
        }
    }

    @Test func `a type of the program defines its form in an attribute`() async throws {
        let shop = try await PersistentContainer(inMemory: StoreModel(version: 1, records: Purchase.self))
        let context = shop.makeContext(author: "shop")
        try await context.insert([Purchase(price: Money(cents: 250)), Purchase(price: Money(cents: 99))])
        try await context.save()
        let found = try await shop.fetch(RecordRequest<Purchase>(where: \.price == Money(cents: 99)))
        #expect(found.map(\.price.cents) == [99])
        #expect(found.first?.discount == nil)
        let stored = try await shop.fetch(FetchRequest("Purchase"))
        #expect(stored.map { $0["price"].textValue } == ["250 ct", "99 ct"])
    }

    @Test func `UUIDs are read and written as Foundation does`() {
        for _ in 0..<1000 {
            let uuid = UUID()
            #expect(uuid.attributeValue == .text(uuid.uuidString.lowercased()))
            #expect(UUID(attributeValue: .text(uuid.uuidString)) == uuid)
            #expect(UUID(attributeValue: uuid.attributeValue) == uuid)
        }
        let valid = "0f8fad5b-d9cb-469f-a165-70867728950e"
        for index in valid.indices {
            for wrong in ["", "g", "é", "--"] + (valid[index] == "-" ? ["0"] : ["-"]) {
                let text = valid.replacingCharacters(in: index...index, with: wrong)
                #expect(UUID(attributeValue: .text(text)) == nil, "\(text)")
            }
        }
    }
}
