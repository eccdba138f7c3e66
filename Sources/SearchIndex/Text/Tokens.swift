import Platform

/// Splits folded text into the tokens of the index: words and, for scripts without spaces, each character and
/// each pair of adjacent characters.
enum Tokens {
    /// The maximum number of scalars in a token. A longer run of letters is indexed as overlapping tokens, so
    /// that one of them contains any part up to ``longestPart``.
    static let longestWord = 32
    static let longestPart = 16

    /// One run of scalars of the same kind.
    struct Run {
        let kind: ScalarKind
        let range: Range<Int>
        /// The start of each scalar.
        let starts: [Int]
    }

    static func runs(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (Run) -> Void) {
        var index = 0
        var starts: [Int] = []
        var kind = ScalarKind.separator
        var begin = 0
        while index < bytes.count {
            let (scalar, length) = UTF8.scalar(bytes, at: index)
            let next = ScalarKind(scalar)
            if next != kind {
                if kind != .separator { body(Run(kind: kind, range: begin..<index, starts: starts)) }
                starts.removeAll(keepingCapacity: true)
                (kind, begin) = (next, index)
            }
            if kind != .separator { starts.append(index) }
            index += length
        }
        if kind != .separator { body(Run(kind: kind, range: begin..<index, starts: starts)) }
    }

    /// Calls `body` with every token of a text, including repetitions, and whether it is a word, of which
    /// parts can be searched.
    static func forEach(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>, _ isWord: Bool) -> Void
    ) {
        var index = 0
        while index < bytes.count {
            // Most words are short, of ASCII, and between separators of ASCII.
            var end = index
            while end < bytes.count, bytes[end].isASCIIAlphanumeric { end += 1 }
            if end - index <= longestWord, end == bytes.count || bytes[end] < 0x80 {
                if end > index { body(UnsafeBufferPointer(rebasing: bytes[index..<end]), true) }
                index = end + 1
                continue
            }
            while end < bytes.count, bytes[end].isOfWord { end += 1 }
            forEachOfAny(UnsafeBufferPointer(rebasing: bytes[index..<end]), body)
            index = end
        }
    }

    private static func forEachOfAny(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>, _ isWord: Bool) -> Void
    ) {
        func emit(_ range: Range<Int>, _ isWord: Bool) {
            body(UnsafeBufferPointer(rebasing: bytes[range]), isWord)
        }
        runs(bytes) { run in
            let (starts, end) = (run.starts, run.range.upperBound)
            if run.kind == .single {
                for index in starts.indices {
                    let next = index + 1 < starts.count ? starts[index + 1] : end
                    emit(starts[index]..<next, false)
                    guard index + 1 < starts.count else { continue }
                    emit(starts[index]..<(index + 2 < starts.count ? starts[index + 2] : end), false)
                }
            } else if starts.count <= longestWord {
                emit(run.range, true)
            } else {
                for first in stride(from: 0, to: starts.count, by: longestWord - longestPart) {
                    let last = first + longestWord
                    emit(starts[first]..<(last < starts.count ? starts[last] : end), true)
                    if last >= starts.count { return }
                }
            }
        }
    }
}
