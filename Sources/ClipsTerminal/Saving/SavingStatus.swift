import ClipsCore
import FoundationEssentials
import LiveQuery
import PersistentStore
import Platform

/// The app's own commits that the list does not show yet.
struct SavingStatus: Sendable {
    /// The reason why nothing can be saved; nil when it can.
    var unavailabilityReason: String?
    private(set) var count = 0
    private var since: Date?
    /// The process that has held the write lock for long.
    private(set) var writer: String?
    private var nextWriterRequest: Date?
    /// The clips that the work under way removes from the list.
    private(set) var leaving: Set<Int64> = []
    /// Whether the user has moved the cursor since the last work began, so that its result must not move it.
    var hasMoved = false
    /// The groups of the works under way, in their order.
    private var groups: [Int?] = []
    /// The works that the last message reports, if they are of one group, what else their key reported, and the text.
    var reported: (group: Int?, works: [Reported], more: String?, text: String)?
    /// Whether the app quits after the last save.
    var isQuitting = false

    struct Reported: Sendable {
        /// `Undone: `, `Redone: `, or empty.
        let verb: String
        var summary: String
        /// The only clip that it changes, if that is known.
        var clip: Int64?
    }

    /// Seconds until a save is shown as slow.
    private static let patience = 0.3
    private static let writerPatience = 0.8

    func isSlow(at now: Date) -> Bool {
        since.map { now.timeIntervalSince($0) >= Self.patience } ?? false
    }

    func noticeDue(at now: Date) -> Date? {
        since.flatMap { isSlow(at: now) ? nextWriterRequest : $0 + Self.patience }
    }

    mutating func begin(_ work: Work, of group: Int?, at now: Date) {
        count += 1
        groups.append(group)
        leaving.formUnion(work.leaving)
        hasMoved = false
        if since == nil { wait(from: now) }
    }

    /// Returns the group of the oldest work, which has ended.
    mutating func end(at now: Date) -> Int? {
        count -= 1
        if count == 0 { leaving = [] }
        wait(from: count == 0 ? nil : now)
        return groups.isEmpty ? nil : groups.removeFirst()
    }

    private mutating func wait(from start: Date?) {
        since = start
        writer = nil
        nextWriterRequest = start.map { $0 + Self.writerPatience }
    }

    /// Returns whether to look up the lock holder now, at most once a second.
    mutating func requestsWriter(at now: Date) -> Bool {
        guard let due = nextWriterRequest, due <= now else { return false }
        nextWriterRequest = now + 1
        return true
    }

    mutating func setWriter(_ name: String?) { writer = count > 0 ? name : nil }
}

extension AppState {
    mutating func start(_ work: Work) {
        var work = work
        if screen == .list, let saved = list.pause?.saved, work.chosen.contains(where: saved.contains) {
            let ids = work.chosen
            work.removeClips(saved)
            guard !work.chosen.isEmpty else { return report(Work.deleted(ids, chosenTitle), isError: true) }
        }
        saving.begin(work, of: typing.group, at: now)
        list.marks.change(work.chosen)
        emit(.work(work))
    }

    mutating func finish(_ work: Work, _ outcome: Work.Outcome) {
        let group = saving.end(at: now)
        switch outcome {
        case .done(let token, let clips, let summary, var remark):
            let hidden = work.chosen.count(where: list.marks.hidden.contains)
            if hidden > 0 { remark = "\(hidden.grouped) not shown" }
            if token != nil { sync.hasFailedSave = false }
            finish(work, clips)
            report(work, token, summary ?? work.summary, remark: remark, of: group)
        case .failed(let sentence):
            sync.hasFailedSave = true
            undoSteps.restore(work)
            fail(sentence)
        case .impossible(let sentence):
            fail(sentence, after: group)
        case .duplicate(let draft, let clip, let title): askAboutDuplicate(draft, clip, title)
        case .conflict(let stored):
            undoSteps.waiting = []
            if case .edit(let base, let changes, _, let form) = work {
                ask(.edit(EditConflict(base: base, stored: stored, changes: changes, form: form)))
            }
        case .contested(let conflict):
            undoSteps.waiting = []
            ask(.undo(UndoQuestion(work: work, conflict: conflict)))
        }
        history.invalidate()
        runWaitingUndo()
        if saving.isQuitting, saving.count == 0 { emit(.quit) }
    }

    /// Fails after earlier actions of the key, which may be the reason.
    private mutating func fail(_ sentence: String, after group: Int?) {
        guard isReported(group), let earlier = saving.reported else { return fail(sentence) }
        let rest = sentence.replacing(" Nothing was changed.", with: "")
        let whole = Self.joined([earlier.text, rest])
        message = nil
        fail(whole)
        saving.reported = (group, earlier.works, Self.joined([earlier.more, rest]), whole)
    }

    private mutating func fail(_ sentence: String) {
        report(sentence, isError: true)
        // The others are of changes that are still being saved.
        undoSteps.waiting = Array(undoSteps.waiting.prefix(saving.count))
        saving.isQuitting = false
    }

