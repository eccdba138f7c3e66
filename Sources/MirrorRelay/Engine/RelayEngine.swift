package import FoundationEssentials
package import Mirroring

/// An engine of this module, which a program pairs and closes.
package protocol RelayEngine: KeyedEngine {
    var ring: KeyRing { get }

    /// Gives the other machines a new key.
    ///
    /// - Parameter keys: The public keys of machines that do not get it.
    func rotate(excluding keys: Set<Data>) async throws(MirrorError)

    /// Puts an invitation, which a pairing code opens once until a time.
    func invite(_ code: MirrorSecret, expires: Int64) async throws(MirrorError)

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

extension RelayEngine {
    package var mustSeal: Bool {
        ring.reload()
        return ring.keys.mustSeal
    }

    package func noteSealing() throws(MirrorError) { try ring.update { $0.mustSeal = false } }
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
        _ ring: KeyRing, state: String
    ) throws(MirrorError) -> any RelayEngine {
        guard let folder else { return JetStreamEngine(self, zone: ring.zone, ring) }
        return try FolderEngine(folder, ring, state: state)
    }
}
