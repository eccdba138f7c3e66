import Foundation
import Glibc
import Synchronization

/// A connection to a browser that carries one request at a time. deinit closes it.
final class MessageChannel: Sendable {
    typealias Message = [String: Any]

    /// How messages are delimited, and which one answers a request.
    enum Framing {
        /// Chromium's pipe: JSON objects, each followed by a NUL.
        case terminated
        /// Firefox's Marionette: arrays after their length and a colon.
        case prefixed
    }

    private struct State: ~Copyable {
        var unread: [UInt8] = []
        var lastID = 0
    }

    private let input: CInt
    private let output: CInt
    private let framing: Framing
    private let state = Mutex(State())

    init(reading input: CInt, writing output: CInt, _ framing: Framing) {
        (self.input, self.output, self.framing) = (input, output, framing)
    }

    deinit {
        close(input)
        if output != input { close(output) }
    }

    /// Sends a request, and returns the JSON of its result.
    func call(_ method: String, _ parameters: Message, more: Message = [:], within seconds: Double = 30)
        throws
        -> Data
    {
        try state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            switch framing {
            case .terminated:
                let request: Message = ["id": id, "method": method, "params": parameters]
                try send(JSONSerialization.data(withJSONObject: request.merging(more) { $1 }) + [0])
            case .prefixed:
                let request = try JSONSerialization.data(withJSONObject: [0, id, method, parameters])
                try send(Data("\(request.count):".utf8) + request)
            }
            let deadline = Date().addingTimeInterval(seconds)
            while true {
                let message = try JSONSerialization.jsonObject(with: next(&state.unread, method, deadline))
                if let answer = try result(of: message, for: id, method) {
                    return try JSONSerialization.data(withJSONObject: answer, options: .fragmentsAllowed)
                }
            }
        }
    }

    /// Reads the first message of a browser that sends one unasked.
    func greeting() throws {
        try state.withLock { _ = try next(&$0.unread, "greeting", Date().addingTimeInterval(60)) }
    }

    private func result(of message: Any, for id: Int, _ method: String) throws -> Any? {
        switch framing {
        case .terminated:
            guard let message = message as? Message, message["id"] as? Int == id else { return nil }
            if let error = message["error"] { throw BrowserError("\(method): \(error)") }
            return message["result"] ?? [:]
        case .prefixed:
            guard let message = message as? [Any], message.count == 4, message[1] as? Int == id else {
                return nil
            }
            if let error = message[2] as? Message {
                throw BrowserError("\(method): \(error["message"] ?? error)")
            }
            return message[3]
        }
    }

    private func send(_ data: Data) throws {
        var bytes = Array(data)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            guard count > 0 else { throw BrowserError("the browser has exited") }
            bytes = bytes.dropFirst(count)
        }
    }

    private func next(_ unread: inout [UInt8], _ method: String, _ deadline: Date) throws -> Data {
        while true {
            if let message = firstMessage(&unread) { return message }
            let left = Int32(deadline.timeIntervalSinceNow * 1000)
            var wanted = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&wanted, 1, left) > 0 else { throw BrowserError("\(method): no answer") }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(input, &buffer, buffer.count)
            guard count > 0 else { throw BrowserError("\(method): the browser has exited") }
            unread += buffer[..<count]
        }
    }

    private func firstMessage(_ unread: inout [UInt8]) -> Data? {
        switch framing {
        case .terminated:
            guard let end = unread.firstIndex(of: 0) else { return nil }
            defer { unread.removeSubrange(...end) }
            return Data(unread[..<end])
        case .prefixed:
            guard let colon = unread.firstIndex(of: UInt8(ascii: ":")),
                let length = Int(String(decoding: unread[..<colon], as: UTF8.self)),
                unread.count > colon + length
            else { return nil }
            defer { unread.removeSubrange(...(colon + length)) }
            return Data(unread[(colon + 1)...(colon + length)])
        }
    }
}

/// Returns a member of a JSON object, by the names that lead to it.
func member(_ data: Data, _ names: String...) throws -> Any? {
    var value = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) as Any?
    for name in names { value = (value as? [String: Any])?[name] }
    return value
}

/// A JavaScript literal of a text.
func literal(_ text: String) -> String {
    let data = try? JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed)
    return String(decoding: data ?? Data(), as: UTF8.self)
}
