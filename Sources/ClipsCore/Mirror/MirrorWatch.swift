import Platform

/// Reports the summary of a store's mirror when it changes. Owns a thread, so create it for a store with a mirror
/// only.
package final class MirrorWatch: Sendable {
    private let loop: EventLoop
    private let folder: FolderWatch
    private let path: String
    private let report: @Sendable (_ summary: String, _ conflicts: Int) -> Void
    private let timer = TimerName()

    /// A process that was killed writes no report, so the last one is checked again.
    private static let pause = Duration.seconds(20)
    /// The time for a mirror that is starting to write its first report.
    private static let startTime = Duration.seconds(3)

    /// - Parameter report: A closure that is called on another thread, first with the present state.
    /// - Returns: Nil for a store without a mirror, or without file events.
    package init?(
        store path: String, report: @escaping @Sendable (_ summary: String, _ conflicts: Int) -> Void
    ) {
        let files = MirrorFiles(store: path)
        guard files.isConfigured, let loop = try? EventLoop(),
            let folder = try? FolderWatch(path: FilePath.folder(of: files.report))
        else { return nil }
        (self.loop, self.folder, self.path, self.report) = (loop, folder, path, report)
        let names = [files.report, files.settings].map { $0.split(separator: "/").last.map(String.init) }
        loop.watch(folder.descriptor) { [weak self] in
            guard let self,
                self.folder.drain().contains(where: { names.contains($0.name) || $0.kind == .overflow })
            else {
                return
            }
            read()
        }
        read(isFirst: true)
    }

    deinit {
        loop.cancel(timer)
        loop.stopWatching(folder.descriptor)
    }

    private func read(isFirst: Bool = false) {
        // A removed mirror has no state.
        guard MirrorFiles(store: path).isConfigured else { return report("", 0) }
        let state = MirrorReport(store: path)
        let isStarting = isFirst && state?.isCurrent != true
        report(isStarting ? "" : state?.summary() ?? "mirror not running", state?.conflicts ?? 0)
        loop.schedule(timer, after: isStarting ? Self.startTime : Self.pause) { [weak self] in self?.read() }
    }
}
