/// The signs of an exponent or an index: `x^2`, `x^(n+1)`, `x_i`.
///
/// Ordinals such as `1st`, formulas such as `H2O`, marks of notes, and those after no word have none.
enum ScriptSigns: Equatable {
    case none
    case first
    case all

    static let elements: Set = ["sup", "sub"]

    /// - Parameters:
    ///   - name: The name of the element.
    ///   - content: The text in it.
    ///   - text: The text before it.
    init(_ name: String, _ content: ArraySlice<UInt8>, after text: ArraySlice<UInt8>) {
        let letters = String(decoding: content, as: UTF8.self).unicodeScalars
        let isNumber = letters.allSatisfy { ("0"..."9").contains($0) }
        let isWord = letters.count > 1 && letters.allSatisfy(\.properties.isAlphabetic)
        let followsWord = text.endsWithLetter || text.last == UInt8(ascii: ")")
        if isWord || isNumber && name == "sub" || letters.contains("[") || !followsWord {
            self = .none
        } else {
            self = isNumber || letters.count == 1 ? .first : .all
        }
    }

    /// The offsets at which signs and brackets are removed, one after the other.
    var omitted: [Int] {
        switch self {
        case .none: [0, 0]
        case .first: [1]
        case .all: []
        }
    }
}

extension ArraySlice<UInt8> {
    var endsWithLetter: Bool {
        String(decoding: suffix(4), as: UTF8.self).unicodeScalars.last?.isLetter ?? false
    }
}

extension Unicode.Scalar {
    var isLetter: Bool { properties.isAlphabetic || properties.numericType != nil }
}
