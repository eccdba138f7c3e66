import Platform
import SQLite

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

extension StoreOpening {
    /// Checks the kind and the name of the file. Opening a pipe would block; a name that is not UTF-8 cannot be
    /// written as text, so the companion files would be those of another store.
    func checkKind() throws(StoreError) {
        // SQLite's names for a database without a file (sqlite.org/inmemorydb.html).
        // A NUL would end the name.
        guard path != ":memory:", !path.isEmpty, !path.utf8.contains(0)
        else { throw .notAFilePath(path: path) }
        guard FilePath.resolvesToText(path) else {
            throw .cannotOpen(path: path, reason: "it leads to a name that is not valid UTF-8")
        }
        let status = FileStatus(path: path)
        guard status.map({ $0.isRegular || $0.isFolder }) ?? true else { throw .notAStore(path: path) }
    }

    /// Checks a file to copy, which may be damaged, or under several names.
    func checkSource() throws(StoreError) {
        guard FilePath.exists(path) else { throw .missing(path: path) }
        try checkKind()
    }

    /// Checks the names of the file. Under a second name, the database has another log and another index, so
    /// programs that use different names lose each other's commits (sqlite.org/howtocorrupt.html 2.5).
    func checkFile() throws(StoreError) {
        try checkKind()
        guard let status = FileStatus(path: path), !status.isFolder else { return }
        guard status.links == 1 else { throw .hardLinkOrFileMount(path: path, isMount: false) }
        guard !FileIdentity.isMountedAlone(path: resolvedPath) else {
            throw .hardLinkOrFileMount(path: path, isMount: true)
        }
    }

    /// Returns the error, or damage if a file that is not a store was one: only a store has a doorbell.
    func explained(_ error: StoreError) -> StoreError {
        guard case .notAStore = error, FilePath.exists(Doorbell.path(store: resolvedPath)) else {
            return error
        }
        return .damaged(path: path, reason: "its header is overwritten")
    }

    /// Whether an empty file was a store: SQLite fills it before its log, and the doorbell is created last.
    /// If the file were opened as a new one, SQLite would discard the log with all its contents.
    var wasStore: Bool {
        guard FileStatus(path: resolvedPath)?.size == 0 else { return false }
        return FilePath.exists(Doorbell.path(store: resolvedPath))
            || !FileStatus.isMissingOrEmpty(resolvedPath + "-wal")
    }

    /// The path without symbolic links, next to which SQLite creates the `-wal` and the `-shm`.
    var resolvedPath: String { FilePath.resolved(path) }
}

/// The users who may write a store's files.
///
/// If another user prepares an empty, writable file under a store's name, that user gets every clip that is
/// saved, and a log of another user is replayed into the store. The folder is not checked: users who may
/// write it can delete files or create their own under a store's name, and those are rejected.
struct StoreOwnership {
    private let path: String

    init(path: String) { self.path = path }

    /// Checks the owner and the mode of the files.
    ///
    /// - Parameter allowsGroup: Whether other users may write the files, as their owner decided.
    /// - Throws: ``StoreError/otherOwner(path:owner:)`` or ``StoreError/writableByOthers(path:mode:)``.
    func check(allowsGroup: Bool = false) throws(StoreError) {
        let resolved = FilePath.resolved(path)
        guard let store = FileStatus(path: resolved) else { return }
        // The superuser may open any user's store; SQLite gives the log and its index that owner.
        guard store.owner == geteuid() || geteuid() == 0 else {
            throw .otherOwner(path: path, owner: Self.name(store.owner))
        }
        for end in ["", "-wal", "-shm", "-journal"] {
            guard let file = end.isEmpty ? store : FileStatus(path: resolved + end) else { continue }
            guard file.owner == store.owner || file.owner == 0 else {
                throw .otherOwner(path: path + end, owner: Self.name(file.owner))
            }
            guard allowsGroup || file.permissions & 0o022 == 0 else {
                throw .writableByOthers(path: path + end, mode: file.permissions)
            }
        }
    }

    /// Returns the name in `/etc/passwd`. A static program cannot load the libraries of getpwuid(3).
    private static func name(_ user: uid_t) -> String {
        let lines = TextFile.read("/etc/passwd")?.split(separator: "\n") ?? []
        let fields = lines.lazy.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
        let entry = fields.first { $0.count > 2 && $0[2] == "\(user)" }
        return entry.map { String($0[0]) } ?? "user \(user)"
    }
}

/// Two models of one version.
extension StoreOpening {
    /// Rejects a model that would drop or convert a part of a store of the same version: another program with that
    /// version uses the part.
    func checkSameVersion(_ metadata: StoreMetadata, _ connection: borrowing Connection) throws {
        guard metadata.modelVersion == Int64(model.version),
            !StoreModelFingerprint(model).hasSameEntities(as: metadata.model)
        else { return }
        if let reason = try changedPart(metadata, connection) { throw differentModel(reason) }
    }

    func differentModel(_ reason: String) -> StoreError {
        .differentModel(path: path, version: model.version, reason: reason)
    }

    /// Returns the first part of the store that the model changes, as the end of a sentence; nil if the model
    /// only adds parts.
    private func changedPart(_ metadata: StoreMetadata, _ connection: borrowing Connection) throws -> String?
    {
        for name in try connection.texts("SELECT name FROM history_entity ORDER BY id") {
            guard let entity = model.entity(name) else {
                // The tables of an entity that an earlier version dropped remain.
                guard StoreModelFingerprint.describes(name, metadata.model) else { continue }
                return "this model has no \(name)"
            }
            let columns = try connection.prepare(
                """
                SELECT name, type, "notnull", EXISTS (SELECT 1 FROM pragma_index_list(?1) AS list
                WHERE list."unique" AND list.name = ?1 || '_by_' || made.name)
                FROM pragma_table_info(?1) AS made WHERE name NOT IN ('id', 'version')
                """, [name])
            while try columns.step() {
                // Another program may have given its column any name.
                guard StoreModel.isIdentifier(columns.text(0)) else {
                    return "this model has not all columns of its \(name)"
                }
                let part = "\(name).\(columns.text(0))"
                guard let attribute = entity.attribute(columns.text(0)) else {
                    return "this model has no \(part)"
                }
                if columns.text(1) != attribute.kind.sql { return "its \(part) is of another kind" }
                if columns.integer(2) == 0 && !attribute.isOptional { return "its \(part) is optional" }
                // Later objects that share a value would get new ones.
                if columns.integer(3) == 0 && attribute.isUnique && attribute.defaultValue == .uuid {
                    return "its \(part) is not unique"
                }
            }
        }
        return nil
    }
}
