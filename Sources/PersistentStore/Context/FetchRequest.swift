/// The objects to fetch, and their order.
public struct FetchRequest: Hashable, Sendable {
    public var entity: String
    public var predicate: Predicate?
    public var sort: SortOrder?
    /// The position after which the objects must be in the sort order. Unlike ``offset``, it costs only the
    /// returned rows.
    public var after: SortPosition?
    /// The position before which the objects must be.
    public var before: SortPosition?
    /// Whether to fetch backward from the end; the objects are still returned in the order of ``sort``.
    public var isReversed = false
    public var limit: Int?
    public var offset = 0
    /// The attributes to fetch; nil fetches all.
    public var attributes: [String]?

    public init(
        _ entity: String, where predicate: Predicate? = nil, sort: SortOrder? = nil, limit: Int? = nil
    ) {
        self.entity = entity
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
    }
}
