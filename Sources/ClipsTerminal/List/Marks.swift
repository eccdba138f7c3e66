import ClipsCore
import LiveQuery
import PersistentStore
import Platform

/// The marked clips. Marks are stored by ID, so they stay on their clips when the list changes.
struct Marks: Sendable {
    /// The clips from the row where the range was started to the cursor.
    struct Range: Sendable {
        let anchor: SortPosition
        fileprivate var marked: MarkedClips
        var ids: Set<Int64> { marked.ids }
        /// Whether the cursor moved to rows that are not loaded.
        fileprivate(set) var isWaiting = false
        /// The position up to which IDs were requested from the store.
        fileprivate(set) var requestedEnd: SortPosition?
    }

    static let maxCount = 100_000

    private var marked = MarkedClips()
    private(set) var range: Range?
    /// The marked clips that the list does not show, such as those that its filter excludes.
    private(set) var hidden: Set<Int64> = []
    /// The marked clips that a work has changed since the list shows the same query.
    private(set) var changed: Set<Int64> = []
    /// The rows of marked clips before a commit, which may have removed them from the list.
    private var seen: [Int64: ClipRow] = [:]
    private var search = Search.done
    /// Whether others have deleted all marked clips since the last key, which was meant for them.
    var areLost = false
    /// The title of the only one of them.
    private(set) var lostTitle: String?

    /// Whether ``hidden`` is known.
    private enum Search { case done, due, underWay }

    /// The marked clips outside the range.
    var ids: Set<Int64> { marked.ids }

    var isEmpty: Bool { ids.isEmpty && range == nil }

    var count: Int {
        guard let range else { return ids.count }
        return ids.count + range.ids.count { !ids.contains($0) }
    }

    var all: Set<Int64> { ids.union(range?.ids ?? []) }

    /// The clips in the order in which they were marked.
    var inOrder: [Int64] {
        marked.inOrder + (range?.marked.inOrder.filter { !ids.contains($0) } ?? [])
    }

    /// The number of marks, and of those that the list does not show.
    var summary: String {
        "\(count.grouped) marked" + (hidden.isEmpty ? "" : ", \(hidden.count.grouped) not shown")
    }

    /// Whether clips of the range are still being loaded, or the marks that the list does not show.
    var isGathering: Bool {
        search != .done || range.map { $0.isWaiting || $0.requestedEnd != nil } ?? false
    }

    func contains(_ id: Int64) -> Bool { ids.contains(id) || range?.ids.contains(id) == true }

    mutating func toggle(_ id: Int64) {
        if !marked.remove(id) { marked.insert(id) }
        hidden.remove(id)
    }

    /// Searches the hidden marks again, since the list has changed.
    mutating func invalidateHidden() { if !ids.isEmpty { search = .due } }

    /// Returns the marks that may be hidden, if they must be searched.
    mutating func requestHidden(among shown: some Sequence<ClipRow>) -> Set<Int64>? {
        guard search == .due else { return nil }
        let rest = ids.subtracting(shown.lazy.map(\.id))
        (search, hidden) = (rest.isEmpty ? .done : .underWay, hidden.intersection(rest))
        return rest.isEmpty ? nil : rest
    }

    /// A changed clip that leaves the list loses its mark, since the next key is not meant for it.
    mutating func setHidden(_ found: Set<Int64>) {
        for id in found.intersection(changed) { marked.remove(id) }
        hidden = found.intersection(ids)
        if search == .underWay { search = .done }
    }

    /// Notes that a work changes shown clips.
    mutating func change(_ clips: [Int64]) {
        guard !isEmpty else { return }
        for id in clips where contains(id) {
            seen[id] = nil
            if !hidden.contains(id) { changed.insert(id) }
        }
    }

    /// Notes the rows of marked clips before a commit is applied.
    mutating func note(_ rows: [ClipRow]) {
        guard !isEmpty else { return }
        for row in rows where contains(row.id) { seen[row.id] = row }
    }

    /// Returns the value that a toggle gives the marked clips as the user saw them: another process may have changed
    /// those that left the list. Returns nil if some were never seen.
    func toggled(_ flag: KeyPath<ClipRow, Bool>, in rows: [ClipRow]) -> Bool? {
        let shown = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        let flags = all.map { (shown[$0] ?? seen[$0])?[keyPath: flag] }
        return flags.contains(false) ? true : flags.contains(nil) ? nil : false
    }

    /// Ends the range, and searches the hidden marks in a list with another query.
    mutating func changeList() {
        closeRange()
        changed = []
        invalidateHidden()
    }

    mutating func begin(at row: ClipRow) {
        range = Range(anchor: row.position, marked: MarkedClips([row.id]))
    }

    mutating func stretch(to ids: some Sequence<Int64>) {
        range?.marked = MarkedClips(ids)
        endGathering()
    }

    mutating func wait() { range?.isWaiting = true }

    mutating func request(upTo position: SortPosition) {
        range?.isWaiting = false
        range?.requestedEnd = position
    }

    /// Discards the requests for IDs.
    mutating func endGathering() {
        if search == .underWay { search = .done }
        range?.isWaiting = false
        range?.requestedEnd = nil
    }

    /// Turns the range into marks.
    mutating func closeRange() {
        for id in range?.marked.inOrder ?? [] { marked.insert(id) }
        range = nil
    }

