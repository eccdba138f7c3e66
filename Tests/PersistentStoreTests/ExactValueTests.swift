import Foundation
import PersistentStore
import TestSupport
import Testing

/// A value is stored as it is, or rejected.
@Suite struct ExactValueTests {
    struct Reading: Record, Equatable {
        var name = ""
        var level = 0.0
        var depth: Double?
        var taken = Date(timeIntervalSince1970: 0)
        var checked: Date?
        var serial: UInt64 = 0

        static let entity = RecordEntity<Reading>("Reading") {
            RecordAttribute(\.name, isIndexed: true)
            RecordAttribute(\.level)
            RecordAttribute(\.depth)
            RecordAttribute(\.taken)
            RecordAttribute(\.checked)
            RecordAttribute(\.serial)
        }
    }

    private let container: PersistentContainer
    private let context: StoreContext

    init() async throws {
        container = try await PersistentContainer(inMemory: StoreModel(version: 1, records: Reading.self))
        context = container.makeContext(author: "app")
    }

    private func rejects(_ attribute: String, _ save: () async throws -> Void) async {
        let error = await #expect(throws: StoreError.self) { try await save() }
        guard case .invalidValue(attribute, "Reading", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    static let inexact: [(Reading, String)] = [
        (Reading(level: .nan), "level"), (Reading(depth: .nan), "depth"),
        (Reading(depth: .signalingNaN), "depth"),
        (Reading(level: -0.0), "level"), (Reading(depth: -0.0), "depth"),
        (Reading(taken: Date(timeIntervalSince1970: 1e300)), "taken"),
        (Reading(taken: Date(timeIntervalSince1970: -1e300)), "taken"),
        (Reading(checked: Date(timeIntervalSince1970: .infinity)), "checked"),
        (Reading(checked: Date(timeIntervalSince1970: .nan)), "checked"),
        (Reading(serial: UInt64(Int64.max) + 1), "serial"), (Reading(serial: .max), "serial"),
    ]

    @Test(arguments: inexact.indices) func `each way to save rejects a value that would change`(_ index: Int)
        async throws
    {
        let (reading, attribute) = Self.inexact[index]
        // Zero and negative zero are equal, so that a change between them is none.
        let valid = Reading(level: 1, depth: 1)
        let start = try await container.write(author: "app") { try $0.insert(valid) }
        await rejects(attribute) { try await context.insert(reading) }
        await rejects(attribute) { try await context.update(start) { $0 = reading } }
        await rejects(attribute) { _ = try await container.write(author: "app") { try $0.insert(reading) } }
        await rejects(attribute) {
            _ = try await container.write(author: "app") { transaction in
                try transaction.update(start) { $0 = reading }
            }
        }
        await rejects(attribute) {
            try await container.execute(.insert([reading]), author: "app")
        }
        if let value = attribute == "level" ? reading.level : attribute == "depth" ? reading.depth : nil {
            await rejects(attribute) {
                let request = BatchRequest.update("Reading", set: [attribute: .real(value)])
                try await container.execute(request, author: "app")
            }
        }
        #expect(try await container.fetch(RecordRequest<Reading>()).map(\.record) == [valid])
    }

    @Test func `extreme values return as they were saved`() async throws {
        let extremes = [
            Reading(level: .infinity, depth: -.infinity, serial: UInt64(Int64.max)),
            Reading(level: .leastNonzeroMagnitude, depth: -.greatestFiniteMagnitude),
            Reading(name: "a\u{0}b", taken: .distantFuture, checked: .distantPast),
            Reading(
                taken: Date(timeIntervalSince1970: 7.9e12), checked: Date(timeIntervalSince1970: -7.9e12)),
        ]
        try await context.insert(extremes)
        try await context.save()
        #expect(try await container.fetch(RecordRequest<Reading>()).map(\.record) == extremes)
    }

    @Test func `a predicate with a value beyond an attribute's range is exact, except for NaN`() async throws
    {
        try await context.insert(Reading(name: "only"))
        try await context.save()
        func count(_ predicate: RecordPredicate<Reading>) async throws -> Int {
            try await container.count(RecordRequest(where: predicate))
        }
        let end = Date(timeIntervalSince1970: 1e300)
        #expect(try await count(\.taken < end) == 1)
        #expect(try await count(\.taken > end) == 0)
        #expect(try await count(\.serial < .max) == 1)
        #expect(try await count(\.serial == .max) == 0)
        await rejects("depth") { _ = try await count(\.depth == .nan) }
        await rejects("level") { _ = try await count(.isOneOf(\.level, [1, .nan])) }
    }

    @Test func `isOneOf finds every value that an equal comparison finds`() async throws {
        let names = ["", "a", "a\u{0}", "a\u{0}b", "\u{0}", "\"\\", "é"]
        try await context.insert(names.map { Reading(name: $0, depth: $0.isEmpty ? nil : 1.5) })
        try await context.save()
        for name in names {
            let found = try await container.fetch(
                RecordRequest<Reading>(where: .isOneOf(\.name, [name, "none"])))
            #expect(found.map(\.name) == [name])
        }
        #expect(
            try await container.count(RecordRequest<Reading>(where: .isOneOf(\.name, names))) == names.count)
        let values: [AttributeValue] = [.null, .real(1.5), .blob([1]), .integer(3)]
        #expect(
            try await container.count(FetchRequest("Reading", where: .isOneOf("depth", values)))
                == names.count)
        let others = FetchRequest("Reading", where: .not(.isOneOf("depth", [.null])))
        #expect(try await container.count(others) == names.count - 1)
    }

    @Test func `the key of an unsaved object is no value`() async throws {
        let parent = try await context.insert(Reading(name: "parent"))
        await rejects("serial") {
            try await context.insert("Reading", ["name": "child", "serial": .integer(parent.key)])
        }
        await rejects("serial") {
            try await container.write(author: "app") {
                _ = try $0.insert("Reading", ["name": "child", "serial": .integer(parent.key)])
            }
        }
        let id = try await context.save().permanentID(parent)
        try await context.insert(Reading(name: "child", serial: UInt64(id.key)))
        try await context.save()
        #expect(try await container.find(id, of: Reading.self)?.name == "parent")
    }
}
