import ClipsCore
import PersistentStore
import Terminal

extension AppState {
    /// Why an action cannot be done now, on this screen or another; nil when it can. Help and keys ask the same.
    func obstacle(to action: Action, on other: Screen? = nil) -> String? {
        let screen = other ?? screen
        if action.saves, let obstacle = saving.obstacle { return obstacle }
        switch action {
        case .down, .up, .first, .last, .halfPageDown, .halfPageUp, .pageDown, .pageUp, .back, .undo, .redo,
            .history, .help, .command, .set, .toggleMouse, .redraw, .suspend, .quit, .consumers:
            return nil
        case .errors: return config.errors.isEmpty ? "The config file has no errors." : nil
        case .restore: return obstacleToRestoring(on: screen)
        case .filter where screen == .help || screen == .history: return nil
        case .open where screen == .help || screen == .history: return nil
        case .switchPane where screen == .history:
            return history.selectedTransaction == nil ? "There are no changes here." : nil
        default: break
        }
        guard screen == .list else {
            return "\(keys.name(of: .back)) goes back to the list, where that can be done."
        }
        return obstacleOnList(to: action)
    }

    private func obstacleOnList(to action: Action) -> String? {
        switch action {
        case .wrap, .zoom, .filter, .sort, .follow, .pause, .add: return nil
        case .nextMatch, .previousMatch:
            guard query.filter.isEmpty, lastWords.isEmpty else { return nil }
            return "Nothing was looked for; \(keys.name(of: .filter)) looks for words."
        default: break
        }
        guard target != nil || actsOnMarks else {
            return "There is no clip here; \(keys.name(of: .add)) adds one."
        }
        switch action {
        case .left, .right:
            return detail.isWrapped
                ? "The lines are wrapped; \(keys.name(of: .wrap)) shows them as they are." : nil
        case .browseHere where targetURL.isEmpty: return "This clip has no address to open."
        case .browse where targetURL.isEmpty && !actsOnMarks: return "This clip has no address to open."
        case .star, .toggleUnread, .delete, .tag, .copy, .browse:
            return marks.isGathering && actsOnMarks ? "The range is still being gathered; try again." : nil
        default: return nil
        }
    }

    private func obstacleToRestoring(on screen: Screen) -> String? {
        guard screen == .history else {
            return "\(keys.name(of: .history)) shows the history; what was deleted is brought back there."
        }
        guard let transaction = history.selectedTransaction else { return "There is nothing in the history." }
        if let change = history.selectedChange {
            if change.kind != .delete { return "This change deleted nothing." }
            return change.exists ? "That clip is there already." : nil
        }
        return transaction.deleted == 0 ? "This transaction deleted nothing." : nil
    }
}
