import Glibc
public import Mirroring
import Platform

/// A relay in a folder that another program synchronizes, such as Syncthing, a mounted share, or a git working copy.
///
/// Each machine adds sealed files of its own, which it never changes, and deletes only its own. There are no locks: files
/// may arrive late, in any order, cut, or twice, and any of them may be lost.
public actor FolderEngine: MirrorEngine {
    let folder: String
    let statePath: String
    nonisolated let cipher: RecordCipher
    private let zone: String
    private nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Superseded files are deleted after this time, so that a synchronizer copies their successors first.
    let retirement: Duration
    let now: @Sendable () -> Int64
    /// The interval at which the folder is read, in addition to events: a share reports none.
    let polling: Duration

    /// The open folder of the zone.
    private var opened: FileDescriptor?
    /// Whether the first call opens the folder: after a loss, only ``identity()`` does.
    private var isNew = true
    var log = FolderLog(next: 1)
    var state = FolderState()
    /// The files that are no segments, by their state.
    private var rejected: [SegmentName: String] = [:]
    /// The states of the files with keys when they were read.
    var keyMarks: [String: String] = [:]
    /// Whether revisions were lost since ``identity()``.
    var isBroken = false
    private var watch: FolderWatch?
    private var wakes: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastWake = 0

    /// Creates the engine of a machine. The folder must exist, and ``createZone()`` must have been called on any machine.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder that is synchronized.
    ///   - zone: The name that the machines of the mirror share.
    ///   - secret: The secret that they share.
    ///   - state: The path of a file outside of the folder, in which the machine stores the order in which it received
    ///     files.
    /// - Throws: `MirrorError.other` if the system has no descriptor left.
    public init(_ folder: String, zone: String, secret: MirrorSecret, state: String) throws(MirrorError) {
        try self.init(folder, zone: zone, cipher: RecordCipher(secret, zone: zone), state: state)
    }

    package init(_ folder: String, _ ring: KeyRing, state: String) throws(MirrorError) {
        try self.init(folder, zone: ring.zone, cipher: RecordCipher(ring, zone: ring.zone), state: state)
    }

    init(
        _ folder: String, zone: String, cipher: RecordCipher, state: String,
        retirement: Duration = .seconds(600), polling: Duration = .seconds(5),
        now: @escaping @Sendable () -> Int64 = FolderEngine.milliseconds
    ) throws(MirrorError) {
        guard let loop = try? EventLoop() else { throw .other("no descriptor is left") }
        (self.loop, self.cipher) = (loop, cipher)
        (self.folder, self.zone, statePath) = (folder, zone, state)
        (self.retirement, self.polling, self.now) = (retirement, polling, now)
    }

    package static func milliseconds() -> Int64 { SystemClock.milliseconds }

    /// The folder of the zone.
    var path: String { "\(folder)/clips-mirror-\(zone)" }
    /// The file that marks a zone of this secret.
    var mark: String { "zone-\(cipher.name(of: "folder".utf8).prefix(16))\(SegmentName.suffix)" }

    public nonisolated var purgesDeletions: Bool { false }

    public nonisolated func key(entity: String, uuid: String) -> String {
        cipher.key(entity: entity, uuid: uuid)
    }

    /// Returns whether the folder has the zone. Writes nothing.
    ///
    /// - Throws: `MirrorError.wrongKey` if the zone has another key only.
    public func zoneExists() throws(MirrorError) -> Bool {
        guard FileStatus(path: folder)?.isFolder == true else {
            throw .unreachable(reason: "the folder \(folder) is missing, or not a folder")
        }
        let names = Folder.names(in: path)
        if names.contains(mark) { return true }
        let isUsed = names.contains { $0.hasPrefix("zone-") || SegmentName($0) != nil }
        if isUsed { throw .wrongKey }
        return false
    }

    /// Creates the zone in the folder. Only the first machine does; a folder that lost its zone, such as the empty one below
    /// a share that is not mounted, gets none by itself.
    public func createZone() throws(MirrorError) {
        guard try !zoneExists() else { return }
        do throws(Errno) {
            try Folder.make(path)
            try ReplacementFile.write("\0Files of 'clips mirror', encrypted.\n".utf8, to: "\(path)/\(mark)")
            FilePath.syncFolder(path)
        } catch {
            throw failure(error)
        }
    }

    package func deleteZone() throws(MirrorError) {
        guard try zoneExists() else { return }
        close()
        do throws(Errno) {
            // The zone's own folder is no link: only files in it are deleted.
            let zone = try FileDescriptor(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            var names: [String] = []
            // The mark is the last: without it, the deletion could not be repeated. Another machine's file may arrive.
            repeat {
                let present = Folder.names(in: path)
                guard present.contains(mark) else { throw Errno(EIO) }
                names = present.filter {
                    $0 != mark
                        && ($0.hasPrefix("zone-") || SegmentName($0) != nil || Self.keyRecord($0) != nil)
                }
                for name in names.isEmpty ? [mark] : names where unlinkat(zone.number, name, 0) != 0 {
                    let error = Errno.last
                    guard error.code == ENOENT else { throw error }
                }
            } while !names.isEmpty
        } catch {
            throw failure(error)
        }
        rmdir(path)
    }

    func failure(_ error: Errno) -> MirrorError {
        error.isNoSpace ? .quotaExceeded : .unreachable(reason: "the folder \(folder): \(error)")
    }

    public func identity() throws(MirrorError) -> String {
        opened = nil
        isNew = false
        guard try zoneExists() else {
            throw .unreachable(
                reason:
                    "the folder \(folder) has no zone '\(zone)'; mount it, or wait until it is synchronized")
        }
        do throws(Errno) {
            // The zone's own folder is no link: names in it must be in the folder.
            opened = try FileDescriptor(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        } catch {
            throw failure(error)
        }
        if watch != nil { restartWatch() }
        if log.segments.isEmpty, let known = FolderState(statePath, zone: mark) {
            state = known
            log = FolderLog(next: known.next, latest: known.latest)
        } else if log.next == 1 {
            log.next = state.next
        }
        isBroken = false
        try refreshKeys(in: try place(), always: true)
        try scan()
        isBroken = false
        return "\(state.identity.hexadecimal(digits: 16)) \(state.losses)"
    }

    /// The path of the open folder, which remains the same folder.
    func place() throws(MirrorError) -> String {
        if isNew { _ = try identity() }
        guard let number = opened?.number, !isBroken else {
            throw lostFiles
        }
        return "/proc/self/fd/\(number)"
    }

    func save() throws(MirrorError) {
        do throws(Errno) { try state.write(statePath, zone: mark, log: log) } catch {
            throw .other("cannot write \(statePath): \(error)")
        }
    }

    // MARK: Reading

    public func get(_ keys: [String]) throws(MirrorError) -> [MirrorEntry] {
        _ = try place()
        let keys = keys.compactMap(RecordKey.init)
        return try read { log in
            keys.flatMap { log.revisions(of: $0) }.sorted { $0.number < $1.number }
        }
    }

    public func entry(at number: Int64) throws(MirrorError) -> MirrorRevision? {
        _ = try place()
        return log.revision(number).map(Self.revision)
    }

    /// The bytes of records after which a call returns.
    private static var maxBytes: Int { 8 << 20 }

    public func changes(after number: Int64, limit: Int) throws(MirrorError) -> [MirrorEntry] {
        _ = try place()
        if log.last <= number { try scan() }
        return try read { log in
            var (found, size): ([FolderLog.Revision], Int) = ([], 0)
            log.forEach(after: number) { revision in
                found.append(revision)
                size += Int(revision.item.length)
                return found.count < limit && size < Self.maxBytes
            }
            return found
        }
    }

    public func list() throws(MirrorError) -> [MirrorRevision] {
        _ = try place()
        return log.heads.map(Self.revision)
    }

    private static func revision(_ revision: FolderLog.Revision) -> MirrorRevision {
        MirrorRevision(
            key: revision.item.key.text, number: revision.number, stamp: revision.item.stamp,
            time: revision.item.time)
    }

    /// The scans within which the records of deleted files are found in others.
    private static var maxScans: Int { 8 }

    /// Reads records. The body of a damaged one is empty until this machine puts the record, or a request for it.
    ///
    /// A file that is missing may have been merged into another one since the last scan, so the folder is scanned again.
    ///
    /// - Parameter find: Returns the revisions in the current log.
    func read(_ find: (FolderLog) -> [FolderLog.Revision]) throws(MirrorError) -> [MirrorEntry] {
        for _ in 0..<Self.maxScans {
            if let entries = try entries(of: find(log)) { return entries }
            try scan()
        }
        // Noticed by the next call of this engine: the mirror compares all records.
        isBroken = true
        throw lostFiles
    }

    private var lostFiles: MirrorError {
        .unreachable(reason: "the folder \(folder) lost files; the records are compared")
    }

    /// Returns nil if a file is missing.
    private func entries(of revisions: [FolderLog.Revision]) throws(MirrorError) -> [MirrorEntry]? {
        let place = try place()
        var entries: [MirrorEntry] = []
        var (rest, name) = (revisions[...], SegmentName?.none)
        while let first = rest.first {
            name = first.segment
            let part = rest.prefix { $0.segment == name }
            rest = rest.dropFirst(part.count)
            let file = SegmentFile.open("\(place)/\(first.segment.text)")
            guard let file else { return nil }
            for revision in part {
                let body = SegmentFile.record(
                    of: file, revision.segment, revision.index, at: revision.offset,
                    count: Int(revision.item.length), cipher)
                if body == nil, isRepaired(revision) { continue }
                entries.append(MirrorEntry(revision: Self.revision(revision), body: body ?? []))
            }
        }
        return entries
    }

    private func isRepaired(_ revision: FolderLog.Revision) -> Bool {
        log.revisions(of: revision.item.key).contains {
            $0.segment.machine == state.machine && $0.number > revision.number
        }
    }

    /// Does nothing: files arrive in any order, so a machine cannot find that it missed deletions.
    public func remove(_ key: String, upTo number: Int64) {}

    // MARK: Waiting

    public func waitForChanges(after number: Int64) async throws(MirrorError) {
        if watch == nil { restartWatch() }
        lastWake += 1
        let name = lastWake
        let (events, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakes[name] = continuation
        defer { wakes[name] = nil }
        let timer = TimerName()
        defer { loop.cancel(timer) }
        continuation.yield()
        for await _ in events {
            try scan()
            _ = try place()
            if log.last > number { return }
            loop.schedule(timer, after: polling) { continuation.yield() }
        }
        throw .cancelled
    }

    /// Watches the folder; without events, only its polling remains.
    private func restartWatch() {
        if let watch { loop.stopWatching(watch.descriptor) }
        watch = nil
        guard let number = opened?.number, let new = try? FolderWatch(path: "/proc/self/fd/\(number)") else {
            return
        }
        watch = new
        loop.watch(new.descriptor) { [weak self] in
            // Drained here: the descriptor would remain readable.
            guard !new.drain().isEmpty else { return }
            self?.assumeIsolated { engine in for wake in engine.wakes.values { wake.yield() } }
        }
    }

    /// Ends waits and closes the folder; a later call of ``identity()`` opens it again.
    public func close() {
        if let watch { loop.stopWatching(watch.descriptor) }
        watch = nil
        opened = nil
        isNew = true
        for wake in wakes.values { wake.finish() }
    }

    /// Files that are no segments are read again when they change.
    func isRejected(_ name: SegmentName, _ mark: String) -> Bool { rejected[name] == mark }
    func forgetRejected() { rejected = [:] }
    func reject(_ name: SegmentName, _ mark: String) { rejected[name] = mark }
    func forgetRejected(except present: [SegmentName: String]) {
        if rejected.count > present.count { rejected = rejected.filter { present[$0.key] != nil } }
    }
}
