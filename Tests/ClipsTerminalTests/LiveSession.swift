import Foundation
import LiveQuery
import Terminal
import TestSupport

@testable import ClipsCore
@testable import ClipsTerminal

/// A step of a session: a key, a commit of another process, or the arrival of a message.
enum SessionStep {
    case press(Key)
    case resize(Size)
    /// A commit that depends on the seed and on the clips on the screen.
    case commit(UInt64)
    case deliver
    case refresh
    case work(queue: Int, UInt64)
    case receive
    case pass(seconds: Double)
    /// All pending messages arrive.
    case drain
    case suspend
}

struct Broken: Error {
    let sentence: String
}

/// The app's state with a simulated user and store.
struct LiveSession {
    typealias Mail = SimulatedWorker.Mail

    var state: AppState
    var worker = SimulatedWorker()
    var now = noon
    /// The list after the last message; nil while it is not known.
    var rows: [ClipRow]?
    private var random = SeededRandom(seed: 1)
    /// Whether a refresh hid deletions.
    var wasRefreshed = false
    var drawsAll = true
    private var drawn = DrawnFrame()
    /// Whether a message had a clip without its name.
    private var isNameless = false

    init(clips: Int, size: Size = Size(rows: 24, columns: 80), follows: Bool = false) {
        state = AppState(size: size, now: noon, config: ConfigFile("set follow \(follows ? "on" : "off")"))
        var random = SeededRandom(seed: UInt64(clips))
        for _ in 0..<clips {
            worker.store.commit("seed", [worker.store.newID(): worker.store.newItem("seed", using: &random)])
        }
        worker.open()
    }

    mutating func take(_ step: SessionStep) throws(Broken) {
        try perform(step)
        try check(!isNameless, "a message names no clip: \(state.message?.text ?? "")")
    }

    private mutating func perform(_ step: SessionStep) throws(Broken) {
        switch step {
        case .press(let key): try press(key)
        case .resize(let size): try undisturbed(by: Mail(event: .resized(size)))
        case .suspend: try undisturbed(by: Mail(event: .resized(state.size)))
        case .pass(let seconds):
            now += seconds
            try undisturbed(by: Mail(event: .tick))
        case .commit(let seed):
            var random = SeededRandom(seed: seed)
            let favorites = [state.list.clips.selectedID, state.reader.id, state.list.clips.lostID]
                .compactMap(\.self)
            worker.store.interfere(with: favorites + state.list.marks.all.sorted().prefix(3), using: &random)
        case .deliver: worker.deliver()
        case .refresh:
            wasRefreshed = true
            worker.refresh(around: state.list.clips.selectedID)
        case .work(let queue, let seed):
            var random = SeededRandom(seed: seed)
            worker.work(queue, using: &random)
        case .receive: if !worker.mailbox.isEmpty { try receive() }
        case .drain: try drain()
        }
    }

    private mutating func receive() throws(Broken) {
        let mail = worker.mailbox.removeFirst()
        try undisturbed(by: mail)
    }

    /// Passes an event to the state, and performs its effects.
    mutating func handle(_ event: AppEvent) -> [Effect] {
        let effects = state.handle(event, at: now)
        isNameless = isNameless || state.message?.text.contains("“”") == true
        var all = effects
        for effect in effects {
            switch effect {
            case .edit(let form, let clip):
                // The editor changes two forms out of three.
                let isChanged = form.count % 3 != 0
                let text =
                    isChanged ? form.replacing("title: ", with: "title: edited ", maxReplacements: 1) : form
                all += handle(.edited(EditedForm(clip: clip, text: text, path: "form")))
            case .copy: all += handle(.notice("Copied"))
            case .open(_, let clips):
                all += handle(.notice("Opened"))
                all += handle(.pagesOpened(clips))
            case .openHere(_, let clips, let subject):
                isNameless = isNameless || subject.isEmpty
                all += handle(.resized(state.size))
                all += handle(.pagesOpened(clips))
            case .suspend: all += handle(.resized(state.size))
            case .setMouse, .redraw, .quit, .removeFile, .loadConsumers: break
            default: worker.add(effect)
            }
        }
        return all
    }

