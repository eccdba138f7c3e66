package import PersistentStore

/// The attributes of a clip, as they are called in the store and in JSON.
package enum ClipAttribute: String, CaseIterable, Sendable {
    case uuid
    case url
    case title
    case text
    case note
    case tags
    case author
    case starred
    case unread
    case created
    case updated
}

/// The clips store's model.
///
/// Every attribute has a default, so a stranger's `INSERT INTO Clip (url, title) VALUES (…)` is a whole clip.
package enum ClipModel {
    package static let entity = "Clip"

    package static func objectID(_ key: Int64) -> ObjectID { ObjectID(entity: entity, key: key) }

    /// What a list shows of each clip: all but the long texts.
    package static let listAttributes: [String] = ClipAttribute.allCases
        .filter { $0 != .text && $0 != .note && $0 != .uuid }.map(\.rawValue)

    package static func make() throws(StoreError) -> StoreModel {
        try StoreModel(
            version: 1, entities: [Entity(entity, attributes: ClipAttribute.allCases.map(attribute))])
    }

    static func isIndexed(_ name: ClipAttribute) -> Bool { attribute(name).isIndexed }

    private static func attribute(_ attribute: ClipAttribute) -> Attribute {
        let name = attribute.rawValue
        return switch attribute {
        case .uuid: Attribute(name, .text, defaultValue: .uuid, history: .preservesValueOnDeletion)
        case .url: Attribute(name, .text, defaultValue: .value(""), isIndexed: true, history: everything)
        case .created: Attribute(name, .integer, defaultValue: .now, isIndexed: true, history: everything)
        case .updated: Attribute(name, .integer, defaultValue: .now, history: everything)
        case .starred:
            Attribute(
                name, .integer, defaultValue: .value(0), indexWhenTrue: ClipAttribute.created.rawValue,
                history: everything)
        case .unread: Attribute(name, .integer, defaultValue: .value(1), history: everything)
        case .title: Attribute(name, .text, defaultValue: .value(""), ignoresCase: true, history: everything)
        case .text, .note, .tags, .author:
            Attribute(name, .text, defaultValue: .value(""), history: everything)
        }
    }

    /// A clip can be restored whole, and an edit be shown and undone.
    private static let everything: Attribute.History = [.preservesValueOnDeletion, .recordsOldValue]
}
