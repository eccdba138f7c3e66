import ClipsCore
import FoundationEssentials
import MirrorRelay
import Mirroring
import Platform

extension Invocation {
    /// Gives the other machines a new key, without those of a name for `exclude`, and seals all clips again.
    func changeKey() async throws -> Int32 {
        let path = try storePath()
        let settings = try MirrorSettings(store: path)
        let engine = try settings.engine(store: path)
        // Follows the changes of other machines first.
        _ = try await engine.identity()
        let others = engine.ring.keys.others
        let excluded = try word == "exclude" ? chosen(among: others) : []
        let names = Self.names(others.filter { !excluded.contains($0) })
        let rest = names.isEmpty ? "Only this machine gets" : "This machine and \(names) get"
        let subject = excluded.isEmpty ? "" : "Exclude \(Self.names(excluded))? "
        guard
            try confirms(
                "\(subject)\(rest) a new key, and all clips are sealed with it. Pairing codes that were not used end. A machine that is not named here must pair again. Continue?"
            )
        else { return 1 }
        try await engine.rotate(excluding: Set(excluded.map(\.key)))
        let store = try await openStore()
        let mirror = Mirror(container: store.container, configuration: settings.configuration, engine: engine)
        do {
            try await exchange(mirror)
            remark("the key was changed, and all clips are sealed with it.")
        } catch MirrorError.standingBy {
            try await settings.configuration.beginSealing(in: store.container)
            remark("the key was changed; the running mirror seals the clips.")
        } catch {
            remark("the key was changed, but not all clips are sealed; 'clips mirror once' continues.")
            throw error
        }
        await engine.close()
        if !excluded.isEmpty {
            remark(
                settings.server.folder == nil
                    ? "the excluded machine still has the server's password: change it there, then run 'clips mirror password' on each other machine."
                    : "the excluded machine may still have the folder: end its access to it.")
        }
        return try await end(store, settings)
    }

    /// The names of machines; of several with one name, their number, too.
    private static func names(_ machines: [ZoneMember]) -> String {
        let counts = Dictionary(machines.map { ($0.name, 1) }, uniquingKeysWith: +)
        return counts.sorted { $0.key < $1.key }.map { $1 > 1 ? "\($0) (\($1) keys)" : $0 }
            .joined(separator: ", ")
    }

    /// The machines that the operand names.
    private func chosen(among others: [ZoneMember]) throws -> [ZoneMember] {
        guard let name = operands.first else {
            throw UsageError("Missing operand: MACHINE.")
        }
        let chosen = others.filter { $0.name == name }
        guard chosen.isEmpty else { return chosen }
        let names = Self.names(others)
        throw Sentence(
            "No other machine '\(name)' gets new keys; nothing was changed. \(names.isEmpty ? "There are none." : "Those that do: \(names).")"
        )
    }
}
