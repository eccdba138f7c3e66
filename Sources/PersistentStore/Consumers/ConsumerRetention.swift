/// The retention of history that a consumer has not processed yet.
public enum ConsumerRetention: Int, Hashable, Sendable, CaseIterable {
    /// Until it exceeds the maximum age or size. The consumer then gets ``StoreError/tokenExpired(oldest:)``
    /// and does a full refresh.
    case untilBackstop = 0
    /// Always, regardless of age, size, and ignored authors: for a mirror that would otherwise have to start
    /// over. Only an explicit deletion that respects no consumers passes it.
    case always = 1
}
