/// The one form in which an author is shown.
package enum AuthorName {
    /// An external writer names none.
    package static let unknown = "(unknown)"

    package static func shown(_ name: String?) -> String {
        name.flatMap { $0.isEmpty ? nil : $0 } ?? unknown
    }
}
