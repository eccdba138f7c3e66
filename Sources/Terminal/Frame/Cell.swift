/// One column of a frame: a glyph, or the right half of the wide glyph before it.
package struct Cell: Hashable, Sendable {
    let glyph: Glyph
    package var style: Style

    init(_ glyph: Glyph, style: Style) {
        self.glyph = glyph
        self.style = style
    }

    /// Empty in a right half.
    package var text: String { glyph.text }
    /// 1 or 2; 0 in a right half.
    package var columns: Int8 { glyph.columns }

    static func blank(_ style: Style) -> Cell { Cell(.space, style: style) }
    static func rightHalf(_ style: Style) -> Cell { Cell(.none, style: style) }
}
