import ClipsCore
import FoundationEssentials
import LiveQuery
import Terminal

/// A question, or an editor, for which something is read first.
enum AwaitedQuestion: Hashable, Sendable {
    case searches
    case note(Int64), deletion(Int64), edit(Int64)
    case undo(UndoSteps.Direction)
    case conflicts
    /// The line of the filter again, if the chosen clip has nothing to print.
    case choice

    /// Whether it is of any screen, not of the list.
    fileprivate var isOfAnyScreen: Bool {
        switch self {
        case .undo, .conflicts: true
        case .searches, .note, .deletion, .edit, .choice: false
        }
    }
}

/// The state of typing: a number before a key, keys that wait, and the words for completion.
struct Typing: Sendable {
    /// The number typed before a key.
    var count: Int?
    /// The time when the link of the number opens, unless another key follows.
    var linkDue: Date?
    /// The first keys of a sequence.
    var pressed: [Key] = []
    /// The filters typed earlier, and the saved searches.
    var filters = FilterMemory()
    /// Keys that wait for a list that is still loading.
    var ahead: [TypedKey] = []
    /// Whether an action on clips waits for them, or for a program. Later actions of its key wait, too.
    var awaitsResult = false
    /// The number of the key with several actions that is being performed, whose work is undone together.
    private(set) var group: Int?
    private var groups = 0
    var commands = CommandHistory()
    var names = KnownNames()
    /// A question that opens once the store has read what it shows. Keys wait for it.
    var awaitedQuestion: AwaitedQuestion?

    /// Whether the marks are those of the rows that a key with several actions means.
    var marksRows = false

    mutating func beginGroup() {
        groups += 1
        group = groups
    }

    /// Ends the group of a key, unless its actions wait.
    mutating func endGroup() {
        if !ahead.contains(where: \.isBinding) { group = nil }
    }

    /// Discards the later actions of a key when one fails, or when the user has closed its question.
    mutating func endActions() {
        ahead.removeAll(where: \.isBinding)
    }
}

extension AppState {
    mutating func handle(_ key: Key) {
        switch key {
        case .mouse(let action, let position): return handle(action, at: position)
        case .resize, .unknown: return
        default: break
        }
        message = nil
        // Its last action may be a question, which this key answers.
        if prompt == nil, menu == nil { typing.endGroup() }
        typing.linkDue = nil
        history.opensWhenLoaded = false
        let earlier = typing.pressed
        typing.pressed = []
        if pick != nil, key == .control("c") { return emit(.finish(.interrupted)) }
        if prompt != nil { return handleInPrompt(key) }
        if menu != nil { return handleInMenu(key) }
        if !earlier.isEmpty, key == .escape || key == .control("c") {
            typing.count = nil
            return
        }
        if earlier.isEmpty, case .character(let character) = key, let digit = character.wholeNumberValue,
            character.isASCII, digit > 0 || typing.count != nil
        {
            typing.count = min((typing.count ?? 0) * 10 + digit, 999_999_999)
            openTypedLink()
            return
        }
        let pressed = earlier + [key]
        if !keys.continuations(of: pressed).isEmpty {
            typing.pressed = pressed
            return
        }
        let count = typing.count
        typing.count = nil
        if case .paste(let text) = key {
            if let reason = saving.unavailabilityReason { return report(reason) }
            screen = .list
            prompt = Prompt(kind: .add, text: text)
        } else if case .pasteCut = key {
            report("The paste was too long and was cut off.", isError: true)
        } else if let binding = keys[pressed] {
            perform(binding, count: count)
        } else {
            report("\(KeyMap.shown(pressed)) is not bound · \(keys.name(of: .help)) lists the keys")
        }
    }
}

extension AppState {
    /// Ends the wait for a question, and returns whether it may open: Esc may have canceled it, or the outcome of a save
    /// has opened another one.
    mutating func opens(_ question: AwaitedQuestion) -> Bool {
        guard typing.awaitedQuestion == question else { return false }
        guard prompt == nil, menu == nil, screen == .list || question.isOfAnyScreen else {
            cancelAwaitedQuestion()
            return false
        }
        typing.awaitedQuestion = nil
        return true
    }

