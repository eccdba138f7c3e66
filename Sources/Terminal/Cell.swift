/// One column of a frame: a glyph, or the right half of the wide glyph before it.
package struct Cell: Hashable, Sendable {
    /// Empty in a right half.
    package let text: String
    /// 1 or 2; 0 in a right half.
    package let columns: Int8
    package var style: Style

    init(_ glyph: Glyph, style: Style) {
        text = glyph.text
        columns = Int8(glyph.columns)
        self.style = style
    }

    private init(text: String, columns: Int8, style: Style) {
        self.text = text
        self.columns = columns
        self.style = style
    }

    static func blank(_ style: Style) -> Cell { Cell(text: " ", columns: 1, style: style) }
    static func rightHalf(_ style: Style) -> Cell { Cell(text: "", columns: 0, style: style) }
}
