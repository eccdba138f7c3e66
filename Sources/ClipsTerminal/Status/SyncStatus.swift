import ClipsCore
import FoundationEssentials
import HistoryTracking
import PersistentStore
import Platform
import Terminal

/// The state of live updates, and the last commit.
struct SyncStatus: Sendable {
    struct Change: Sendable {
        var token: HistoryToken
        var transaction: Int64 { token.number }
        var author: String
        var isOwn = false
        var inserted: Int
        var updated: Int
        var deleted: Int
        var at: Date
        var role = UndoHistory.Role.work
        /// The change, if all clips changed alike.
        var words: ChangeWords?
        /// The only change of the transaction; nil if it has several.
        var line: TransactionSummary.Line?
        /// The changes of a few clips that changed alike, of which the values after them may be alike, too.
        var lines: [TransactionSummary.Line] = []
        /// The title of the clip of that change when it was delivered.
        var title: String?
        /// The step of undo of which the transaction is a part, and the process that makes it.
        var step: [Int64]?
        /// The clips of changes by a writer that marks no transaction, such as the `sqlite3` shell, and what it did with
        /// each; nil for others.
        var loose: [Int64: HistoryChange.Kind]?
        /// Whether other parts of the step may have been too large to be reported. Until the history is counted, the
        /// number of clips is unknown.
        var mayLackParts = false
        /// Whether the history must be counted, since a part may not have been reported.
        var needsCount = false
        /// The last transaction of the step that the history has counted.
        var countedEnd: Int64 = 0

        /// The number of clips that were saved, changed, or deleted.
        func number(of kind: HistoryChange.Kind) -> Int {
            switch kind {
            case .insert: inserted
            case .update: updated
            case .delete: deleted
            }
        }

        fileprivate mutating func count(_ kind: HistoryChange.Kind, _ number: Int) {
            switch kind {
            case .insert: inserted += number
            case .update: updated += number
            case .delete: deleted += number
            }
        }

        /// The title of the only clip that changed, or the words of a quote; nil for several clips, or if it is not
        /// known.
        func name(_ titles: HistoryTitles) -> String? {
            // The words of a quote are in quotation marks.
            line.flatMap { line in
                guard line.clip == 0 else { return titles[line] ?? title }
                return line.title.map { String($0.dropFirst().dropLast()) }
            }
        }

        /// Whether several attributes of the only clip changed.
        func isOfSeveral(_ titles: HistoryTitles) -> Bool {
            line.map { titles.words($0).isOfSeveral } ?? false
        }

        /// Whether a summary has the name, if there is one.
        func isNamed(_ titles: HistoryTitles, maxTitle: Int, cutsWords: Bool) -> Bool {
            name(titles).map { $0.firstWords(columns: maxTitle, cutsWords: cutsWords) != nil } ?? true
        }

        /// `cli starred “Title”`, `you marked 3 clips as read`, or `cli saved 3, changed 1 clip`.
        ///
        /// - Parameters:
        ///   - maxTitle: The maximum number of characters of a title; 0 for none.
        ///   - maxAuthor: The maximum number of columns of the author; 0 to leave it out.
        ///   - isBrief: Whether to use the shortest words for an updated clip.
        ///   - cutsWords: Whether the title may end within a word.
        func summary(
            _ titles: HistoryTitles, maxTitle: Int, maxAuthor: Int, isBrief: Bool = false,
            cutsWords: Bool = false
        ) -> String {
            let author = maxAuthor == 0 ? "" : SafeText.cut(author, to: maxAuthor) + " "
            if let line, line.clip == 0 {
                let words = name(titles)?.firstWords(columns: maxTitle, cutsWords: cutsWords)
                let quote = words.map { ": “\($0)”" } ?? ""
                return "\(author)\(titles.words(line).sentence("a clip"))\(quote)"
            }
            if let line {
                let title = name(titles)?.firstWords(columns: maxTitle, cutsWords: cutsWords)
                if isBrief, line.kind == .update, let title {
                    return titles.words(line).brief("“\(title)”", by: author)
                }
                return "\(author)\(titles.words(line).sentence(title.map { "“\($0)”" } ?? "1 clip"))"
            }
            let count = inserted + updated + deleted
            // Their number is not known before the step ends.
            if mayLackParts, loose?.isEmpty ?? true {
                return "\(author)\((step == nil ? nil : words)?.sentence("… clips") ?? "changed … clips")"
            }
            if let words, !mayLackParts {
                let known = lines.map(titles.words)
                let isAlike = lines.count == count && Set(known.map(\.phrase)).count == 1
                let shown = isAlike ? known[0] : words
                return
                    "\(author)\(shown.sentence(count.counted("clip")))"
            }
            // What an undo did is named by the opposite.
            let verbs = role.isUndo ? ("deleted", "saved") : ("saved", "deleted")
            let prefix = role == .work || role == .restore ? "" : role.isUndo ? "undid: " : "redid: "
            let kinds: [(HistoryChange.Kind, Int, String)] = [
                (.insert, inserted, role == .restore ? "restored" : verbs.0), (.update, updated, "changed"),
                (.delete, deleted, verbs.1),
            ]
            let isWhole = lines.count == count && !mayLackParts
            let more = mayLackParts ? "+" : ""
            let parts = kinds.filter { $0.1 > 0 }.map { kind, number, verb -> (words: String, number: Int?) in
                let line = isWhole && number == 1 ? lines.first { $0.kind == kind } : nil
                let title = line.flatMap { titles[$0] }
                let name = title?.firstWords(columns: maxTitle / 2, cutsWords: cutsWords)
                return name.map { ("\(verb) “\($0)”", nil) } ?? ("\(verb) \(number.grouped)\(more)", number)
            }
            let last = parts.lastIndex { $0.number != nil }
            let noun = parts.last { $0.number != nil }?.number == 1 && !mayLackParts ? " clip" : " clips"
            let words = parts.indices.map { parts[$0].words + ($0 == last ? noun : "") }
            return "\(author)\(prefix)\(words.joined(separator: ", "))"
        }
    }