    mutating func dropRange() { range = nil }

    /// Replaces the marks.
    mutating func set(_ ids: some Sequence<Int64>) {
        (marked, range, hidden, changed, seen) = (MarkedClips(ids), nil, [], [], [:])
    }

    mutating func clear() { self = Marks() }

    /// - Parameters:
    ///   - isOwn: Whether the user deleted the clips.
    ///   - title: The title of a deleted clip, if it is known.
    mutating func remove(
        _ deleted: some Sequence<Int64>, isOwn: Bool = false, title: (Int64) -> String? = { _ in nil }
    ) {
        guard count > 0 else { return }
        let only = count == 1 ? all.first : nil
        defer {
            if self.count == 0 {
                range = nil
                (areLost, lostTitle) = (!isOwn, only.flatMap(title))
            }
        }
        for id in deleted {
            marked.remove(id)
            hidden.remove(id)
            range?.marked.remove(id)
        }
    }
}

/// Clips in the order in which they were marked.
private struct MarkedClips: Sendable {
    private(set) var ids: Set<Int64> = []
    /// May contain removed clips; of a repeated one, the last position counts.
    private var order: [Int64] = []

    init(_ ids: some Sequence<Int64> = []) { for id in ids { insert(id) } }

    /// - Complexity: O(*n*).
    var inOrder: [Int64] {
        var left = ids
        return order.reversed().filter { left.remove($0) != nil }.reversed()
    }

    /// - Complexity: O(1) on average.
    mutating func insert(_ id: Int64) {
        if order.count > 2 * ids.count + 64 { order = inOrder }
        if ids.insert(id).inserted { order.append(id) }
    }

    /// Removes a clip, and returns whether it was marked.
    @discardableResult
    mutating func remove(_ id: Int64) -> Bool { ids.remove(id) != nil }
}

extension AppState {
    mutating func mark(count: Int) {
        for _ in 0..<min(count, list.clips.count) {
            guard let id = target?.id else { return }
            list.marks.closeRange()
            list.marks.toggle(id)
            list.clips.move(by: 1)
        }
    }

    /// Marks the rows from the cursor on. Returns whether all of them are loaded.
    mutating func markRows(count: Int) -> Bool {
        let first = list.clips.selectedIndex
        let rows = (first..<max(first, first + min(count, list.clips.count - first))).map {
            list.clips.row(at: $0)?.id
        }
        guard rows.count <= Marks.maxCount, !rows.contains(nil) else {
            report(
                "To choose \(rows.count.grouped) clips, mark a range with \(keys.name(of: .range))."
            )
            return false
        }
        list.marks.set(rows.compactMap(\.self))
        return true
    }

    /// Whether the screen has all clips of the list, which a key for all of them changes; reports it if a pause holds some
    /// back.
    mutating func hasWholeList() -> Bool {
        guard let news = list.pause?.news else { return true }
        report("The list is paused (\(news)). Continue it with \(keys.name(of: .pause)) first.")
        return false
    }

    mutating func invertMarks() {
        guard hasWholeList() else { return }
        list.feed.isSearching = true
        emit(.gatherList(list.query))
    }

    mutating func finishInverting(_ ids: [Int64], of query: ClipQuery) {
        list.feed.isSearching = false
        guard query == list.query else { return }
        let marked = list.marks.all
        list.marks.set(ids.prefix(Marks.maxCount).filter { !marked.contains($0) })
        guard ids.count > Marks.maxCount else { return }
        report("Only the first \(Marks.maxCount.grouped) clips are marked, the maximum.", isError: true)
    }

    mutating func toggleRange() {
        if list.marks.range != nil {
            return list.marks.closeRange()
        }
        guard let row = list.clips.selectedRow else { return }
        reader.hasFocus = false
        list.marks.begin(at: row)
        report("Move to extend the range; \(keys.name(of: .range)) marks it.")
    }

    /// Extends the range to the cursor after a key. Clips inserted by other processes do not join the range.
    mutating func stretchRange() {
        guard let range = list.marks.range, !reader.hasFocus else { return }
        // The row under the cursor may be the one that it leaves.
        guard !list.feed.isLoading, !list.feed.isSearching, !list.clips.isAwaitingCursor,
            let end = list.clips.selectedRow?.position
        else { return list.marks.wait() }
        let (first, last) = (min(range.anchor, end), max(range.anchor, end))
        if list.clips.covers(first), list.clips.covers(last) {
            list.marks.stretch(
                to: list.clips.rows.lazy.filter { $0.position >= first && $0.position <= last }.map(\.id))
        } else if range.requestedEnd != end {
            list.marks.request(upTo: end)
            emit(.gatherRange(list.query, from: first, through: last, end: end))
        }
    }

    mutating func finishRange(_ ids: [Int64], end: SortPosition) {
        guard list.marks.range?.requestedEnd == end else { return }
        list.marks.stretch(to: ids.prefix(Marks.maxCount))
        if ids.count > Marks.maxCount {
            report(
                "Only the first \(Marks.maxCount.grouped) clips of the range are marked, the maximum.",
                isError: true)
        }
    }
}

extension LiveList {
    /// Whether all rows around a position are loaded.
    fileprivate func covers(_ position: Position) -> Bool {
        (lowerBound.map { position >= $0 } ?? isLoaded) && (upperBound.map { position <= $0 } ?? isLoaded)
    }
}
