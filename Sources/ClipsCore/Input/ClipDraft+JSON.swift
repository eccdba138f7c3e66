import FoundationEssentials

extension ClipDraft {
    /// Why a line of JSON is no clip; never with what stands in it.
    package struct JSONError: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    private struct Line: Codable {
        let url: String?
        let title: String?
        let text: String?
        let note: String?
        let tags: TagList?
        let starred: Bool?
        let unread: Bool?
        let created: Time?
        let updated: Time?
        let author: String?
    }

    /// A time as `clips list --json` prints it, or a number of a size that says its unit.
    private struct Time: Codable {
        let milliseconds: Int64

        init?(_ milliseconds: Int64?) {
            guard let milliseconds else { return nil }
            self.milliseconds = milliseconds
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let text = (try? container.decode(Int64.self)).map { String($0) }
            guard let milliseconds = FileDate.milliseconds(try text ?? container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "")
            }
            self.milliseconds = milliseconds
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            // A year before 0 has no form that is read back; as a number of that size it is milliseconds.
            let text = FileDate.text(milliseconds)
            if FileDate.milliseconds(text) == milliseconds {
                try container.encode(text)
            } else {
                try container.encode(milliseconds)
            }
        }
    }

    /// Tags come as a list, or as one text with commas.
    private struct TagList: Codable {
        let names: [String]

        init(_ names: [String]) { self.names = names }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(names)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                names = Tags(joined: text).names
            } else {
                names = try container.decode([String].self)
            }
        }
    }

    /// A clip from one JSON object; keys that are not a clip's are left alone.
    package init(jsonLine bytes: some Collection<UInt8>) throws(JSONError) {
        let line: Line
        do {
            line = try JSONDecoder().decode(Line.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw JSONError(description: Self.sentence(error))
        } catch {
            throw JSONError(description: "it is not JSON")
        }
        self.init()
        url = line.url ?? ""
        title = line.title ?? ""
        text = line.text ?? ""
        note = line.note ?? ""
        tags = line.tags?.names ?? []
        isStarred = line.starred ?? false
        isUnread = line.unread ?? true
        created = line.created?.milliseconds
        updated = line.updated?.milliseconds
        author = line.author
        guard !isEmpty else { throw JSONError(description: "it has no url, title, text or note") }
        guard [url, title, text, note].allSatisfy({ $0.utf8.count <= Self.largestText }) else {
            throw JSONError(description: "a text in it is longer than \(Self.largestText >> 20) MB")
        }
    }

    /// One line that ``init(jsonLine:)`` reads back into the same clip, with its line end.
    package var jsonLine: String {
        let line = Line(
            url: url, title: title, text: text, note: note, tags: TagList(tags), starred: isStarred,
            unread: isUnread, created: Time(created), updated: Time(updated), author: author)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, flags, and lists of them: there is nothing in it that cannot be encoded.
        guard let bytes = try? encoder.encode(line) else { return "" }
        return HarmlessJSON.text(String(decoding: bytes, as: UTF8.self)) + "\n"
    }

    private static func sentence(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            guard let key = context.codingPath.first?.stringValue else { return "it is not a JSON object" }
            return "'\(key)' has a value of the wrong type"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "'\(context.codingPath[0].stringValue)' is not a time"
        default: return "it is not JSON"
        }
    }
}
