import SearchIndex

/// Finds a quote in the text of its clip, which may have changed since.
///
/// Only letters and digits count, without case: a page that was read again has other white space and line ends. The
/// addresses and numbers of links do not count, since a quote has the words as they are read. The words themselves are
/// searched first; of several positions, the one whose surroundings agree most is the quote. Otherwise the passage that
/// shares most sequences of ``gram`` letters is, if it shares half of them.
extension Quote {
    private static let gram = 8

    /// The letters that are compared for all quotes of a text, so that a hostile one does not occupy the caller.
    private static let maxWork = 1 << 25

    package func range(in text: String) -> Range<String.Index>? { Self.ranges(of: [self], in: text).first }

    /// Returns the ranges of the quotes that are found.
    package static func ranges(of quotes: [Quote], in text: String) -> [Range<String.Index>] {
        let unmarked = UnmarkedText(text)
        let ranges = ranges(of: quotes, inUnmarked: unmarked?.text ?? text)
        guard let unmarked else { return ranges.map { withBackslash($0, in: text) } }
        func source(_ offset: Int) -> String.Index {
            text.utf8.index(text.startIndex, offsetBy: unmarked.source(offset))
        }
        return ranges.map { range in
            let start = unmarked.text.utf8.distance(from: unmarked.text.startIndex, to: range.lowerBound)
            let last = start + unmarked.text[range].utf8.count - 1
            return withBackslash(source(start)..<text.utf8.index(after: source(last)), in: text)
        }
    }

    /// Returns a range with the backslash that makes its first character a literal one.
    private static func withBackslash(_ range: Range<String.Index>, in text: String) -> Range<String.Index> {
        guard range.lowerBound > text.startIndex else { return range }
        let (before, first) = (text.utf8.index(before: range.lowerBound), text.utf8[range.lowerBound])
        let isSign = first > 0x20 && first < 0x7F && !Character(Unicode.Scalar(first)).isLetter
        return text.utf8[before] == UInt8(ascii: "\\") && isSign ? before..<range.upperBound : range
    }

    /// Returns the ranges of the quotes that are found in a text without marks.
    private static func ranges(of quotes: [Quote], inUnmarked text: String) -> [Range<String.Index>] {
        let all = Letters(text)
        var work = maxWork
        return quotes.compactMap { quote in
            var words = Letters(quote.text)
            guard !words.letters.isEmpty, work > 0 else { return nil }
            var found = quote.exact(words, in: all, &work)
            if found == nil, let unmarked = UnmarkedText(quote.text).map({ Letters($0.text) }),
                !unmarked.letters.isEmpty, work > 0
            {
                // A quote of code with brackets, or one that was saved with the numbers of links.
                words = unmarked
                found = quote.exact(words, in: all, &work)
            }
            work -= found == nil ? gram * all.letters.count : 0
            if found == nil, work > 0 { found = similar(words, in: all) }
            return found.map { quote.withEnds(all.range($0, in: text), in: text) }
        }
    }

    /// Adds the signs before the first letter and after the last one, such as a full stop, that the text has, too.
    private func withEnds(_ range: Range<String.Index>, in other: String) -> Range<String.Index> {
        func isSign(_ character: Character) -> Bool {
            !character.isWhitespace && !character.isLetter && !character.isNumber
        }
        // A sign in the text may have a backslash before it.
        func shared(_ signs: some Sequence<Character>, _ rest: some Collection<Character>) -> Int {
            var (count, left) = (0, rest[...])
            for sign in signs {
                let isEscaped = left.first == "\\" && sign != "\\"
                let tail = isEscaped ? left.dropFirst() : left
                guard tail.first == sign else { break }
                count += isEscaped ? 2 : 1
                left = tail.dropFirst()
            }
            return count
        }
        let words = text.drop { !$0.isLetter && !$0.isNumber }
        let before = text[..<words.startIndex].reversed().prefix(while: isSign)
        let after = text[(text.lastIndex { $0.isLetter || $0.isNumber } ?? text.startIndex)...].dropFirst()
            .prefix(while: isSign)
        let start = shared(before, other[..<range.lowerBound].reversed())
        let end = shared(after, other[range.upperBound...])
        return other.index(range.lowerBound, offsetBy: -start)..<other.index(range.upperBound, offsetBy: end)
    }

