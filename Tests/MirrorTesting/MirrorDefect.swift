package import Mirroring
package import PersistentStore

/// A defect of one machine, caused from outside of its mirror.
package struct MirrorDefect: Sendable {
    /// Replaces a connection to the relay.
    package var engine: @Sendable (any MirrorEngine) -> any MirrorEngine = { $0 }
    /// Changes the store before an exchange, and returns whether the mirror must start again.
    package var damage: @Sendable (PersistentContainer) async throws -> Bool = { _ in false }

    package init() {}
}
