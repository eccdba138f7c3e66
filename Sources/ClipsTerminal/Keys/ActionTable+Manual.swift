import Terminal

extension ActionTable.Entry {
    /// The keys as people write them, for print.
    package var shownKeys: String {
        keys.map { KeyMap.shown(Key(named: $0)) }.joined(separator: " ")
    }
}
