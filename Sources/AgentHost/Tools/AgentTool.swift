import BrowserHost
import ClipsCore
import PersistentStore
import Platform

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

        var json: JSONObject {
            var schema: JSONObject =
                switch kind {
                case .text(let maxBytes): ["type": "string", "maxLength": maxBytes]
                case .number(let most?): ["type": "integer", "minimum": 0, "maximum": most]
                case .number(nil): ["type": "integer", "minimum": 0]
                case .flag: ["type": "boolean"]
                case .tags:
                    [
                        "type": "array",
                        "items": ["type": "string", "maxLength": HostLimits.tag] as JSONObject,
                        "maxItems": HostLimits.tags,
                    ]
                case .ids:
                    [
                        "type": "array", "items": ["type": "integer"] as JSONObject, "minItems": 1,
                        "maxItems": maxIDs,
                    ]
                }
            schema.add("description", help)
            return schema
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
    let run: @Sendable (AgentClips, RequestFields) async throws -> JSONObject

    /// The description of the tool, with its JSON schema.
    var json: JSONObject {
        var properties = JSONObject()
        for argument in arguments { properties.add(argument.name, argument.json) }
        let schema: JSONObject = [
            "type": "object", "properties": properties,
            "required": arguments.filter(\.isRequired).map(\.name), "additionalProperties": false,
        ]
        let hints: JSONObject = [
            "readOnlyHint": isReadOnly, "destructiveHint": isDestructive, "openWorldHint": reachesWeb,
        ]
        return ["name": name, "description": summary, "inputSchema": schema, "annotations": hints]
    }

    /// Checks the names of the arguments, and tags, then runs the tool.
    func result(_ clips: AgentClips, _ object: JSONValue) async throws -> JSONObject {
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
