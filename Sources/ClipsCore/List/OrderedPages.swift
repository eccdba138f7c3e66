import PersistentStore

/// Reads stretches of a list of found clips: which they are is known, what they show is read.
struct SelectedPages {
    let selection: ClipSelection
    let snapshot: StoreSnapshot

    func start(limit: Int) throws -> LiveList<ClipRow>.Window { try window(0, limit) }

    func end(limit: Int) throws -> LiveList<ClipRow>.Window {
        try window(max(0, count - limit), count)
    }

    func after(_ position: SortPosition, limit: Int) throws -> ([ClipRow], Bool) {
        var first = selection.index(of: position)
        if first < count, selection.positions[first] == position { first += 1 }
        return (try rows(first..<min(count, first + limit)), isEnd(first + limit))
    }

    func before(_ position: SortPosition, limit: Int) throws -> ([ClipRow], Bool) {
        let end = selection.index(of: position)
        return (try rows(max(0, end - limit)..<end), end <= limit)
    }

    func around(_ position: SortPosition, before: Int, after: Int) throws -> LiveList<ClipRow>.Window {
        let place = selection.index(of: position)
        var window = try window(max(0, place - before), place + after)
        window.around = position
        return window
    }

    func at(_ index: Int, before: Int, after: Int) throws -> LiveList<ClipRow>.Window {
        guard index < count else { return try end(limit: before + after) }
        return try window(max(0, index - before), index + after)
    }

    private var count: Int { selection.positions.count }

    private func isEnd(_ index: Int) -> Bool { index >= count && selection.isComplete }

    private func window(_ first: Int, _ end: Int) throws -> LiveList<ClipRow>.Window {
        let rows = try rows(min(first, count)..<min(end, count))
        return LiveList.Window(
            rows: rows, lowerIndex: rows.isEmpty ? 0 : first, count: selection.isComplete ? count : nil,
            reachesStart: first == 0, reachesEnd: isEnd(end))
    }

    private func rows(_ range: Range<Int>) throws -> [ClipRow] {
        guard !range.isEmpty else { return [] }
        let wanted = selection.positions[range]
        var request = FetchRequest(ClipModel.entity, where: .keys(wanted.map(\.key)))
        request.attributes = ClipModel.listAttributes
        let objects = try snapshot.fetch(request)
        let byKey = Dictionary(uniqueKeysWithValues: objects.map { ($0.id.key, $0) })
        return wanted.compactMap { position in byKey[position.key].map { ClipRow($0, position: position) } }
    }
}
