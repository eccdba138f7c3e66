import CSearch

/// The first bytes of a text, in which parts are found at the speed of `memmem`.
package struct ByteText {
    private let bytes: [UInt8]

    package init(_ text: String, limit: Int) { bytes = Array(text.utf8.prefix(limit)) }

    package func contains(_ part: String) -> Bool {
        let part = Array(part.utf8)
        return bytes.withUnsafeBufferPointer { text in
            text.baseAddress.map { search_find($0, text.count, 0, part, part.count) >= 0 } ?? false
        }
    }
}
