import Foundation
import Mirroring
import PersistentStore
import Synchronization

/// The model of the tests: notes with a set of tags and a minor star.
enum Book {
    static let configuration = MirrorConfiguration([
        MirroredEntity("Note", minor: ["starred"], sets: ["tags": ","])
    ])

    static func model(_ more: AttributeDescription...) throws -> StoreModel {
        let all: AttributeDescription.History = [.preservesValueOnDeletion, .recordsOldValue]
        let attributes = [
            AttributeDescription("uuid", .text, isUnique: true, history: .preservesValueOnDeletion),
            AttributeDescription("title", .text, defaultValue: .value(""), history: all),
            AttributeDescription("note", .text, defaultValue: .value(""), history: all),
            AttributeDescription("tags", .text, defaultValue: .value(""), history: all),
            AttributeDescription("starred", .integer, defaultValue: .value(0), history: all),
        ]
        return try StoreModel(
            version: more.isEmpty ? 1 : 2,
            entities: [EntityDescription("Note", attributes: attributes + more)]
                + MirrorConfiguration.entities)
    }
}

/// A machine: a store, and a mirror that may be killed at any moment.
final class TestMachine: Sendable {
    let container: PersistentContainer
    let relay: MemoryRelay
    let rules: MirrorRules
    private let now: @Sendable () -> Int64
    private let fault: @Sendable () -> MemoryEngine.Fault
    private let mirrorBox: Mutex<Mirror>
    var mirror: Mirror { mirrorBox.withLock { $0 } }

    init(
        _ relay: MemoryRelay, clock: @escaping @Sendable () -> Int64 = { 1_700_000_000_000 }, skew: Int64 = 0,
        rules: MirrorRules = .all, path: String? = nil, model: StoreModel? = nil,
        fault: @escaping @Sendable () -> MemoryEngine.Fault = { .none }
    ) async throws {
        var options = StoreOptions()
        options.clock = { clock() + skew }
        options.durability = .normal
        options.usesFileEvents = path != nil
        let model = try model ?? Book.model()
        container =
            if let path {
                try await PersistentContainer(path: path, model: model, options: options)
            } else {
                try await PersistentContainer(inMemory: model, options: options)
            }
        (self.relay, self.rules, self.fault, now) = (relay, rules, fault, options.clock)
        mirrorBox = Mutex(
            Mirror(
                container: container, configuration: Book.configuration,
                engine: MemoryEngine(relay, nextFault: fault), rules: rules, now: options.clock))
        await mirror.allowManyRemovals()
    }

    /// Ends the process of the mirror: only the store remains.
    func kill() async {
        let new = Mirror(
            container: container, configuration: Book.configuration,
            engine: MemoryEngine(relay, nextFault: fault), rules: rules, now: now)
        await new.allowManyRemovals()
        mirrorBox.withLock { $0 = new }
    }

    func sync() async throws { try await mirror.sync() }

    func notes() async throws -> [String: StoredObject] {
        let objects = try await container.fetch(FetchRequest("Note"))
        return Dictionary(uniqueKeysWithValues: objects.map { ($0["uuid"].textValue ?? "", $0) })
    }

    /// The notes as text, with the tags in alphabetical order.
    func lines() async throws -> [String] {
        try await notes().map { uuid, note in
            let tags = (note["tags"].textValue ?? "").split(separator: ",").sorted().joined(separator: ",")
            return "\(uuid) \(note["title"].textValue ?? "") \(note["note"].textValue ?? "") [\(tags)] "
                + "\(note["starred"].integerValue ?? -1)"
        }.sorted()
    }

    @discardableResult
    func insert(_ uuid: String, _ values: [String: AttributeValue] = [:], author: String? = "app")
        async throws
        -> Int64
    {
        let context = container.makeContext(author: author)
        try await context.insert("Note", values.merging(["uuid": .text(uuid)]) { $1 })
        return try await context.save().token?.number ?? 0
    }

    @discardableResult
    func update(_ uuid: String, _ values: [String: AttributeValue]) async throws -> Int64 {
        let context = container.makeContext(author: "app")
        guard let note = try await notes()[uuid] else { return 0 }
        try await context.update(note.id, values)
        return try await context.save().token?.number ?? 0
    }

    func delete(_ uuid: String) async throws {
        let context = container.makeContext(author: "app")
        guard let note = try await notes()[uuid] else { return }
        try await context.delete(note.id)
        try await context.save()
    }

    func conflicts() async throws -> [MirrorConflict] {
        try await Book.configuration.conflicts(in: container)
    }
}
