import PersistentStore

/// The cursor of a consumer: its position in this process, and the token that was stored last.
struct HistoryCursor: Sendable {
    let consumer: String
    private(set) var follower: HistoryFollower
    private(set) var stored: HistoryToken?

    init(consumer: String, at follower: HistoryFollower, isStored: Bool = true) {
        self.consumer = consumer
        self.follower = follower
        stored = isStored ? follower.token : nil
    }

    var token: HistoryToken { follower.token }
    var isStored: Bool { token == stored }

    /// Moves the cursor forward. Never moves it backward, even at the end of a pass that began before a
    /// restart.
    mutating func move(to follower: HistoryFollower) {
        if token == follower.token || token.precedes(follower.token) != false { self.follower = follower }
    }

    /// Records the token that was written; the position may have moved since then.
    mutating func wasStored(at token: HistoryToken) { stored = token }
}
