import PersistentStore

/// The cursor of a consumer: its position in this process, and the token that was stored last.
struct HistoryCursor: Sendable {
    let consumer: String
    private(set) var position: HistoryPosition
    private(set) var stored: HistoryToken?

    init(consumer: String, token: HistoryToken, isStored: Bool = true) {
        self.consumer = consumer
        position = HistoryPosition(token)
        stored = isStored ? token : nil
    }

    var token: HistoryToken { position.token }
    var isStored: Bool { token == stored }

    /// Moves the cursor forward. Never moves it backward, even at the end of a pass that began before a
    /// restart.
    mutating func move(to position: HistoryPosition) {
        if token == position.token || token.precedes(position.token) != false { self.position = position }
    }

    /// Records the token that was written; the position may have moved since then.
    mutating func wasStored(at token: HistoryToken) { stored = token }
}
