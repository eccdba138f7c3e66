import PersistentStore

/// The entities that a mirror transfers.
///
/// ```swift
/// let configuration = MirrorConfiguration([
///     MirroredEntity("Note", minor: ["rank"], sets: ["tags": ","])
/// ])
/// ```
///
/// The model of the store must contain ``entities`` too, in which the mirror stores its state in the same commits
/// as the objects.
public struct MirrorConfiguration: Hashable, Sendable {
    /// The author of imports. Changes by it are not exported.
    package static let author = "mirror"

    package var mirrored: [MirroredEntity]
    package var zone: String
    package var machineName: String
    package var program: String

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - mirrored: The entities.
    ///   - zone: The zone on the relay; part of the name under which the mirror registers as a consumer of the history.
    ///   - machineName: The name under which other machines know this one; empty to send no description.
    ///   - program: The program with its version, which other machines show.
    public init(
        _ mirrored: [MirroredEntity], zone: String = "main", machineName: String = "", program: String = ""
    ) {
        self.mirrored = mirrored
        self.zone = zone
        // Each is a line of their description.
        self.machineName = String(machineName.prefix { !$0.isNewline }.prefix(64))
        self.program = String(program.prefix { !$0.isNewline }.prefix(64))
    }

    /// The name of the consumer that holds the history of unprocessed changes.
    package var consumer: String { "mirror:\(zone)" }

    func entity(_ name: String) -> MirroredEntity? { mirrored.first { $0.name == name } }
}

/// One mirrored entity.
///
/// An object is the same on two machines if its identifier is: a unique text attribute that never changes.
public struct MirroredEntity: Hashable, Sendable {
    package let name: String
    package let identifier: String
    package let minor: Set<String>
    package let sets: [String: Character]
    package let excluded: Set<String>

    /// Creates a mirrored entity.
    ///
    /// - Parameters:
    ///   - name: The name of the entity.
    ///   - identifier: The unique text attribute that identifies an object on all machines. Its history must preserve
    ///     the value after deletion.
    ///   - minor: The attributes whose edits do not revive an object that another machine deleted, such as a star.
    ///   - sets: The text attributes that contain a set, with the separator of its elements. Sets merge per element.
    ///   - excluded: The attributes that remain on the machine.
    public init(
        _ name: String, identifier: String = "uuid", minor: Set<String> = [], sets: [String: Character] = [:],
        excluded: Set<String> = []
    ) {
        self.name = name
        self.identifier = identifier
        self.minor = minor
        self.sets = sets
        self.excluded = excluded
    }

    /// Whether records contain an attribute, unlike the identifier and those that remain on the machine.
    func isMirrored(_ name: String) -> Bool { name != identifier && !excluded.contains(name) }

    func members(of set: String, in text: String) -> [String] {
        guard let separator = sets[set] else { return [] }
        return text.split(separator: separator).map(String.init)
    }
}

extension MirrorConfiguration {
    /// Checks that the mirror can identify the objects of a model, and that each import can be stored.
    func check(_ model: StoreModel) throws(MirrorError) {
        for entity in Self.entities where model.entity(entity.name) != entity {
            throw .invalidConfiguration(
                "it lacks the entity \(entity.name); add MirrorConfiguration.entities to its entities")
        }
        for mirrored in mirrored {
            guard let entity = model.entity(mirrored.name), entity.tracksHistory else {
                throw .invalidConfiguration("it has no entity \(mirrored.name) with history")
            }
            for name in mirrored.minor.union(mirrored.sets.keys).union(mirrored.excluded)
            where entity.attribute(name) == nil {
                throw .invalidConfiguration("the entity \(mirrored.name) has no attribute '\(name)'")
            }
            for attribute in entity.attributes {
                let isIdentifier = attribute.name == mirrored.identifier
                guard attribute.reference == nil || mirrored.excluded.contains(attribute.name) else {
                    throw .invalidConfiguration(
                        "'\(attribute.name)' of \(mirrored.name) refers to an object by its ID, which differs on other "
                            + "machines; exclude it")
                }
                guard attribute.isUnique == isIdentifier else {
                    throw .invalidConfiguration(
                        "'\(attribute.name)' of \(mirrored.name) must \(isIdentifier ? "" : "not ")be unique")
                }
                if isIdentifier,
                    attribute.kind != .text || !attribute.history.contains(.preservesValueOnDeletion)
                {
                    throw .invalidConfiguration(
                        "'\(attribute.name)' of \(mirrored.name) must be a text that is preserved on deletion"
                    )
                }
            }
            guard entity.attribute(mirrored.identifier) != nil else {
                throw .invalidConfiguration(
                    "the entity \(mirrored.name) has no attribute '\(mirrored.identifier)'")
            }
        }
    }

    /// The configuration and the model as text, equal if both store the same values of a record.
    func schema(_ model: StoreModel) -> String {
        mirrored.compactMap { mirrored in
            model.entity(mirrored.name).map { entity in
                let names = entity.attributes.map { "\($0.name) \($0.kind.sql) \($0.isOptional)" }
                return ([mirrored.name] + names.sorted() + mirrored.excluded.sorted()).joined(separator: ",")
            }
        }.sorted().joined(separator: ";")
    }
}
