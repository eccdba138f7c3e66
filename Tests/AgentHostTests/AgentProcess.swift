import Foundation
import TestSupport

/// The built program as a server, connected as a client connects it.
final class AgentProcess {
    typealias Message = [String: Any]

    let process: LineProcess
    let client: String
    private var lastID = 0
    /// Messages without an ID that arrived before an answer.
    private(set) var notifications: [Message] = []

    struct NoAnswer: Error {}

    static let revisions = ["2026-07-28", "2025-11-25"]

    /// - Parameter isSession: Whether to begin a session of the previous revision; requests have their revision otherwise.
    init(
        _ clips: ClipsProgram, client: String = "tester", _ arguments: [String] = [], isSession: Bool = true
    ) throws {
        self.client = client
        self.isSession = isSession
        process = try LineProcess(ClipsProgram.path, ["mcp"] + arguments, environment: clips.environment)
        if isSession {
            try ask("initialize", Self.session(client))
            try send(["jsonrpc": "2.0", "method": "notifications/initialized"])
        }
    }

    private let isSession: Bool

    static func session(_ client: String, revision: String = "2025-11-25") -> Message {
        [
            "protocolVersion": revision, "capabilities": [String: Any](),
            "clientInfo": ["name": client, "version": "1"],
        ]
    }

    static func meta(_ client: String, revision: String = "2026-07-28") -> Message {
        [
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": [String: Any](),
            "io.modelcontextprotocol/clientInfo": ["name": client, "version": "1"],
        ]
    }

    func send(_ message: Message) throws {
        let data = try JSONSerialization.data(withJSONObject: message)
        process.send(String(decoding: data, as: UTF8.self))
    }

    func receive(within seconds: Double = 60) throws -> Message {
        let line = try process.answer(within: seconds)
        guard let message = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Message else {
            throw NoAnswer()
        }
        return message
    }

    /// Sends a request and returns its ID.
    @discardableResult
    func request(_ method: String, _ params: Message = [:]) throws -> Int {
        lastID += 1
        var params = params
        if !isSession, params["_meta"] == nil { params["_meta"] = Self.meta(client) }
        try send(["jsonrpc": "2.0", "id": lastID, "method": method, "params": params])
        return lastID
    }

    /// Sends a request and returns its answer.
    @discardableResult
    func ask(_ method: String, _ params: Message = [:]) throws -> Message {
        let id = try request(method, params)
        while true {
            let message = try receive()
            if message["id"] as? Int == id { return message }
            notifications.append(message)
        }
    }

    func notification() throws -> Message {
        notifications.isEmpty ? try receive() : notifications.removeFirst()
    }

    /// Calls a tool; returns the JSON in its text, or the sentence of its error as `problem`.
    @discardableResult
    func call(_ tool: String, _ arguments: Message = [:]) throws -> Message {
        let answer = try ask("tools/call", ["name": tool, "arguments": arguments])
        guard let content = answer.object("result").objects("content").first?.text("text") else {
            return ["problem": answer.object("error").text("message") ?? ""]
        }
        guard answer.object("result").flag("isError") == false else { return ["problem": content] }
        guard let result = try JSONSerialization.jsonObject(with: Data(content.utf8)) as? Message else {
            throw NoAnswer()
        }
        return result
    }

    /// Saves a clip and returns its ID.
    func add(_ url: String, _ more: Message = [:]) throws -> Int {
        guard let id = try call("add", ["url": url].merging(more) { $1 }).number("id") else {
            throw NoAnswer()
        }
        return id
    }
}

extension AgentProcess.Message {
    func objects(_ name: String) -> [AgentProcess.Message] { self[name] as? [AgentProcess.Message] ?? [] }
    func object(_ name: String) -> AgentProcess.Message { self[name] as? AgentProcess.Message ?? [:] }
    func text(_ name: String) -> String? { self[name] as? String }
    func texts(_ name: String) -> [String] { self[name] as? [String] ?? [] }
    func number(_ name: String) -> Int? { self[name] as? Int }
    func numbers(_ name: String) -> [Int] { self[name] as? [Int] ?? [] }
    func flag(_ name: String) -> Bool? { self[name] as? Bool }
}
