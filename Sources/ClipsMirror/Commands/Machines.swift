import ClipsCore
import FoundationEssentials
import Mirroring

extension Invocation {
    /// Prints the machines of the mirror.
    func machines() async throws -> Int32 {
        let path = try storePath()
        let settings = try MirrorSettings(store: path)
        let store = try await ClipStore.openToRead(path: path, author: "cli")
        let machines = try await settings.configuration.machines(in: store.container)
        await store.close()
        for machine in machines {
            let object = MachineObject(machine)
            if has("--json") {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                line(String(decoding: try encoder.encode(object), as: UTF8.self))
            } else {
                line(
                    "\(object.name)  \(object.program)  seen \(object.seen)\(object.this ? "  (this machine)" : "")"
                )
            }
        }
        if machines.isEmpty { remark("no machine has exchanged changes yet.") }
        return machines.isEmpty ? 1 : 0
    }
}

/// A line of `clips mirror machines --json`.
private struct MachineObject: Encodable {
    let name: String
    let program: String
    let seen: String
    let this: Bool

    init(_ machine: MirrorMachine) {
        (name, program, this) = (machine.name, machine.program, machine.isThis)
        seen = machine.lastSeen.formatted(.iso8601)
    }
}
