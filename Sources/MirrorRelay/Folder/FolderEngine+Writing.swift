public import Mirroring
import Platform

extension FolderEngine {
    public func put(_ puts: [MirrorPut]) throws(MirrorError) -> [MirrorPutResult] {
        _ = try place()
        ring.reload()
        var results: [MirrorPutResult] = puts.map { _ in .outdated }
        var accepted: [(index: Int, record: PlainRecord)] = []
        var keys: Set<RecordKey> = []
        let time = now()
        for (index, put) in puts.enumerated() {
            guard let key = RecordKey(put.key) else { throw .other("a key is not valid") }
            guard log.number(of: key) == put.expected, keys.insert(key).inserted else { continue }
            guard put.body.count <= RecordBody.largest else {
                results[index] = .tooLarge
                continue
            }
            accepted.append((index, PlainRecord(key: key, stamp: put.stamp, time: time, body: put.body)))
        }
        // The record for programs of earlier versions has a segment that they can read.
        let format = RecordKey(cipher.formatKey)
        for isFormat in [true, false] {
            let part = accepted.filter { ($0.record.key == format) == isFormat }
            let numbers = try write(part.map(\.record), usesFirstKey: isFormat)
            for (index, number) in zip(part.map(\.index), numbers) { results[index] = .stored(number) }
        }
        guard !accepted.isEmpty else { return results }
        try save()
        do throws(MirrorError) {
            if try compact() { try save() }
        } catch {
            // The next put tries again.
        }
        return results
    }

    /// A record that is written to a segment.
    struct PlainRecord {
        let key: RecordKey
        let stamp: Int64
        let time: Int64
        let body: [UInt8]
    }

    /// The segments of this machine in the folder.
    private var own: [FolderLog.Segment] {
        log.segments.values.filter { $0.name.machine == state.machine }.sorted { $0.name < $1.name }
    }

    /// Writes records in as many segments as they need, and returns their numbers.
    ///
    /// - Parameter omitted: The segments that the last table omits.
    private func write(
        _ records: [PlainRecord], omitting omitted: Set<SegmentName> = [], always: Bool = false,
        usesFirstKey: Bool = false
    ) throws(MirrorError) -> [Int64] {
        var numbers: [Int64] = []
        var rest = records[...]
        var isDue = always
        while isDue || !rest.isEmpty {
            isDue = false
            var size = 0
            let part = rest.prefix(SegmentFile.maxItems).prefix { record in
                defer { size += record.body.count + Sodium.overhead }
                return size == 0 || size + record.body.count < SegmentFile.maxBytes
            }
            rest = rest.dropFirst(part.count)
            numbers += try writeSegment(
                Array(part), omitting: rest.isEmpty ? omitted : [], usesFirstKey: usesFirstKey)
        }
        return numbers
    }

    private func writeSegment(
        _ records: [PlainRecord], omitting omitted: Set<SegmentName>, usesFirstKey: Bool
    ) throws(MirrorError) -> [Int64] {
        let place = try place()
        let sequence = (log.latest[state.machine]?.sequence ?? 0) + 1
        let name = SegmentName(machine: state.machine, sequence: sequence)
        let seal = { (plain: [UInt8], subject: String) in
            self.cipher.seal(plain, subject: subject, usesFirstKey: usesFirstKey)
        }
        let bodies = records.enumerated().map { seal($1.body, SegmentFile.subject(name, $0)) }
        let live = own.map(\.name).filter { !omitted.contains($0) }.map(\.sequence) + [sequence]
        let table = SegmentFile.Table(
            live: Self.ranges(live),
            items: zip(records, bodies).map {
                SegmentFile.Item(key: $0.key, stamp: $0.stamp, time: $0.time, length: UInt32($1.count))
            })
        let sealed = seal(table.bytes, SegmentFile.subject(name, nil))
        let head = SegmentFile.head(sealed)
        var bytes = head
        for body in bodies { bytes += body }
        do throws(Errno) {
            try ReplacementFile.write(bytes, to: "\(place)/\(name.text)", replaces: false)
            FilePath.syncFolder(place)
        } catch {
            throw failure(error)
        }
        let status = FileStatus(path: "\(place)/\(name.text)", followsLinks: false)
        log.noteTable(name, table.live)
        log.add(
            name, status.map(Self.mark) ?? "",
            SegmentFile.Contents(table: table, start: head.count, key: ZoneEpoch.id(of: sealed)))
        return log.segments[name]?.numbers ?? []
    }

    /// The ranges of consecutive sequences.
    private static func ranges(_ sequences: [UInt32]) -> [ClosedRange<UInt32>] {
        sequences.sorted().reduce(into: []) { ranges, sequence in
            if let last = ranges.last, sequence <= last.upperBound &+ 1 {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, sequence)
            } else {
                ranges.append(sequence...sequence)
            }
        }
    }

    // MARK: Compaction

    /// As many segments of one class of sizes are merged.
    private static var fanIn: Int { 8 }

    /// Merges small segments, so that their number grows with the logarithm of the number of puts, and those of which most
    /// is superseded, so that they have at most a segment's size of superseded records.
    ///
    /// - Returns: Whether segments were merged.
    private func compact() throws(MirrorError) -> Bool {
        var isDone = false
        while true {
            let format = RecordKey(cipher.formatKey).flatMap { log.revisions(of: $0) } ?? []
            let own = own.filter { segment in !format.contains { $0.segment == segment.name } }
            let wasteful = own.filter { $0.live * 2 < $0.bytes }
            let waste = wasteful.reduce(0) { $0 + $1.bytes - $1.live }
            // The class of a size is the logarithm to the base of the fan-in, in units of 4 kB.
            let classes = Dictionary(grouping: own.filter { !$0.isLarge }) {
                (Int.bitWidth - ($0.live >> 12).leadingZeroBitCount) / 3
            }
            let small = classes.filter { $0.value.count >= Self.fanIn }.min { $0.key < $1.key }?.value
            // Superseded, and sealed with a former key.
            let former = own.filter { $0.live == 0 && $0.key != ring.current.name.id }
            let due = waste > SegmentFile.maxBytes ? wasteful : small ?? former
            guard !due.isEmpty else { return isDone }
            try merge(due)
            isDone = true
        }
    }

    private func merge(_ segments: [FolderLog.Segment]) throws(MirrorError) {
        let names = Set(segments.map(\.name))
        var rest = segments.flatMap { log.contents(of: $0) }.sorted { $0.number < $1.number }[...]
        // In parts, which bounds the memory.
        repeat {
            var size = 0
            let part = rest.prefix(SegmentFile.maxItems).prefix { revision in
                defer { size += Int(revision.item.length) }
                return size == 0 || size + Int(revision.item.length) <= SegmentFile.maxBytes
            }
            rest = rest.dropFirst(part.count)
            let bodies = Dictionary(
                try read { _ in Array(part) }.map { ($0.revision.number, $0.body) }, uniquingKeysWith: { $1 })
            let records = try part.map { revision throws(MirrorError) in
                guard let body = bodies[revision.number], !body.isEmpty else {
                    // Damaged: the mirror puts the records of the segment again.
                    discard(revision.segment)
                    throw .unreachable(reason: "the folder \(folder) lost records; the records are compared")
                }
                let item = revision.item
                return PlainRecord(key: item.key, stamp: item.stamp, time: item.time, body: body)
            }
            _ = try write(records, omitting: rest.isEmpty ? names : [], always: true)
        } while !rest.isEmpty
        for name in names {
            log.remove(name)
            state.retired[name] = now()
        }
    }
}
