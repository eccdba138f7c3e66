import Foundation
package import Mirroring
package import PersistentStore
import Synchronization
import TestSupport

/// The model of the tests: notes with a set of tags and a minor star.
package enum Book {
    package static let configuration = MirrorConfiguration([
        MirroredEntity("Note", minor: ["starred"], sets: ["tags": ","])
    ])

    package static func model(_ more: AttributeDescription...) throws -> StoreModel {
        let all: Set<AttributeDescription.History> = [.preservesValueOnDeletion, .recordsOldValue]
        let attributes = [
            AttributeDescription("uuid", .text, isUnique: true, history: [.preservesValueOnDeletion]),
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
package final class TestMachine: Sendable {
    package var container: PersistentContainer { store.withLock { $0 } }
    private let store: Mutex<PersistentContainer>
    private let open: @Sendable () async throws -> PersistentContainer
    private let makeMirror: @Sendable (PersistentContainer) throws -> Mirror
    private let allowsRemovals: Bool
    /// The relay as this machine has it.
    package let relay: any TestRelay
    private let defect: MirrorDefect?
    private let current: Mutex<Mirror>
    package var mirror: Mirror { current.withLock { $0 } }

    package init(
        _ relay: any TestRelay, clock: @escaping @Sendable () -> Int64 = { SettableClock.start },
        skew: Int64 = 0, defect: MirrorDefect? = nil, asksBeforeRemovals: Bool = false, path: String? = nil,
        model: StoreModel? = nil, oversized: OversizedValues? = nil,
        fault: @escaping @Sendable () -> RelayFault = { .none }
    ) async throws {
        let relay = try relay.member()
        self.relay = relay
        var options = StoreOptions()
        options.clock = { clock() + skew }
        options.durability = .normal
        options.usesFileEvents = path != nil
        options.oversized = oversized
        let model = try model ?? Book.model()
        open = { [options] in
            guard let path else { return try await PersistentContainer(inMemory: model, options: options) }
            return try await PersistentContainer(path: path, model: model, options: options)
        }
        let container = try await open()
        store = Mutex(container)
        let atCommit = { @Sendable () throws(MirrorError) in
            if fault() != .none { throw .other("the process died") }
        }
        (allowsRemovals, self.defect) = (!asksBeforeRemovals, defect)
        makeMirror = { [now = options.clock] container in
            let engine = try relay.connect(fault)
            return Mirror(
                container: container, configuration: Book.configuration,
                engine: defect?.engine(engine) ?? engine, putSizes: 1...4, importSize: 4, now: now,
                atCommit: atCommit)
        }
        current = Mutex(try makeMirror(container))
    }

    /// Ends the process of the mirror: only the store remains.
    package func kill() async throws {
        let new = try makeMirror(container)
        current.withLock { $0 = new }
    }

    /// Replaces the file of the store by an older copy while no process has it open.
    ///
    /// - Parameter inPlace: Whether the file remains, with other contents.
    package func replaceStore(by copy: String, inPlace: Bool) async throws {
        let path = container.path
        await container.close()
        let files = FileManager.default
        for suffix in ["-wal", "-shm"] { try? files.removeItem(atPath: path + suffix) }
        if inPlace {
            try Data(contentsOf: URL(fileURLWithPath: copy)).write(to: URL(fileURLWithPath: path))
        } else {
            // While the file is there, so that the new one is another.
            try files.copyItem(atPath: copy, toPath: path + "-new")
            rename(path + "-new", path)
        }
        let new = try await open()
        store.withLock { $0 = new }
        try await kill()
    }

    /// Exchanges all changes; confirms the deletion of many objects, except by a machine that asks.
    package func sync() async throws {
        if let defect, try await defect.damage(container) { try await kill() }
        while true {
            do { return try await mirror.sync() } catch MirrorError.manyRemovals(let count)
                where allowsRemovals
            {
                await mirror.allowRemovals(count)
            }
        }
    }

    package func notes() async throws -> [String: StoredObject] {
        let objects = try await container.fetch(FetchRequest("Note"))
        return Dictionary(uniqueKeysWithValues: objects.map { ($0["uuid"].textValue ?? "", $0) })
    }

    private func note(_ uuid: String) async throws -> StoredObject? {
        try await container.fetch(FetchRequest("Note", where: .compare("uuid", .equal, .text(uuid)))).first
    }

    /// The notes as text.
    package func lines() async throws -> [String] {
        try await notes().map { uuid, note in
            "\(uuid) \(note["title"].textValue ?? "") \(note["note"].textValue ?? "") "
                + "[\(note["tags"].textValue ?? "")] \(note["starred"].integerValue ?? -1)"
        }.sorted()
    }

    @discardableResult
    package func insert(_ uuid: String, _ values: [String: AttributeValue] = [:], author: String? = "app")
        async throws
        -> Int64
    {
        let context = container.makeContext(author: author)
        try await context.insert("Note", values.merging(["uuid": .text(uuid)]) { $1 })
        return try await context.save().token?.number ?? 0
    }

    @discardableResult
    package func update(_ uuid: String, _ values: [String: AttributeValue]) async throws -> Int64 {
        let context = container.makeContext(author: "app")
        guard let note = try await note(uuid) else { return 0 }
        try await context.update(note.id, values)
        return try await context.save().token?.number ?? 0
    }

    package func delete(_ uuid: String) async throws {
        let context = container.makeContext(author: "app")
        guard let note = try await note(uuid) else { return }
        try await context.delete(note.id)
        try await context.save()
    }

    package func conflicts() async throws -> [MirrorConflict] {
        try await Book.configuration.conflicts(in: container)
    }

    package func resolve(_ conflict: MirrorConflict, restoring: Bool) async throws {
        _ = try await container.write(author: "app") { transaction throws(StoreError) in
            try Book.configuration.resolve(conflict, restoring: restoring, in: &transaction)
        }
    }
}
