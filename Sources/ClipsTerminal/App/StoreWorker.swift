import ClipsCore
import HistoryTracking
import LiveQuery
import PersistentStore
import Platform
import Synchronization

/// Performs the requests to the store, off the main thread, and posts their results.
///
/// The queues run on the threads of the connections that they use, so that an idle app has no pool of threads, which
/// would wake up each second.
final class StoreWorker: Sendable {
    private let delivery: Delivery
    /// Those of the store's connections; nil if no descriptor is left for them.
    private let (readerLoop, writerLoop) = (try? EventLoop(), try? EventLoop())
    private let queues: [StoreRequest.Queue: RequestQueue]
    private let session = Mutex<ClipsSession?>(nil)
    private let unsaved: UnsavedWork

    init(mailbox: Mailbox<AppEvent>, unsaved: UnsavedWork) {
        delivery = Delivery(mailbox)
        self.unsaved = unsaved
        let (readerLoop, writerLoop) = (readerLoop, writerLoop)
        queues = Dictionary(
            uniqueKeysWithValues: StoreRequest.Queue.allCases.map { queue in
                // A long query delays no save, and the lock of a file no query.
                let isOfWriter = queue == .saves || queue == .memory
                return (queue, RequestQueue(on: isOfWriter ? writerLoop : readerLoop))
            })
    }

    /// Whether no work waits to be saved.
    var hasSaved: Bool { queues[.saves]?.isIdle ?? true }

    var isIdle: Bool { queues.values.allSatisfy(\.isIdle) }

    func add(_ request: StoreRequest) { queues[request.queue]?.add(request) }

    /// Opens the store, and posts the first rows or the failure.
    func open(
        path: String, author: String, options: StoreOptions, query: ClipQuery, startsMirror: Bool
    ) {
        let (delivery, unsaved) = (delivery, unsaved)
        var options = options
        options.isInterrupted = { unsaved.mustEnd }
        (options.readerLoop, options.loop) = (readerLoop, writerLoop)
        Task(executorPreference: readerLoop) { [options] in
            do {
                let session = try await ClipsSession(
                    path: path, author: author, options: options, query: query,
                    startsMirror: startsMirror
                ) {
                    delivery.post($0)
                }
                self.session.withLock { $0 = session }
                for queue in self.queues.values {
                    queue.start { request in await self.perform(request, in: session) }
                }
                delivery.post(.opened(readOnlyReason: session.store.readOnlyReason?.readOnlyReason))
                await self.start(session)
            } catch {
                delivery.post(.openingFailed(error.sentence))
            }
        }
    }

    /// Starts tracking, after the first rows. Registering the consumer may have to wait for another writer.
    private func start(_ session: ClipsSession) async {
        var isWaiting = true
        while isWaiting {
            do {
                try await session.start()
                return
            } catch {
                delivery.post([.list(.state(.failing(.store(error))))])
                if case .busy = error, !unsaved.mustEnd { continue }
                isWaiting = false
                delivery.post(.openingFailed(error.sentence))
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
        guard let (pending, running) = queues[.saves]?.drain() else { return }
        for work in pending.compactMap(\.work) {
            _ = unsaved.retain(work, because: "The app ended before it could save.")
        }
        if let work = running?.work {
            _ = unsaved.retain(
                work, as: "The app ended before it knew whether it \(work.sentence); check that in the list.")
        }
    }

    private func perform(_ request: StoreRequest, in session: ClipsSession) async {
        do {
            if let reply = try await request.perform(session, unsaved) { delivery.post(reply) }
        } catch {
            delivery.post(.failure(error.sentence))
        }
    }

    /// Lays out text, perhaps megabytes, while the store's thread continues, if a descriptor is left for the other.
    static func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        guard let loop = try? EventLoop() else { return work() }
        return await Task(executorPreference: loop) { work() }.value
    }
}

extension StoreError {
    /// The reason why a store with this error was opened read-only.
    var readOnlyReason: String {
        switch self {
        case .full: "The store is read-only: its disk was full. Free some space, then restart."
        case .inputOutput: "The store is read-only: writing failed. Check its disk, then restart."
        default: "The store is read-only. Check its permissions, then restart."
        }
    }
}
