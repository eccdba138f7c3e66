import Platform

/// The revisions in the folder, numbered in the order in which this machine found them.
///
/// Of each record it has the newest revision of every machine: one machine's revision contains its earlier ones, in
/// regard to those of other machines nothing is known.
struct FolderLog: Sendable {
    struct Revision: Sendable {
        let number: Int64
        let item: SegmentFile.Item
        let segment: SegmentName
        let index: Int
        let offset: Int

        fileprivate func isBefore(_ name: SegmentName, _ index: Int) -> Bool {
            (segment, self.index) < (name, index)
        }
    }

    struct Segment: Sendable {
        let name: SegmentName
        /// The state of the file when its table was read.
        var mark: String
        var numbers: [Int64]
        /// The bytes of its records.
        let bytes: Int
        /// The number of the key with which the table is sealed.
        let key: UInt64
        fileprivate let table: Int
        /// The bytes and the number of its records that no later segment of the machine has.
        var live = 0
        var count = 0

        /// Whether merging segments of its kind may not make fewer: eight that are full of small records become eight.
        var isLarge: Bool { live >= SegmentFile.maxBytes / 2 || count >= SegmentFile.maxItems / 2 }
    }

    /// The last table of each machine, by its sequence.
    struct Latest: Sendable {
        var sequence: UInt32 = 0
        var live: [ClosedRange<UInt32>] = []
    }

    /// The items of a segment, and their offsets.
    private struct Table {
        let name: SegmentName
        let items: [SegmentFile.Item]
        let offsets: [Int]
    }

    /// The position of a revision: the index of the table, and that of the item.
    private struct Position {
        let table: UInt32
        let item: UInt32
    }

    private var positions: [Int64: Position] = [:]
    /// The next lower number of the same record, if there is one.
    private var previous: [Int64: Int64] = [:]
    private var tables: [Table?] = []
    private(set) var segments: [SegmentName: Segment] = [:]
    private(set) var latest: [UInt64: Latest] = [:]
    private var newest: [RecordKey: Int64] = [:]
    /// The numbers in ascending order, with those of removed revisions.
    private var order: [Int64] = []
    private var isSorted = true
    var next: Int64

    init(next: Int64, latest: [UInt64: Latest] = [:]) { (self.next, self.latest) = (next, latest) }

    /// Whether the machine had a segment in the folder when it wrote its last one: an older file that was restored is
    /// none.
    func isLive(_ name: SegmentName) -> Bool {
        guard let latest = latest[name.machine] else { return true }
        return name.sequence > latest.sequence || latest.live.contains { $0.contains(name.sequence) }
    }

    mutating func noteTable(_ name: SegmentName, _ live: [ClosedRange<UInt32>]) {
        if name.sequence >= latest[name.machine]?.sequence ?? 0 {
            latest[name.machine] = Latest(sequence: name.sequence, live: live)
        }
    }

    func number(of key: RecordKey) -> Int64 { newest[key] ?? 0 }

    /// Returns the revision with a number.
    func revision(_ number: Int64) -> Revision? {
        guard let position = positions[number], let table = tables[Int(position.table)] else { return nil }
        let index = Int(position.item)
        return Revision(
            number: number, item: table.items[index], segment: table.name, index: index,
            offset: table.offsets[index])
    }

    /// The revisions of a record, one of each machine, in ascending order.
    func revisions(of key: RecordKey) -> [Revision] {
        var (all, number): ([Revision], Int64) = ([], newest[key] ?? 0)
        while let revision = revision(number) {
            all.append(revision)
            number = previous[number] ?? 0
        }
        return all.reversed()
    }

    /// The newest revision of each record.
    var heads: some Sequence<Revision> {
        order.lazy.compactMap { revision($0) }.filter { newest[$0.item.key] == $0.number }
    }

    var last: Int64 { order.last { positions[$0] != nil } ?? 0 }

    /// Returns revisions after a number in ascending order, as long as the closure returns true.
    func forEach(after number: Int64, _ body: (Revision) -> Bool) {
        for number in order[order.partitionPoint(where: { $0 > number })...] {
            if let revision = revision(number), !body(revision) { return }
        }
    }

    /// Adds the revisions of a segment. One that is known from another segment has its number, others get new ones,
    /// except those that an earlier run numbered.
    mutating func add(
        _ name: SegmentName, _ mark: String, _ contents: SegmentFile.Contents, known: [Int64]? = nil
    ) {
        if segments[name] != nil { remove(name) }
        let items = contents.table.items
        var numbers = [Int64](repeating: 0, count: items.count)
        var (offset, offsets) = (contents.start, [Int]())
        offsets.reserveCapacity(items.count)
        for item in items {
            offsets.append(offset)
            offset += Int(item.length)
        }
        let table = UInt32(tables.count)
        tables.append(Table(name: name, items: items, offsets: offsets))
        segments[name] = Segment(
            name: name, mark: mark, numbers: [], bytes: contents.end - contents.start, key: contents.key,
            table: Int(table))
        for (index, item) in items.enumerated() {
            let mine = revisions(of: item.key).first { $0.segment.machine == name.machine }
            var number = known.map { $0.indices.contains(index) ? $0[index] : 0 } ?? 0
            if let mine {
                if mine.item.stamp == item.stamp { number = mine.number }
                guard mine.isBefore(name, index) else {
                    if mine.item.stamp == item.stamp { numbers[index] = number }
                    continue
                }
                unlink(mine.number)
            }
            if number == 0 {
                number = next
                next += 1
            }
            numbers[index] = number
            positions[number] = Position(table: table, item: UInt32(index))
            link(number, item, of: name, isListed: number == mine?.number)
        }
        segments[name]?.numbers = numbers
    }

    /// Sorts the revisions after segments of earlier runs were added.
    mutating func sort() {
        guard !isSorted || order.count > 2 * positions.count + 1000 else { return }
        order = positions.keys.sorted()
        isSorted = true
    }

    /// Removes the revisions that are in no other segment.
    mutating func remove(_ name: SegmentName) {
        guard let segment = segments.removeValue(forKey: name) else { return }
        for number in segment.numbers {
            if let position = positions[number], Int(position.table) == segment.table { unlink(number) }
        }
        tables[segment.table] = nil
    }

    /// The revisions whose newest form is in a segment.
    func contents(of segment: Segment) -> [Revision] {
        segment.numbers.compactMap { revision($0) }.filter { $0.segment == segment.name }
    }

    private mutating func link(
        _ number: Int64, _ item: SegmentFile.Item, of name: SegmentName, isListed: Bool
    ) {
        next = max(next, number + 1)
        segments[name]?.live += Int(item.length)
        segments[name]?.count += 1
        if !isListed {
            if let last = order.last, last >= number { isSorted = false }
            order.append(number)
        }
        var above: Int64 = 0
        var below = newest[item.key] ?? 0
        while below > number { (above, below) = (below, previous[below] ?? 0) }
        previous[number] = below == 0 ? nil : below
        if above == 0 { newest[item.key] = number } else { previous[above] = number }
    }

    private mutating func unlink(_ number: Int64) {
        // Other revisions of the record may have been removed since it was returned.
        guard let revision = revision(number) else { return }
        positions[number] = nil
        segments[revision.segment]?.live -= Int(revision.item.length)
        segments[revision.segment]?.count -= 1
        let key = revision.item.key
        let below = previous.removeValue(forKey: number)
        guard let first = newest[key], first != number else {
            newest[key] = below
            return
        }
        var above = first
        while let next = previous[above] {
            if next == number {
                previous[above] = below
                return
            }
            above = next
        }
    }
}
