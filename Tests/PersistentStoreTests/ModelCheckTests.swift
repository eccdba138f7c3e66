import PersistentStore
import TestSupport
import Testing

/// Models that would fail later are rejected when they are created.
@Suite struct ModelCheckTests {
    private func model(_ attributes: AttributeDescription...) throws -> StoreModel {
        try StoreModel(version: 1, entities: [EntityDescription("Note", attributes: attributes)])
    }

    private func expect(_ reason: String, _ attributes: AttributeDescription...) {
        #expect(throws: StoreError.invalidModel(reason)) {
            try StoreModel(version: 1, entities: [EntityDescription("Note", attributes: attributes)])
        }
    }

    @Test func `each default fits its kind, or is rejected with the attribute`() async throws {
        let values: [(AttributeDescription.Default, [AttributeDescription.Kind])] = [
            (.none, [.integer, .real, .text, .blob]), (.now, [.integer, .real]), (.uuid, [.text]),
            (.value(.null), []), (.value(.integer(.min)), [.integer, .real]),
            (.value(.real(-1.5e300)), [.real]), (.value(.real(.nan)), []),
            (.value(.real(.infinity)), []), (.value("it's \n \"x\""), [.text]), (.value("a\0b"), []),
            (.value(.blob([0, 255])), [.blob]),
        ]
        for (value, kinds) in values {
            for kind in [AttributeDescription.Kind.integer, .real, .text, .blob] {
                let attribute = AttributeDescription("some", kind, defaultValue: value)
                guard kinds.contains(kind) else {
                    expect("the default of Note.some is not a value of its kind", attribute)
                    continue
                }
                let other = AttributeDescription("other", .integer, isOptional: true)
                let container = try await PersistentContainer(inMemory: model(attribute, other))
                guard value != .none else { continue }
                let id = try await container.makeContext(author: "a").save(inserting: [:])
                let stored = try await container.makeContext(author: nil).object(id)?["some"]
                if case .value(let value) = value, kind != .real { #expect(stored == value) }
                #expect(stored?.isNull == false)
            }
        }
        _ = try model(AttributeDescription("some", .blob, isOptional: true, defaultValue: .value(.null)))
    }

    @Test func `a partial index is by an attribute of the entity, and selected by a number`() async throws {
        expect(
            "the index of Note.some is by the unknown attribute 'zzz'",
            AttributeDescription("some", .integer, indexWhenTrue: "zzz"))
        expect(
            "the index of Note.some is by the unknown attribute 'zzz'",
            AttributeDescription("some", .integer, indexWhenFalse: "zzz"))
        for kind in [AttributeDescription.Kind.text, .blob] {
            expect(
                "Note.some is not a number, so it cannot select the objects of an index",
                AttributeDescription("some", kind, indexWhenTrue: "some"))
        }
        for order in ["some", "id", "version", "other"] {
            let model = try model(
                AttributeDescription("some", .integer, indexWhenTrue: order, indexWhenFalse: order),
                AttributeDescription("other", .blob))
            #expect(try await PersistentContainer(inMemory: model).check() == [])
        }
    }

    @Test func `an entity has an attribute at least`() {
        expect("the entity Note has no attributes")
    }

    @Test func `a name has 64 characters at most`() async throws {
        let name = String(repeating: "n", count: 64)
        #expect(
            try await PersistentContainer(inMemory: model(AttributeDescription(name, .text))).check() == [])
        expect(
            "'\(name)n' is not a valid name: use at most 64 letters, digits, and '_', beginning with a letter",
            AttributeDescription(name + "n", .text))
    }
}
