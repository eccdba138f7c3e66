/// Which objects to read, and in what order.
public struct FetchRequest: Hashable, Sendable {
    public var entity: String
    public var predicate: Predicate?
    public var sort: SortOrder?
    /// Only what lies strictly after this place in the sort order. Costs the rows read, unlike ``offset``.
    public var after: SortPosition?
    /// Only what lies strictly before this place.
    public var before: SortPosition?
    /// From the end of the order backwards; the objects still come in the order of ``sort``.
    public var isReversed = false
    public var limit: Int?
    public var offset = 0
    /// Only these attributes; all when nil.
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
