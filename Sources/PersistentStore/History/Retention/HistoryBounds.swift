/// The retention of the history: limits on its age and size.
public struct HistoryBounds: Hashable, Sendable {
    /// The age beyond which history is purged even if a consumer still needs it, except consumers that retain
    /// history always (``ConsumerRetention/always``).
    public var maximumAge: Duration
    /// The age up to which history is retained even after all consumers have read it, for example for undo
    /// and restore. The other bounds have precedence.
    public var minimumAge: Duration
    /// The number of changes beyond which the oldest history is purged, even if a consumer still needs it.
    public var maximumChanges: Int?
    /// The history's share of the store's used pages, from 0 to 1, beyond which the oldest history is purged.
    /// Checked by cleaning only, and only if SQLite has `dbstat`.
    public var maximumShare: Double?

    public init(
        maximumAge: Duration = .seconds(30 * 24 * 3600), minimumAge: Duration = .zero,
        maximumChanges: Int? = nil, maximumShare: Double? = nil
    ) {
        self.maximumAge = maximumAge
        self.minimumAge = minimumAge
        self.maximumChanges = maximumChanges
        self.maximumShare = maximumShare
    }

    /// The timestamp before which history exceeds the maximum age.
    func oldest(_ now: Int64) -> Int64 { now - maximumAge.wholeMilliseconds }

    /// The timestamp before which history may be purged. Several transactions may share a millisecond, so
    /// without a minimum age the current one is included.
    func youngest(_ now: Int64) -> Int64 {
        minimumAge == .zero ? .max : now - minimumAge.wholeMilliseconds
    }
}
