import ClipsCore
import PersistentStore
import Terminal

extension Invocation {
    /// Runs `clips doctor --salvage`.
    func salvage(into path: String) async throws -> ExitStatus {
        let clips = try await withProgress { progress in
            try await ClipStore.salvage(
                storePath(), to: path, author: author(default: "salvage"), options: storeOptions
            ) { progress.show("tried", $0, of: $1, "IDs") }
        }
        guard let clips else { return .failed }
        try line(SafeText.line(clips.summary(in: path)), json: SalvageObject(clips, store: path))
        remark("run 'clips backup restore \(path)' to use it as the store.")
        return clips.hasTable && clips.unreadable.isEmpty ? .done : .incomplete
    }
}

extension SalvageReport.Objects {
    private static let maxRanges = 20

    fileprivate func summary(in path: String) -> String {
        let result = "Saved \(Message.count(saved, "clip")) in \(path)."
        guard hasTable else { return result + " The store has no table of clips." }
        guard !unreadable.isEmpty else { return result + " None is missing." }
        let ranges = unreadable.prefix(Self.maxRanges).map {
            $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
        }
        let more = unreadable.count - ranges.count
        return result + " Cannot read \(Message.count(unreadableCount, "clip")): ID "
            + ranges.joined(separator: ", ") + (more > 0 ? ", and \(more) more ranges." : ".")
    }
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
