import ClipsCore
import Glibc
package import PersistentStore
import Platform

/// The native host of the browser extension: answers its requests on standard output, and pushes the commits of
/// all processes.
///
/// It runs on one event loop. A request is answered after its commit, so a host that is killed has lost nothing:
/// the extension sends a request without an answer again, with the same UUIDs.
package actor BrowserHost {
    /// The version of the protocol.
    static let version: Int64 = 1
    /// The author of clips from the browser; the context's name is that of the browser.
    package static let author = "extension"

    private nonisolated let loop: EventLoop
    private let program: String
    private let clips: HostClips
    private let text: @Sendable (_ markup: String, _ address: String) -> String
    private var framing = MessageFraming()
    private var following: Task<Void, Never>?
    private var waiting: CheckedContinuation<Void, Never>?
    /// The exit status, once the host must end.
    private var ending: Int32?

    /// Creates a host on the loop of the options.
    ///
    /// - Parameters:
    ///   - program: The version of the program.
    ///   - storePath: The path of the store, which is opened by the first request.
    ///   - text: A closure that returns the readable text of a page.
    package init?(
        for browser: BrowserExtension, program: String, storePath: String, options: StoreOptions,
        text: @escaping @Sendable (_ markup: String, _ address: String) -> String
    ) {
        guard let loop = options.loop else { return nil }
        var options = options
        options.busyTimeout = .seconds(2)
        // A browser that has closed the connection waits two seconds before it kills the host.
        options.isInterrupted = { DescriptorIO.hasHungUp(STDIN_FILENO) }
        self.loop = loop
        self.program = program
        self.text = text
        clips = HostClips(path: storePath, contextName: browser.rawValue, options: options)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Answers until the browser closes the connection, and returns the exit status.
    package func run() async -> Int32 {
        // A closed connection is then an error of a write.
        signal(SIGPIPE, SIG_IGN)
        while ending == nil {
            await waitForInput()
            guard ending == nil else { break }
            await read()
        }
        following?.cancel()
        return ending ?? 0
    }

    private func waitForInput() async {
        await withCheckedContinuation { continuation in
            waiting = continuation
            loop.watch(STDIN_FILENO) { [weak self] in self?.assumeIsolated { $0.wake() } }
        }
    }

    private func wake() {
        loop.stopWatching(STDIN_FILENO)
        waiting?.resume()
        waiting = nil
    }

    private func end(_ status: Int32) {
        ending = ending ?? status
        wake()
    }

    private func read() async {
        do throws(Errno) {
            guard let bytes = try DescriptorIO.readAvailable(STDIN_FILENO, limit: 1 << 16) else { return }
            guard !bytes.isEmpty else { return end(0) }
            for frame in framing.frames(adding: bytes) where ending == nil { await answer(frame) }
        } catch {
            end(1)
        }
    }

    private func answer(_ frame: MessageFraming.Frame) async {
        switch frame {
        case .tooLong:
            let limit = MessageFraming.maxLength >> 20
            send(HostAnswer(HostError(.tooBig, "A message has more than \(limit) MB."), to: nil))
        case .message(let bytes):
            let request = HostRequest(bytes)
            do {
                send(try await answer(request))
            } catch {
                send(HostAnswer(HostError(error), to: request.id))
                if (error as? StoreError)?.endsSession == true, clips.isOpen { end(1) }
            }
        }
    }

    private func answer(_ request: HostRequest) async throws -> HostAnswer {
        var answer = HostAnswer(to: request.id)
        switch try request.action.get() {
        case .hello: try await clips.greet(program: program, in: &answer)
        case .save(let drafts, let ifAbsent):
            try await clips.save(drafts, ifAbsent: ifAbsent, in: &answer)
        case .page(let page): try await clips.add(text(page.markup, page.url), of: page, in: &answer)
        case .update(let id, let version, let changes):
            try await clips.update(id, version: version, changes, in: &answer)
        case .delete(let ids): try await clips.delete(ids, in: &answer)
        case .restore(let ids): try await clips.restore(ids, in: &answer)
        case .has(let urls): try await clips.find(urls: urls, in: &answer)
        case .search(let query, let limit): try await clips.search(query, limit: limit, in: &answer)
        case .tags(let prefix, let limit): try await clips.tags(prefix, limit: limit, in: &answer)
        case .list(let cursor, let limit): try await clips.list(after: cursor, limit: limit, in: &answer)
        case .watch: try await watch()
        case .unwatch:
            following?.cancel()
            following = nil
        }
        if clips.wasReopened, following != nil {
            following?.cancel()
            following = nil
            try await watch()
        }
        return answer
    }

    private func send(_ answer: HostAnswer) {
        do throws(Errno) {
            try DescriptorIO.write(MessageFraming.framed(answer.text), to: STDOUT_FILENO)
        } catch {
            // No process reads the answers any more.
            end(0)
        }
    }
}

extension BrowserHost {
    private func watch() async throws {
        guard following == nil else { return }
        let feed = try await clips.changes()
        following = Task { await follow(feed) }
    }

    private func follow(_ feed: ClipChangeFeed) async {
        var feed = feed
        do throws(StoreError) {
            while let event = try await feed.next(), !Task.isCancelled { send(HostAnswer(pushing: event)) }
        } catch {
            guard !Task.isCancelled else { return }
            // The panel is then not live; a new connection starts again.
            send(HostAnswer(HostError(error), to: nil))
            end(1)
        }
    }
}
