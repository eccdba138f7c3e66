import PersistentStore

/// The star and read conditions that a whole query requires; the store can evaluate them.
struct SearchFlags {
    private(set) var starred: Bool?
    private(set) var unread: Bool?

    /// Creates the flags of a query. Of two contradictory conditions, the first is used; the query then
    /// matches nothing anyway.
    init(_ query: SearchQuery) {
        for clause in query.clauses where clause.count == 1 {
            guard case .flag(let flag) = clause[0].condition else { continue }
            let isWanted = !clause[0].isNegated
            switch flag {
            case .starred: starred = starred ?? isWanted
            case .unread: unread = unread ?? isWanted
            case .read: unread = unread ?? !isWanted
            }
        }
    }

    var isEmpty: Bool { starred == nil && unread == nil }

    func predicate(_ schema: SearchSchema) -> Predicate? {
        let parts = [(schema.starred, starred), (schema.unread, unread)].compactMap { name, isWanted in
            isWanted.map { Predicate.compare(name, $0 ? .notEqual : .equal, .integer(0)) }
        }
        return parts.isEmpty ? nil : .and(parts)
    }
}
