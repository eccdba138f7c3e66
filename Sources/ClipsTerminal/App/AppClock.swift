import FoundationEssentials
import PersistentStore
import Platform

/// The clock of the app. CLIPS_NOW pins it, so that the output of a script is reproducible.
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
                "Invalid time CLIPS_NOW='\(text)'. Use 2026-11-03T12:00:00Z or Unix seconds.")
        }
        return AppClock(pinned: date)
    }

    var isPinned: Bool { pinned != nil }

    var now: Date {
        pinned ?? Date(timeIntervalSince1970: Double(StoreOptions.systemMilliseconds()) / 1000)
    }
}

/// The failure of the start of the app, or of a script.
package struct ClipsAppError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
