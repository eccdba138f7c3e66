package import ClipsCore
package import PersistentStore

/// The members of a JSON object, of which each has the expected type and size, or is an error.
package struct RequestFields {
    package let object: JSONValue

    package init(_ object: JSONValue) { self.object = object }

    package func text(_ name: String, limit: Int = 64 << 10) throws(HostError) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.string else { throw wrongType(name) }
        guard text.utf8.count <= limit else {
            throw HostError(.tooBig, "'\(name)' has more than \(limit) bytes.")
        }
        return text
    }

    package func integer(_ name: String) throws(HostError) -> Int64? {
        guard let value = object[name] else { return nil }
        guard case .integer(let number) = value else { throw wrongType(name) }
        return number
    }

    package func flag(_ name: String) throws(HostError) -> Bool {
        guard let value = object[name] else { return false }
        guard case .bool(let isOn) = value else { throw wrongType(name) }
        return isOn
    }

    package func required<Value>(
        _ name: String, _ read: (String) throws(HostError) -> Value?
    ) throws(HostError) -> Value {
        guard let value = try read(name) else { throw HostError(.invalid, "'\(name)' is missing.") }
        return value
    }

    package func array(_ name: String, limit: Int) throws(HostError) -> [JSONValue] {
        guard let value = object[name] else { throw HostError(.invalid, "'\(name)' is missing.") }
        guard let values = value.array else { throw wrongType(name) }
        guard !values.isEmpty else { throw HostError(.invalid, "'\(name)' is empty.") }
        guard values.count <= limit else {
            throw HostError(.tooBig, "'\(name)' has more than \(limit) values.")
        }
        return values
    }

    package func ids(_ name: String, limit: Int) throws(HostError) -> [Int64] {
        var ids: [Int64] = []
        for value in try array(name, limit: limit) {
            guard case .integer(let id) = value else { throw wrongType(name) }
            ids.append(id)
        }
        return ids
    }

    package func urls() throws(HostError) -> [String] {
        var urls: [String] = []
        for value in try array("urls", limit: HostLimits.urls) {
            guard let url = value.string else { throw wrongType("urls") }
            urls.append(url)
        }
        return urls
    }

    /// The value of `limit`, which is at most, and by default, `most`.
    package func limit(_ most: Int) throws(HostError) -> Int {
        guard let limit = try integer("limit") else { return most }
        guard limit > 0 else { throw HostError(.invalid, "'limit' must be positive.") }
        return Int(min(limit, Int64(most)))
    }

    /// The value of `before`: the position after which a page of clips begins.
    package func cursor(limit: Int = 64 << 10) throws(HostError) -> ClipCursor? {
        guard let text = try text("before", limit: limit) else { return nil }
        guard let cursor = ClipCursor(text) else {
            throw HostError(.invalid, "'before' is not the 'next' of an answer.")
        }
        return cursor
    }

    /// The clip of the object, with the names and types of ``ClipRecord``.
    package func draft() throws(HostError) -> ClipDraft {
        guard object.isObject else { throw HostError(.invalid, "A clip must be a JSON object.") }
        var draft = ClipDraft()
        do {
            try ClipRecord.apply(object, to: &draft)
        } catch {
            throw HostError(.invalid, "A clip is not valid: \(error).")
        }
        try HostLimits.check(draft)
        return draft
    }

    /// The attributes that `changes` sets.
    package func changes() throws(HostError) -> [ClipAttribute: AttributeValue] {
        guard let object = object["changes"], case .object(let members) = object else {
            throw wrongType("changes")
        }
        let draft = try RequestFields(object).draft()
        var changes: [ClipAttribute: AttributeValue] = [:]
        for name in members.keys where object[name] != nil {
            guard let attribute = ClipAttribute(rawValue: name), let value = draft.value(of: attribute)
            else {
                throw HostError(
                    .invalid,
                    "'changes' may have title, url, tags, note, text, starred, unread, and archived.")
            }
            changes[attribute] = value
        }
        guard !changes.isEmpty else { throw HostError(.invalid, "'changes' is empty.") }
        return changes
    }

    private func wrongType(_ name: String) -> HostError {
        HostError(.invalid, "'\(name)' is missing, or has a value of the wrong type.")
    }
}
