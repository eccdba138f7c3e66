import PersistentStore
import SearchIndex

/// The stored clips that a plan needs.
extension DuplicatePlan {
    /// Returns a predicate for the stored clips that planning needs.
    static func lookup(_ drafts: [ClipDraft]) -> ObjectPredicate? {
        let urls = Set(drafts.map(\.url)).subtracting([""])
        let times = Set(drafts.filter { $0.url.isEmpty }.compactMap(\.created))
        let uuids = Set(drafts.compactMap(\.uuid))
        var parts: [ObjectPredicate] = []
        if !uuids.isEmpty {
            parts.append(.isOneOf(ClipAttribute.uuid.rawValue, uuids.sorted().map(AttributeValue.text)))
        }
        if !urls.isEmpty {
            parts.append(.isOneOf(ClipAttribute.url.rawValue, urls.sorted().map(AttributeValue.text)))
        }
        if !times.isEmpty {
            parts.append(.isOneOf(ClipAttribute.created.rawValue, times.sorted().map(AttributeValue.integer)))
        }
        return parts.isEmpty ? nil : parts.count == 1 ? parts[0] : .or(parts)
    }

    /// Returns predicates for stored clips whose URLs may be variants of those of drafts.
    static func variantLookups(_ drafts: [ClipDraft]) -> [ObjectPredicate] {
        let urls = Set(drafts.compactMap { CanonicalURL($0.url) })
        var (exact, prefixes): ([AttributeValue], [ObjectPredicate]) = ([], [])
        for candidates in urls.map(\.candidates) {
            exact += candidates.exact.map(AttributeValue.text)
            prefixes += candidates.prefixes.map { .hasPrefix(ClipAttribute.url.rawValue, $0) }
        }
        // Each alone: SQLite reads the whole table for an alternative of many ranges.
        return urls.isEmpty ? [] : [.isOneOf(ClipAttribute.url.rawValue, exact)] + prefixes
    }
}
