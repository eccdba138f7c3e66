/// How long the store keeps what a consumer has not dealt with yet.
public enum ConsumerRetention: Int, Hashable, Sendable, CaseIterable {
    /// Until it is older than the maximum age, or more than the maximum size; the consumer then gets
    /// ``StoreError/tokenExpired(oldest:)`` and reads everything anew.
    case untilBackstop = 0
    /// Always, whatever the age and the size, and whoever is not waited for: for a mirror that would else have to
    /// begin from nothing. Only an explicit deletion that respects no consumers passes it.
    case always = 1
}
