/// What fills one cell of the screen: a spacing character with at most four marks, 1 or 2 columns wide.
///
/// Held as plain numbers, since a frame has thousands: a string for each would be counted at every copy.
struct Glyph: Hashable, Sendable {
    /// 21 bits a scalar, the first in the lowest; a NUL, which is never shown, ends them.
    private var first: UInt64
    private var others: UInt64 = 0
    private(set) var columns: Int8

    private static let bits: UInt64 = 21
    private static let mask: UInt64 = 1 << bits - 1
    /// ncurses keeps five wide characters in a cell (CCHARW_MAX).
    private static let most = 5

    init(_ scalar: Unicode.Scalar, columns: Int8) {
        first = UInt64(scalar.value)
        self.columns = columns
    }

    /// Fills no column: the glyph before it does.
    private init() {
        first = 0
        columns = 0
    }

    static let none = Glyph()
    static let space = Glyph(" ", columns: 1)
    static let replacement = Glyph("\u{FFFD}", columns: 1)
    static let ascii = (0..<128).map { DisplayForm.glyph(ascii: $0) }

    private subscript(index: Int) -> UInt64 {
        let word = index < 3 ? first : others
        return word >> (Self.bits * UInt64(index % 3)) & Self.mask
    }

    /// Calls with the spacing character and each mark.
    func forEachScalar(_ body: (UInt32) -> Void) {
        for index in 0..<Self.most {
            let scalar = self[index]
            guard scalar != 0 else { return }
            body(UInt32(scalar))
        }
    }

    /// One more than there is room for is left out.
    mutating func append(_ mark: Unicode.Scalar) {
        guard let index = (0..<Self.most).first(where: { self[$0] == 0 }) else { return }
        let placed = UInt64(mark.value) << (Self.bits * UInt64(index % 3))
        if index < 3 { first |= placed } else { others |= placed }
    }

    var text: String {
        var text = String.UnicodeScalarView()
        forEachScalar { if let scalar = Unicode.Scalar($0) { text.append(scalar) } }
        return String(text)
    }
}
