/// How many columns text takes when a frame shows it.
package enum DisplayWidth {
    package static func columns(of character: Character) -> Int {
        DisplayForm(character).columns
    }

    package static func columns(of text: String) -> Int {
        text.isPlain ? text.utf8.count : DisplayForms(text).reduce(0) { $0 + $1.columns }
    }
}

extension StringProtocol where SubSequence == Substring {
    /// As much of the text as `columns` can need; a title may be megabytes long or full of invisible characters.
    ///
    /// A text of its own: a slice's clusters are looked for in the whole, and one may go on for megabytes.
    func beginning(for columns: Int) -> Substring {
        let bytes = 1024 + 32 * Swift.min(Swift.max(0, columns), 1 << 32)
        guard let end = utf8.index(startIndex, offsetBy: bytes, limitedBy: endIndex) else {
            return self[...]
        }
        return String(self[..<unicodeScalars.index(atOrBefore: end)])[...]
    }
}

extension BidirectionalCollection where Element == Unicode.Scalar {
    fileprivate func index(atOrBefore index: Index) -> Index {
        index == endIndex ? index : self.index(before: self.index(after: index))
    }
}
