import PersistentStore
import SearchIndex
import Synchronization

/// The tags and sites of the clips, archived ones included, with the numbers of clips that a filter for them admits.
package struct ClipFacets: Hashable, Sendable {
    package struct Facet: Hashable, Sendable {
        package let name: String
        package let count: Int

        package init(_ name: String, _ count: Int) { (self.name, self.count) = (name, count) }
    }

    /// The most frequent ones, in this order.
    package var tags: [Facet] = []
    package var sites: [Facet] = []
    /// The numbers of further tags and sites.
    package var moreTags = 0
    package var moreSites = 0

    package static let maxCount = 50

    package init() {}
}

/// Counts tags, sites, and authors once, in steps, and then with each change.
///
/// A step reads clips in the order of their IDs from a snapshot to which all changes are applied; changes of clips that
/// are not read yet are ignored.
///
/// - Complexity: A change costs its clips and the number of tags and sites.
final class FacetCounter: Sendable {
    fileprivate struct State {
        var isWanted = false
        var tags = FacetNumbers()
        /// With those of a site's parts: `en.wikipedia.org` also counts for `wikipedia.org`, and `lwn.net:8080` for
        /// `lwn.net`.
        var domains = FacetNumbers()
        var hosts = FacetNumbers()
        /// The tags and the authors as they are spelled, with their numbers.
        var spelled: [String: Int] = [:]
        var authors: [String: Int] = [:]
        /// The last ID that was read; nil before the first.
        var last: Int64?
        var isWhole = false
        /// The state of the store up to which changes are applied; nil before tracking starts.
        var token: HistoryToken?
        /// Changes of a pass that has delivered a part.
        var pending: [HistoryChange] = []
    }

    private let state = Mutex(State())
    private static let step = 4000
    private static let attributes = [ClipAttribute.tags, .url, .author].map(\.rawValue)

    /// Begins to count.
    func begin() { state.withLock { $0.isWanted = true } }

    /// Whether clips remain to be read.
    var isCounting: Bool { state.withLock { $0.isWanted && !$0.isWhole } }

    /// Returns the names in all clips, read in steps between which other requests are answered: those of clips that
    /// change concurrently may be missing.
    static func names(in container: PersistentContainer) async throws(StoreError) -> KnownNames {
        let counter = FacetCounter()
        counter.begin()
        var isDone = false
        while !isDone {
            isDone = try await container.read { snapshot throws(StoreError) in
                let newest = try snapshot.newestToken()
                counter.state.withLock { $0.token = newest }
                return try counter.readMore(in: snapshot)?.isDone != false
            }
        }
        return counter.names
    }

    /// The names in the clips that are read.
    var names: KnownNames {
        func sorted(_ numbers: [(name: String, count: Int)]) -> [String] {
            numbers.sorted { ($1.count, $0.name) < ($0.count, $1.name) }.map(\.name)
        }
        let state = state.withLock { $0 }
        return KnownNames(
            tags: sorted(state.spelled.map { ($0, $1) }), authors: sorted(state.authors.map { ($0, $1) }),
            sites: sorted(state.hosts.all))
    }

    func refresh(from snapshot: borrowing StoreSnapshot) throws(StoreError) {
        let newest = try snapshot.newestToken()
        state.withLock { state in
            let isWanted = state.isWanted
            state = State()
            (state.isWanted, state.token) = (isWanted, newest)
        }
    }

