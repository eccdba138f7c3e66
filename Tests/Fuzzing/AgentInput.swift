import AgentHost
import ClipsCore

/// Bytes from an agent's client, and the settings of one.
enum AgentInput {
    private static let limit = 1000

    static func broken(byMessage bytes: [UInt8]) -> String? {
        switch AgentMessage.parse(bytes) {
        case .answer: return nil
        case .invalid(let error, _):
            let isSentence = error.message.hasSuffix(".") && !error.message.contains(where: \.isNewline)
            return isSentence ? nil : "the error is not a sentence"
        case .message(let message):
            let client = ClipAuthor.clientName(message.client ?? message.method)
            if client.isEmpty || client.contains(where: { $0.isWhitespace || "#+".contains($0) }) {
                return "a client's name is not one word"
            }
            return message.params.isObject ? nil : "the parameters are not an object"
        }
    }

    static func broken(byLines bytes: [UInt8]) -> String? {
        var whole = LineFraming(limit: limit)
        let frames = whole.frames(adding: bytes)
        for case .message(let line) in frames where line.count > limit || line.contains(0x0A) {
            return "a message is not a line of bounded length"
        }
        for size in [1, 3, 64] {
            var framing = LineFraming(limit: limit)
            var split: [LineFraming.Frame] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                split += framing.frames(adding: Array(bytes[start..<min(bytes.count, start + size)]))
            }
            if split != frames { return "in pieces of \(size), the messages differ" }
        }
        return nil
    }

    static func broken(bySettings text: String) -> String? {
        guard var settings = SettingsText(text) else { return nil }
        guard settings.value["a"] == nil || settings.value["a"]?.isObject == true else { return nil }
        for json in ["{\"b\":[1]}", "7"] {
            settings.set("clips", of: "a", to: json)
            guard SettingsText(String(decoding: settings.bytes, as: UTF8.self)) != nil,
                settings.value["a"]?["clips"] != nil
            else { return "the settings with an entry are not valid" }
        }
        settings.remove("clips", of: "a")
        guard SettingsText(String(decoding: settings.bytes, as: UTF8.self)) != nil else {
            return "the settings without an entry are not valid"
        }
        return nil
    }
}
