import Glibc
import Mirroring
import Platform

extension FolderEngine {
    /// The number of names that are examined; a zone of a million records has a few thousand.
    private static var maxNames: Int { 100_000 }

    /// Reads the folder: new segments are added, superseded ones removed, and losses noticed.
    func scan() throws(MirrorError) {
        let place = try place()
        let names = Folder.names(in: place).prefix(Self.maxNames)
        guard names.contains(mark) else {
            isBroken = true
            throw .unreachable(
                reason: "the folder \(folder) has no zone; mount it, or wait until it is synchronized")
        }
        try refreshKeys(in: place)
        let present = names.reduce(into: [SegmentName: String]()) { present, text in
            guard let name = SegmentName(text),
                let status = FileStatus(path: "\(place)/\(text)", followsLinks: false), status.isRegular
            else { return }
            present[name] = Self.mark(status)
        }
        let known = log.segments.mapValues(\.mark)
        guard
            present.contains(where: { known[$0.key] != $0.value && !isRejected($0.key, $0.value) })
                || known.contains(where: { present[$0.key] == nil }) || !state.retired.isEmpty
        else { return }
        let next = log.next
        try add(present, in: place)
        removeMissing(present)
        try deleteRetired(present, in: place)
        forgetRejected(except: present)
        if log.next != next || log.segments.mapValues(\.mark) != known { try save() }
    }

    /// The state of a file, which differs after each change of its contents.
    static func mark(_ status: FileStatus) -> String {
        "\(status.size):\(status.identity.inode):\(status.changed.tv_sec).\(status.changed.tv_nsec)"
    }

    /// Adds the segments that are new or have changed.
    private func add(_ present: [SegmentName: String], in place: String) throws(MirrorError) {
        let numbers = state.segments
        var fresh: [(name: SegmentName, mark: String, contents: SegmentFile.Contents)] = []
        for (name, mark) in present where log.segments[name]?.mark != mark && !isRejected(name, mark) {
            guard let file = SegmentFile.open("\(place)/\(name.text)"),
                let contents = SegmentFile.read(file, name, cipher),
                name.machine != state.machine || numbers[name]?.mark == mark || isWhole(file, name, contents)
            else {
                reject(name, mark)
                discard(name)
                continue
            }
            log.noteTable(name, contents.table.live)
            fresh.append((name, mark, contents))
        }
        // In the order of their numbers, then in that of their machines.
        let first = { (name: SegmentName) in numbers[name]?.numbers.first { $0 > 0 } ?? .max }
        let ordered = fresh.map { (first($0.name), $0) }.sorted { ($0.0, $0.1.name) < ($1.0, $1.1.name) }
        for (_, segment) in ordered {
            if log.isLive(segment.name) {
                log.add(segment.name, segment.mark, segment.contents, known: numbers[segment.name]?.numbers)
            } else {
                reject(segment.name, segment.mark)
            }
        }
        log.sort()
    }

    /// Removes the revisions of a damaged segment.
    func discard(_ name: SegmentName) {
        guard let segment = log.segments[name] else { return }
        reject(name, segment.mark)
        log.remove(name)
        if log.isLive(name) { noteLoss() }
    }

    /// Whether all records of a segment open. Those of this machine are checked when their file has changed.
    private func isWhole(
        _ file: borrowing FileDescriptor, _ name: SegmentName, _ contents: SegmentFile.Contents
    ) -> Bool {
        var offset = contents.start
        for (index, item) in contents.table.items.enumerated() {
            let count = Int(item.length)
            guard SegmentFile.record(of: file, name, index, at: offset, count: count, cipher) != nil else {
                return false
            }
            offset += count
        }
        return true
    }

    /// Removes segments that were deleted. Without a later table of their machine that omits them, they were lost.
    private func removeMissing(_ present: [SegmentName: String]) {
        for name in log.segments.keys {
            if !log.isLive(name) {
                log.remove(name)
            } else if present[name] == nil {
                discard(name)
            }
        }
        // Those of an earlier run.
        for name in state.segments.keys where log.segments[name] == nil && log.isLive(name) { noteLoss() }
        state.segments = [:]
        for name in present.keys
        where name.machine == state.machine && !log.isLive(name) && state.retired[name] == nil {
            state.retired[name] = now()
        }
    }

    private func noteLoss() {
        guard !isBroken else { return }
        isBroken = true
        state.losses += 1
    }

    /// Deletes superseded segments of this machine.
    private func deleteRetired(_ present: [SegmentName: String], in place: String) throws(MirrorError) {
        let limit = now() - retirement.components.seconds * 1000
        for (name, time) in state.retired where time <= limit || present[name] == nil {
            unlink("\(place)/\(name.text)")
            state.retired[name] = nil
        }
    }
}
