import ClipsCore
import Platform
import Terminal

/// The mode of `clips pick`: a key ends the app with the chosen clips on standard output.
package struct Pick: Hashable, Sendable {
    /// The filter to begin with.
    package var words: String
    package var form: CopyForm
    /// Whether several clips can be chosen.
    package var isSeveral: Bool

    package init(words: String = "", form: CopyForm = .url, isSeveral: Bool = false) {
        (self.words, self.form, self.isSeveral) = (words, form, isSeveral)
    }
}

/// The end of a pick: its exit status and output.
struct Picked: Hashable, Sendable {
    var status: Int32
    var text = ""
    /// A sentence for standard error about chosen clips that are not in the text.
    var remark = ""

    static let nothing = Picked(status: 1)
    static let interrupted = Picked(status: 130)
}

extension AppState {
    mutating func begin(_ pick: Pick) {
        self.pick = pick
        settings.config.bind(.enter, to: .pick)
        beginFilter()
        guard !pick.words.isEmpty else { return }
        prompt?.fill(pick.words)
        if let prompt { textChanged(in: prompt) }
    }

    /// Requests the chosen clips, with which the app ends: the marked ones in the order of marking, as `fzf` does.
    mutating func choose() {
        guard let pick else { return }
        let ids = pick.isSeveral && actsOnMarks ? list.marks.inOrder : target.map { [$0.id] } ?? []
        typing.awaitedQuestion = .choice
        emit(.gather(ids, nil, .pick(pick.form)))
    }

    /// Ends with the chosen clips, or lets the user choose others: what is typed next is no action on the list.
    mutating func finishPick(_ clips: [Clip], of ids: [Int64], _ form: CopyForm) {
        let text = form.text(clips, isList: false)
        let part = form == .url ? "URL" : "text"
        guard text.isEmpty else {
            return emit(.finish(Picked(status: 0, text: text, remark: remark(clips, of: ids, form, part))))
        }
        if opens(.choice) { beginFilter() }
        guard !clips.isEmpty else { return report(alreadyDeleted(ids)) }
        report("\(clips.count == 1 ? "\(name(of: clips[0])) has no" : "None of the clips has a") \(part).")
    }

    /// The sentence about chosen clips that are not printed.
    private func remark(_ clips: [Clip], of ids: [Int64], _ form: CopyForm, _ part: String) -> String {
        let left = clips.filter { !form.has($0) }
        let (count, deleted) = (ids.count.grouped, ids.count - clips.count)
        var remarks: [String] = []
        if left.count == 1, !left[0].title.isEmpty {
            remarks = ["\(name(of: left[0])) has no \(part)."]
        } else if !left.isEmpty {
            remarks = [
                "\(left.count.grouped) of the \(count) clips \(left.count == 1 ? "has" : "have") no \(part)."
            ]
        }
        if deleted > 0 {
            remarks.append(
                "\(deleted.grouped) of the \(count) clips \(deleted == 1 ? "is" : "are") already deleted.")
        }
        return remarks.joined(separator: " ")
    }

    /// The effect of Esc in a list without a match.
    var wayOut: String {
        pick != nil && prompt?.kind == .filter
            ? "\(KeyMap.shown(.escape)) leaves without a clip."
            : "\(keys.name(of: .back)) shows all clips."
    }

    /// The reason why an action is unavailable because of, or without, a pick.
    func pickUnavailabilityReason(of action: Action) -> String? {
        switch action {
        case .pick where pick == nil: "Only 'clips pick' prints a choice."
        case .mark where !reader.hasFocus, .range:
            pick?.isSeveral == false ? "Use 'clips pick --multi' to choose several clips." : nil
        default: nil
        }
    }
}
