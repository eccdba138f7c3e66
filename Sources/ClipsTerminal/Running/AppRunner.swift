import ClipsCore
import FoundationEssentials
import Glibc
import Terminal

/// Holds the state, hands it events and does what it wants. Belongs to the thread that draws.
final class AppRunner {
    let screen: TerminalScreen
    let mailbox: Mailbox<AppEvent>
    let worker: StoreWorker
    private(set) var state: AppState
    private(set) var isDone = false
    /// Why there is no store.
    private(set) var openingFailure: String?
    private let clock: AppClock
    private var drawnLines = DrawnLines()
    private var browsers: [pid_t] = []

    init(
        screen: TerminalScreen, mailbox: Mailbox<AppEvent>, worker: StoreWorker, config: ConfigFile,
        clock: AppClock
    ) {
        (self.screen, self.mailbox, self.worker, self.clock) = (screen, mailbox, worker, clock)
        state = AppState(size: screen.size, now: clock.now, config: config, colors: screen.colors)
        if state.message == nil, let note = screen.note { state.tell(note) }
    }

    var isIdle: Bool { worker.isIdle && mailbox.isEmpty && state.isSettled }

    /// Milliseconds until something on the screen is due to change.
    var timeout: Int? {
        guard !clock.isPinned else { return nil }
        return state.nextDeadline.map { Int(max(1, min($0.timeIntervalSince(clock.now), 1e6) * 1000 + 1)) }
    }

    func draw() {
        screen.present(state.draw(reusing: &drawnLines))
        browsers = ChildProcess.reap(browsers)
    }

    func takeMail() {
        for event in mailbox.takeAll() { handle(event) }
    }

    func handle(_ event: AppEvent) {
        if case .openingFailed(let sentence) = event, !state.list.isLoaded { openingFailure = sentence }
        for effect in state.handle(event, at: clock.now) { perform(effect) }
    }

    func finish() { isDone = true }

    private func perform(_ effect: Effect) {
        switch effect {
        case .quit: isDone = true
        case .redraw: screen.clear()
        case .suspend:
            screen.suspend()
            handle(.resized(screen.size))
        case .copy(let text, let what): copy(text, what)
        case .setMouse(let isOn): screen.setMouse(isOn)
        case .setColors(let choice):
            screen.setColors(choice)
            handle(.colorsChanged(screen.colors))
        case .open(let urls): open(urls)
        case .openHere(let url): openHere(url)
        case .edit(let form, let clip): edit(form, clip)
        case .removeFile(let path): unlink(path)
        default: worker.add(effect)
        }
    }

    private func copy(_ text: String, _ what: String) {
        do {
            // tmux takes OSC 52 only with set-clipboard on, which it is not unless somebody set it.
            if !TmuxClipboard.take(text) { try screen.copyToClipboard(text) }
            let isLong = text.utf8.count > 200 || text.contains("\n")
            let size = isLong ? " (\(text.utf8.count) bytes)" : ": \(text)"
            handle(.notice("Copied \(what)\(size)"))
        } catch {
            handle(.failure("\(error)"))
        }
    }

    private func open(_ urls: [String]) {
        for url in urls {
            if let refusal = Browser.refusal(of: url) { return handle(.failure(refusal)) }
            let command = Browser.command(for: url, browser: Self.variable("BROWSER"))
            guard let child = ChildProcess.detached(command) else {
                return handle(
                    .failure("'\(command[0])' could not be started; set BROWSER to your browser's command."))
            }
            browsers.append(child)
        }
        handle(.notice(urls.count == 1 ? "Opened \(urls[0])" : "Opened \(urls.count) addresses"))
    }

    /// The browser has the terminal until it ends.
    private func openHere(_ url: String) {
        if let refusal = Browser.refusal(of: url) { return handle(.failure(refusal)) }
        let named = Self.variable("CLIPS_TERMINAL_BROWSER")
        let command = named.map { Browser.command(for: url, browser: $0) } ?? Browser.inTerminal(url)
        screen.leave()
        let status = ChildProcess.here(command)
        screen.enter()
        handle(.resized(screen.size))
        guard status == nil || status == 127 else { return }
        handle(
            .failure(
                "'\(command[0])' could not be started; set CLIPS_TERMINAL_BROWSER to a browser for the terminal."
            ))
    }

    private func edit(_ form: String, _ clip: Clip?) {
        guard let path = TextFile.writeTemporary(form) else {
            return handle(
                .failure("No file can be made for the editor; set TMPDIR to a folder that can be written."))
        }
        let editor = Self.variable("VISUAL") ?? Self.variable("EDITOR") ?? "vi"
        screen.leave()
        let status = ChildProcess.shell("\(editor) \"$1\"", [path])
        screen.enter()
        handle(.resized(screen.size))
        guard status == 0, let text = TextFile.read(path) else {
            return handle(
                .failure(
                    "The editor '\(editor)' failed; nothing was saved, and the text is in \(path). Set EDITOR to another one."
                ))
        }
        handle(.edited(EditedForm(clip: clip, text: text, path: path)))
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
