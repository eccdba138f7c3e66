import FoundationEssentials
import HistoryTracking
import LiveQuery
import PersistentStore
import Terminal

/// The state of live updates, and the last commit.
extension StatusLine {
    func rightParts(
        maxTitle: Int, maxAuthor: Int = .max, isBrief: Bool = false, hasAge: Bool = true,
        cutsWords: Bool = false
    ) -> [StyledRun] {
        var parts: [StyledRun] = []
        switch state.sync.state {
        case .stopped: parts.append(StyledRun(state.list.clips.isLoaded ? "…" : "opening…", theme[.muted]))
        case .live where state.sync.hasFailedSave:
            parts.append(StyledRun("last save failed", theme[.warning]))
        case .live where state.list.pause == nil: parts.append(StyledRun("live", theme[.live]))
        // The left side shows the pause.
        case .live: break
        case .polling: parts.append(StyledRun("polling (no file events)", theme[.warning]))
        case .storeReplaced: return [StyledRun("not live", theme[.error])]
        case .failing(.store(let error)) where state.sync.hasBeenLive && error.isOfWriting:
            // Commits are read before the position in the history is saved.
            parts.append(StyledRun("live, but the store is not writable", theme[.warning]))
        case .failing(let error): return [StyledRun("not live: \(error)", theme[.error])]
        }
        if state.saving.unavailabilityReason != nil {
            parts.insert(StyledRun("read only", theme[.warning]), at: 0)
        }
        if !state.sync.indexing.isEmpty { parts.append(StyledRun(state.sync.indexing, theme[.warning])) }
        if state.sync.conflicts > 0 {
            let name = state.sync.conflicts == 1 ? "conflict" : "conflicts"
            let key = state.keys.name(of: .conflicts)
            parts.append(StyledRun("\(state.sync.conflicts) \(name): \(key)", theme[.warning]))
        }
        if !state.sync.mirror.isEmpty { parts.append(StyledRun(state.sync.mirror, theme[.warning])) }
        // The message says the same of an own change, once all parts of it are saved.
        if let change = state.sync.lastChange,
            !change.isOwn || state.message == nil && !state.saving.isSlow(at: state.now)
        {
            let summary = change.summary(
                state.history.titles, maxTitle: maxTitle, maxAuthor: maxAuthor, isBrief: isBrief,
                cutsWords: cutsWords)
            let age = hasAge ? ", \(Age(of: change.at, at: state.now).sentence)" : ""
            parts.append(StyledRun(summary + age, theme[.muted]))
        }
        return parts
    }

    /// Returns the right parts with the longest author that fits. The number of clips is not cut off.
    func untitledParts(fitting width: Int) -> [StyledRun] {
        for maxAuthor in [40, 24, 16, 10] {
            let parts = rightParts(maxTitle: 0, maxAuthor: maxAuthor)
            if self.width(parts) <= width { return parts }
        }
        let parts = rightParts(fitting: width)
        return self.width(parts) <= width ? parts : parts.filter { $0.style != theme[.muted] }
    }

    /// Whether the right parts have who changed what, at least with the beginning of the title.
    func isWhole(_ right: [StyledRun]) -> Bool {
        let (change, titles) = (state.sync.lastChange, state.history.titles)
        return stride(from: 60, through: 8, by: -4).contains { maxTitle in
            change?.isNamed(titles, maxTitle: maxTitle, cutsWords: false) != false
                && [true, false].contains { right == rightParts(maxTitle: maxTitle, hasAge: $0) }
        }
    }

    /// A form of the last change.
    private struct Form {
        var maxAuthor = Int.max
        var isBrief = false
        var hasAge = false
        var cutsWords = false
        /// The least columns of a title.
        var least = 8
        /// Whether it is for own changes, in which "you" says the least.
        var isOwn = false
        /// Whether it is for several attributes, of which "changed" says enough.
        var isOfSeveral = false
    }

    /// What happened to which clip is more important than the age, a whole word, and the author.
    private static let forms = [
        Form(hasAge: true), Form(), Form(maxAuthor: 0, isOwn: true),
        Form(isBrief: true, hasAge: true, isOfSeveral: true), Form(isBrief: true, isOfSeveral: true),
        Form(cutsWords: true), Form(maxAuthor: 0, cutsWords: true),
        Form(cutsWords: true, least: 4), Form(isBrief: true, cutsWords: true),
        Form(maxAuthor: 0, isBrief: true, cutsWords: true),
    ]

    /// Returns the right parts, with the longest title that fits.
    func rightParts(fitting width: Int) -> [StyledRun] {
        let (change, titles) = (state.sync.lastChange, state.history.titles)
        let (isOwn, isOfSeveral) = (change?.isOwn == true, change?.isOfSeveral(titles) == true)
        for form in Self.forms where (!form.isOwn || isOwn) && (!form.isOfSeveral || isOfSeveral) {
            for maxTitle in stride(from: 60, through: form.least, by: -4) {
                let isNamed = change?.isNamed(titles, maxTitle: maxTitle, cutsWords: form.cutsWords) ?? true
                guard isNamed else { continue }
                let parts = rightParts(
                    maxTitle: maxTitle, maxAuthor: form.maxAuthor, isBrief: form.isBrief, hasAge: form.hasAge,
                    cutsWords: form.cutsWords)
                if self.width(parts) <= width { return parts }
            }
        }
        let parts = rightParts(maxTitle: 0)
        guard !state.sync.mirror.isEmpty, self.width(parts) > width else { return parts }
        // The last parts are omitted, and "live" alone would hide the problem of the mirror.
        let mirror = parts.filter { $0.text == state.sync.mirror }
        return mirror + parts.filter { $0.text != state.sync.mirror && $0.text != "live" }
    }
}

extension StoreError {
    /// Whether the error concerns writing only.
    fileprivate var isOfWriting: Bool {
        switch self {
        case .busy, .full, .notWritable: true
        default: false
        }
    }
}
