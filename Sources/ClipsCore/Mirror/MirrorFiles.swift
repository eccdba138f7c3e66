import Platform

/// The files of a store's mirror, next to the store.
package struct MirrorFiles: Sendable {
    private let path: String

    package init(store path: String) { self.path = FilePath.resolved(path) }

    /// The server, the zone, and the secret.
    package var settings: String { path + "-mirror" }
    /// The keys of the machine.
    package var keys: String { path + "-mirror-keys" }
    /// The ``MirrorReport``.
    package var report: String { path + "-mirror-status" }
    /// The order in which the machine received the files of a folder.
    package var folderState: String { path + "-mirror-folder" }

    package var isConfigured: Bool { FilePath.exists(settings) }
}
