import FoundationEssentials
package import Mirroring
import Platform
import Synchronization

/// The keys of a machine, in a file that only its owner can read. Several processes use it: each reads it again when it
/// has changed.
package final class KeyRing: Sendable {
    private struct State {
        var keys: ZoneKeys
        /// The state of the file when it was read.
        var mark = ""
    }

    private let state: Mutex<State>
    private let path: String?
    let zone: String
    let secret: [UInt8]
    let first: ZoneEpoch

    /// Creates a ring with keys that do not change.
    package init(secret: MirrorSecret, zone: String = "", keys: ZoneKeys? = nil) {
        (path, self.zone, self.secret, first) = (nil, zone, secret.bytes, ZoneEpoch(secret: secret.bytes))
        state = Mutex(State(keys: keys ?? ZoneKeys(secret: secret, name: "")))
    }

    /// Reads the keys of a machine, or creates a key pair for one that has none.
    ///
    /// - Parameters:
    ///   - name: The name of the machine, which the others see.
    ///   - keys: The keys from an invitation.
    package init(_ path: String, zone: String, secret: MirrorSecret, name: String, keys: ZoneKeys? = nil) {
        (self.path, self.zone, self.secret, first) = (
            path, zone, secret.bytes, ZoneEpoch(secret: secret.bytes)
        )
        state = Mutex(State(keys: keys ?? ZoneKeys(secret: secret, name: name)))
        if keys == nil { reload() }
    }

    /// Whether other machines get the changes of the keys.
    var isShared: Bool { path != nil }

    package var keys: ZoneKeys { state.withLock(\.keys) }
    var current: ZoneEpoch { state.withLock(\.keys.current) }
    var ids: [UInt64] { state.withLock { $0.keys.epochs.map(\.name.id).reversed() + [0] } }

    func epoch(_ id: UInt64) -> ZoneEpoch? {
        id == 0 ? first : state.withLock { $0.keys.epochs.first { $0.name.id == id } }
    }

    /// Reads the file, if another process changed it.
    func reload() { state.withLock { read(&$0) } }

    private func read(_ state: inout State) {
        guard let path, let mark = FileStatus(path: path).map(FolderEngine.mark), mark != state.mark,
            let text = TextFile.read(path),
            let keys = try? JSONDecoder().decode(ZoneKeys.self, from: Data(text.utf8)),
            Array(keys.secret) == secret
        else { return }
        state = State(keys: keys, mark: mark)
    }

    /// Changes the keys, and writes them before they are used.
    package func update(_ body: (inout ZoneKeys) -> Void) throws(MirrorError) {
        try state.withLock { state throws(MirrorError) in
            read(&state)
            var keys = state.keys
            body(&keys)
            guard keys != state.keys || state.mark.isEmpty else { return }
            if let path {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                do {
                    try ReplacementFile.write(encoder.encode(keys), to: path)
                } catch {
                    throw MirrorError.other("cannot write \(path): \(error)")
                }
                state.mark = FileStatus(path: path).map(FolderEngine.mark) ?? ""
            }
            state.keys = keys
        }
    }

    /// Follows the records of a relay, and returns those that it lacks.
    ///
    /// - Throws: ``MirrorError/excluded`` if the other machines have a key that this one did not get.
    func accept(_ records: [KeyRecord]) throws(MirrorError) -> [KeyRecord] {
        try update { $0.accept(records, zone: zone) }
        let keys = keys
        // Without any key of its own, a machine that meets those of others was not invited, or lost its file.
        let isForeign =
            keys.rotations.isEmpty
            && records.contains {
                Rotation($0, sealedWith: first, zone: zone) != nil
            }
        if keys.isExcluded || isForeign { throw .excluded }
        return keys.missing(in: records, zone: zone)
    }

    func rotation(excluding keys: Set<Data>) -> KeyRecord? {
        self.keys.rotation(excluding: keys, zone: zone)
    }

    func invitation(_ code: MirrorSecret, expires: Int64) -> KeyRecord? {
        Invitation(keys: keys.shared(), expires: expires).record(code, zone: zone)
    }
}
