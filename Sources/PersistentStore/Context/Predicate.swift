/// A condition on the attributes of an object.
///
/// Names are checked against the model and values are bound, so nothing in a predicate is ever read as SQL.
public indirect enum Predicate: Hashable, Sendable {
    public enum Comparison: String, Hashable, Sendable {
        case equal = "IS"
        case notEqual = "IS NOT"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    case compare(String, Comparison, Value)
    /// The attribute's text contains the words, without regard to ASCII case. A NUL ends a text and the words here,
    /// as everywhere in SQLite (sqlite.org/nulinstr.html).
    case contains(String, String)
    case keys([Int64])
    /// The attribute has one of these texts or integers; found by the attribute's index, however many there are.
    case isOneOf(String, [Value])
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)

    /// `attribute` has this value; null equals null.
    public static func equal(_ attribute: String, _ value: Value) -> Predicate {
        .compare(attribute, .equal, value)
    }
}
