package import ClipsCore
import Platform

/// A message of a client: a request, or a notification, which has no ID and no answer.
package struct AgentMessage: Sendable {
    /// The revisions of the protocol (modelcontextprotocol.io/specification), newest first.
    package enum Revision: String, CaseIterable, Sendable {
        /// Each request has its revision and its client.
        case current = "2026-07-28"
        /// A session begins with `initialize`.
        case previous = "2025-11-25"
    }

    package enum Parsed: Sendable {
        case message(AgentMessage)
        /// The answer to a request, of which the server sends none.
        case answer
        case invalid(AgentError, id: String?)
    }

    private static let maxValues = 100_000
    private static let maxID = 256
    private static let maxName = 128

    /// The ID as JSON; nil for a notification.
    package let id: String?
    package let method: String
    package let params: JSONValue
    /// The revision that the request names; nil in a session.
    package let revision: Revision?
    /// The name of the client that the request names.
    package let client: String?

    /// Parses a message. Any bytes have a result.
    package static func parse(_ bytes: [UInt8]) -> Parsed {
        let parsed = JSONParser.parse(bytes, maxValues: maxValues)
        if let problem = parsed.problem {
            return .invalid(AgentError(.unreadable, "Cannot read the message: \(problem.reason)."), id: nil)
        }
        guard case .object(let members)? = parsed.value, let object = parsed.value else {
            return .invalid(AgentError(.invalidMessage, "A message must be one JSON object."), id: nil)
        }
        let id = members["id"].map(literal)
        if let id, id == nil {
            let sentence = "The ID must be a whole number, or a text of up to \(maxID) bytes."
            return .invalid(AgentError(.invalidMessage, sentence), id: nil)
        }
        if object["method"] == nil, object["result"] != nil || object["error"] != nil { return .answer }
        do throws(AgentError) {
            return .message(try AgentMessage(object, id: id ?? nil))
        } catch {
            return .invalid(error, id: id ?? nil)
        }
    }

    private init(_ object: JSONValue, id: String?) throws(AgentError) {
        guard object["jsonrpc"]?.string == "2.0", let method = object["method"]?.string,
            method.utf8.count <= Self.maxName
        else { throw AgentError(.invalidMessage, "A message must have 'jsonrpc' 2.0 and a 'method'.") }
        let params = object["params"] ?? .object([:])
        guard params.isObject else { throw AgentError(.invalidValue, "'params' must be an object.") }
        (self.id, self.method, self.params) = (id, method, params)
        let meta = params["_meta"]
        guard let named = meta?[Self.key("protocolVersion")] else {
            (revision, client) = (nil, nil)
            return
        }
        guard let name = named.string else {
            throw AgentError(.invalidValue, "The revision of the protocol must be a text.")
        }
        guard name == Revision.current.rawValue else {
            throw AgentError(
                .unsupportedRevision, "The revision of the protocol is not supported.",
                requested: String(name.prefix(Self.maxName)))
        }
        guard meta?[Self.key("clientCapabilities")]?.isObject == true else {
            throw AgentError(.invalidValue, "'_meta' must have the capabilities of the client.")
        }
        revision = .current
        client = meta?[Self.key("clientInfo")]?["name"]?.string
    }

    /// Returns a key of the protocol in `_meta`.
    static func key(_ name: String) -> String { "io.modelcontextprotocol/\(name)" }

    /// Returns an ID as JSON.
    static func literal(_ id: JSONValue) -> String? {
        switch id {
        case .integer(let number): String(number)
        case .string(let text) where text.utf8.count <= maxID: text.json
        default: nil
        }
    }
}
