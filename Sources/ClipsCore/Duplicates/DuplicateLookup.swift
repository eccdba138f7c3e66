import PersistentStore
import SearchIndex

/// Finds the stored clips that a ``DuplicatePlan`` needs.
struct DuplicateLookup {
    private let request: FetchRequest?
    /// The keys of the drafts' URLs; empty if variants are different pages.
    private var keys: Set<String> = []
    private var exact: FetchRequest?
    private var prefixes: [String] = []

    init(_ drafts: [ClipDraft], includesVariants: Bool) {
        let urls = Set(drafts.map(\.url)).subtracting([""])
        let times = Set(drafts.filter { $0.url.isEmpty }.compactMap(\.created))
        let uuids = Set(drafts.compactMap(\.uuid))
        let parts = [
            (ClipAttribute.uuid, uuids.sorted().map(AttributeValue.text)),
            (.url, urls.sorted().map(AttributeValue.text)),
            (.created, times.sorted().map(AttributeValue.integer)),
        ].filter { !$1.isEmpty }.map { ObjectPredicate.isOneOf($0.rawValue, $1) }
        guard !parts.isEmpty else {
            request = nil
            return
        }
        request = FetchRequest(ClipModel.entity, where: parts.count == 1 ? parts[0] : .or(parts))
        guard includesVariants else { return }
        let pages = urls.map { (url: $0, page: CanonicalURL($0)) }
        keys = Set(pages.map { $0.page?.key ?? $0.url })
        let candidates = Set(pages.compactMap(\.page)).map(\.candidates)
        let name = ClipAttribute.url.rawValue
        // Addresses of other kinds have no variants.
        let known = urls.union(candidates.flatMap(\.exact)).sorted()
        exact = FetchRequest(clips: .isOneOf(name, known.map(AttributeValue.text)), [.url])
        prefixes = candidates.flatMap(\.prefixes)
    }

    /// Returns the IDs and URLs of the clips with the URL of a draft or a variant of it.
    func variants(in snapshot: borrowing StoreSnapshot) throws(StoreError) -> [(id: Int64, url: String)] {
        guard let exact else { return [] }
        let name = ClipAttribute.url.rawValue
        let found =
            try snapshot.fetch(exact)
            + snapshot.objects(of: ClipModel.entity, with: name, beginningWithOneOf: prefixes)
        var known: Set<Int64> = []
        return found.map { (id: $0.id.key, url: $0[name].textValue ?? "") }
            .filter { keys.contains(CanonicalURL.key($0.url)) && known.insert($0.id).inserted }
    }

    func clips(in snapshot: borrowing StoreSnapshot) throws(StoreError) -> [Clip] {
        guard let request else { return [] }
        var known = try snapshot.fetch(request).map(Clip.init)
        let quotes = try snapshot.quotes(of: known.map(\.uuid))
        for index in known.indices { known[index].quotes = quotes[known[index].uuid] ?? [] }
        guard exact != nil else { return known }
        let ids = Set(try variants(in: snapshot).map(\.id)).subtracting(known.map(\.id))
        return try known + ClipStore.clips(ids.sorted(), in: snapshot)
    }
}
