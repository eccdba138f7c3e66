import ClipsCore
import FoundationEssentials
import Glibc
import MirrorRelay
import Mirroring
import Platform

extension Invocation {
    private func zone() throws -> String {
        let zone = value("--zone") ?? value("--group") ?? ClipsLocation.defaultGroup
        guard JetStreamEngine.isValid(zone: zone) else {
            throw Sentence("The zone's name is not valid. Use up to 64 letters, digits, '_', or '-'.")
        }
        return zone
    }

    private func checkUnused() throws {
        guard !MirrorFiles(store: try storePath()).isConfigured else {
            throw Sentence("The store has a mirror. Run 'clips mirror remove' first.")
        }
    }

    /// Whether the server has the zone.
    private static func state(of engine: JetStreamEngine) async -> Result<Bool, MirrorError> {
        do throws(MirrorError) { return .success(try await engine.zoneExists()) } catch {
            return .failure(error)
        }
    }

    /// Creates the zone of the first machine, sends its clips, and prints the pairing code.
    func add() async throws -> Int32 {
        try checkUnused()
        let settings = MirrorSettings(server: try address(), zone: try zone(), secret: MirrorSecret())
        let engine = settings.engine()
        switch await Self.state(of: engine) {
        case .success(false): break
        case .success(true), .failure(.wrongKey):
            throw Sentence(
                "The server has the zone '\(settings.zone)' of other machines. Run 'clips mirror pair' with their code, or choose another name with --zone."
            )
        case .failure(let error): throw error
        }
        let store = try await openStore()
        try settings.write(store: try storePath())
        try await exchange(
            Mirror(container: store.container, configuration: settings.configuration, engine: engine))
        let sent = try await engine.list().count
        await engine.close()
        await store.close()
        remark(
            "sent \(sent) clip\(sent == 1 ? "" : "s"). On the next machine, run 'clips mirror pair \(settings.server.url)' and type this code:"
        )
        line(settings.code)
        return 0
    }

    /// Reads the pairing code; on a terminal, up to three times.
    private static func secret() throws -> MirrorSecret {
        let invalid = "The pairing code is not valid. Check each of its seven groups of four characters."
        for _ in 1...3 {
            if let secret = MirrorSecret(code: try Console.answer("Pairing code: ")) { return secret }
            guard isatty(STDIN_FILENO) == 1 else { break }
            Console.write("clips: \(invalid)\n", to: STDERR_FILENO)
        }
        throw Sentence(invalid)
    }

    /// Joins the zone of other machines, after a preview.
    func pair() async throws -> Int32 {
        try checkUnused()
        let address = try address()
        let settings = MirrorSettings(server: address, zone: try zone(), secret: try Self.secret())
        let engine = settings.engine()
        switch await Self.state(of: engine) {
        case .success(true): break
        case .success(false):
            throw Sentence(
                "The server has no zone '\(settings.zone)'. Run 'clips mirror add' on the first machine, or check --zone."
            )
        case .failure(.wrongKey):
            throw Sentence(
                "The code belongs to another mirror; nothing was written. Check the code and --zone.")
        case .failure(let error): throw error
        }
        let store = try await openStore()
        let mirror = Mirror(container: store.container, configuration: settings.configuration, engine: engine)
        let preview = try await mirror.preview()
        let total = preview.onlyHere + preview.onlyOnRelay + preview.onBoth
        let question =
            "Clips on the server only: \(preview.onlyOnRelay), here only: \(preview.onlyHere), on both: "
            + "\(preview.onBoth). All machines will have \(total)."
        if has("--yes") { remark(question) }
        guard try confirms(question + " Continue?") else {
            remark("nothing was changed.")
            return 1
        }
        try settings.write(store: try storePath())
        try await exchange(mirror)
        await engine.close()
        await store.close()
        remark("paired. An open app exchanges changes when it is started again;")
        remark("run 'clips mirror enable' to exchange them from each login on.")
        return 0
    }
}
