package import Mirroring
package import PersistentStore
import Platform
package import SearchIndex

/// The attributes of a clip, named as in the store and in JSON.
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
    case archived
    /// The state of the link, which checks set; a fact of this machine.
    case link
}

/// The clips store's model.
///
/// Every attribute has a default, so `INSERT INTO Clip (url, title) VALUES (…)` by an external writer is a
/// whole clip.
package enum ClipModel {
    package static let entity = "Clip"

    package static func objectID(_ key: Int64) -> ObjectID { ObjectID(entity: entity, key: key) }

    /// The attributes that a new clip has.
    static let names = ClipAttribute.allCases.map(\.rawValue).filter { $0 != ClipAttribute.link.rawValue }

    /// The attributes that a list shows: all except long texts.
    package static let listAttributes: [String] = ClipAttribute.allCases
        .filter { $0 != .text && $0 != .note && $0 != .uuid }.map(\.rawValue)

    /// The clips of a list without a filter.
    package static let notArchived = ObjectPredicate.compare(
        ClipAttribute.archived.rawValue, .equal, .integer(0))

    package static func make() throws(StoreError) -> StoreModel {
        try StoreModel(
            version: 5,
            entities: [
                EntityDescription(entity, attributes: ClipAttribute.allCases.map(attribute)),
                Quote.description, LinkCheck.description,
            ] + MirrorConfiguration.entities)
    }

    /// Returns the text by which a clip with these values is known: its title, URL, or text.
    static func title(of values: [String: AttributeValue]) -> String? {
        [ClipAttribute.title, .url, .text].lazy.compactMap { values[$0.rawValue]?.textValue }.first {
            !$0.isBlank
        }
    }

    private static func attribute(_ attribute: ClipAttribute) -> AttributeDescription {
        let name = attribute.rawValue
        return switch attribute {
        case .uuid:
            AttributeDescription(
                name, .text, defaultValue: .uuid, isUnique: true, history: [.preservesValueOnDeletion])
        case .url:
            AttributeDescription(name, .text, defaultValue: .value(""), isIndexed: true, history: everything)
        case .created:
            AttributeDescription(name, .integer, defaultValue: .now, isIndexed: true, history: everything)
        case .updated: AttributeDescription(name, .integer, defaultValue: .now, history: everything)
        case .starred:
            AttributeDescription(
                name, .integer, defaultValue: .value(0), indexWhenTrue: ClipAttribute.created.rawValue,
                history: everything)
        case .unread: AttributeDescription(name, .integer, defaultValue: .value(1), history: everything)
        case .archived:
            AttributeDescription(
                name, .integer, defaultValue: .value(0), indexWhenTrue: ClipAttribute.created.rawValue,
                indexWhenFalse: ClipAttribute.created.rawValue, history: everything)
        case .title:
            AttributeDescription(
                name, .text, defaultValue: .value(""), ignoresCase: true, history: everything)
        case .text, .note, .tags, .author, .link:
            AttributeDescription(name, .text, defaultValue: .value(""), history: everything)
        }
    }

    /// Allows restoring a whole clip, and showing and undoing an edit.
    private static let everything: Set<AttributeDescription.History> = [
        .preservesValueOnDeletion, .recordsOldValue,
    ]
}

extension ClipModel {
    /// The searched attributes.
    package static let searched = SearchSchema(
        entity: entity, title: ClipAttribute.title.rawValue, tags: ClipAttribute.tags.rawValue,
        url: ClipAttribute.url.rawValue, text: ClipAttribute.text.rawValue, note: ClipAttribute.note.rawValue,
        author: ClipAttribute.author.rawValue, created: ClipAttribute.created.rawValue,
        starred: ClipAttribute.starred.rawValue, unread: ClipAttribute.unread.rawValue,
        archived: ClipAttribute.archived.rawValue, link: ClipAttribute.link.rawValue,
        attached: AttachedTexts(
            entity: Quote.entity, reference: Quote.clip, identifier: ClipAttribute.uuid.rawValue,
            texts: ["text", "note"]))
}

extension ClipModel {
    /// The attributes that machines exchange. A star or the time of an edit revives no deleted clip.
    package static func mirrored(zone: String) -> MirrorConfiguration {
        let minor: [ClipAttribute] = [.starred, .unread, .archived, .updated]
        return MirrorConfiguration(
            [
                MirroredEntity(
                    entity, minor: Set(minor.map(\.rawValue)), sets: [ClipAttribute.tags.rawValue: ","],
                    excluded: [ClipAttribute.link.rawValue]),
                MirroredEntity(Quote.entity),
            ], zone: zone, machineName: HostName.current, program: "clips \(clipsVersion)")
    }
}

extension FetchRequest {
    /// Creates a request for clips.
    ///
    /// - Parameter attributes: The attributes to fetch; nil fetches all.
    init(
        clips predicate: ObjectPredicate?, _ attributes: [ClipAttribute]? = nil, sort: [SortKey] = [],
        limit: Int? = nil
    ) {
        self.init(
            ClipModel.entity, where: predicate, sort: sort, limit: limit,
            attributes: attributes?.map(\.rawValue))
    }
}
