/// The name that the user probably meant.
package enum Suggestion {
    /// Returns the nearest name, at most two letters away, or one that begins with the word.
    package static func nearest(to word: String, in names: some Sequence<String>) -> String? {
        let distance = WordDistance(Array(word.lowercased().utf8.prefix(64)))
        let beginning = distance.admitsErrors ? word.lowercased() : nil
        let near = names.compactMap { name in
            let isBegun = beginning.map(name.lowercased().hasPrefix) ?? false
            let cost = distance.cost(of: name.lowercased().utf8, isWhole: true) ?? (isBegun ? 1 : nil)
            return cost.map { (name: name, cost: isBegun ? min($0, 1) : $0) }
        }
        if let nearest = near.min(by: { $0.cost < $1.cost }) { return nearest.name }
        // Words of two letters have no near ones.
        guard word.count == 2 else { return nil }
        let longer = names.filter { $0.hasPrefix(word.lowercased()) }
        return longer.count == 1 ? longer[0] : nil
    }

    /// Returns a question that follows a sentence, or other advice if no name is near.
    package static func question(
        for word: String, in names: some Sequence<String>, else advice: String = ""
    ) -> String {
        nearest(to: word, in: names).map { " Did you mean '\($0)'?" } ?? advice
    }
}
