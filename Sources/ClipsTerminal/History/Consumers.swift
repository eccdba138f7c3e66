import ClipsCore
import FoundationEssentials

/// The consumers of the history, and the next purge, as the screen shows them.
struct ConsumersState: Sendable {
    private(set) var preview: CleaningPreview?
    /// The time of the next request while the screen is shown, since cursors move without a commit.
    var refreshDue: Date?

    mutating func show(_ preview: CleaningPreview, at now: Date) {
        self.preview = preview
        refreshDue = now + 2
    }
}

extension AppState {
    mutating func toggleConsumers() {
        guard screen != .consumers else { return showHistory() }
        screen = .consumers
        page.moveToStart()
        emit(.loadConsumers)
    }

    mutating func refreshConsumers() {
        guard screen == .consumers, let due = consumers.refreshDue, due <= now else { return }
        consumers.refreshDue = nil
        emit(.loadConsumers)
    }
}
