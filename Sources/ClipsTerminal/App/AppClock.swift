import FoundationEssentials
import PersistentStore
import Platform

/// The time as the app tells it. CLIPS_NOW pins it, so that what a script shows is the same every time.
struct AppClock: Sendable {
    private let pinned: Date?

    init(pinned: Date? = nil) { self.pinned = pinned }

    static func environment() throws(ClipsAppError) -> AppClock {
        guard let text = Environment.variable("CLIPS_NOW") else { return AppClock() }
        if let seconds = Double(text), seconds.magnitude < 1e11 {
            return AppClock(pinned: Date(timeIntervalSince1970: seconds))
        }
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw ClipsAppError(
                "CLIPS_NOW is '\(text)', which is no time; write 2026-11-03T12:00:00Z or unix seconds.")
        }
        return AppClock(pinned: date)
    }

    var isPinned: Bool { pinned != nil }

    var now: Date {
        pinned ?? Date(timeIntervalSince1970: Double(StoreOptions.systemMilliseconds()) / 1000)
    }
}

/// Why the app could not start or a script could not go on, as a sentence.
package struct ClipsAppError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
