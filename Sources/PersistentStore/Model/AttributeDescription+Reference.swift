/// References to objects.
extension AttributeDescription {
    /// The effect of the deletion of an object on the objects that refer to it. SQLite applies it for every process
    /// of this library, as a part of the same commit.
    @nonexhaustive
    public enum DeletionRule: String, Hashable, Sendable, CaseIterable {
        /// Their references become null.
        case nullify
        /// They are deleted.
        case cascade
        /// They prevent the deletion, unless the same transaction deletes or changes them.
        case deny
    }

    /// The entity to which an attribute refers.
    package struct Reference: Hashable, Sendable {
        package let entity: String
        let rule: DeletionRule
    }

    /// Creates an attribute that contains the ID of an object, with an index.
    ///
    /// Its values are the keys of the objects, or null. A commit with a reference to a missing object fails
    /// with ``StoreError/missingReference(attribute:entity:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - entity: The entity of the objects to which it refers.
    ///   - rule: The effect of the deletion of such an object; to nullify a reference, it must be optional.
    ///   - isOptional: Whether the reference may be null.
    ///   - isUnique: Whether at most one object may refer to the same object.
    ///   - history: The values that the history retains.
    ///   - renamedFrom: The names that the attribute had in earlier versions of the model, newest first.
    public init(
        _ name: String, referencing entity: String, onDeletion rule: DeletionRule, isOptional: Bool = false,
        isUnique: Bool = false, history: Set<History> = [], renamedFrom: [String] = []
    ) {
        self.init(
            name, .integer, isOptional: isOptional, isUnique: isUnique, isIndexed: true, history: history,
            renamedFrom: renamedFrom)
        reference = Reference(entity: entity, rule: rule)
    }
}

extension AttributeDescription.Reference {
    /// The constraint of the column. It is deferred to the commit, since objects may refer to each other, and a denied
    /// deletion may be followed by that of the objects that refer to the deleted one.
    func write(to text: inout String) {
        text += " REFERENCES \""
        text += entity
        text += "\" (id)"
        switch rule {
        case .nullify: text += " ON DELETE SET NULL"
        case .cascade: text += " ON DELETE CASCADE"
        case .deny: break
        }
        text += " ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED"
    }
}

extension AttributeDescription {
    /// The condition in SQL that the attribute refers to a missing object; nil for an attribute that is no reference.
    var danglingCondition: String? {
        reference.map { "\"\(name)\" NOT NULL AND \"\(name)\" NOT IN (SELECT id FROM \"\($0.entity)\")" }
    }
}

extension AttributeValue {
    /// Returns the value of an attribute that refers to an object; see
    /// ``AttributeDescription/init(_:referencing:onDeletion:isOptional:isUnique:history:renamedFrom:)``.
    ///
    /// The ID may be that of an object that the same context has inserted and not saved.
    package static func reference(_ id: ObjectID) -> AttributeValue { .integer(id.key) }
}

extension StoredObject {
    /// Returns the ID of the object to which an attribute refers; nil for null.
    ///
    /// - Parameters:
    ///   - attribute: The name of the attribute.
    ///   - entity: The entity to which it refers.
    package func reference(_ attribute: String, to entity: String) -> ObjectID? {
        self[attribute].integerValue.map { ObjectID(referring: $0, to: entity, in: id.store) }
    }
}

extension ObjectID {
    /// Creates the ID of an object by the value of an attribute that refers to it.
    init(referring key: Int64, to entity: String, in store: StoreDigest) {
        self.init(entity: entity, key: key, store: store, isPermanent: !Self.isTemporary(key: key))
    }
}
