import PersistentStore

/// A consumer's place in the history: where it is in this process, and what is kept of it.
struct HistoryCursor: Sendable {
    let consumer: String
    private(set) var position: HistoryPosition
    private(set) var kept: HistoryToken?

    init(consumer: String, token: HistoryToken, isKept: Bool = true) {
        self.consumer = consumer
        position = HistoryPosition(token)
        kept = isKept ? token : nil
    }

    var token: HistoryToken { position.token }
    var isKept: Bool { token == kept }

    /// Never back, also when a pass that a restart has overtaken comes to its end.
    mutating func move(to position: HistoryPosition) {
        if token == position.token || token.precedes(position.token) != false { self.position = position }
    }

    /// What is kept is the place as it was when it was written.
    mutating func wasKept(at token: HistoryToken) { kept = token }
}