    /// Delivers all messages, and compares the screen with the store.
    mutating func drain() throws(Broken) {
        for _ in 0..<400 {
            worker.deliver()
            while !worker.mailbox.isEmpty { try receive() }
            for queue in 0..<3 { worker.work(queue, using: &random) }
            if worker.isIdle {
                guard state.list.feed.retryAt != nil else { return try checkAtRest() }
                now += 2
                try undisturbed(by: Mail(event: .tick))
            }
        }
        throw Broken(sentence: "the requests never end")
    }

    func check(_ isRight: Bool, _ sentence: @autoclosure () -> String) throws(Broken) {
        if !isRight { throw Broken(sentence: sentence()) }
    }
}

extension LiveSession {
    /// Checks that the list, the clip, and the count match the store.
    private mutating func checkAtRest() throws(Broken) {
        try checkFrame()
        try check(state.typing.ahead.isEmpty, "keys still wait: \(state.typing.ahead)")
        try check(state.saving.count == 0 && state.undoSteps.waiting.isEmpty, "a save is still awaited")
        try check(
            !state.questions.contains { _ in
                state.screen != .conflict && state.menu == nil && state.prompt == nil
            }, "a conflict is not shown")
        guard state.list.pause == nil else { return }
        try check(state.isSettled, "is not settled")
        let list = state.list.clips
        let query = worker.query
        try check(
            query.sort == state.list.query.sort && query.hasSameFilter(as: state.list.query),
            "shows \(state.list.query), the store \(query)")
        let rows = worker.store.rows(query)
        try check(rows == worker.rows, "the reference is out of step")
        try check(list.isCounted && list.count == rows.count, "counts \(list.count) of \(rows.count)")
        try check(
            list.rows == Array(rows[list.lowerIndex..<list.lowerIndex + list.rows.count]),
            "the rows differ from the store's")
        for index in list.top..<max(list.top, min(list.top + list.height, rows.count)) {
            try check(list.row(at: index) != nil, "visible row \(index) is not loaded")
        }
        try check(rows.isEmpty || list.selectedID != nil, "nothing is selected")
        let there = Set(worker.store.items.keys)
        if !wasRefreshed { try check(state.list.marks.ids.isSubset(of: there), "marks what is deleted") }
        if state.screen == .list, state.layout.detail != nil, let id = state.reader.id {
            if let clip = worker.store.clip(id) {
                try check(state.reader.clip == clip && !state.reader.isDeleted, "shows clip \(id) as it was")
            } else {
                try check(
                    state.reader.isDeleted || state.reader.clip == nil, "clip \(id) is not shown as gone")
            }
        }
        if state.screen == .history {
            let wanted = worker.store.commits.suffix(2000).reversed().map(SimulatedClips.summary)
            try check(
                state.history.transactions.map(\.id) == wanted.filter(state.history.filter.admits).map(\.id),
                "the history differs")
        }
        try checkShown(rows)
    }

    private func checkShown(_ rows: [ClipRow]) throws(Broken) {
        let layout = state.layout
        guard state.screen == .list, state.menu == nil, state.message == nil, state.prompt == nil,
            let area = layout.list, state.size.columns >= 80
        else { return }
        let lines = state.draw().lines
        for row in 0..<min(area.size.rows, rows.count - state.list.clips.top) {
            let title = SafeText.line(rows[state.list.clips.top + row].title).prefix(8)
            try check(lines[area.row + row].contains(title), "row \(row) does not show “\(title)”")
        }
        if let status = layout.status, !rows.isEmpty {
            let position = "\(state.list.clips.selectedIndex + 1)/\(rows.count)"
            try check(lines[status.row].contains(position), "the status line does not say \(position)")
        }
    }

    mutating func checkFrame() throws(Broken) {
        let frame = state.draw(reusing: &drawn)
        try check(frame == state.draw(), "a reused line is outdated")
        if let cursor = frame.cursor {
            try check(Rect(frame.size).contains(cursor), "the cursor is at \(cursor)")
        }
        guard state.screen == .list, state.menu == nil, state.prompt == nil, !state.reader.hasFocus,
            let area = state.layout.list, state.list.clips.count > 0, area.size.rows > 0,
            area.size.columns > 0
        else { return }
        let row = area.row + state.list.clips.selectedIndex - state.list.clips.top
        try check(
            frame.cursor == Position(row: row, column: area.column),
            "the cursor is at \(String(describing: frame.cursor)), the clip in row \(row)")
    }
}
