import ClipsCore
import LiveQuery

extension AppState {
    /// The sentence for an action on a clip in an empty list.
    var missingClip: String {
        "There is no clip here; \(pick == nil ? "\(keys.name(of: .add)) adds one." : wayOut)"
    }

    /// Returns the reason why an action is unavailable, on this screen or another; nil when it is available.
    func unavailabilityReason(of action: Action, on other: Screen? = nil) -> String? {
        let (entry, screen) = (ActionTable[action], other ?? screen)
        if entry.saves, let reason = saving.unavailabilityReason { return reason }
        if entry.scope != .anywhere, !entry.otherScreens.contains(screen) {
            guard screen == .list else {
                return "Not available here; \(keys.name(of: .back)) returns to the list."
            }
            if entry.needsClip, target == nil, !actsOnMarks {
                return missingClip
            }
        }
        if let reason = pickUnavailabilityReason(of: action) { return reason }
        if let reason = entry.unavailabilityReason?(self, screen) { return reason }
        return entry.scope == .clips && list.marks.isGathering && actsOnMarks
            ? "The marked clips are still loading; try again." : nil
    }

    mutating func perform(_ binding: Binding, count: Int?) {
        if !binding.next.isEmpty, unavailabilityReason(of: binding.action) == nil {
            if isForRows(ActionTable[binding.action], count) {
                // All actions mean the same clips.
                guard markRows(count: count ?? 1) else { return }
                typing.marksRows = true
                return perform(binding, count: nil)
            }
            typing.beginGroup()
            // Each waits, as a key does, for the list that the one before it leaves.
            // All mean the clip under the cursor, up to one that moves it.
            var row = actsOnMarks && !typing.marksRows ? nil : target?.row
            let waiting = binding.next.map { next in
                defer { if ActionTable[next.action].scope != .clips { row = nil } }
                return TypedKey.binding(next, of: row)
            }
            let moves = ActionTable[binding.action].scope != .clips
            typing.ahead.insert(
                contentsOf: moves ? binding.next.map { .binding($0, of: nil) } : waiting, at: 0)
        }
        if unavailabilityReason(of: binding.action) != nil { typing.endActions() }
        guard let argument = binding.argument else { return perform(binding.action, count: count) }
        perform(binding.action, argument: argument)
    }

    /// Returns whether an action was meant for marked clips that others deleted, after the first key since then.
    private mutating func isForLostMarks(_ entry: ActionTable.Entry) -> Bool {
        guard list.marks.areLost, screen == .list, !reader.hasFocus else { return false }
        list.marks.areLost = false
        let isForMarks = entry.scope == .clips
        let subject = list.marks.lostTitle.map { "\(Clip.quoted($0)) is" } ?? "The marked clips are"
        report("\(subject) already deleted.\(isForMarks ? " Nothing was changed." : "")", isError: true)
        return isForMarks
    }

    /// Performs an action with the text after its name.
    mutating func perform(_ action: Action, argument: String) {
        let entry = ActionTable[action]
        guard let performArgument = entry.performArgument else {
            return report("':\(action.rawValue)' has no argument.", isError: true)
        }
        // Where the store cannot be written, the text of ':add' is still retained.
        if action != .add, let reason = unavailabilityReason(of: action) { return report(reason) }
        if isForLostMarks(entry) { return }
        if entry.scope == .clips, actsOnMarks { list.marks.closeRange() }
        if entry.needsClip { list.clips.holdSelection() }
        do {
            try performArgument(&self, argument)
        } catch {
            report("\(error)", isError: true)
        }
    }

    mutating func perform(_ action: Action, count: Int?) {
        if action == .pick, pick != nil, screen == .list, target == nil, !actsOnMarks {
            // The filter can be changed.
            beginFilter()
            return report(missingClip)
        }
        if let reason = unavailabilityReason(of: action) { return report(reason) }
        let entry = ActionTable[action]
        if isForLostMarks(entry) { return }
        if entry.scope == .clips, actsOnMarks { list.marks.closeRange() }
        if entry.needsClip { list.clips.holdSelection() }
        guard isForRows(entry, count) else { return entry.perform(&self, count) }
        guard markRows(count: count ?? 1) else { return }
        entry.perform(&self, nil)
        list.marks.clear()
    }

    /// Whether an action means a number of rows from the cursor on.
    private func isForRows(_ entry: ActionTable.Entry, _ count: Int?) -> Bool {
        entry.scope == .clips && !actsOnMarks && !reader.hasFocus && count ?? 1 > 1
    }

    /// Removes the marks of the rows that a key with several actions meant, after the last of them.
    mutating func endRows() {
        guard typing.marksRows, !typing.ahead.contains(where: \.isBinding) else { return }
        typing.marksRows = false
        list.marks.clear()
    }
}
