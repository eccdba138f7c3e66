import ClipsCore
import HistoryTracking
import PersistentStore
import Platform
import Synchronization
import Terminal

/// Performs the effects that need the store, off the main thread, and posts their results.
///
/// The list's requests, other reads, the counts of the sidebar, and the app's own work have a queue each, so that
/// a save that waits for another writer, or a long count, delays no read. They run on the threads of the connections
/// that they use, so that an idle app has no pool of threads, which would wake up each second.
final class StoreWorker: Sendable {
    private let mailbox: Mailbox<AppEvent>
    /// Those of the store's connections; nil if no descriptor is left for them.
    private let (readerLoop, writerLoop) = (try? EventLoop(), try? EventLoop())
    private let requests: EffectQueue<Effect>
    private let reads: EffectQueue<Effect>
    private let counts: EffectQueue<Effect>
    private let works: EffectQueue<Effect>
    /// Changes of the memory of filters, which wait for the lock of its file.
    private let memories: EffectQueue<Effect>
    private let session = Mutex<ClipsSession?>(nil)
    private let current = Mutex<Work?>(nil)
    private let unsaved: UnsavedWork

    init(mailbox: Mailbox<AppEvent>, unsaved: UnsavedWork) {
        self.mailbox = mailbox
        self.unsaved = unsaved
        requests = EffectQueue(on: readerLoop)
        reads = EffectQueue(on: readerLoop)
        counts = EffectQueue(on: readerLoop)
        // A long query delays no save, and the lock of a file no query.
        works = EffectQueue(on: writerLoop)
        memories = EffectQueue(on: writerLoop)
    }

    /// Whether no work waits to be saved.
    var hasSaved: Bool { works.isIdle }

    private var queues: [EffectQueue<Effect>] { [requests, reads, counts, works, memories] }

    var isIdle: Bool { queues.allSatisfy(\.isIdle) }

    /// Opens the store, and posts the first rows or the failure.
    func open(path: String, author: String, options: StoreOptions, query: ClipQuery) {
        let (mailbox, unsaved) = (mailbox, unsaved)
        var options = options
        options.isInterrupted = { unsaved.mustEnd }
        (options.readerLoop, options.loop) = (readerLoop, writerLoop)
        Task(executorPreference: readerLoop) { [options] in
            do {
                let session = try await ClipsSession(
                    path: path, author: author, options: options, query: query
                ) {
                    mailbox.post($0.map { .message($0) })
                }
                self.session.withLock { $0 = session }
                for queue in self.queues {
                    queue.start { effect in await self.perform(effect, in: session) }
                }
                mailbox.post(Self.opened(session.store))
                await self.start(session)
            } catch {
                mailbox.post(.openingFailed(error.sentence))
            }
        }
    }

    private static func opened(_ store: ClipStore) -> AppEvent {
        store.readOnlyReason.map { .openedReadOnly($0.readOnlyReason) } ?? .opened
    }

    /// Starts tracking, after the first rows. Registering the consumer may have to wait for another writer.
    private func start(_ session: ClipsSession) async {
        var isWaiting = true
        while isWaiting {
            do {
                try await session.start()
                return
            } catch {
                mailbox.post(.message(.state(.failing(.store(error)))))
                if case .busy = error, !unsaved.mustEnd { continue }
                isWaiting = false
                mailbox.post(.openingFailed(error.sentence))
            }
        }
    }

    /// - Parameter done: Called on another thread.
    func close(_ done: @escaping @Sendable () -> Void) {
        let session = session.withLock { $0 }
        Task(executorPreference: readerLoop) {
            await session?.stop()
            done()
        }
    }

    /// Retains the work that has not started, and the one that does not end.
    func retainRest() {
        for case .work(let work) in works.drain() {
            _ = unsaved.retain(work, because: "The app ended before it could save.")
        }
        if let work = current.withLock({ $0 }) {
            _ = unsaved.retain(
                work, because: "The app ended during a save; check whether the clip is in the list.")
        }
    }

    func add(_ effect: Effect) {
        switch effect {
        case .answer: requests.add(effect)
        case .show, .showAround:
            requests.add(effect) { _ in true }
        case .loadClip:
            // Only the clip under the cursor is needed.
            reads.add(effect) { if case .loadClip = $0 { true } else { false } }
        case .loadChanges:
            reads.add(effect) { if case .loadChanges = $0 { true } else { false } }
        case .measure, .loadHistory, .loadForEdit, .gather, .gatherRange, .gatherList, .findMatch,
            .findUnread, .findLine, .loadNames, .loadFilters, .loadUndoHistory, .loadConsumers,
            .loadConflicts, .loadTitles, .findWriter:
            reads.add(effect)
        case .countUnread: counts.add(effect)
        case .remember: memories.add(effect)
        case .work: works.add(effect)
        default: break
        }
    }

    private func perform(_ effect: Effect, in session: ClipsSession) async {
        switch effect {
        case .answer(let request, let generation, let anchor):
            await session.answer(request, generation: generation, anchor: anchor)
        case .show(let query, let generation, let anchor):
            await session.show(query, generation: generation, anchor: anchor)
        case .showAround(let clip, let query, let generation):
            await session.show(query, generation: generation, anchor: nil, around: clip)
        case .work(let work):
            current.withLock { $0 = work }
            defer { current.withLock { $0 = nil } }
            mailbox.post(.worked(WorkResult(work: work, outcome: await outcome(work, session))))
        default: await read(effect, in: session)
        }
    }

