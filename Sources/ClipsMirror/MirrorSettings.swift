import ClipsCore
import FoundationEssentials
import Glibc
import MirrorRelay
import Mirroring
import Platform

/// The server and the secret of a store's mirror, in a file that only its owner can read.
struct MirrorSettings: Codable, Hashable {
    var server: ServerAddress
    var zone: String
    /// The secret of the zone, in the form of a pairing code.
    var code: String

    /// Writes the settings of a store that has none.
    func create(store path: String) throws { try write(store: path, replaces: false) }

    func write(store path: String, replaces: Bool = true) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let bytes = try encoder.encode(self) + Data("\n".utf8)
        let target = MirrorFiles(store: path).settings
        do {
            try ReplacementFile.write(bytes, to: target, replaces: replaces)
        } catch Errno(EEXIST) {
            throw Sentence.used
        } catch {
            throw Sentence("Cannot write \(target): \(error). Check the permissions of its folder.")
        }
    }

    init(server: ServerAddress, zone: String, secret: MirrorSecret) {
        (self.server, self.zone, code) = (server, zone, secret.code)
    }

    /// Reads the settings of a store.
    init(store path: String) throws {
        let file = MirrorFiles(store: path).settings
        guard FilePath.exists(file) else {
            throw Sentence.noMirror(path)
        }
        try Self.checkPrivacy(file)
        guard let text = TextFile.read(file),
            let settings = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)),
            MirrorSecret(code: settings.code) != nil, JetStreamEngine.isValid(zone: settings.zone)
        else {
            throw Sentence(
                "The settings \(file) are not readable. Run 'clips mirror remove', then 'pair'; what was not sent is retained."
            )
        }
        self = settings
    }

    /// Checks that a file with a password is readable for its owner only.
    static func checkPrivacy(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw Sentence("Cannot read \(path). Check the path and its permissions.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Sentence("Other users can read \(path). Run 'chmod 600' on it, and change the password.")
        }
    }

    func engine(store path: String) throws -> any RelayEngine {
        let files = MirrorFiles(store: path)
        if FilePath.exists(files.keys) { try Self.checkPrivacy(files.keys) }
        return try engine(ring(files.keys), store: path)
    }

    func engine(_ ring: KeyRing, store path: String) throws -> any RelayEngine {
        try server.engine(ring, state: MirrorFiles(store: path).folderState)
    }

    /// - Parameter keys: The keys from an invitation.
    func ring(_ path: String, keys: ZoneKeys? = nil) -> KeyRing {
        KeyRing(
            path, zone: zone, secret: MirrorSecret(code: code) ?? MirrorSecret(), name: HostName.current,
            keys: keys)
    }

    var configuration: MirrorConfiguration { ClipModel.mirrored(zone: zone) }
}

extension ServerAddress {
    /// The word for it in messages.
    var noun: String { folder == nil ? "server" : "folder" }
}

/// An error that is a sentence for the user.
struct Sentence: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }

    static let used = Sentence("The store has a mirror. Run 'clips mirror remove' first.")

    static func noMirror(_ path: String) -> Sentence {
        Sentence("The store \(path) has no mirror. Run 'clips mirror add URL' or 'clips mirror pair URL'.")
    }
}
