import ClipsCore
import Glibc
import PersistentStore
import SearchIndex
import Terminal

/// One run of `clips doctor --salvage`.
struct Salvage {
    let invocation: Invocation
    /// The new store.
    let path: String

    func run() async throws -> ExitStatus {
        guard !path.isEmpty else { throw UsageError("Salvage into which file? Give the name of a new one.") }
        let author = invocation.arguments.value("--author") ?? "salvage"
        let report = try salvage(author)
        try await buildIndex(author)
        guard let clips = report.objects.first(where: { $0.entity == ClipModel.entity }) else {
            return .failed
        }
        if invocation.isJSON {
            invocation.output.line(try JSONLine.text(SalvageObject(clips, store: path)))
        } else {
            invocation.output.line(SafeText.line(Self.summary(clips, path)))
        }
        invocation.remark(
            "clips: restore it with 'clips backup restore \(SafeText.line(path))' if it has what you need.")
        return report.isComplete ? .done : .failed
    }

    private func salvage(_ author: String) throws -> SalvageReport {
        let isWatched = isatty(STDERR_FILENO) == 1 && !invocation.isQuiet
        defer { if isWatched { Output.standardError.write("\r\u{1B}[K") } }
        return try PersistentContainer.salvage(
            invocation.storePath(), to: path, author: author, model: ClipModel.make(),
            options: invocation.storeOptions
        ) { done, total in
            guard isWatched else { return }
            Output.standardError.write("\rclips: tried \(done * 100 / max(1, total)) % of \(total) IDs ")
        }
    }

    /// Without an index a search is slower, not wrong.
    private func buildIndex(_ author: String) async throws {
        let store = try await ClipStore(path: path, author: author, options: invocation.storeOptions)
        _ = try? await SearchIndex(store.container, ClipModel.searched).bringUpToDate()
        await store.container.close()
    }

    private static func summary(_ clips: SalvageReport.Objects, _ path: String) -> String {
        let saved = "Saved \(count(clips.saved)) in \(path)."
        guard clips.hasTable else { return saved + " The table of clips is not in the store." }
        guard !clips.unreadable.isEmpty else { return saved + " None is missing." }
        let shown = clips.unreadable.prefix(maxRanges).map {
            $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
        }
        let more = clips.unreadable.count - shown.count
        return saved + " \(count(clips.unreadableCount)) could not be read: ID "
            + shown.joined(separator: ", ") + (more > 0 ? ", and \(more) more ranges." : ".")
    }

    private static let maxRanges = 20

    private static func count(_ clips: Int) -> String { clips == 1 ? "1 clip" : "\(clips) clips" }
}

/// The line of `clips doctor --salvage --json`.
private struct SalvageObject: Encodable {
    let store: String
    let saved: Int
    let unreadable: Int
    /// First and last ID of each range.
    let ranges: [[Int64]]

    init(_ clips: SalvageReport.Objects, store: String) {
        self.store = store
        saved = clips.saved
        unreadable = clips.unreadableCount
        ranges = clips.unreadable.map { [$0.lowerBound, $0.upperBound] }
    }
}
