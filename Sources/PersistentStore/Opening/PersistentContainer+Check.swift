import Platform
import SQLite

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

extension PersistentContainer {
    /// Checks the whole store on one snapshot, and returns its problems; none if all is well. Writes nothing.
    ///
    /// Checks the file, the consistency of the objects with their history, the triggers, the consumers, the
    /// permissions of the files, and whether the system provides file events.
    ///
    /// - Complexity: O(*n*) in the size of the store: a million objects take seconds.
    nonisolated(nonsending) public func check() async throws(StoreError) -> [StoreFinding] {
        let (model, now) = (storeModel, options.clock())
        let inside = try await reader.read { snapshot throws(StoreError) in
            var findings = try snapshot.ask { try StoreCheck(model: model).run(on: $0) }
            // A damaged file is not checked further.
            if findings.contains(where: \.isDamage) { return findings }
            let (consumers, extent) = (try snapshot.consumers(), try snapshot.ask { try HistoryExtent($0) })
            findings += ConsumerCheck(now: now).run(consumers, extent)
            return findings
        }
        return inside + StoreFiles(path: path).findings()
    }

    /// The entities with tables of this library.
    private var storeModel: StoreModel { writer.opening.model }

    /// Repairs the findings of ``check()`` that can be repaired without losing data; see
    /// ``StoreFinding/isRepairable``.
    nonisolated(nonsending) public func repair(_ findings: [StoreFinding]) async throws(StoreError) {
        let model = storeModel
        if findings.contains(where: \.isInside) {
            try await writer.write { try StoreRepair(model: model).run(findings, on: $0) }
            if findings.contains(where: \.isOfIndexes) { try await finishIndexes() }
        }
        StoreFiles.repair(findings)
    }

    private nonisolated(nonsending) func finishIndexes() async throws(StoreError) {
        for name in try await writer.read({ try StoreRepair.uniqueIndexes($0) }) {
            do {
                try await writer.write { try StoreRepair.rebuildUniqueIndex(name, $0) }
            } catch {
                // The next check reports it; a salvage rebuilds it.
                guard case .damaged = error else { throw error }
            }
        }
        try await writer.vacuum()
    }

    nonisolated(nonsending) package func space() async throws(StoreError) -> StoreSpace {
        let journal = StoreFiles(path: path).journalSize
        return try await reader.read { snapshot throws(StoreError) in
            try snapshot.ask { connection in
                let size = try connection.integer("PRAGMA page_size") ?? 0
                return StoreSpace(
                    file: size * (try connection.integer("PRAGMA page_count") ?? 0), journal: journal,
                    free: size * (try connection.integer("PRAGMA freelist_count") ?? 0),
                    history: try HistoryShare(on: connection).map { Int64($0.history) })
            }
        }
    }
}

extension StoreFinding {
    /// Whether the file may return arbitrary data, so that it is not checked further.
    package var isDamage: Bool { if case .damaged = self { true } else { isOfIndexes } }

    fileprivate var isOfIndexes: Bool { if case .damagedIndexes = self { true } else { false } }

    fileprivate var isInside: Bool {
        if case .insecurePermissions = self { return false }
        return isRepairable
    }
}

/// The files of a store, which can be checked even if the store cannot be opened.
package struct StoreFiles {
    private let path: String

    package init(path: String) { self.path = FilePath.resolved(path) }

    package func findings() -> [StoreFinding] {
        var findings: [StoreFinding] = []
        for end in ["", "-wal", "-shm", "-search", "-search-wal", "-search-shm"] {
            guard let status = FileStatus(path: path + end, followsLinks: false), status.isRegular,
                status.permissions & 0o077 != 0
            else { continue }
            findings.append(.insecurePermissions(path: path + end, mode: status.permissions))
        }
        do {
            _ = try FolderWatch(path: FilePath.folder(of: path))
        } catch {
            findings.append(.noFileEvents(reason: error.description))
        }
        return findings
    }

    package static func repair(_ findings: [StoreFinding]) {
        for case .insecurePermissions(let path, _) in findings { FilePermissions.restrictToOwner(path) }
    }

    var journalSize: Int64 { Int64(FileStatus(path: path + "-wal")?.size ?? 0) }
}

/// A present or future problem of a store.
@nonexhaustive
public enum StoreFinding: Hashable, Sendable {
    /// The file is damaged; contains SQLite's first message.
    case damaged(String)
    /// The file is damaged, but every row of every table can be read: only indexes, or unused pages, are
    /// affected.
    case damagedIndexes(String)
    /// Rows refer to rows that do not exist.
    case danglingReferences(table: String, count: Int)
    /// The triggers that record an entity's history differ from the expected ones: changes may be missing
    /// from the history.
    case wrongTriggers(entity: String)
    /// The last change of this number of objects contradicts the table, or a complete history does not
    /// contain them.
    case historyUnlikeData(entity: String, count: Int)
    /// Objects have a lower version than their recorded updates require.
    case versionsBehind(entity: String, count: Int)
    /// Objects have the greatest IDs, so that few or no objects can be added.
    case fewIDsLeft(entity: String)
    /// Retained values belong to no change.
    case strayValues(entity: String, count: Int)
    /// A transient consumer's process has exited.
    case staleConsumer(String)
    /// History that the consumer has not read was purged: it will do a full refresh.
    case expiredConsumer(String)
    /// A consumer prevents history from being purged and has not been seen for a long time.
    case laggingConsumer(String, transactions: Int, days: Int)
    /// Other users can open a file of the store.
    case insecurePermissions(path: String, mode: UInt32)
    /// inotify(7) provides no more events here.
    case noFileEvents(reason: String)

    /// Whether ``PersistentContainer/repair(_:)`` repairs it.
    public var isRepairable: Bool {
        switch self {
        case .damagedIndexes, .wrongTriggers, .historyUnlikeData, .versionsBehind, .strayValues, .fewIDsLeft,
            .staleConsumer,
            .insecurePermissions:
            true
        case .damaged, .danglingReferences, .expiredConsumer, .laggingConsumer, .noFileEvents: false
        }
    }
}

/// The space that a store uses, in bytes.
package struct StoreSpace: Sendable {
    package let file: Int64
    package let journal: Int64
    package let free: Int64
    /// The size of the history; nil without `dbstat`.
    package let history: Int64?
}
