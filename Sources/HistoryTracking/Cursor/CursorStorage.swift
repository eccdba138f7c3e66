public import AppGroup
import Dispatch

/// The position at which a tracker without a stored cursor begins.
@nonexhaustive
public enum TrackingStart: Hashable, Sendable {
    /// At the current state: the tracker begins with a full refresh, and delivers later transactions.
    case now
    /// At the beginning: the tracker delivers every transaction since the store was created, without a
    /// refresh. If some of them were purged, a full refresh replaces all of them, and the tracker delivers later
    /// transactions.
    ///
    /// For an expected consumer (see ``TrackingParameters/expectedConsumers``), the beginning is that of the
    /// history that could be read when it was first expected.
    case beginning
}

/// The policy for storing a consumer's cursor.
@nonexhaustive
public enum CursorPolicy: Sendable {
    /// Stored in the store after each pass. Cleaning waits for this cursor. After a restart, only the last
    /// pass can repeat, if the process crashed before the cursor was stored.
    case everyPass
    /// For a consumer without memory, such as a screen. It starts again each time; its cursor only prevents
    /// cleaning from overtaking it. Written at most this often; unregistered when the tracker stops.
    case transient(every: Duration)
    /// Stored outside the store after each pass, under the prefix and the name of the tracker, as for a store
    /// that is open read-only. Cleaning does not know this cursor and may purge the history that it needs; a
    /// full refresh follows.
    case external(any CursorStorage, prefix: String = "HistoryTracking.cursor.")

    var isTransient: Bool { if case .transient = self { true } else { false } }
}

/// A storage for cursors outside a store, under keys.
///
/// The tracker calls it on a separate thread, one call at a time; a call may block.
public protocol CursorStorage: Sendable {
    /// Returns the text that was stored last; nil if there is none.
    func cursor(forKey key: String) throws -> String?
    func setCursor(_ text: String, forKey key: String) throws
}

/// Storage of cursors among the settings that the processes of an app group share.
extension SharedDefaults: CursorStorage {
    public func cursor(forKey key: String) throws -> String? { try value(String.self, forKey: key) }
    public func setCursor(_ text: String, forKey key: String) throws { try set(text, forKey: key) }
}

/// A serial queue for calls that may block.
///
/// On the reader's thread they would delay reading and watching; on the shared pool they would block one of
/// its few threads.
struct BlockingCalls: Sendable {
    private let queue = DispatchQueue(label: "HistoryTracking.BlockingCalls")

    nonisolated(nonsending) func callAsFunction<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }
}
