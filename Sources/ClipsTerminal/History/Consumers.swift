import ClipsCore
import FoundationEssentials
import Mirroring

/// The consumers of the history, the next purge, and the machines of the mirror, as the screen shows them.
struct ConsumersState: Sendable {
    private(set) var preview: CleaningPreview?
    private(set) var machines: [MirrorMachine] = []
    /// The time of the next request while the screen is shown, since cursors move without a commit.
    var refreshDue: Date?
    /// Whether the history was open before.
    var isOfHistory = false

    mutating func show(_ preview: CleaningPreview, _ machines: [MirrorMachine], at now: Date) {
        (self.preview, self.machines) = (preview, machines)
        refreshDue = now + 2
    }
}

extension AppState {
    mutating func toggleConsumers() {
        guard screen != .consumers else { return leaveScreen() }
        consumers.isOfHistory = screen == .history
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
