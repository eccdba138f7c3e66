import ClipsCore
import PersistentStore

/// Commits work to the store.
struct WorkSaver {
    let store: ClipStore

    func perform(_ work: Work) async throws -> WorkResult.Outcome {
        switch work {
        case .add(let draft, _):
            let (id, earlier, token) = try await store.add(draft)
            let remark = earlier.first.map { "the URL was already saved as clip \($0)" }
            return .done(token: token, clips: [id], remark: remark)
        case .edit(let clip, let changes, _, _): return try await edit(clip, changes)
        case .recreate(let clip, let form, _):
            let result = try await store.restore(clip, with: form.changes(from: clip))
            return .done(token: result.token, clips: [clip.id])
        case .update(let id, let changes, _): return try await change(id, changes)
        case .open(let ids): return .done(token: try await store.markAsOpened(ids).token, clips: [])
        case .markAllRead(let query):
            let (result, count) = try await store.markAsRead(query)
            let summary = count == 0 ? "no clip is unread" : "marked \(Self.clips(count)) as read"
            return .done(token: result.token, clips: [], summary: summary)
        case .toggle(let attribute, let ids):
            let (result, isOn, count) = try await store.toggle(attribute, of: ids)
            guard count > 0 else { return .failed("The clips no longer exist.") }
            let summary = "\(AppState.summary(of: attribute, isOn: isOn)): \(Self.clips(count))"
            return .done(token: result.token, clips: [], summary: summary)
        case .tag(let ids, let adding, let removing):
            let (result, count) = try await store.tag(ids, adding: adding, removing: removing)
            let tags = (adding.map { "+\($0)" } + removing.map { "-\($0)" }).joined(separator: " ")
            guard count > 0 else { return .done(token: nil, clips: [], summary: "the tags are unchanged") }
            return .done(token: result?.token, clips: [], summary: "tagged \(Self.clips(count)) \(tags)")
        case .delete(let ids, _): return try await delete(ids)
        case .restore(let clip, let token):
            let (result, ids) = try await store.restore(clip, deletedBy: token)
            guard !ids.isEmpty else { return .failed("The deleted clips already exist.") }
            return .done(token: result.token, clips: ids, summary: "restored \(Self.clips(ids.count))")
        case .resolve(let conflict, let restoring):
            return .done(token: try await store.resolve(conflict, restoring: restoring).token, clips: [])
        case .undo(let step, let contested): return try await undo(step, contested, isRedoing: false)
        case .redo(let step, let contested): return try await undo(step, contested, isRedoing: true)
        }
    }

    private func edit(_ clip: Clip, _ changes: [ClipAttribute: AttributeValue]) async throws
        -> WorkResult.Outcome
    {
        do {
            let result = try await store.update(clip.id, version: clip.version, changes)
            return .done(token: result.token, clips: [clip.id])
        } catch {
            guard case .conflict(let conflicts) = error else { throw error }
            return .conflict(conflicts.first?.stored.map(Clip.init(_:)))
        }
    }

    private func change(_ id: Int64, _ changes: [ClipAttribute: AttributeValue]) async throws
        -> WorkResult.Outcome
    {
        do {
            return .done(token: try await store.update(id, changes).token, clips: [id])
        } catch {
            guard case .conflict = error else { throw error }
            return .failed("Another process deleted this clip. Nothing was saved.")
        }
    }

    private func delete(_ ids: [Int64]) async throws -> WorkResult.Outcome {
        let result = try await store.delete(ids)
        guard result.token != nil else {
            return .failed(
                ids.count == 1 ? "The clip was already deleted." : "The clips were already deleted.")
        }
        return .done(token: result.token, clips: [])
    }

    private func undo(
        _ step: UndoStep, _ contested: ContestedUndo, isRedoing: Bool
    ) async throws -> WorkResult.Outcome {
        var summary = step.summary
        if summary.isEmpty {
            let work =
                isRedoing ? "a change" : try await store.changeDescription(of: step.token) ?? "a change"
            summary = "\(work) before the restart"
        }
        switch try await store.undo(step.token, isRedoing: isRedoing, contested: contested) {
        case .contested(let conflict): return .contested(conflict)
        case .saved(let result):
            let restored = result.insertedIDs.values.map(\.key)
            return .done(token: result.token, clips: restored.sorted(), summary: summary)
        }
    }

    private static func clips(_ count: Int) -> String {
        count == 1 ? "1 clip" : "\(StatusLine.grouped(count)) clips"
    }
}
