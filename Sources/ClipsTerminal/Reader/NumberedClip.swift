import ClipsCore

/// A clip as it is read: with numbers after the links in its note and its text.
struct NumberedClip: Sendable {
    let clip: Clip
    /// Whether its text may have marks of Markdown.
    let isMarkdown: Bool
    /// The links in the note and in the text, and their numbers in the text, in bytes.
    let ranges: (note: [Range<Int>], text: [Range<Int>], numbers: [Range<Int>])
    /// The URLs of the links, by their numbers less 1.
    let urls: [String]
    /// Those of them that the texts show.
    let shown: Set<String>
    /// Whether further URLs have no number.
    let isCut: Bool

    init(_ original: Clip) {
        var clip = original
        clip.text = clip.markedText.expandingTabs()
        isMarkdown = original.hasMarkdown
        var found = isMarkdown ? ClipLinks(takingListOf: &clip.text) : ClipLinks()
        clip.note = found.numbered(clip.note)
        let noteRanges = found.ranges
        clip.text = found.numbered(clip.text, isMarkdown: isMarkdown)
        ranges = (noteRanges, found.ranges, found.numberRanges)
        found.addRest()
        (self.clip, urls, shown, isCut) = (clip, found.urls, found.shown, found.isCut)
    }
}
