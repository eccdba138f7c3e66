import BrowserHost
import ClipsCore
import FoundationEssentials

/// Bytes from a browser, or from a program that claims to be one.
enum HostInput {
    private static let limit = 1000

    static func broken(byFrames bytes: [UInt8]) -> String? {
        var whole = MessageFraming(limit: limit)
        let frames = whole.frames(adding: bytes)
        var length = 0
        for frame in frames {
            switch frame {
            case .message(let message):
                if message.count > limit { return "a message exceeds the limit" }
                length += 4 + message.count
            case .tooLong(let count):
                if count <= limit { return "a short message is discarded" }
                length += 4 + count
            }
        }
        if length > bytes.count { return "there are more messages than bytes" }
        if whole.isIncomplete != (length < bytes.count) { return "the end is in the wrong position" }
        for size in [1, 3, 64] {
            var framing = MessageFraming(limit: limit)
            var split: [MessageFraming.Frame] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                split += framing.frames(adding: Array(bytes[start..<min(bytes.count, start + size)]))
            }
            if split != frames { return "in pieces of \(size), the messages differ" }
        }
        return nil
    }

    static func broken(byMessage bytes: [UInt8]) -> String? {
        let request = HostRequest(bytes)
        switch request.action {
        case .failure(let error):
            let isSentence = error.message.hasSuffix(".") && !error.message.contains(where: \.isNewline)
            return isSentence ? nil : "the error is not a sentence"
        case .success(let action):
            guard let id = request.id, (0...1 << 53).contains(id) else { return "a request has no ID" }
            return broken(action)
        }
    }

    private static func broken(_ action: HostRequest.Action) -> String? {
        switch action {
        case .save(let drafts, let ifAbsent):
            if drafts.isEmpty || drafts.count > 1000 { return "the number of clips is out of bounds" }
            if !ifAbsent.isSubset(of: drafts.indices) { return "an index is out of bounds" }
            for draft in drafts {
                if draft.isEmpty { return "a clip is empty" }
                if draft.author != nil { return "a clip has an author" }
                if draft.uuid.flatMap(UUID.init(uuidString:)) == nil { return "a clip has no UUID" }
                if !draft.url.isEmpty, !["http", "https", "file"].contains(scheme(draft.url)) {
                    return "a URL has another scheme"
                }
            }
        case .page(let page):
            if page.markup.utf8.count > HostLimits.markup { return "the markup is out of bounds" }
            if UUID(uuidString: page.uuid) == nil { return "a page has no UUID" }
        case .update(_, _, let changes):
            if changes.isEmpty { return "there are no changes" }
            if changes.keys.contains(where: { [.uuid, .author, .created].contains($0) }) {
                return "a change is not allowed"
            }
        case .list(_, let limit), .search(_, let limit):
            if !(1...200).contains(limit) { return "a limit is out of bounds" }
        default: break
        }
        return nil
    }

    private static func scheme(_ url: String) -> String { url.prefix { $0 != ":" }.lowercased() }
}
