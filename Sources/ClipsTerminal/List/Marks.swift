import ClipsCore
import PersistentStore

/// Clips that the person chose together. They go by id: whatever becomes of the list, a mark stays on its clip.
struct Marks: Sendable {
    /// From where `v` was pressed to the cursor.
    struct Range: Sendable {
        let anchor: SortPosition
        fileprivate(set) var ids: Set<Int64>
        /// The person moved to rows that are not loaded.
        var isWaiting = false
        /// The store was asked for the ids up to this place.
        var asked: SortPosition?
    }

    /// More are not gathered at once.
    static let most = 100_000

    private(set) var ids: Set<Int64> = []
    private(set) var range: Range?

    var isEmpty: Bool { ids.isEmpty && range == nil }

    var count: Int {
        guard let range else { return ids.count }
        return ids.count + range.ids.count { !ids.contains($0) }
    }

    var all: Set<Int64> { ids.union(range?.ids ?? []) }

    var isGathering: Bool { range.map { $0.isWaiting || $0.asked != nil } ?? false }

    func contains(_ id: Int64) -> Bool { ids.contains(id) || range?.ids.contains(id) == true }

    mutating func toggle(_ id: Int64) {
        if ids.remove(id) == nil { ids.insert(id) }
    }

    mutating func begin(at row: ClipRow) { range = Range(anchor: row.position, ids: [row.id]) }

    mutating func stretch(to ids: some Sequence<Int64>) {
        range?.ids = Set(ids)
        range?.isWaiting = false
        range?.asked = nil
    }

    mutating func wait() { range?.isWaiting = true }

    mutating func ask(upTo place: SortPosition) {
        range?.isWaiting = false
        range?.asked = place
    }

    /// What was asked for will not come.
    mutating func endGathering() {
        range?.isWaiting = false
        range?.asked = nil
    }

    /// Keeps what is in the range as marks.
    mutating func closeRange() {
        ids.formUnion(range?.ids ?? [])
        range = nil
    }

    mutating func dropRange() { range = nil }

    mutating func clear() { self = Marks() }

    mutating func remove(_ gone: some Sequence<Int64>) {
        guard !isEmpty else { return }
        for id in gone {
            ids.remove(id)
            range?.ids.remove(id)
        }
    }
}

extension AppState {
    /// The clips that a key acts on: those that are marked, or the one under the cursor.
    var chosen: [Int64] {
        guard marks.isEmpty || isReading else { return marks.all.sorted() }
        return target.map { [$0.id] } ?? []
    }

    /// Whether a key acts on marks rather than on the cursor's clip.
    var actsOnMarks: Bool { !marks.isEmpty && !isReading }

    mutating func mark() {
        guard let id = target?.id else { return }
        marks.closeRange()
        marks.toggle(id)
        if !isReading { list.move(by: 1) }
    }

    mutating func toggleRange() {
        if marks.range != nil {
            marks.closeRange()
            return tell(
                "\(StatusLine.grouped(marks.count)) marked; \(keys.name(of: .back)) takes the marks away.")
        }
        guard let row = list.selectedRow else { return }
        isReading = false
        marks.begin(at: row)
        tell("The moving keys stretch the range; \(keys.name(of: .range)) marks it.")
    }

    /// After the person moved: the range reaches to the cursor. What others insert into it is not in it.
    mutating func stretchRange() {
        guard let range = marks.range, !isReading else { return }
        guard let end = list.selectedRow?.position, !feed.isShowing else { return marks.wait() }
        let (first, last) = (min(range.anchor, end), max(range.anchor, end))
        if list.covers(first), list.covers(last) {
            marks.stretch(to: list.rows.lazy.filter { $0.position >= first && $0.position <= last }.map(\.id))
        } else if range.asked != end {
            marks.ask(upTo: end)
            emit(.gatherRange(query, from: first, through: last, end: end))
        }
    }

    mutating func take(range ids: [Int64], end: SortPosition) {
        guard marks.range?.asked == end else { return }
        marks.stretch(to: ids.prefix(Marks.most))
        if ids.count > Marks.most {
            tell(
                "The first \(StatusLine.grouped(Marks.most)) clips of the range are marked; more cannot be marked together.",
                isError: true)
        }
    }
}

extension LiveList {
    /// Whether all rows near a place are loaded.
    fileprivate func covers(_ position: Position) -> Bool {
        (lowerBound.map { position >= $0 } ?? isLoaded) && (upperBound.map { position <= $0 } ?? isLoaded)
    }
}
