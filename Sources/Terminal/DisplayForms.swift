/// The forms of a text's clusters, in order. Plain letters between others cost no search for a cluster's end.
struct DisplayForms<Text: StringProtocol>: Sequence, IteratorProtocol where Text.Index == String.Index {
    private let text: Text
    private var index: String.Index

    init(_ text: Text) {
        self.text = text
        index = text.startIndex
    }

    mutating func next() -> DisplayForm? {
        guard index < text.endIndex else { return nil }
        let byte = text.utf8[index]
        if byte &- 0x20 < 0x5F {
            // What follows belongs to the letter only if it is not ASCII itself.
            let following = text.utf8.index(after: index)
            if following == text.endIndex || text.utf8[following] < 0x80 {
                index = following
                return DisplayForm(ascii: byte)
            }
        }
        defer { index = text.index(after: index) }
        return DisplayForm(text[index])
    }
}
