import FoundationEssentials

extension ClipDraft {
    /// Why a line of JSON is no clip; never with what stands in it.
    package struct JSONError: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    private struct Line: Decodable {
        let url: String?
        let title: String?
        let text: String?
        let note: String?
        let tags: TagList?
        let starred: Bool?
        let unread: Bool?
    }

    /// Tags come as a list, or as one text with commas.
    private struct TagList: Decodable {
        let names: [String]

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
        guard !isEmpty else { throw JSONError(description: "it has no url, title, text or note") }
        guard [url, title, text, note].allSatisfy({ $0.utf8.count <= Self.largestText }) else {
            throw JSONError(description: "a text in it is longer than \(Self.largestText >> 20) MB")
        }
    }

    private static func sentence(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            guard let key = context.codingPath.first?.stringValue else { return "it is not a JSON object" }
            return "'\(key)' has a value of the wrong type"
        default: return "it is not JSON"
        }
    }
}
