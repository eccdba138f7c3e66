package import PersistentStore
import SearchIndex

/// A clip as JSON of bounded size, for a list in another program.
package struct ClipSummary: Hashable, Sendable {
    package let id: Int64
    /// The object of ``ClipRecord``, and `isCut` if a value of it was cut.
    package let json: String

    private static let maxText = 500
    private static let maxTitle = 500
    private static let maxNote = 2000
    private static let maxURL = 8192
    private static let maxTags = 100
    private static let maxTag = 200

    /// - Parameter query: The search whose first match the text shows; nil for the beginning of the text.
    init(_ clip: Clip, around query: SearchQuery? = nil) {
        id = clip.id
        var short = clip
        let excerpt = query?.excerpt(of: clip.text, in: .text, length: Self.maxText / 2)?.text
        short.text = excerpt ?? Self.prefix(clip.text, Self.maxText)
        short.title = Self.prefix(clip.title, Self.maxTitle)
        short.note = Self.prefix(clip.note, Self.maxNote)
        short.url = Self.prefix(clip.url, Self.maxURL)
        short.tags = clip.tags.prefix(Self.maxTags).map { Self.prefix($0, Self.maxTag) }
        short.author = Self.prefix(clip.author, Self.maxTag)
        short.uuid = Self.prefix(clip.uuid, Self.maxTag)
        json = ClipRecord(short).json(isCut: short != clip)
    }

    /// By scalars: a character may consist of any number of them.
    private static func prefix(_ text: String, _ count: Int) -> String {
        guard text.utf8.count > count else { return text }
        return String(text.unicodeScalars.prefix(count))
    }
}

/// Reads clips in pieces, since a clip may have a text of many megabytes.
extension ClipStore {
    private static let clipsPerPiece = 4

    /// Returns the clips with these IDs, in this order, without deleted ones.
    ///
    /// - Parameter maxBytes: The size of the JSON before which the result ends.
    package func summaries(_ ids: [Int64], maxBytes: Int = .max) async throws(StoreError) -> [ClipSummary] {
        try await container.read { snapshot throws(StoreError) in
            try Self.summaries(ids, maxBytes: maxBytes, in: snapshot).clips
        }
    }

    static func summaries(
        _ ids: [Int64], maxBytes: Int, around query: SearchQuery? = nil, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> (clips: [ClipSummary], isCut: Bool) {
        var summaries: [ClipSummary] = []
        var left = maxBytes
        for first in stride(from: 0, to: ids.count, by: clipsPerPiece) {
            for clip in try clips(Array(ids[first..<min(ids.count, first + clipsPerPiece)]), in: snapshot) {
                let summary = ClipSummary(clip, around: query)
                left -= summary.json.utf8.count + 1
                guard left >= 0 else { return (summaries, true) }
                summaries.append(summary)
            }
        }
        return (summaries, false)
    }
}
