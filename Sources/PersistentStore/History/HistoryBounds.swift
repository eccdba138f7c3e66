/// How long, and how much, history is kept.
public struct HistoryBounds: Hashable, Sendable {
    /// What is older goes whoever still wants it, but for consumers that keep it always
    /// (``ConsumerRetention/always``).
    public var maximumAge: Duration
    /// What is younger stays even when everybody has read it, as for undoing and restoring. The other bounds go
    /// before this one.
    public var minimumAge: Duration
    /// More changes than this are not kept, whoever still wants the oldest.
    public var maximumChanges: Int?
    /// The history's share of the pages that the store uses, from 0 to 1; what exceeds it goes, oldest first.
    /// Looked at by cleaning only, and only with an SQLite that has `dbstat`.
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

    /// What is stamped before this is too old.
    func oldest(_ now: Int64) -> Int64 { now - maximumAge.wholeMilliseconds }

    /// What is stamped before this is old enough to go. A millisecond may hold more than one transaction: what is
    /// of now is old enough when none has to be kept.
    func youngest(_ now: Int64) -> Int64 {
        minimumAge == .zero ? .max : now - minimumAge.wholeMilliseconds
    }
}
