import ClipsCore
import FoundationEssentials
import Glibc
import MirrorRelay
import Mirroring
import PersistentStore
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
        guard !MirrorFiles(store: try storePath()).isConfigured else { throw Sentence.used }
    }

    /// Whether the server or the folder has the zone.
    static func state(of engine: any RelayEngine) async -> Result<Bool, MirrorError> {
        do throws(MirrorError) { return .success(try await engine.zoneExists()) } catch {
            return .failure(error)
        }
    }

    /// Creates the zone of the first machine, prints the pairing code, and sends the clips.
    func add() async throws -> Int32 {
        try checkUnused()
        let settings = MirrorSettings(server: try address(), zone: try zone(), secret: MirrorSecret())
        let isTaken = Sentence(
            "The \(settings.server.noun) has the zone '\(settings.zone)' of other machines. Run '\(pairing(settings))' with their code, or choose another name with --zone."
        )
        let engine = try settings.engine(store: try storePath())
        switch await Self.state(of: engine) {
        case .success(false): break
        case .success(true), .failure(.wrongKey): throw isTaken
        case .failure(let error): throw error
        }
        let path = try storePath()
        let store = try await openStore()
        // Before anything is sent that only the code can read.
        try settings.create(store: path)
        line(settings.code)
        let mirror = Mirror(container: store.container, configuration: settings.configuration, engine: engine)
        do {
            try await engine.createZone()
            try await exchange(mirror)
        } catch MirrorError.wrongKey {
            // Another machine created the zone during the exchange.
            unlink(MirrorFiles(store: path).settings)
            throw isTaken
        } catch {
            remark("the mirror was added, but not all clips were sent; 'clips mirror once' continues.")
            throw error
        }
        // Quotes are sent, too; each fits a message.
        let tooLarge = try await settings.configuration.status(in: store.container)?.tooLarge ?? 0
        let sent = try await store.container.count(FetchRequest(ClipModel.entity)) - tooLarge
        await engine.close()
        remark(
            "sent \(sent) clip\(sent == 1 ? "" : "s"). On the next machine, run '\(pairing(settings))' and type the code above; 'clips mirror code' prints it again."
        )
        return try await end(store, settings)
    }

    /// The command that joins the mirror on another machine.
    private func pairing(_ settings: MirrorSettings) -> String {
        var words = ["clips", "mirror", "pair", settings.server.url]
        if let user = settings.server.user { words += ["--user", user] }
        if let path = settings.server.credentials { words += ["--credentials", path] }
        if let path = settings.server.authority { words += ["--ca", path] }
        if settings.zone != ClipsLocation.defaultGroup { words += ["--zone", settings.zone] }
        return words.joined(separator: " ")
    }

    /// Prints the pairing code again.
    func code() throws -> Int32 {
        let settings = try MirrorSettings(store: try storePath())
        line(settings.code)
        remark("with the code and the password anyone can read the clips. Next: '\(pairing(settings))'.")
        return 0
    }

    /// Reads the pairing code; on a terminal, up to three times and without showing it.
    private static func secret() throws -> MirrorSecret {
        let invalid = "The pairing code is not valid. Check each of its seven groups of four characters."
        for _ in 1...3 {
            if let secret = MirrorSecret(code: try Console.secret("Pairing code: ")) { return secret }
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
        let engine = try settings.engine(store: try storePath())
        switch await Self.state(of: engine) {
        case .success(true): break
        case .success(false):
            throw Sentence(
                "The \(address.noun) has no zone '\(settings.zone)'. Run 'clips mirror add' on the first machine, \(address.folder == nil ? "" : "wait until its files arrive, ")or check --zone."
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
            "Clips and quotes \(address.folder == nil ? "on the server" : "in the folder") only: \(preview.onlyOnRelay), here only: \(preview.onlyHere), on both: "
            + "\(preview.onBoth). All machines will have \(total)."
        if has("--yes") { remark(question) }
        guard try confirms(question + " Continue?") else {
            remark("nothing was changed.")
            return 1
        }
        try settings.create(store: try storePath())
        do { try await exchange(mirror) } catch {
            remark(
                "the machines are paired, but not all clips were exchanged; 'clips mirror once' continues.")
            throw error
        }
        await engine.close()
        remark("paired. Run 'clips mirror enable' to exchange changes from each login on.")
        return try await end(store, settings)
    }

    /// Closes the store, and reports what the server did not accept.
    ///
    /// - Returns: The exit status.
    func end(_ store: ClipStore, _ settings: MirrorSettings) async throws -> Int32 {
        let status = try await settings.configuration.status(in: store.container)
        await store.close()
        guard let status, status.tooLarge > 0 else { return 0 }
        remark(
            "\(status.tooLarge) clip\(status.tooLarge == 1 ? " is" : "s are") too large for the \(settings.server.noun), and not sent. Raise its limits, or shorten the text."
        )
        return 1
    }
}
