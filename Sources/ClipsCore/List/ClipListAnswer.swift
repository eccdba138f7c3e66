import PersistentStore

/// Where the rows of a list come from.
protocol ListPages {
    func start(limit: Int) throws -> LiveList<ClipRow>.Window
    func end(limit: Int) throws -> LiveList<ClipRow>.Window
    /// The rows nearest after a place, and whether they are the last.
    func after(_ position: SortPosition, limit: Int) throws -> ([ClipRow], Bool)
    /// The rows nearest before a place, and whether they are the first.
    func before(_ position: SortPosition, limit: Int) throws -> ([ClipRow], Bool)
    func around(_ position: SortPosition, before: Int, after: Int) throws -> LiveList<ClipRow>.Window
    /// Past the end, the last rows.
    func at(_ index: Int, before: Int, after: Int) throws -> LiveList<ClipRow>.Window
}

extension ClipListPages: ListPages {}
extension OrderedPages: ListPages {}

/// The answer to a request of the list.
struct ClipListAnswer {
    let request: LiveList<ClipRow>.Request
    let generation: Int

    func message(_ pages: some ListPages) throws -> ClipListMessage {
        var window: LiveList<ClipRow>.Window
        switch request.kind {
        case .after(let position, let limit):
            return more(try pages.after(position, limit: limit), .after)
        case .before(let position, let limit):
            return more(try pages.before(position, limit: limit), .before)
        case .start(let limit): window = try pages.start(limit: limit)
        case .end(let limit): window = try pages.end(limit: limit)
        case .around(let position, let before, let after):
            window = try pages.around(position, before: before, after: after)
        case .at(let index, let before, let after): window = try pages.at(index, before: before, after: after)
        }
        window.requestNumber = request.number
        return .window(window, generation: generation)
    }

    private func more(
        _ page: (rows: [ClipRow], reachesEdge: Bool), _ direction: LiveList<ClipRow>.Direction
    ) -> ClipListMessage {
        .more(
            page.rows, direction, reachedEdge: page.reachesEdge, requestNumber: request.number,
            generation: generation)
    }
}
