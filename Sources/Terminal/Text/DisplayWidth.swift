/// The number of columns of a text in a frame.
package enum DisplayWidth {
    package static func columns(of character: Character) -> Int {
        DisplayForm(character).columns
    }

    package static func columns(of text: String) -> Int {
        text.isPlain ? text.utf8.count : DisplayForms(text).reduce(0) { $0 + $1.columns }
    }

    /// Returns the columns before each of some offsets in bytes, which are in ascending order.
    ///
    /// - Complexity: O(*n*) in the text and the offsets.
    package static func columns(of text: String, before offsets: [Int]) -> [Int] {
        guard !text.isPlain else { return offsets }
        var (found, columns, forms) = ([Int](), 0, DisplayForms(text))
        for offset in offsets {
            while forms.offset < offset, let form = forms.next() { columns += form.columns }
            found.append(columns)
        }
        return found
    }
}

extension StringProtocol where SubSequence == Substring {
    /// Returns the part of the text that can fill `columns`; a title may have megabytes or many invisible
    /// characters.
    ///
    /// The result is a copy: cluster breaking in a slice reads the whole text, and a cluster may have
    /// megabytes.
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
