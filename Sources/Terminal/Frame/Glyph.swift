/// The contents of one cell: a spacing character with at most four marks, 1 or 2 columns wide.
///
/// Stored as plain integers, because a frame has thousands: each copy of a string would update a reference
/// count.
struct Glyph: Hashable, Sendable {
    /// Scalars of 21 bits each, the first in the lowest bits; a NUL, which is never shown, terminates them.
    private var first: UInt64
    /// Two more scalars, and the columns in the highest bits: a cell has 24 bytes with its style.
    private var others: UInt64

    private static let bits: UInt64 = 21
    private static let mask: UInt64 = 1 << bits - 1
    /// The number of wide characters in a cell of ncurses (CCHARW_MAX).
    private static let limit = 5

    init(_ scalar: Unicode.Scalar, columns: Int8) {
        first = UInt64(scalar.value)
        others = UInt64(columns) << 62
    }

    /// Creates an empty glyph of 0 columns, for the right half of a wide glyph.
    private init() {
        first = 0
        others = 0
    }

    var columns: Int8 { Int8(others >> 62) }

    static let none = Glyph()
    static let space = Glyph(" ", columns: 1)
    static let replacement = Glyph("\u{FFFD}", columns: 1)
    static let ascii = (0..<128).map { DisplayForm.glyph(ascii: $0) }

    private subscript(index: Int) -> UInt64 {
        let word = index < 3 ? first : others
        return word >> (Self.bits * UInt64(index % 3)) & Self.mask
    }

    /// Calls `body` with the spacing character and each mark.
    func forEachScalar(_ body: (UInt32) -> Void) {
        for index in 0..<Self.limit {
            let scalar = self[index]
            guard scalar != 0 else { return }
            body(UInt32(scalar))
        }
    }

    /// Appends a mark; omits it if there is no space for it.
    mutating func append(_ mark: Unicode.Scalar) {
        // First, since untrusted text has any number of marks.
        guard self[Self.limit - 1] == 0 else { return }
        var index = 0
        while self[index] != 0 { index += 1 }
        let placed = UInt64(mark.value) << (Self.bits * UInt64(index % 3))
        if index < 3 { first |= placed } else { others |= placed }
    }

    var text: String {
        var text = String.UnicodeScalarView()
        forEachScalar { if let scalar = Unicode.Scalar($0) { text.append(scalar) } }
        return String(text)
    }
}