    /// Opens no question, and discards the keys that waited for it, which are no actions in the list.
    mutating func cancelAwaitedQuestion() {
        if typing.awaitedQuestion != nil { typing.ahead = [] }
        typing.awaitedQuestion = nil
    }

    /// Opens the editor. The keys that waited for it were meant for its text.
    mutating func edit(_ clip: Clip) {
        typing.ahead.removeAll { !$0.isBinding }
        emit(.edit(form: ClipForm(clip).text, clip))
    }

    mutating func open() {
        switch screen {
        case .help: runHelpEntry()
        case .history: openInHistory()
        case .output: leaveScreen()
        case .list, .consumers, .errors, .conflict:
            reader.hasFocus = true
            if let id = reader.id { markAsOpened([id]) }
        }
    }

    mutating func switchPane() {
        if screen == .history { history.switchPane() } else { reader.hasFocus.toggle() }
    }

    mutating func toggleZoom() {
        let before = layout.arrangement
        reader.isZoomed.toggle()
        guard layout.arrangement == before else { return }
        reader.isZoomed.toggle()
        report("The list and the clip share a larger screen only.")
    }

    mutating func toggleWrapping() {
        reader.isWrapped.toggle()
        report(reader.isWrapped ? "Lines are wrapped." : "Lines are not wrapped; ← → scroll them.")
    }

    mutating func promptForCommand(_ text: String = "") {
        prompt = Prompt(kind: .command, text: text, clip: target?.id)
        emit(.loadNames)
    }

    mutating func toggleErrors() {
        screen = screen == .errors ? .list : .errors
        page.moveToStart()
    }

    mutating func toggleMouse() {
        settings.isMouseOn.toggle()
        try? settings.config.set(Setting.mouse.rawValue, settings.isMouseOn ? "on" : "off")
        emit(.setMouse(settings.isMouseOn))
        report(settings.isMouseOn ? "The mouse moves the cursor." : "The mouse selects text in the terminal.")
    }

    mutating func quitOrReturn() {
        if screen != .list {
            leaveScreen()
        } else if reader.hasFocus {
            // Identical at any width, although a wide screen still shows the list.
            reader.hasFocus = false
        } else if saving.count > 0, !saving.isQuitting {
            saving.isQuitting = true
            report("Saving; \(keys.name(of: .quit)) again quits now and may lose the last change.")
        } else {
            emit(.quit)
        }
    }

    mutating func leaveScreen() {
        if screen == .consumers, consumers.isOfHistory { return showHistory() }
        screen = screen == .help && help.origin != .conflict ? help.origin : .list
    }

    mutating func goBack() {
        guard typing.awaitedQuestion == nil else { return cancelAwaitedQuestion() }
        switch screen {
        case .history where history.isInChanges: history.isInChanges = false
        case .history where !history.filter.isEmpty: filterHistory("")
        case .help where !help.filter.isEmpty: help.filter = ""
        case .help, .history, .consumers, .errors, .conflict, .output: leaveScreen()
        case .list: goBackInList()
        }
    }

    private mutating func goBackInList() {
        if list.marks.range != nil {
            list.marks.dropRange()
        } else if reader.hasFocus, reader.range != nil {
            reader.toggleRange()
        } else if reader.hasFocus {
            reader.hasFocus = false
        } else if !list.marks.isEmpty {
            list.marks.clear()
        } else if reader.isZoomed {
            reader.isZoomed = false
        } else if !list.query.filter.isEmpty {
            // A position in the order of relevance is none in another order.
            show(ClipQuery(sort: list.query.sort), aroundClip: list.clips.selectedID)
        } else if pick != nil {
            emit(.quit)
        } else {
            report("\(keys.name(of: .quit)) quits.")
        }
    }
}