    /// Applies changes. Returns the new numbers, if any changed.
    func consume(
        _ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> ClipFacets? {
        let newest = try snapshot.newestToken()
        let changes = state.withLock { state -> [HistoryChange]? in
            guard state.isWanted, state.last != nil || state.isWhole else {
                state.token = transactions.last?.token == newest ? newest : nil
                return nil
            }
            state.pending += transactions.flatMap(\.changes).filter { $0.objectID.entity == ClipModel.entity }
            // The present values belong to the end of all changes.
            guard transactions.last?.token == newest else {
                state.token = nil
                return nil
            }
            state.token = newest
            defer { state.pending = [] }
            return state.pending
        }
        guard let changes, !changes.isEmpty else { return nil }
        let keys = Array(Set(changes.map(\.objectID.key)))
        let request = FetchRequest(ClipModel.entity, where: .keys(keys), attributes: Self.attributes)
        let present = Dictionary(
            uniqueKeysWithValues: try snapshot.fetch(request).map { ($0.id.key, $0.values) })
        return state.withLock { state in
            var hasChanged = false
            let grouped = Dictionary(grouping: changes, by: \.objectID.key)
            for (key, changes) in grouped.sorted(by: { $0.key < $1.key })
            where state.isWhole || key <= state.last ?? .min {
                let earlier = changes.reversed().reduce(present[key]) { $1.reverting($0) }
                let names = Self.attributes
                guard names.contains(where: { earlier?[$0] != present[key]?[$0] }) else { continue }
                hasChanged = true
                if let earlier { state.add(earlier, -1) }
                if let values = present[key] { state.add(values, 1) }
            }
            return hasChanged ? state.facets : nil
        }
    }

    /// Reads the next clips. Returns nil if changes must be applied before, and the numbers after the last clip.
    func readMore(in snapshot: borrowing StoreSnapshot) throws(StoreError) -> (
        facets: ClipFacets?, isDone: Bool
    )? {
        let newest = try snapshot.newestToken()
        let (isCurrent, last) = state.withLock { ($0.token == newest && !$0.isWhole, $0.last) }
        guard isCurrent else { return nil }
        let rest = last.map { ObjectPredicate.compare("id", .greater, .integer($0)) }
        let request = FetchRequest(
            ClipModel.entity, where: rest, sort: [SortKey("id")], limit: Self.step,
            attributes: Self.attributes)
        let objects = try snapshot.fetch(request)
        return state.withLock { state in
            for object in objects { state.add(object.values, 1) }
            state.last = objects.last?.id.key ?? state.last
            state.isWhole = objects.count < Self.step
            return (state.isWhole ? state.facets : nil, state.isWhole)
        }
    }
}

extension FacetCounter.State {
    fileprivate mutating func add(_ values: [String: AttributeValue], _ count: Int) {
        // A clip with two spellings of a tag counts once.
        var keys: Set<[UInt8]> = []
        for tag in Tags(joined: values[ClipAttribute.tags.rawValue]?.textValue ?? "").names {
            if keys.insert(Folding.foldName(tag)).inserted { tags.add(tag, count) }
            spelled.add(tag, count)
        }
        authors.add(values[ClipAttribute.author.rawValue]?.textValue ?? "", count)
        let site = ClipRow.site(of: values[ClipAttribute.url.rawValue]?.textValue ?? "")
        let port = Self.port(of: site)
        let host = ReadableURL.host(String(site.dropLast(port.count)))
        guard !host.isEmpty else { return }
        hosts.add(host + port, count)
        var rest = Substring(host)
        while true {
            domains.add(String(rest), count)
            if !port.isEmpty { domains.add(String(rest + port), count) }
            guard let dot = rest.firstIndex(of: ".") else { return }
            rest = rest[rest.index(after: dot)...]
        }
    }

    /// Returns the port of a site with its colon; empty without one. An IPv6 address has colons in brackets.
    private static func port(of site: String) -> Substring {
        guard let colon = site.lastIndex(of: ":"), !site[colon...].contains("]") else { return "" }
        return site[colon...]
    }

    fileprivate var facets: ClipFacets {
        var facets = ClipFacets()
        facets.tags = tags.most()
        facets.sites = hosts.most { domains.count(of: $0) }
        facets.moreTags = tags.all.count - facets.tags.count
        facets.moreSites = hosts.all.count - facets.sites.count
        return facets
    }
}

extension [String: Int] {
    fileprivate mutating func add(_ name: String, _ count: Int) {
        let sum = self[name, default: 0] + count
        self[name] = sum > 0 && !name.isEmpty ? sum : nil
    }
}

/// The numbers of names, of which those that differ in case or accents are one.
private struct FacetNumbers {
    private var numbers: [[UInt8]: (name: String, count: Int)] = [:]

    var all: [(name: String, count: Int)] { Array(numbers.values) }

    mutating func add(_ name: String, _ count: Int) {
        let key = Folding.foldName(name)
        let sum = (numbers[key]?.count ?? 0) + count
        numbers[key] = sum > 0 ? (numbers[key]?.name ?? name, sum) : nil
    }

    func count(of name: String) -> Int { numbers[Folding.foldName(name)]?.count ?? 0 }

    /// Returns the names with the largest numbers.
    ///
    /// - Parameter count: Returns the number of a name; nil for its own.
    func most(_ count: ((String) -> Int)? = nil) -> [ClipFacets.Facet] {
        let all = numbers.values.map { ClipFacets.Facet($0.name, count?($0.name) ?? $0.count) }
        return Array(all.sorted { ($1.count, $0.name) < ($0.count, $1.name) }.prefix(ClipFacets.maxCount))
    }
}
