/// The forms of a text's clusters, in order. Plain letters require no search for the end of a cluster.
struct DisplayForms<Text: StringProtocol>: Sequence, IteratorProtocol where Text.Index == String.Index {
    private let text: Text
    private var index: String.Index

    init(_ text: Text) {
        self.text = text
        index = text.startIndex
    }

    /// The bytes before the next form.
    var offset: Int { text.utf8.distance(from: text.startIndex, to: index) }

    /// Skips and returns the next plain letters, whose forms are identical to them.
    mutating func nextPlainRun() -> Text.SubSequence {
        let (start, rest) = (index, text.utf8[index...])
        let count = rest.withContiguousStorageIfAvailable { bytes in
            let count = bytes.firstIndex { !$0.isPlain } ?? bytes.count
            return count == bytes.count || bytes[count] < 0x80 ? count : Swift.max(0, count - 1)
        }
        if let count {
            index = rest.index(index, offsetBy: count)
        } else {
            while let following = indexAfterPlainLetter { index = following }
        }
        return text[start..<index]
    }

    /// The next character can extend the letter's cluster only if it is not ASCII.
    private var indexAfterPlainLetter: String.Index? {
        guard index < text.endIndex, text.utf8[index].isPlain else { return nil }
        let following = text.utf8.index(after: index)
        return following == text.endIndex || text.utf8[following] < 0x80 ? following : nil
    }

    mutating func next() -> DisplayForm? {
        guard index < text.endIndex else { return nil }
        if let following = indexAfterPlainLetter {
            defer { index = following }
            return DisplayForm(ascii: text.utf8[index])
        }
        defer { index = text.index(after: index) }
        return DisplayForm(text[index])
    }
}