    private func read(_ effect: Effect, in session: ClipsSession) async {
        do {
            if let event = try await event(effect, session) { mailbox.post(event) }
        } catch {
            mailbox.post(.failure(error.sentence))
        }
    }

    private func event(_ effect: Effect, _ session: ClipsSession) async throws -> AppEvent? {
        let store = session.store
        switch effect {
        case .loadClip(let id):
            do {
                return .clipLoaded(id: id, try await store.clip(id))
            } catch ClipError.noSuchClip {
                return .clipLoaded(id: id, nil)
            }
        case .measure(let id, let text):
            return await Self.onOwnThread { [text] in
                var text = text
                _ = text.count(upTo: .max)
                return .textMeasured(id: id, text)
            }
        case .loadHistory(let filter):
            let transactions = try await session.recentTransactions(
                limit: HistoryList.loadCount, where: filter.predicate)
            return .historyLoaded(transactions, filter)
        case .loadChanges(let token): return .changesLoaded(token, try await session.detail(of: token))
        case .loadTitles(let ids):
            let clips = try await store.clips(
                ids, in: ClipQuery.newestFirst, attributes: [.title, .url], maxBytes: 1 << 20)
            return .titlesLoaded(clips)
        case .findWriter: return .writerFound(store.lockHolder)
        case .loadConsumers: return .consumersLoaded(try await session.cleaningPreview())
        case .loadConflicts: return .conflictsLoaded(try await store.mirrorConflicts())
        case .loadUndoHistory(let known, let isRedoing):
            return .undoHistoryLoaded(try await store.undoHistory(behind: known, isRedoing: isRedoing))
        case .loadNames:
            let authors = try await store.authorNames()
            return .namesLoaded(
                tags: try await store.tagNames(), authors: authors, sites: try await store.siteNames())
        case .countUnread(let queries):
            // Without a count, the sidebar shows none.
            return .unreadCounted((try? await store.unreadCounts(queries)) ?? [:])
        case .loadFilters: return (try? store.filterMemory()).map { .filtersLoaded($0) }
        case .remember(.typed(let filter)):
            // A store in a folder that cannot be written has no memory.
            return (try? store.remember(.typed(filter))).map { .filtersLoaded($0) }
        case .remember(let change): return .filtersLoaded(try store.remember(change))
        case .loadForEdit(let id): return .editLoaded(try await store.clip(id))
        case .gather(let ids, let sort, let purpose):
            let clips = try await store.clips(
                ids, in: sort, attributes: purpose.attributes, maxBytes: TerminalScreen.longestCopy)
            return .gathered(clips, purpose)
        case .gatherRange(let query, let first, let last, let end):
            let ids = try await session.ids(query, from: first, through: last, limit: Marks.maxCount + 1)
            return .rangeGathered(ids, end: end)
        case .gatherList(let query):
            return .listGathered(try await session.ids(query, limit: Marks.maxCount + 1), query)
        case .findUnread(let query, let position, let isForward):
            return .unreadFound(try await session.nearestClip(query, to: position, isForward: isForward))
        case .findLine(let id, let text, let highlight, let start, let isForward):
            return await Self.onOwnThread { [text] in
                var text = text
                let line = text.line(matching: highlight, from: start, isForward: isForward).line
                return .lineFound(id: id, text, line: line, isForward: isForward)
            }
        case .findMatch(let query, let position, let isForward):
            return .matchFound(try await session.nearestClip(query, to: position, isForward: isForward))
        default: return nil
        }
    }

    /// Lays out text, perhaps megabytes, while the store's thread continues, if a descriptor is left for the other.
    private static func onOwnThread(_ work: @escaping @Sendable () -> AppEvent) async -> AppEvent {
        guard let loop = try? EventLoop() else { return work() }
        return await Task(executorPreference: loop) { work() }.value
    }

    private func outcome(_ work: Work, _ session: ClipsSession) async -> WorkResult.Outcome {
        do {
            return try await WorkSaver(store: session.store).perform(work)
        } catch StoreError.tokenExpired {
            return .impossible("The history of this change has been purged; it cannot be undone.")
        } catch {
            let reason = session.store.readOnlyReason?.readOnlyReason ?? Self.sentence(error)
            return .failed(unsaved.retain(work, because: reason))
        }
    }

    private static func sentence(_ error: any Error) -> String {
        guard case StoreError.conflict(let conflicts) = error else { return error.sentence }
        let isDeleted = conflicts.contains { $0.stored == nil }
        return "Another process \(isDeleted ? "deleted" : "changed") this clip. Nothing was saved."
    }
}

extension StoreError {
    /// The reason why a store with this error was opened read-only.
    fileprivate var readOnlyReason: String {
        switch self {
        case .full: "The store is read-only: its disk was full. Free some space, then restart."
        case .inputOutput: "The store is read-only: writing failed. Check its disk, then restart."
        default: "The store is read-only. Check its permissions, then restart."
        }
    }
}
