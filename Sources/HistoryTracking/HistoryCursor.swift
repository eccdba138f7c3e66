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

    mutating func move(to token: HistoryToken) {
        self.token = token
    }

    /// The store knows the place as it was when it was written.
    mutating func wasStored(at token: HistoryToken) {
        stored = token
    }
}
