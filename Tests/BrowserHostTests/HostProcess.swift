import BrowserHost
import Foundation
import TestSupport

/// The built program as the native host, connected as a browser connects it.
final class HostProcess {
    typealias Message = [String: Any]

    let process: LineProcess
    private var lastID = 0
    /// Messages without an ID that arrived before an answer.
    private(set) var pushed: [Message] = []

    struct NoAnswer: Error {}

    static let chromium = ["chrome-extension://\(BrowserExtension.chromiumID)/"]
    static let firefox = ["/usr/lib/mozilla/native-messaging-hosts/org.clips.host.json", "clips@clips.org"]

    /// - Parameter wrapper: A command that runs the program, such as a shell with a limit.
    init(_ clips: ClipsProgram, _ arguments: [String] = HostProcess.chromium, wrapper: [String] = []) throws {
        let words = wrapper + [ClipsProgram.path] + arguments
        process = try LineProcess(words[0], Array(words.dropFirst()), environment: clips.environment)
    }

    static func framed(_ bytes: some Collection<UInt8>) -> [UInt8] {
        withUnsafeBytes(of: UInt32(bytes.count)) { Array($0) } + bytes
    }

    func send(_ message: Message) throws {
        process.send(Self.framed(try JSONSerialization.data(withJSONObject: message)))
    }

    /// Sends a request and returns its ID.
    @discardableResult
    func request(_ type: String, _ fields: Message = [:]) throws -> Int {
        lastID += 1
        try send(fields.merging(["id": lastID, "type": type]) { $1 })
        return lastID
    }

    func receive(within seconds: Double = 60) throws -> Message {
        let header = try process.bytes(4, within: seconds)
        let length = header.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
        let bytes = try process.bytes(length, within: seconds)
        guard let message = try JSONSerialization.jsonObject(with: Data(bytes)) as? Message else {
            throw NoAnswer()
        }
        return message.merging(["bytes": length]) { $1 }
    }

    /// Returns the answer to a request.
    func answer(to id: Int) throws -> Message {
        while true {
            let message = try receive()
            if message["id"] as? Int == id { return message }
            pushed.append(message)
        }
    }

    @discardableResult
    func ask(_ type: String, _ fields: Message = [:]) throws -> Message {
        try answer(to: try request(type, fields))
    }

    /// Returns the next message without an ID.
    func push() throws -> Message {
        if !pushed.isEmpty { return pushed.removeFirst() }
        return try receive()
    }

    @discardableResult
    func save(_ clips: [Message]) throws -> [Message] { try ask("save", ["clips": clips]).objects("clips") }

    static func clip(_ url: String, _ more: Message = [:]) -> Message {
        ["uuid": UUID().uuidString.lowercased(), "url": url, "title": "Title"].merging(more) { $1 }
    }
}

extension HostProcess.Message {
    func objects(_ name: String) -> [HostProcess.Message] { self[name] as? [HostProcess.Message] ?? [] }
    func object(_ name: String) -> HostProcess.Message { self[name] as? HostProcess.Message ?? [:] }
    func text(_ name: String) -> String? { self[name] as? String }
    func number(_ name: String) -> Int? { self[name] as? Int }
    func numbers(_ name: String) -> [Int] { self[name] as? [Int] ?? [] }
    func flag(_ name: String) -> Bool? { self[name] as? Bool }
    var errorCode: String? { object("error").text("code") }
    var sentence: String { object("error").text("message") ?? "" }
}
