package import Mirroring

/// An engine of this module, which a program pairs and closes.
package protocol RelayEngine: MirrorEngine {
    /// Returns whether the relay has the zone. Writes nothing.
    ///
    /// - Throws: ``MirrorError/wrongKey`` if the zone has another key.
    func zoneExists() async throws(MirrorError) -> Bool

    /// Creates the zone if it is missing.
    func createZone() async throws(MirrorError)

    /// Deletes the zone, with the records of all machines.
    func deleteZone() async throws(MirrorError)

    /// Closes the connection or the folder.
    func close() async
}

extension FolderEngine: RelayEngine {}

extension JetStreamEngine: RelayEngine {
    /// Does nothing: the first call that connects creates the zone.
    package func createZone() {}
}

extension ServerAddress {
    /// Creates the engine of a machine.
    ///
    /// - Parameter state: The file in which the machine stores the order of a folder's files.
    package func engine(
        zone: String, secret: MirrorSecret, state: String
    ) throws(MirrorError) -> any RelayEngine {
        guard let folder else { return JetStreamEngine(self, zone: zone, secret: secret) }
        return try FolderEngine(folder, zone: zone, secret: secret, state: state)
    }
}
