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
            throw UsageError("The zone's name is not valid. Use up to 64 letters, digits, '_', or '-'.")
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
        let path = try storePath()
        // Of a mirror whose removal was interrupted.
        unlink(MirrorFiles(store: path).keys)
        let engine = try settings.engine(store: path)
        switch await Self.state(of: engine) {
        case .success(false): break
        case .success(true), .failure(.wrongKey): throw isTaken
        case .failure(let error): throw error
        }
        let store = try await openStore()
        // Before anything is sent that only its secret can read.
        try settings.create(store: path)
        let mirror = Mirror(container: store.container, configuration: settings.configuration, engine: engine)
        do {
            try await engine.createZone()
            try await engine.rotate(excluding: [])
            try engine.noteSealing()
            line(try await invite(engine))
            try await exchange(mirror)
        } catch MirrorError.wrongKey {
            // Another machine created the zone during the exchange.
            for file in [MirrorFiles(store: path).settings, MirrorFiles(store: path).keys] { unlink(file) }
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
            "sent \(sent) clip\(sent == 1 ? "" : "s"). On the next machine, run '\(pairing(settings))' and type the code above, within a day; 'clips mirror code' prints another one."
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

    /// Puts an invitation, and returns its pairing code.
    private func invite(_ engine: any RelayEngine) async throws -> String {
        let code = MirrorSecret()
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try await engine.invite(code, expires: now + Invitation.lifetime)
        return code.code
    }

    /// Prints a new pairing code.
    func code() async throws -> Int32 {
        let path = try storePath()
        let settings = try MirrorSettings(store: path)
        let engine = try settings.engine(store: path)
        line(try await invite(engine))
        await engine.close()
        remark(
            "the code pairs one machine, within a day. With it and the password anyone can read the clips. Next: '\(pairing(settings))'."
        )
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

    private static let usedCode = Sentence(
        "The code is not valid here; nothing was written. Each code pairs one machine, within a day: run 'clips mirror code' on a paired machine for another one, and check --zone."
    )

    /// Returns the secret and the keys that a code unlocks, and a closure that uses the code up.
    private func joined(
        _ address: ServerAddress, _ code: MirrorSecret
    ) async throws -> (secret: MirrorSecret, keys: ZoneKeys?, claim: @Sendable () async throws -> Bool) {
        let zone = try zone()
        switch try await code.find(at: address, zone: zone) {
        case .invitation(let invitation, let claim):
            guard !invitation.isExpired(at: Int64(Date().timeIntervalSince1970 * 1000)) else {
                throw Sentence(
                    "The code has expired; nothing was written. Run 'clips mirror code' on a paired machine for another one."
                )
            }
            return (invitation.secret, invitation.keys.joined(as: HostName.current), claim)
        case .unknown(isOldZone: true):
            // The zone of an earlier version, whose code is its secret.
            let settings = MirrorSettings(server: address, zone: zone, secret: code)
            let engine = try settings.engine(KeyRing(secret: code, zone: zone), store: try storePath())
            guard case .success(true) = await Self.state(of: engine) else { throw Self.usedCode }
            await engine.close()
            return (code, nil, { true })
        case .unknown(isOldZone: false): throw Self.usedCode
        case .noZone:
            throw Sentence(
                "The \(address.noun) has no zone '\(zone)'. Run 'clips mirror add' on the first machine, \(address.folder == nil ? "" : "wait until its files arrive, ")or check --zone."
            )
        }
    }

    /// Opens the store, and counts the clips on both sides. This machine presents itself to no other one yet.
    private func preview(
        _ settings: MirrorSettings, _ ring: KeyRing
    ) async throws -> (ClipStore, (onlyHere: Int, onlyOnRelay: Int, onBoth: Int)) {
        let reader = try settings.engine(ring, store: try storePath())
        if case .failure(let error) = await Self.state(of: reader) { throw error }
        let store = try await openStore()
        let preview = try await Mirror(
            container: store.container, configuration: settings.configuration, engine: reader
        ).preview()
        await reader.close()
        return (store, preview)
    }

    /// Joins the zone of other machines, after a preview.
    func pair() async throws -> Int32 {
        try checkUnused()
        let address = try address()
        let path = try storePath()
        let found = try await joined(address, try Self.secret())
        let settings = MirrorSettings(server: address, zone: try zone(), secret: found.secret)
        let (store, preview) = try await preview(
            settings, KeyRing(secret: found.secret, zone: settings.zone, keys: found.keys))
        let total = preview.onlyHere + preview.onlyOnRelay + preview.onBoth
        let question =
            "Clips and quotes \(address.folder == nil ? "on the server" : "in the folder") only: \(preview.onlyOnRelay), here only: \(preview.onlyHere), on both: "
            + "\(preview.onBoth). All machines will have \(total)."
        if has("--yes") { remark(question) }
        guard try confirms(question + " Continue?") else {
            remark("nothing was changed.")
            return 1
        }
        guard try await found.claim() else { throw Self.usedCode }
        try settings.create(store: path)
        let keys = MirrorFiles(store: path).keys
        unlink(keys)
        let ring = settings.ring(keys, keys: found.keys)
        try ring.update { _ in }
        let engine = try settings.engine(ring, store: path)
        let mirror = Mirror(container: store.container, configuration: settings.configuration, engine: engine)
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
