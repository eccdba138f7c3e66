package import Mirroring
package import TestSupport

/// A relay that a ``MirrorWorld`` damages.
package protocol TestRelay: Sendable {
    /// The relay as one machine has it, such as its copy of a folder.
    func member() throws -> any TestRelay

    /// Connects a machine.
    ///
    /// - Parameter nextFault: The fault of the next request.
    func connect(_ nextFault: @escaping @Sendable () -> RelayFault) throws -> any MirrorEngine

    /// Changes the key on a machine.
    func rotate() async throws

    /// Loses revisions, as a server whose folder was deleted or restored from a backup.
    func forget(_ random: inout SeededRandom) async throws

    /// Repairs the damage, and returns when machines can connect.
    func settle() async throws

    /// The number of revisions that were ever stored.
    var putCount: Int { get async throws }

    /// Whether requests without faults may fail until servers have elected a leader.
    var electsLeaders: Bool { get }
}

extension TestRelay {
    package func member() throws -> any TestRelay { self }

    package func rotate() async throws {}

    package func settle() async throws {}

    package var electsLeaders: Bool { false }
}

/// Whether a request fails before or after the relay performs it.
package enum RelayFault: Sendable { case none, before, after }
