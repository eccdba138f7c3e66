import PersistentStore

/// A consumer's place in the history: where it is in this process, and what the store knows of it.
struct HistoryCursor {
    let consumer: String
    private(set) var token: HistoryToken
    private(set) var stored: HistoryToken

    init(consumer: String, token: HistoryToken) {
        self.consumer = consumer
        self.token = token
        stored = token
    }

    var isStored: Bool { token == stored }

    /// Never back, also when a pass that a restart has overtaken comes to its end.
    mutating func move(to token: HistoryToken) {
        if self.token.precedes(token) != false { self.token = token }
    }

    /// The store knows the place as it was when it was written.
    mutating func wasStored(at token: HistoryToken) {
        stored = token
    }
}
