import ClipsCore
import FoundationEssentials
import Glibc
import LiveQuery
import Platform
import Terminal

/// Owns the state, passes events to it, and performs its effects, on the thread that draws.
final class AppRunner {
    let screen: TerminalScreen
    let mailbox: Mailbox<AppEvent>
    let worker: StoreWorker
    let unsaved: UnsavedWork
    private(set) var state: AppState
    private(set) var isDone = false
    /// The result of a pick.
    private(set) var picked: Picked?
    /// The reason why the store could not be opened.
    private(set) var openingFailure: String?
    var programs: UserPrograms
    private let clock: AppClock
    private var drawn = DrawnFrame()
    private var launches = Launches()
    /// Whether a program has written on the screen that the app leaves.
    private var hasPrinted = false

    init(
        screen: TerminalScreen, mailbox: Mailbox<AppEvent>, worker: StoreWorker, unsaved: UnsavedWork,
        config: ConfigFile, programs: UserPrograms, clock: AppClock
    ) {
        self.unsaved = unsaved
        (self.screen, self.mailbox, self.worker, self.clock) = (screen, mailbox, worker, clock)
        self.programs = programs
        state = AppState(size: screen.size, now: clock.now, config: config, colors: screen.colors)
        if state.message == nil, let note = screen.note { state.report(note) }
    }

    var isIdle: Bool {
        worker.isIdle && mailbox.isEmpty && state.isSettled && launches.deadline == nil
    }

    /// Whether a program that the app started is still running.
    var hasPrograms: Bool { !launches.isEmpty }

    /// The descriptors to wait for: the mailbox, and the programs that were started.
    var descriptors: [CInt] { [mailbox.descriptor] + launches.descriptors }

    /// The milliseconds until the next deadline.
    var timeout: Int? {
        let report = launches.deadline.map {
            Int(max(0, ContinuousClock.now.duration(to: $0) / .milliseconds(1))) + 1
        }
        guard !clock.isPinned else { return report }
        let change = state.nextDeadline.map {
            Int(max(1, min($0.timeIntervalSince(clock.now), 1e6) * 1000 + 1))
        }
        return [report, change].compactMap(\.self).min()
    }

    func draw() {
        let frame = state.draw(reusing: &drawn)
        screen.present(frame, after: drawn.scroll)
    }

    /// Reports and reaps the started programs that have ended.
    func collectPrograms() {
        for report in launches.collect(at: .now) {
            handle(report.isFailure ? .programFailed(report.sentence) : .notice(report.sentence))
            if !report.isFailure { handle(.pagesOpened(report.clips)) }
        }
    }

    func handleMail() {
        for event in mailbox.removeAll() { handle(event) }
    }

    func handle(_ event: AppEvent) {
        if case .openingFailed(let sentence) = event, !state.list.clips.isLoaded { openingFailure = sentence }
        for effect in state.handle(event, at: clock.now) { perform(effect) }
    }

    func finish(_ picked: Picked? = nil) {
        self.picked = picked
        isDone = true
    }

    private func perform(_ effect: Effect) {
        switch effect.performance {
        case .store(let request): worker.add(request)
        case .terminal(let perform):
            perform(self)
            if effect.isAwaited { handle(.performed) }
        }
    }

    func suspend() {
        screen.suspend()
        handle(.resized(screen.size))
    }

    func setColors(_ choice: ColorCapability.Choice) {
        screen.setColors(choice)
        handle(.colorsChanged(screen.colors))
    }

    func removeFile(_ path: String) { unlink(path) }

    func retain(_ work: Work) { handle(.programFailed(unsaved.retain(work))) }

    func copy(_ text: String, _ what: String) {
        do {
            // By default, tmux ignores OSC 52 from programs (tmux(1), set-clipboard).
            if !programs.isInTmux || !TmuxClipboard.copy(text) { try screen.copyToClipboard(text) }
            let isLong = text.utf8.count > 200 || text.contains("\n")
            let size = isLong ? " (\(text.utf8.count.grouped) bytes)" : ": \(text)"
            handle(.notice("Copied \(what)\(size)"))
        } catch {
            handle(.programFailed(error.sentence))
        }
    }

    func open(_ urls: [String], _ clips: [Int64]) {
        if let rejection = urls.lazy.compactMap(Browser.rejection).first {
            return handle(.programFailed(rejection))
        }
        let subject = urls.count == 1 ? urls[0] : "\(urls.count) URLs"
        let commands = urls.map { Browser.command(for: $0, browser: programs.browser) }
        if commands.contains(where: Browser.needsTerminal) { return openHere(commands, clips, subject) }
        handle(.notice("Opening \(subject)…"))
        launches.open(urls, of: clips, as: subject, with: programs)
        collectPrograms()
    }

    func openHere(_ urls: [String], _ clips: [Int64], _ subject: String) {
        if let rejection = urls.lazy.compactMap(Browser.rejection).first {
            return handle(.programFailed(rejection))
        }
        let named = programs.terminalBrowser
        let commands = urls.map { url in
            named.map { Browser.command(for: url, browser: $0) } ?? Browser.inTerminal(url)
        }
        openHere(commands, clips, subject)
    }

