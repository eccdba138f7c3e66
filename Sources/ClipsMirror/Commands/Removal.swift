import ClipsCore
import Glibc
import MirrorRelay
import Mirroring

extension Invocation {
    /// Ends the mirror of this store. The clips remain, here and on the server.
    func remove() async throws -> Int32 {
        let path = try storePath()
        let settings = try MirrorSettings(store: path)
        guard
            try confirms(
                "End the mirror with \(settings.server.url)? The clips remain, here and on the server.")
        else { return 1 }
        let files = MirrorFiles(store: path)
        removeUnit()
        unlink(files.settings)
        if let report = MirrorReport(store: path), report.isCurrent { kill(report.process, SIGTERM) }
        unlink(files.report)
        let store = try await openStore()
        try await settings.configuration.remove(from: store.container)
        await store.close()
        remark("the mirror was removed.")
        return 0
    }
}
