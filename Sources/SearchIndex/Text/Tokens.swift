/// Cuts folded text into what the index holds: whole words, and for scripts without spaces each character and each
/// pair of neighbours.
enum Tokens {
    /// A longer run of letters goes into the index as overlapping pieces, so that any part of it up to
    /// ``longestPart`` stands whole in one of them.
    static let longestWord = 32
    static let longestPart = 16

    /// One run of scalars of the same kind.
    struct Run {
        let kind: ScalarKind
        let range: Range<Int>
        /// Where each scalar begins.
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

    /// Every token of a text, with repetitions; true for words, of which parts can be searched.
    static func forEach(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>, _ isWord: Bool) -> Void
    ) {
        func emit(_ range: Range<Int>, _ isWord: Bool) {
            body(UnsafeBufferPointer(rebasing: bytes[range]), isWord)
        }
        runs(bytes) { run in
            let (starts, end) = (run.starts, run.range.upperBound)
            if run.kind == .single {
                for place in starts.indices {
                    let next = place + 1 < starts.count ? starts[place + 1] : end
                    emit(starts[place]..<next, false)
                    guard place + 1 < starts.count else { continue }
                    emit(starts[place]..<(place + 2 < starts.count ? starts[place + 2] : end), false)
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
