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
        let waiting = try await settings.configuration.status(in: store.container)?.waiting
        await store.close()
        for machine in machines {
            let object = MachineObject(
                name: machine.name, program: machine.program, seen: machine.lastSeen.formatted(.iso8601),
                this: machine.isThis, waiting: machine.isThis ? waiting : nil)
            if has("--json") {
                try line(json: object)
            } else {
                let unsent = object.waiting.map { $0 > 0 ? ", \($0) to be sent" : "" } ?? ""
                let note = object.this ? "  (this machine\(unsent))" : ""
                line("\(object.name)  \(object.program)  seen \(object.seen)\(note)")
            }
        }
        if machines.isEmpty { remark("no machine has exchanged changes yet.") }
        return 0
    }
}

/// A line of `clips mirror machines --json`.
private struct MachineObject: Encodable {
    let name: String
    let program: String
    let seen: String
    let this: Bool
    /// The changes of this machine that wait to be sent.
    let waiting: Int?
}
