import BrowserHost
import ClipsCore
import PersistentStore

/// A tool that an agent can call.
struct AgentTool: Sendable {
    /// An argument, with its type in the JSON schema.
    struct Argument: Sendable {
        enum Kind: Sendable {
            case text(maxBytes: Int)
            case number(most: Int?)
            case flag
            case tags
            case ids
        }

        let name: String
        let kind: Kind
        let help: String
        let isRequired: Bool

        init(_ name: String, _ kind: Kind, _ help: String, isRequired: Bool = false) {
            (self.name, self.kind, self.help, self.isRequired) = (name, kind, help, isRequired)
        }

        var json: String {
            var schema = JSONWriter()
            switch kind {
            case .text(let maxBytes):
                schema.add("type", "string")
                schema.add("maxLength", literal: String(maxBytes))
            case .number(let most):
                schema.add("type", "integer")
                schema.add("minimum", literal: "0")
                if let most { schema.add("maximum", literal: String(most)) }
            case .flag: schema.add("type", "boolean")
            case .tags:
                schema.add("type", "array")
                schema.add("items", literal: #"{"type":"string","maxLength":\#(HostLimits.tag)}"#)
                schema.add("maxItems", literal: String(HostLimits.tags))
            case .ids:
                schema.add("type", "array")
                schema.add("items", literal: #"{"type":"integer"}"#)
                schema.add("minItems", literal: "1")
                schema.add("maxItems", literal: String(maxIDs))
            }
            schema.add("description", help)
            return schema.text
        }
    }

    static let maxIDs = 500
    static let maxKey = 200

    let name: String
    let summary: String
    var isReadOnly = true
    /// Whether it deletes or overwrites.
    var isDestructive = false
    var reachesWeb = false
    let arguments: [Argument]
    let run: @Sendable (AgentClips, RequestFields) async throws -> JSONWriter

    /// The description of the tool, with its JSON schema.
    var json: String {
        var (properties, schema, hints, tool) = (JSONWriter(), JSONWriter(), JSONWriter(), JSONWriter())
        for argument in arguments { properties.add(argument.name, literal: argument.json) }
        schema.add("type", "object")
        schema.add("properties", literal: properties.text)
        schema.add("required", arguments.filter(\.isRequired).map(\.name))
        schema.add("additionalProperties", literal: "false")
        hints.add("readOnlyHint", literal: "\(isReadOnly)")
        hints.add("destructiveHint", literal: "\(isDestructive)")
        hints.add("openWorldHint", literal: "\(reachesWeb)")
        tool.add("name", name)
        tool.add("description", summary)
        tool.add("inputSchema", literal: schema.text)
        tool.add("annotations", literal: hints.text)
        return tool.text
    }

    /// Checks the names of the arguments, and tags, then runs the tool.
    func result(_ clips: AgentClips, _ object: JSONValue) async throws -> JSONWriter {
        if case .object(let members) = object,
            members.keys.contains(where: { key in !arguments.contains { $0.name == key } })
        {
            let names = arguments.map(\.name).joined(separator: ", ")
            throw HostError(.invalid, "An argument is unknown. '\(name)' has: \(names).")
        }
        // The extension's queue may have such tags; a client can try again.
        guard !Tags.hasComma(object["tags"]?.array?.compactMap(\.string) ?? []) else {
            throw HostError(.invalid, "A tag cannot contain a comma. Give each tag as a value of its own.")
        }
        return try await run(clips, RequestFields(object))
    }
}

extension RequestFields {
    func point(_ name: String) throws(HostError) -> HistoryPoint? {
        guard let text = try text(name, limit: HostLimits.tag) else { return nil }
        guard let point = HistoryPoint(text) else {
            throw HostError(.invalid, "'\(name)' must be \(HistoryPoint.forms).")
        }
        return point
    }

    /// Returns the object without members.
    func without(_ names: Set<String>) -> JSONValue {
        guard case .object(let members) = object else { return object }
        return .object(members.filter { !names.contains($0.key) })
    }
}
