import CSearch
import Glibc
import Platform
import SQLite

/// The words of the index, in memory as one text with a line for each, so that a search for a part of a word
/// runs at the speed of `memmem`. A word may occur twice.
struct Vocabulary {
    private var text: [UInt8] = [newline]
    private var edition: Int64 = 0
    private var lastRow: Int64 = 0
    private var lastRowStart = 1
    /// The ends of the longest tokens: the next token of a longer run begins with that of the one before.
    private var overlaps: Set<[UInt8]> = []

    private static let newline = UInt8(ascii: "\n")
    /// The maximum size of a row in bytes.
    static let rowSize = 16_384

    /// Reads the words that were added since the last call.
    mutating func refresh(edition: Int64, from connection: borrowing Connection) throws(SQLiteError) {
        if edition != self.edition {
            self = Vocabulary()
            self.edition = edition
        }
        let rows = try connection.prepare(
            "SELECT id, terms FROM vocabulary WHERE id >= ?1 ORDER BY id", [lastRow])
        text.removeSubrange(lastRowStart...)
        let start = lastRowStart
        // Growing by doubling would copy the text and touch twice the memory. A damaged length is not trusted.
        let added = try connection.integer(
            "SELECT sum(length(terms)) FROM vocabulary WHERE id >= ?1", lastRow)
        if let added, added > text.count { text.reserveCapacity(text.count + min(Int(added), 1 << 26)) }
        while try rows.step() {
            lastRow = rows.integer(0)
            lastRowStart = text.count
            rows.withBlob(1) { text += $0 }
        }
        noteOverlaps(from: start)
    }

    private mutating func noteOverlaps(from start: Int) {
        var found: [[UInt8]] = []
        text.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return }
            var index = start
            while index < text.count, let end = memchr(base + index, CInt(Self.newline), text.count - index) {
                let next = UnsafeRawPointer(end) - UnsafeRawPointer(base)
                if next - index >= Tokens.longestWord {
                    let word = text[index..<next]
                    let starts = word.indices.filter { word[$0] & 0xC0 != 0x80 }
                    if starts.count == Tokens.longestWord {
                        found.append(Array(word[starts[starts.count - Tokens.longestPart]...]))
                    }
                }
                index = next + 1
            }
        }
        overlaps.formUnion(found)
    }

    /// Whether a token may continue a longer run, so that its beginning is within a word.
    func mayContinueRun(_ word: [UInt8]) -> Bool {
        let starts = word.indices.filter { word[$0] & 0xC0 != 0x80 }
        return starts.count > Tokens.longestPart
            && overlaps.contains(Array(word[..<starts[Tokens.longestPart]]))
    }

    /// Returns the words that contain a part, or begin with it; nil if there are more than the limit.
    func words(containing part: ArraySlice<UInt8>, onlyAtStart: Bool, limit: Int) -> Set<[UInt8]>? {
        let needle = onlyAtStart ? [Self.newline] + part : Array(part)
        var found: Set<[UInt8]> = []
        var isWithin = true
        text.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return }
            var from = 0
            while true {
                var start = search_find(base, text.count, from, needle, needle.count)
                guard start >= 0 else { return }
                if onlyAtStart { start += 1 }
                while text[start - 1] != Self.newline { start -= 1 }
                var end = start
                while end < text.count && text[end] != Self.newline { end += 1 }
                found.insert(Array(text[start..<end]))
                guard found.count <= limit else {
                    isWithin = false
                    return
                }
                from = end
            }
        }
        return isWithin ? found : nil
    }

    /// Returns whether there is a word.
    func contains(_ word: ArraySlice<UInt8>) -> Bool {
        let needle = [Self.newline] + word + [Self.newline]
        return text.withUnsafeBufferPointer { text in
            text.baseAddress.map { search_find($0, text.count, 0, needle, needle.count) >= 0 } ?? false
        }
    }

    /// Returns the hashes of all words, for recognizing new ones.
    func hashes() -> TokenSet {
        var hashes = TokenSet()
        forEach { hashes.insert(hash($0)) }
        return hashes
    }

    /// Returns the closest words, each once.
    func words(near distance: WordDistance, limit: Int) -> [(word: String, cost: Int)] {
        guard distance.admitsErrors else { return [] }
        var costs: [String: Int] = [:]
        forEach { word in
            guard distance.mayAdmit(word), let cost = distance.cost(of: word) else { return }
            costs[String(decoding: word, as: UTF8.self)] = cost
        }
        return costs.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(limit).map {
            ($0.key, $0.value)
        }
    }

    private func forEach(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        text.withUnsafeBufferPointer { text in
            var start = 0
            for end in text.indices where text[end] == Self.newline {
                if end > start { body(UnsafeBufferPointer(rebasing: text[start..<end])) }
                start = end + 1
            }
        }
    }
}

/// Returns the 64-bit FNV-1a hash; a collision among a few million words is improbable.
func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
}