    /// The browser has the terminal until it ends.
    private func openHere(_ commands: [[String]], _ clips: [Int64], _ subject: String) {
        let command = commands[0]
        let name = commands.count == 1 ? Clip.quoted(subject) : subject
        let calls = commands.map { ProgramCall(words: $0, input: nil, subject: subject) }
        let (status, last, hasOutput) = relay(calls, as: name)
        // ^C is a normal way to leave it.
        guard status == 0 || status == 128 + SIGINT else {
            let hint =
                status == nil
                ? Self.problem(of: command[0], status)
                    ?? "Set CLIPS_TERMINAL_BROWSER to a browser for the terminal."
                : "Check the address and the connection."
            return handle(.programFailed("'\(command[0])' \(Self.ending(status)) on \(name). \(hint)"))
        }
        // Of several, those after it are not opened.
        handle(.pagesOpened(clips.count == commands.count ? Array(clips[...last]) : clips))
        if hasOutput { handle(.notice("Ran \(command[0]) on \(name)")) }
    }

    func run(_ calls: [ProgramCall], inBackground: Bool) {
        guard let first = calls.first else { return }
        let subject = calls.count == 1 ? Clip.quoted(first.subject) : "\(calls.count.grouped) clips"
        guard !inBackground else {
            launches.start(
                calls.map { ($0.words, $0.input) }, on: subject,
                hint: "Check its name and its arguments; without '&', its output is shown.",
                startHint: Self.startHint)
            return collectPrograms()
        }
        let (status, last, hasOutput) = relay(calls, as: subject)
        guard status != 0 else { return handle(.notice("Ran \(first.words[0]) on \(subject)")) }
        let left = calls.count - last - 1
        let others = left == 0 ? "" : "; \(left == 1 ? "1 clip was" : "\(left.grouped) clips were") left out"
        let failed = Clip.quoted(calls[last].subject)
        guard status != 128 + SIGINT else {
            return handle(.notice("Interrupted \(first.words[0]) on \(failed)\(others)"))
        }
        let problem = Self.problem(of: first.words[0], status)
        let hint =
            status == nil
            ? problem ?? Self.startHint
            : "Check \(Self.isMissing(status) ? "its name and " : "")its arguments\(hasOutput ? "; its output may say more" : "")."
        handle(
            .programFailed("'\(first.words[0])' \(Self.ending(status)) on \(failed)\(others). \(hint)"))
    }

    private static let startHint = "Check its name."

    /// Whether a shell, or a program that starts another one, did not find it or may not run it.
    private static func isMissing(_ status: Int32?) -> Bool { status == 126 || status == 127 }

    /// Runs programs one after the other on the terminal until one fails, and shows their output.
    ///
    /// - Returns: The status of the last one, its index, and whether there was output.
    private func relay(
        _ calls: [ProgramCall], as subject: String
    ) -> (status: Int32?, last: Int, hasOutput: Bool) {
        let size = screen.size
        var output = ProgramOutput(program: calls[0].words[0], subject: subject)
        var (status, last): (Int32?, Int) = (0, -1)
        screen.leave(clears: hasPrinted)
        hasPrinted = true
        for call in calls where status == 0 {
            let program = RelayedProgram(
                call.words, input: call.input, size: size, hasTerminal: !screen.isHeadless)
            output.add(program)
            status = program.status
            last += 1
        }
        screen.enter()
        handle(.resized(screen.size))
        if !output.isEmpty { handle(.printed(output)) }
        return (status, last, !output.isEmpty)
    }

    func edit(_ form: String, _ clip: Clip?) {
        guard let path = TextFile.writeTemporary(form) else {
            return handle(
                .programFailed("Cannot create a file for the editor. Set TMPDIR to a writable folder."))
        }
        let editor = programs.editor
        screen.leave(clears: hasPrinted)
        let status = editor.edit(path, hasTerminal: !screen.isHeadless)
        screen.enter()
        handle(.resized(screen.size))
        let text = TextFile.read(path)
        guard status == 0, let text else {
            let isUnchanged = text == nil || text == form
            if isUnchanged { unlink(path) }
            let edit = clip.map { "your edit of \(Clip.quoted($0.displayTitle)) was not saved" }
            let rest = isUnchanged ? "" : " Your text is in \(path)."
            return handle(
                .programFailed(
                    "The editor '\(editor.line)' \(Self.ending(status)); \(edit ?? "nothing was saved").\(rest) Check EDITOR and VISUAL."
                ))
        }
        handle(.edited(EditedForm(clip: clip, text: text, path: path)))
    }

    private static func problem(of program: String, _ status: Int32?) -> String? {
        status == nil ? ChildProcess.problem(of: program) : nil
    }

    private static func ending(_ status: Int32?) -> String {
        switch status {
        case nil: "could not be started"
        case 0: "left no file"
        case let status?: "ended with status \(status)"
        }
    }
}