    private mutating func finish(_ work: Work, _ clips: [Int64]) {
        // The first of them in the list, as the user chose them.
        let ids = clips.count > 1 ? Set(clips) : []
        let first = list.clips.rows.first { ids.contains($0.id) }?.id ?? clips.first
        if !saving.hasMoved, let id = first, !list.clips.select(id: id), list.feed.isLoading {
            list.feed.pendingSelection = PendingSelection(id: id)
        }
        if case .delete(let ids, _) = work { list.marks.remove(ids, isOwn: true) }
        if let form = work.form { emit(.removeFile(form)) }
    }

    private mutating func report(
        _ work: Work, _ token: HistoryToken?, _ summary: String, remark: String?, of group: Int?
    ) {
        let undoHint = "\(keys.name(of: .undo)) to undo"
        switch work {
        case .open: return
        case .revert(_, let direction, .keepTheirs) where token == nil:
            undoSteps.setAside(work)
            report("Nothing was \(direction.participle): \(summary) · later changes of others remain")
        case .revert(let step, let direction, _):
            // A key may undo several changes, and undo may be of several works of a key.
            let group = group ?? step.group
            if let token {
                undoSteps.add(step, direction, savedAs: token, summary)
                let hint = direction == .undo ? "\(keys.name(of: .redo)) to redo" : undoHint
                let verb = "\(direction.participle.sentence): "
                let reported = SavingStatus.Reported(verb: verb, summary: summary, clip: step.clip)
                report(reported, remark, hint, of: group)
            } else {
                undoSteps.setAside(work)
                if !isReported(group) { report(Self.nothing(to: direction, summary, remark)) }
            }
            continueGroup(of: step, direction)
        default:
            guard let token else {
                guard !isReported(group) else { return }
                report(summary.sentence)
                if message?.isError != true { saving.reported = message.map { (group, [], nil, $0.text) } }
                return
            }
            let clip = work.chosen.count == 1 ? work.chosen[0] : nil
            undoSteps.addWork(UndoStep(token: token, summary: summary, clip: clip, group: group))
            let reported = SavingStatus.Reported(verb: "", summary: summary, clip: clip)
            report(reported, remark, undoHint, of: group)
        }
    }

    /// Whether the message reports other work of a group.
    private func isReported(_ group: Int?) -> Bool {
        group != nil && saving.reported?.group == group && saving.reported?.text == message?.text
    }

    /// Reports work together with the work of its group, and with what else the group has reported.
    private mutating func report(
        _ work: SavingStatus.Reported, _ remark: String?, _ hint: String, of group: Int?
    ) {
        let isReported = isReported(group)
        let isError = message?.isError == true
        let other = isReported || group == nil || group != typing.group || isError ? nil : message?.text
        // An error may have replaced the message about earlier work.
        let continues = isReported || isError && group != nil && saving.reported?.group == group
        var works = continues ? saving.reported?.works ?? [] : []
        // A key may undo its own work.
        if !work.verb.isEmpty,
            let own = works.lastIndex(where: { $0.verb != work.verb && $0.summary == work.summary })
        {
            works.remove(at: own)
        }
        works.append(work)
        let isAlike = works.allSatisfy { $0.verb == work.verb }
        let all =
            isAlike
            ? work.verb + Self.namedOnce(works).joined(separator: ", ")
            : Self.joined(works.map { ($0.verb + $0.summary).sentence })
        // Of a message that has an error already, that alone.
        let isJoined = isReported || isError && saving.reported?.text == message?.text
        let more = isJoined ? saving.reported?.more : isError ? message?.text : nil
        let text = Self.joined([all.sentence, remark, hint, other, more])
        message = Message(text: text, isError: isError, at: now)
        saving.reported = (group, works, more, text)
    }

    /// Returns the summaries of works of which the later ones do not repeat the title of the same clip in the first one.
    private static func namedOnce(_ works: [SavingStatus.Reported]) -> [String] {
        guard let first = works.first, let clip = first.clip,
            let start = first.summary.firstIndex(of: "“"), let end = first.summary.lastIndex(of: "”"),
            start < end
        else { return works.map(\.summary) }
        let title = first.summary[start...end]
        return [first.summary]
            + works.dropFirst().map { work in
                work.clip == clip
                    ? work.summary.replacing(title, with: "it", maxReplacements: 1) : work.summary
            }
    }

    private static func joined(_ parts: [String?]) -> String {
        parts.compactMap(\.self).joined(separator: " · ")
    }

    static func nothing(
        to direction: UndoSteps.Direction, _ summary: String, _ remark: String?
    ) -> String {
        guard let remark else { return "Already \(direction.participle): \(summary)" }
        return joined(["Nothing to \(direction.rawValue): \(summary)", remark])
    }
}

extension Work {
    /// The clips that are not in the list after the work.
    fileprivate var leaving: [Int64] {
        switch self {
        case .delete(let ids, _), .toggle(.archived, _, let ids, _): ids
        default: []
        }
    }
}
