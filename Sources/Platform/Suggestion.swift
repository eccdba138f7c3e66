/// The name that the user probably meant.
package enum Suggestion {
    /// Returns the nearest name, at most two letters away.
    package static func nearest(to word: String, in names: some Sequence<String>) -> String? {
        let distance = WordDistance(Array(word.lowercased().utf8.prefix(64)))
        let near = names.compactMap { name in
            distance.cost(of: name.lowercased().utf8).map { (name: name, cost: $0) }
        }
        return near.min { $0.cost < $1.cost }?.name
    }

    /// Returns a question that follows a sentence, or nothing if no name is near.
    package static func question(for word: String, in names: some Sequence<String>) -> String {
        nearest(to: word, in: names).map { " Did you mean '\($0)'?" } ?? ""
    }
}