    private func exact(_ words: Letters, in all: Letters, _ work: inout Int) -> Range<Int>? {
        let (before, after) = (Letters(prefix).letters, Letters(suffix).letters)
        let (wanted, letters) = (words.letters, all.letters)
        var best: (start: Int, score: Int)?
        var start = 0
        work -= letters.count
        while start + wanted.count <= letters.count {
            defer { start += 1 }
            guard letters[start] == wanted[0] else { continue }
            let same = zip(letters[start...], wanted).prefix { $0 == $1 }.count
            work -= same
            guard work > 0 else { break }
            guard same == wanted.count else { continue }
            let end = start + wanted.count
            let score =
                zip(letters[..<start].reversed(), before.reversed()).prefix { $0 == $1 }.count
                + zip(letters[end...], after).prefix { $0 == $1 }.count
            if score > best?.score ?? -1 { best = (start, score) }
        }
        return best.map { $0.start..<$0.start + wanted.count }
    }

    private static func similar(_ words: Letters, in all: Letters) -> Range<Int>? {
        let count = words.letters.count - gram + 1
        guard count > gram, all.letters.count > gram else { return nil }
        var positions: [Int: [Int]] = [:]
        for start in 0..<count { positions[words.hash(start, gram), default: []].append(start) }
        // The differences of positions; insertions move the rest of the passage to a neighboring one.
        let width = max(16, count / 4)
        var shares: [Int: (count: Int, first: Int, last: Int)] = [:]
        for start in 0...(all.letters.count - gram) {
            for position in positions[all.hash(start, gram)]?.prefix(4) ?? [] {
                let group = (start - position + count) / width
                let known = shares[group] ?? (0, start, start)
                shares[group] = (known.count + 1, known.first, start)
            }
        }
        let best = shares.max { one, other in
            func score(_ group: Int) -> Int { (shares[group]?.count ?? 0) + (shares[group + 1]?.count ?? 0) }
            return (score(one.key), -one.key) < (score(other.key), -other.key)
        }
        guard let best else { return nil }
        let parts = [shares[best.key], shares[best.key + 1]].compactMap(\.self)
        guard parts.reduce(0, { $0 + $1.count }) * 2 >= count, let first = parts.map(\.first).min(),
            let last = parts.map(\.last).max(), last - first < 2 * count + width
        else { return nil }
        return edges(words.letters, of: first..<last + gram, in: all.letters, slack: width)
    }

    /// Extends a passage to its first and last letters, if an edit is near them.
    private static func edges(
        _ words: [UInt32], of range: Range<Int>, in letters: [UInt32], slack: Int
    ) -> Range<Int> {
        let missing = max(0, words.count - range.count) + slack
        func nearest(_ part: ArraySlice<UInt32>, in window: Range<Int>, isLast: Bool) -> Int? {
            let starts = window.filter { letters[$0...].starts(with: part) }
            return isLast ? starts.last : starts.first
        }
        var (first, end) = (range.lowerBound, range.upperBound)
        for length in stride(from: gram, to: 2, by: -1) where first == range.lowerBound {
            let window = max(0, first - missing)..<first + 1
            first = nearest(words.prefix(length), in: window, isLast: true) ?? first
        }
        for length in stride(from: gram, to: 2, by: -1) where end == range.upperBound {
            let window = end - length..<max(end, min(letters.count - length, end + missing))
            end = nearest(words.suffix(length), in: window, isLast: false).map { $0 + length } ?? end
        }
        return first..<max(first + 1, end)
    }
}

/// The letters and digits of a text in lower case, with their offsets.
private struct Letters {
    var letters: [UInt32] = []
    private var offsets: [(start: Int32, end: Int32)] = []

    init(_ text: String) {
        var offset: Int32 = 0
        for scalar in text.unicodeScalars {
            let start = offset
            offset += Int32(UTF8.width(scalar))
            if scalar.isASCII {
                let byte = scalar.value | (65...90 ~= scalar.value ? 0x20 : 0)
                guard 48...57 ~= byte || 97...122 ~= byte else { continue }
                letters.append(byte)
            } else {
                guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else { continue }
                letters.append(scalar.properties.lowercaseMapping.unicodeScalars.first?.value ?? scalar.value)
            }
            offsets.append((start, offset))
        }
    }

    func hash(_ start: Int, _ count: Int) -> Int {
        letters[start..<start + count].reduce(1_469_598_103) { ($0 ^ Int($1)) &* 1_099_511_628_211 }
    }

    func range(_ range: Range<Int>, in text: String) -> Range<String.Index> {
        func index(_ offset: Int32) -> String.Index {
            text.utf8.index(text.startIndex, offsetBy: Int(offset))
        }
        return index(offsets[range.lowerBound].start)..<index(offsets[range.upperBound - 1].end)
    }
}
