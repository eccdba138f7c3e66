import Synchronization
import TestSupport

@testable import MirrorRelay

/// The files with the keys of machines that know each other, as after pairing.
final class KeyFiles: Sendable {
    let folder: TemporaryFolder
    let secret: MirrorSecret
    private let zone: String
    private let taken = Mutex(0)

    init(_ secret: MirrorSecret, zone: String, machines: Int) throws {
        folder = try TemporaryFolder()
        (self.secret, self.zone) = (secret, zone)
        let rings = (0..<machines).map { ring($0) }
        var records: [KeyRecord] = []
        for ring in rings { records += try ring.accept([]) }
        for ring in rings { _ = try ring.accept(records) }
    }

    func ring(_ index: Int) -> KeyRing {
        KeyRing(folder.path(of: "keys\(index)"), zone: zone, secret: secret, name: "m\(index)")
    }

    /// Returns the keys of the next machine, which each call of the closure reads again.
    func next() -> @Sendable () -> KeyRing {
        let index = taken.withLock { taken in
            taken += 1
            return taken - 1
        }
        return { self.ring(index) }
    }
}
