import ClipsCore
import Foundation
import Glibc
import PersistentStore
import Synchronization
import Terminal
import TestSupport

@testable import ClipsTerminal

/// The app on a real store and a screen of ncurses, on a thread of its own, as ncurses and its loop need it.
struct RunningApp: ~Copyable {
    let folder: TemporaryFolder
    let path: String
    var script: ScriptRunner

    var state: AppState { script.runner.state }

    /// A script's lines of keys and commands.
    mutating func run(_ text: String) throws { try script.perform(Script(text)) }

    /// Runs a program of the test in the editor's role; `$1` is the form.
    func use(editor lines: String) throws {
        script.runner.programs.editor = Editor(line: try Self.program("editor", lines, in: folder))
    }

    /// Runs a program of the test in the browser's role; `$1` is the address.
    func use(browser lines: String) throws {
        script.runner.programs.browser = try Self.program("browser", lines, in: folder)
    }

    private static func program(_ name: String, _ lines: String, in folder: TemporaryFolder) throws -> String
    {
        let path = folder.path(of: name)
        try ("#!/bin/sh\n" + lines + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        return "sh \(path)"
    }

    var lines: [String] { script.runner.screen.snapshot().lines }

    /// Runs the app until a condition holds and the app is idle.
    mutating func wait(until condition: (AppState) -> Bool) -> Bool {
        script.wait { condition($0.state) && $0.isIdle }
    }

    static func open(
        size: Size = Size(rows: 24, columns: 80), config: String = "", clips: Int = 0,
        at place: String? = nil,
        _ body: @escaping @Sendable (inout RunningApp) throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let path = place ?? folder.path(of: "clips.db")
        if clips > 0 { try await seed(clips, path) }
        // A task, so that a failed expectation belongs to the test that runs the app.
        try await Task(executorPreference: NewThread()) {
            // Does not use the machine's browser, editor, or tmux.
            let programs = UserPrograms(
                browser: try program("browser", "true", in: folder), terminalBrowser: "true",
                editor: Editor(line: "true"), isInTmux: false)
            let configuration = ClipsApp.Configuration(
                storePath: path, config: ConfigFile(config), programs: programs)
            var app = RunningApp(
                folder: folder, path: path,
                script: try ScriptRunner(configuration) { try screen(size) })
            defer { app.script.end() }
            try app.script.start()
            try body(&app)
        }.value
    }

    private static let templates = Mutex<[Int: TemporaryFolder]>([:])

    /// Copies a store with clips, which the first call for their number creates.
    private static func seed(_ clips: Int, _ path: String) async throws {
        let template: TemporaryFolder
        if let made = templates.withLock({ $0[clips] }) {
            template = made
        } else {
            template = try TemporaryFolder()
            let store = try await ClipStore(path: template.path(of: "clips.db"), author: "seed")
            _ = try await store.add((0..<clips).map { draft("Clip \($0)") })
            await store.container.close()
            let isFirst = templates.withLock { templates in
                defer { templates[clips] = template }
                return templates.isEmpty
            }
            if isFirst { atexit { RunningApp.templates.withLock { $0 = [:] } } }
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: template.path) {
            let end = name.dropFirst("clips.db".count)
            try FileManager.default.copyItem(atPath: template.path(of: name), toPath: path + end)
        }
    }

    /// Gives each job a thread; a task that never suspends is one job.
    private final class NewThread: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let (job, executor) = (UnownedJob(job), asUnownedTaskExecutor())
            Thread.detachNewThread { job.runSynchronously(on: executor) }
        }
    }

    /// Opens a screen, once no other test of this process uses ncurses.
    private static func screen(_ size: Size) throws -> TerminalScreen {
        let deadline = ContinuousClock.now + .seconds(600)
        while true {
            do throws(TerminalError) {
                return try TerminalScreen(headless: size, colors: .always)
            } catch {
                guard error == .alreadyOpen, ContinuousClock.now < deadline else { throw error }
                _ = poll(nil, 0, 1)
            }
        }
    }

    static func draft(_ title: String) -> ClipDraft {
        var draft = ClipDraft()
        draft.title = title
        draft.url = "https://\(title.lowercased().filter { $0.isLetter || $0.isNumber }).example/"
        return draft
    }

    /// Adds a clip with a text, as another process does.
    func add(_ text: String) throws {
        _ = try other { store in
            var draft = Self.draft("Marks")
            draft.text = text
            return try await store.add([draft])
        }
    }

    /// Another writer of the same store, in this process.
    func other<Answer: Sendable>(
        _ author: String = "extension", _ work: @escaping @Sendable (ClipStore) async throws -> Answer
    ) throws -> Answer {
        let path = path
        let answer = Mutex<Result<Answer, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task {
            do {
                let store = try await ClipStore(path: path, author: author)
                let value = try await work(store)
                await store.container.close()
                answer.withLock { $0 = .success(value) }
            } catch {
                answer.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        done.wait()
        return try answer.withLock { try ($0 ?? .failure(StoreError.cancelled)).get() }
    }
}