    var state = TrackingState.stopped {
        didSet { if state == .live || state == .polling { hasBeenLive = true } }
    }
    private(set) var hasBeenLive = false
    private(set) var lastChange: Change?
    /// Whether the last save of this window failed, and no later commit has proven that the store is read.
    var hasFailedSave = false
    /// The progress of the search index; empty when it is complete.
    var indexing = ""
    /// The state of the mirror; empty if all is well.
    var mirror = ""
    /// The number of edits that lost to another machine's.
    var conflicts = 0

    /// The last changes of steps, of which others may come between the parts.
    private var steps: [Change] = []
    /// Whether commits after the last change were not reported.
    private var hasSkipped = false

    private static let maxSteps = 8
    /// The number of clips whose values are compared each time that the line is drawn.
    private static let maxLines = TransactionSummary.maxLines

    /// Notes that commits were too large to be reported, which may be parts of the last steps.
    mutating func skipped() {
        hasSkipped = lastChange != nil
        if lastChange?.step != nil {
            lastChange?.mayLackParts = true
            lastChange?.needsCount = true
        }
        for index in steps.indices { steps[index].mayLackParts = true }
    }

    /// The end of the last change, if its step must be counted.
    var uncounted: HistoryToken? { lastChange.flatMap { $0.needsCount ? $0.token : nil } }

    /// Notes the numbers of the step of a transaction.
    mutating func noteCounts(_ counts: StepCounts, of token: HistoryToken) {
        guard var change = lastChange, change.token == token else { return }
        (change.inserted, change.updated, change.deleted) = (counts.inserted, counts.updated, counts.deleted)
        (change.mayLackParts, change.needsCount, change.countedEnd) = (false, false, counts.end)
        change.words = counts.areAlike ? counts.words ?? change.words : nil
        if counts.inserted + counts.updated + counts.deleted > 1 { change.line = nil }
        remember(change)
    }

    private mutating func remember(_ change: Change) {
        lastChange = change
        guard let step = change.step else { return }
        steps.removeAll { $0.step == step }
        steps.append(change)
        if steps.count > Self.maxSteps { steps.removeFirst() }
    }

    /// Notes the newest commit. The parts of one step, such as an import, count together, and so do the changes of one
    /// statement, each of which is a transaction to the history.
    mutating func note(_ change: Change) {
        var change = change
        if let clips = change.loose, var all = lastChange?.loose, change.author == lastChange?.author,
            abs(change.at.timeIntervalSince(lastChange?.at ?? .distantPast)) < TransactionSummary.maxGap
        {
            // Without a copy: the clips may be thousands, which arrive one by one.
            lastChange?.loose = nil
            guard let last = lastChange else { return }
            change.loose = nil
            (change.inserted, change.updated, change.deleted) = (last.inserted, last.updated, last.deleted)
            for (clip, kind) in clips {
                // A clip that changes again counts once.
                let old = all[clip]
                let new = old == .insert && kind == .update ? .insert : kind
                if let old { change.count(old, -1) }
                change.count(new, 1)
                all[clip] = new
            }
            change.words = change.words == last.words ? last.words : nil
            let both = last.line.flatMap { line in change.line.map { line.followed(by: $0) } }
            change.line = all.count > 1 ? nil : both
            change.loose = all
            change.lines = (last.lines + change.lines).suffix(Self.maxLines + 1)
            change.mayLackParts = change.mayLackParts || last.mayLackParts
        }
        if let step = change.step, let last = steps.last(where: { $0.step == step }) {
            let isCounted = change.transaction <= last.countedEnd
            change.inserted = last.inserted + (isCounted ? 0 : change.inserted)
            change.updated = last.updated + (isCounted ? 0 : change.updated)
            change.deleted = last.deleted + (isCounted ? 0 : change.deleted)
            change.countedEnd = last.countedEnd
            change.words = last.words.flatMap { words in
                change.words?.withoutTags == words.withoutTags ? words : nil
            }
            change.line = nil
            change.mayLackParts = last.mayLackParts
        }
        change.mayLackParts = change.mayLackParts || hasSkipped && change.step != nil
        hasSkipped = false
        // The values after a change of many clips are those of the count.
        let lacksValues = change.lines.isEmpty && change.words?.lacking.isEmpty == false
        change.needsCount =
            change.step != nil || (change.mayLackParts || lacksValues) && change.loose == nil
        remember(change)
    }
}

extension String {
    /// Returns the text, or the first of its words, which fit in a number of columns; nil if none does.
    fileprivate func firstWords(columns: Int, cutsWords: Bool) -> String? {
        let cut = SafeText.cut(self, to: columns)
        // A title may have megabytes.
        guard cut.hasSuffix("…"), cut != SafeText.cut(self, to: columns + 2), !cutsWords else {
            return cut.isEmpty ? nil : cut
        }
        // Some scripts have no spaces between words.
        if cut.unicodeScalars.contains(where: { $0.value >= 0x2E80 }) { return cut }
        if let space = cut.lastIndex(of: " ") { return cut[..<space] + "…" }
        // Addresses have no words.
        return columns >= 12 && cut.contains("://") ? cut : nil
    }
}
