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

    /// Returns the URLs, and beginnings of URLs, of stored clips that may be variants of drafts.
    static func variants(_ drafts: [ClipDraft]) -> (exact: [AttributeValue], prefixes: [String]) {
        let candidates = Set(drafts.compactMap { CanonicalURL($0.url) }).map(\.candidates)
        return (candidates.flatMap { $0.exact.map(AttributeValue.text) }, candidates.flatMap(\.prefixes))
    }
}
