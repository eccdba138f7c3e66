import ClipsCore
import PersistentStore
import Platform
import Terminal

extension Invocation {
    /// Runs `clips doctor --salvage`.
    func salvage(into path: String) async throws -> ExitStatus {
        let report = try await withProgress { progress in
            try await ClipStore.salvage(
                storePath(), to: path, author: author(default: "salvage"), options: storeOptions
            ) { progress.show("read", $0, of: $1, "pages") }
        }
        guard let clips = report.objects.first(where: { $0.entity == ClipModel.entity }) else {
            return .failed
        }
        line(
            SafeText.line(clips.summary(in: path, report.isStructureIntact)),
            json: [
                "damagedText": clips.withDamagedText, "intact": report.isStructureIntact,
                "missing": clips.missingCount,
                "ranges": clips.missing.map { [$0.lowerBound, $0.upperBound] },
                "saved": clips.saved, "store": path,
            ])
        if clips.saved > 0 { remark("run 'clips backup restore \(path)' to use it as the store.") }
        return report.isComplete ? .done : .failed
    }
}

extension SalvageReport.Objects {
    private static let maxRanges = 20

    fileprivate func summary(in path: String, _ isStructureIntact: Bool) -> String {
        var result = "Saved \(saved.counted("clip")) in \(path)."
        if withDamagedText > 0 { result += " Of them, \(withDamagedText) have damaged text." }
        guard !missing.isEmpty else {
            return result
                + (isStructureIntact
                    ? " None is known to be missing."
                    : " None is known to be missing, but the store is damaged: compare them with a backup.")
        }
        let ranges = missing.prefix(Self.maxRanges).map {
            $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
        }
        let more = missing.count - ranges.count
        return result + " \(missingCount.counted("other clip")) existed and may be lost: ID "
            + ranges.joined(separator: ", ") + (more > 0 ? ", and \(more) more ranges." : ".")
    }
}
