package import PersistentStore

/// The values after a change that its words need.
package struct ValuesAfter: Hashable, Sendable {
    /// The tags, joined; nil if they are not known.
    package var tags: String?
    /// The texts that are empty.
    package var empty: Set<ClipAttribute> = []

    init() {}

    /// Creates the values of an object, some of which may be missing.
    init(_ values: [String: AttributeValue]) {
        tags = values[ClipAttribute.tags.rawValue]?.textValue
        empty = Set(ClipAttribute.texts.filter { values[$0.rawValue]?.textValue?.isEmpty == true })
    }
}

extension ClipAttribute {
    /// The texts that a clip may lack.
    static let texts: [ClipAttribute] = [.url, .title, .text, .note, .author]

    /// The attribute in a sentence.
    package var words: String {
        switch self {
        case .url: "URL"
        case .uuid: "UUID"
        case .created: "creation time"
        case .updated: "edit time"
        case .link: "state of the link"
        default: rawValue
        }
    }
}

extension StoreSnapshot {
    /// Returns values after changes, by the number of the change. A change that more than `maxLater` others follow has
    /// none, since they must be read.
    package func values(
        _ tracked: Set<ClipAttribute>, after changes: [(number: Int64, clip: Int64)],
        maxLater: Int = TransactionDetail.maxLaterChanges
    ) throws(StoreError) -> [Int64: ValuesAfter] {
        guard let first = changes.map(\.number).min(), !tracked.isEmpty,
            try newestToken().number - first <= maxLater
        else {
            return [:]
        }
        var found: [Int64: ValuesAfter] = [:]
        for change in changes { found[change.number] = ValuesAfter() }
        let clips = Dictionary(grouping: changes, by: \.clip).mapValues { $0.map(\.number) }
        var waiting = Dictionary(uniqueKeysWithValues: tracked.map { ($0, clips) })
        func add(_ value: String?, of attribute: ClipAttribute, to number: Int64) {
            if attribute == .tags {
                found[number]?.tags = value
            } else if value?.isEmpty == true {
                found[number]?.empty.insert(attribute)
            }
        }
        let ids = Set(clips.keys.map(ClipModel.objectID))
        let request = HistoryFetchRequest(.afterTransaction(first - 1), changes: .objects(ids))
        for change in try self.changes(request) {
            let clip = change.objectID.key
            for attribute in tracked {
                let name = attribute.rawValue
                guard let next = (change.oldValues[name] ?? change.tombstone?[name])?.textValue else {
                    continue
                }
                for number in waiting[attribute]?[clip] ?? [] where number < change.number {
                    add(next, of: attribute, to: number)
                }
                waiting[attribute]?[clip]?.removeAll { $0 < change.number }
            }
        }
        for object in try fetch(FetchRequest(clips: .keys(clips.keys.sorted()), Array(tracked))) {
            for attribute in tracked {
                for number in waiting[attribute]?[object.id.key] ?? [] {
                    add(object[attribute.rawValue].textValue, of: attribute, to: number)
                }
            }
        }
        return found
    }
}
