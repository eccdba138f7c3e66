package import ClipsCore
package import PersistentStore

/// A message of the extension.
package struct HostRequest: Sendable {
    package enum Action: Sendable {
        case hello
        case save([ClipDraft], ifAbsent: Set<Int>)
        /// The markup of a page whose clip was saved before.
        case page(SavedPage)
        case update(Int64, version: Int64?, [ClipAttribute: AttributeValue])
        case delete([Int64])
        case restore([Int64])
        case has([String])
        case search(ClipQuery, limit: Int)
        case tags(prefix: String, limit: Int)
        case list(after: ClipCursor?, limit: Int)
        case watch
        case unwatch
    }

    /// The number of the request, which its answer repeats; nil if the message has none that is valid.
    package let id: Int64?
    package let action: Result<Action, HostError>

    /// Parses a message. Any bytes have a result.
    package init(_ bytes: [UInt8]) {
        let parsed = JSONParser.parse(bytes, maxValues: HostLimits.values)
        guard let object = parsed.value, object.isObject else {
            self.init(id: nil, action: .failure(HostError(.protocol, "A message must be a JSON object.")))
            return
        }
        guard case .integer(let id)? = object["id"], (0...1 << 53).contains(id) else {
            self.init(
                id: nil, action: .failure(HostError(.protocol, "A message must have an ID from 0 to 2^53.")))
            return
        }
        if let problem = parsed.problem {
            self.init(
                id: id, action: .failure(HostError(.protocol, "Cannot read the message: \(problem.reason).")))
            return
        }
        do throws(HostError) {
            self.init(id: id, action: .success(try Self.action(RequestFields(object))))
        } catch {
            self.init(id: id, action: .failure(error))
        }
    }

    private init(id: Int64?, action: Result<Action, HostError>) {
        (self.id, self.action) = (id, action)
    }

    private static func action(_ fields: RequestFields) throws(HostError) -> Action {
        switch try fields.text("type") {
        case "hello":
            guard try fields.integer("version") == BrowserHost.version else {
                throw HostError(
                    .protocol,
                    "The extension and the program do not fit. Update both, and run 'clips browser install'.")
            }
            return .hello
        case "save": return try save(fields)
        case "page":
            return .page(
                SavedPage(
                    uuid: try uuid(fields), url: try fields.text("url", limit: HostLimits.url) ?? "",
                    markup: try fields.required("html") { name throws(HostError) in
                        try fields.text(name, limit: HostLimits.markup)
                    }))
        case "update":
            return .update(
                try fields.required("clip", fields.integer), version: try fields.integer("version"),
                try fields.changes())
        case "delete": return .delete(try fields.ids("clips", limit: HostLimits.clips))
        case "restore": return .restore(try fields.ids("clips", limit: HostLimits.clips))
        case "has": return .has(try fields.urls())
        case "search":
            let query = ClipQuery(filter: try fields.text("query", limit: HostLimits.query) ?? "")
            if let problem = query.problem(isTyping: true) { throw HostError(.invalid, problem) }
            return .search(query, limit: try fields.limit(HostLimits.page))
        case "tags":
            return .tags(
                prefix: try fields.text("prefix", limit: HostLimits.tag) ?? "",
                limit: try fields.limit(HostLimits.tagNames))
        case "list":
            return .list(after: try fields.cursor(), limit: try fields.limit(HostLimits.page))
        case "watch": return .watch
        case "unwatch": return .unwatch
        default: throw HostError(.protocol, "The type of the message is unknown. Update the program.")
        }
    }

    private static func save(_ fields: RequestFields) throws(HostError) -> Action {
        let objects = try fields.array("clips", limit: HostLimits.clips)
        var drafts: [ClipDraft] = []
        var ifAbsent: Set<Int> = []
        for (index, object) in objects.enumerated() {
            let clip = RequestFields(object)
            let uuid = try uuid(clip)
            var draft = try clip.draft()
            // The host's own author, and the time of the present.
            (draft.author, draft.updated) = (nil, nil)
            draft.uuid = uuid
            guard !draft.isEmpty else { throw HostError(ClipError.emptyClip) }
            if try clip.flag("ifAbsent") { ifAbsent.insert(index) }
            drafts.append(draft)
        }
        return .save(drafts, ifAbsent: ifAbsent)
    }

    private static func uuid(_ fields: RequestFields) throws(HostError) -> String {
        guard
            let uuid = ClipUUID.normalized(
                try fields.required("uuid", { name throws(HostError) in try fields.text(name) }))
        else { throw HostError(.invalid, "'uuid' is not a UUID.") }
        return uuid
    }
}

/// The page of a saved clip, named by the clip's UUID; if its URL existed, by the URL.
package struct SavedPage: Sendable {
    package let uuid: String
    package let url: String
    package let markup: String
}
