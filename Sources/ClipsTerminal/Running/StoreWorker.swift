import ClipsCore
import HistoryTracking
import PersistentStore
import Synchronization

/// Does what the app wants of the store, away from the keys, and posts what became of it.
///
/// The list's requests, the clip that is read and our own work go through a queue each, so that a save that
/// waits for another writer holds nothing else.
final class StoreWorker: Sendable {
    private let mailbox: Mailbox<AppEvent>
    private let requests = EffectQueue<Effect>()
    private let reads = EffectQueue<Effect>()
    private let works = EffectQueue<Effect>()
    private let session = Mutex<ClipsSession?>(nil)

    init(mailbox: Mailbox<AppEvent>) {
        self.mailbox = mailbox
    }

    var isIdle: Bool { requests.isIdle && reads.isIdle && works.isIdle }

    /// Opens the store, and posts the first rows or why there are none.
    func open(path: String, author: String, options: StoreOptions) {
        let mailbox = mailbox
        Task {
            do {
                let session = try await ClipsSession(path: path, author: author, options: options) {
                    mailbox.post($0.map { .message($0) })
                }
                self.session.withLock { $0 = session }
                for queue in [requests, reads, works] {
                    queue.start { effect in await self.perform(effect, in: session) }
                }
                mailbox.post(.opened)
                await self.start(session)
            } catch {
                mailbox.post(.openingFailed("\(error)"))
            }
        }
    }

    /// The first rows are there already; being told of changes may have to wait for another writer.
    private func start(_ session: ClipsSession) async {
        var isWaiting = true
        while isWaiting {
            do {
                try await session.start()
                return
            } catch {
                mailbox.post(.message(.state(.failing(.store(error)))))
                if case .busy = error { continue }
                isWaiting = false
                mailbox.post(.openingFailed("\(error)"))
            }
        }
    }

    /// - Parameter done: called from another thread.
    func close(_ done: @escaping @Sendable () -> Void) {
        let session = session.withLock { $0 }
        Task {
            await session?.stop()
            done()
        }
    }

    func add(_ effect: Effect) {
        switch effect {
        case .answer: requests.add(effect)
        case .show:
            requests.add(effect) { _ in true }
        case .loadClip:
            // Only the clip that the person is on now is wanted.
            reads.add(effect) { if case .loadClip = $0 { true } else { false } }
        case .measure, .loadHistory, .loadForEdit: reads.add(effect)
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
        case .loadClip(let id): await load(id, in: session)
        case .measure(let id, var text):
            _ = text.count(upTo: .max)
            mailbox.post(.detailMeasured(id: id, text))
        case .loadHistory:
            do {
                mailbox.post(.historyLoaded(try await session.recentTransactions(limit: 500)))
            } catch {
                mailbox.post(.failure("\(error)"))
            }
        case .loadForEdit(let id):
            do {
                mailbox.post(.editLoaded(try await session.store.clip(id)))
            } catch {
                mailbox.post(.failure("\(error)"))
            }
        case .work(let work):
            mailbox.post(.worked(WorkResult(work: work, outcome: await outcome(work, session))))
        default: break
        }
    }

    private func load(_ id: Int64, in session: ClipsSession) async {
        do {
            mailbox.post(.clipLoaded(id: id, try await session.store.clip(id)))
        } catch ClipError.noSuchClip {
            mailbox.post(.clipLoaded(id: id, nil))
        } catch {
            mailbox.post(.failure("\(error)"))
        }
    }

    private func outcome(_ work: Work, _ session: ClipsSession) async -> WorkResult.Outcome {
        do {
            return try await save(work, session)
        } catch {
            return .failed(Self.sentence(error, form: work.form ?? Self.keptForm(of: work)))
        }
    }

    private func save(_ work: Work, _ session: ClipsSession) async throws -> WorkResult.Outcome {
        let store = session.store
        switch work {
        case .add(let draft, _):
            let (id, earlier, token) = try await store.add(draft)
            let remark = earlier.first.map { "the address was already saved as clip \($0)" }
            return .done(token: token, clips: [id], remark: remark)
        case .update(let id, let version, let changes, _, _):
            let result = try await store.update(id, version: version, changes)
            return .done(token: result.token, clips: [id], remark: nil)
        case .delete(let id, _):
            let result = try await store.delete([id])
            guard result.token != nil else { return .failed("The clip was already gone.") }
            return .done(token: result.token, clips: [], remark: nil)
        case .undo(let step), .redo(let step):
            let result = try await store.undo(step.token)
            return .done(token: result.token, clips: result.insertedIDs.values.map(\.key), remark: nil)
        }
    }

    /// What was typed and could not be saved must not be lost.
    private static func keptForm(of work: Work) -> String? {
        guard case .add(let draft, _) = work else { return nil }
        return TextFile.writeTemporary(ClipForm(draft).text)
    }

    private static func sentence(_ error: any Error, form: String?) -> String {
        let kept = form.map { " Your text is kept in \($0)." } ?? ""
        if case StoreError.conflict(let conflicts) = error {
            let isGone = conflicts.contains { $0.stored == nil }
            return
                "Somebody else \(isGone ? "deleted" : "changed") this clip meanwhile; nothing was saved.\(kept)"
        }
        return "\(error)\(kept)"
    }
}
