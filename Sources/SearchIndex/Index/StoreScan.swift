import PersistentStore

/// Reads objects from the store itself, newest first.
struct StoreScan {
    let index: SearchIndex
    /// The maximum number of objects skipped in one step, in which SQLite compares the flags.
    let stretch: Int

    init(_ index: SearchIndex, _ bounds: SearchBounds) {
        self.index = index
        stretch = min(20_000, max(1, bounds.maxRead))
    }

    /// Returns the number of these objects that exist, and the positions of those that a condition admits.
    func positions(
        in objects: [Int64], _ snapshot: borrowing StoreSnapshot, where admits: (SearchDocument) -> Bool
    ) throws(StoreError) -> (read: Int, admitted: [SearchPosition]) {
        var left = objects
        var (read, admitted) = (0, [SearchPosition]())
        while !left.isEmpty {
            let documents = try index.schema.documents(ofNext: &left, in: snapshot).documents
            read += documents.count
            admitted += documents.filter(admits).map(\.position)
        }
        return (read, admitted)
    }

    /// Returns the next objects and the position after them; the position is nil at the end of the store.
    ///
    /// Objects that the flags exclude are not read. The number skipped per call is bounded, so that other
    /// work on the reader's thread does not wait long.
    func next(
        _ count: Int, after position: SearchPosition, flags: SearchFlags, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> (documents: [SearchDocument], end: SearchPosition?) {
        let schema = index.schema
        var request = FetchRequest(schema.entity, where: flags.predicate(schema), sort: schema.newestFirst)
        request.after = index.sortPosition(of: position, snapshot)
        // An index finds starred and archived objects directly.
        let isDirect = flags.isEmpty || flags.starred == true || flags.archived == true
        let last = isDirect ? nil : try end(after: position, in: snapshot)
        request.limit = count
        request.before = last.map {
            index.sortPosition(of: SearchPosition(created: $0.created, id: $0.id - 1), snapshot)
        }
        let (documents, areAll) = try schema.documents(request, in: snapshot)
        return (documents, areAll && documents.count < count ? last : documents.last?.position)
    }

    /// Returns the position `stretch` objects later; nil if the store ends before it.
    private func end(
        after position: SearchPosition, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> SearchPosition? {
        var request = FetchRequest(index.schema.entity, sort: index.schema.newestFirst, limit: 1)
        request.attributes = [index.schema.created]
        request.after = index.sortPosition(of: position, snapshot)
        request.offset = stretch - 1
        return try snapshot.fetch(request).first.map {
            SearchPosition(created: $0[index.schema.created].integerValue ?? 0, id: $0.id.key)
        }
    }
}

/// The conditions on flags that a whole query requires; the store can evaluate them.
struct SearchFlags {
    private(set) var starred: Bool?
    private(set) var unread: Bool?
    private(set) var archived: Bool?
    /// The stored states may be those of earlier URLs.
    private(set) var link: LinkState?

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
            case .archived: archived = archived ?? isWanted
            case .dead: link = link ?? (isWanted ? .dead : nil)
            case .moved: link = link ?? (isWanted ? .moved : nil)
            case .unchecked: break
            }
        }
    }

    var isEmpty: Bool { starred == nil && unread == nil && archived == nil && link == nil }

    func predicate(_ schema: SearchSchema) -> ObjectPredicate? {
        let flags = [(schema.starred, starred), (schema.unread, unread), (schema.archived, archived)]
        var parts = flags.compactMap { name, isWanted in
            isWanted.map { ObjectPredicate.compare(name, $0 ? .notEqual : .equal, .integer(0)) }
        }
        if let link, let name = schema.link { parts.append(.hasPrefix(name, link.rawValue)) }
        return parts.isEmpty ? nil : .and(parts)
    }
}
