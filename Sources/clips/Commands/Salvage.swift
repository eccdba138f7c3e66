import ClipsCore
import PersistentStore
import SearchIndex
import Terminal

/// A run of `clips doctor --salvage`.
struct Salvage {
    let invocation: Invocation
    /// The new store.
    let path: String

    func run() async throws -> ExitStatus {
        let author = invocation.author(default: "salvage")
        let report = try await invocation.withProgress { progress in
            try PersistentContainer.salvage(
                invocation.storePath(), to: path, author: author, model: ClipModel.make(),
                options: invocation.storeOptions
            ) { progress.show("tried", $0, of: $1, "IDs") }
        }
        try await buildIndex(author)
        guard let clips = report.objects.first(where: { $0.entity == ClipModel.entity }) else {
            return .failed
        }
        try invocation.line(
            SafeText.line(Self.summary(clips, path)), json: SalvageObject(clips, store: path))
        invocation.remark("run 'clips backup restore \(path)' to use it as the store.")
        return report.isComplete ? .done : .failed
    }

    /// Without an index a search is slower, not wrong.
    private func buildIndex(_ author: String) async throws {
        let store = try await ClipStore(path: path, author: author, options: invocation.storeOptions)
        _ = try? await SearchIndex(store.container, ClipModel.searched).bringUpToDate()
        await store.container.close()
    }

    private static func summary(_ clips: SalvageReport.Objects, _ path: String) -> String {
        let saved = "Saved \(Message.count(clips.saved, "clip")) in \(path)."
        guard clips.hasTable else { return saved + " The store has no table of clips." }
        guard !clips.unreadable.isEmpty else { return saved + " None is missing." }
        let shown = clips.unreadable.prefix(maxRanges).map {
            $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
        }
        let more = clips.unreadable.count - shown.count
        return saved + " Cannot read \(Message.count(clips.unreadableCount, "clip")): ID "
            + shown.joined(separator: ", ") + (more > 0 ? ", and \(more) more ranges." : ".")
    }

    private static let maxRanges = 20
}

/// The line of `clips doctor --salvage --json`.
private struct SalvageObject: Encodable {
    let store: String
    let saved: Int
    let unreadable: Int
    /// The first and last ID of each range.
    let ranges: [[Int64]]

    init(_ clips: SalvageReport.Objects, store: String) {
        self.store = store
        saved = clips.saved
        unreadable = clips.unreadableCount
        ranges = clips.unreadable.map { [$0.lowerBound, $0.upperBound] }
    }
}
