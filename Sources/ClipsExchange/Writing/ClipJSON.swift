package import ClipsCore

/// Clips as JSON, one a line: keys in alphabetical order, times in ISO 8601.
package enum ClipJSON {
    package static func line(_ clip: Clip) -> String {
        var object = JSONWriter()
        object.add("author", clip.author)
        object.add("created", FileDate.text(clip.created.milliseconds))
        object.add("id", literal: String(clip.id))
        object.add("note", clip.note)
        object.add("starred", literal: "\(clip.isStarred)")
        object.add("tags", clip.tags)
        object.add("text", clip.text)
        object.add("title", clip.title)
        object.add("unread", literal: "\(clip.isUnread)")
        object.add("updated", FileDate.text(clip.updated.milliseconds))
        object.add("url", clip.url)
        object.add("uuid", clip.uuid)
        object.add("version", literal: String(clip.version))
        return object.text
    }

    /// What a format's own means do not carry exactly.
    static func rest(_ clip: Clip, carried: Set<ClipAttribute>) -> String {
        var object = JSONWriter()
        for (attribute, value) in [
            (ClipAttribute.url, clip.url), (.title, clip.title), (.text, clip.text), (.note, clip.note),
        ] where !carried.contains(attribute) && !(value.isEmpty && attribute != .url && attribute != .title) {
            object.add(attribute.rawValue, value)
        }
        if !carried.contains(.tags) && !clip.tags.isEmpty { object.add("tags", clip.tags) }
        if !carried.contains(.starred) && clip.isStarred { object.add("starred", literal: "true") }
        if !carried.contains(.unread) { object.add("unread", literal: "\(clip.isUnread)") }
        object.add("author", clip.author)
        if !carried.contains(.created) { object.add("created", FileDate.text(clip.created.milliseconds)) }
        if !carried.contains(.updated) { object.add("updated", FileDate.text(clip.updated.milliseconds)) }
        return object.text
    }
}

/// Puts a JSON object together.
struct JSONWriter {
    private var members = "{"

    var text: String { HarmlessJSON.text(members + "}") }

    mutating func add(_ key: String, literal: String) {
        members += (members.utf8.count > 1 ? ",\"" : "\"") + key + "\":" + literal
    }

    mutating func add(_ key: String, _ text: String) { add(key, literal: Self.quoted(text)) }

    mutating func add(_ key: String, _ texts: [String]) {
        add(key, literal: "[" + texts.map(Self.quoted).joined(separator: ",") + "]")
    }

    static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else {
            return "\"\(text)\""
        }
        var bytes: [UInt8] = [0x22]
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0x0A: bytes += Array("\\n".utf8)
            case 0x0D: bytes += Array("\\r".utf8)
            case 0x09: bytes += Array("\\t".utf8)
            case 0x08: bytes += Array("\\b".utf8)
            case 0x0C: bytes += Array("\\f".utf8)
            case ..<0x20:
                bytes += Array((byte < 0x10 ? "\\u000" : "\\u00").utf8) + Array(String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
        return String(decoding: bytes, as: UTF8.self)
    }
}
