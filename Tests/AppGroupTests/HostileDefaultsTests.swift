import AppGroup
import Foundation
import Glibc
import TestSupport
import Testing

/// Shared defaults in a folder that an attacker could write.
@Suite(.serialized) struct HostileDefaultsTests {
    /// Objects that replace the file, its lock, or a writer's temporary file.
    enum Trap: CaseIterable, Sendable {
        case hugeFile, brokenLink, endlessLink, linkToZeros, linkToTerminal, linkToShrinkingFile,
            linkElsewhere
        case pipe, folder, fullFolder, socket

        /// - Parameter other: A file outside the defaults.
        func set(at path: String, other: String) throws {
            switch self {
            case .hugeFile: try Shell.run("truncate", ["-s", "4T", path])
            case .brokenLink: symlink(path + "-nowhere", path)
            case .endlessLink: symlink(path, path)
            case .linkToZeros: symlink("/dev/zero", path)
            case .linkToTerminal: symlink("/dev/ptmx", path)
            // Its reported size is 4096 bytes.
            case .linkToShrinkingFile: symlink("/sys/kernel/uevent_seqnum", path)
            case .linkElsewhere: symlink(other, path)
            case .pipe: mkfifo(path, 0o600)
            case .folder: mkdir(path, 0o700)
            case .fullFolder:
                mkdir(path, 0o700)
                try Data().write(to: URL(fileURLWithPath: path + "/file"))
            case .socket:
                try Shell.run(
                    "python3",
                    ["-c", "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", path])
            }
        }
    }

    let group: TemporaryGroup
    let defaults: SharedDefaults
    private let elsewhere: TemporaryFolder

    init() throws {
        group = try TemporaryGroup()
        defaults = try group.container.defaults()
        elsewhere = try TemporaryFolder()
    }

    /// The error message must be useful.
    private func attempt<Value>(_ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch let error as AppGroupError {
            let sentence = error.description
            #expect(sentence.contains("efaults \(defaults.path)") && sentence.hasSuffix("."), "\(sentence)")
            return nil
        }
    }

    @Test(arguments: Trap.allCases, ["", "-lock"])
    func `no process waits for a replaced file or writes through it`(
        trap: Trap, suffix: String
    ) async throws {
        let other = elsewhere.path(of: "other")
        try Data("not theirs".utf8).write(to: URL(fileURLWithPath: other))
        try defaults.set("before", forKey: "key")
        unlink(defaults.path + suffix)
        try trap.set(at: defaults.path + suffix, other: other)

        let read = try attempt { try defaults.contents() }
        #expect(read != nil || suffix == "")
        if suffix != "" { #expect(try read?.value(String.self, forKey: "key") == "before") }
        if trap == .linkToShrinkingFile, suffix == "", access("/sys/kernel/uevent_seqnum", R_OK) == 0 {
            let reason = "it became shorter during the read"
            #expect(throws: AppGroupError.damaged(defaults.path, reason: reason)) {
                try defaults.contents()
            }
        }
        let wasSet: Void? = try attempt { try defaults.set("after", forKey: "key") }
        let now = try attempt { try defaults.contents() }
        #expect(
            try now?.value(String.self, forKey: "key")
                == (wasSet != nil ? "after" : suffix == "" ? nil : "before"))
        _ = try attempt { try defaults.setAside() }
        var updates = try defaults.updates().makeAsyncIterator()
        _ = try? await updates.next()
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "not theirs")

        // Without the trap the state is the original one.
        try? FileManager.default.removeItem(atPath: defaults.path + suffix)
        try defaults.set("again", forKey: "key")
        #expect(try defaults.value(String.self, forKey: "key") == "again")
    }

    @Test(arguments: 0..<4)
    func `a file of arbitrary bytes is read as values or reported as damaged, and never changed`(
        seed: UInt64
    )
        throws
    {
        var random = SeededRandom(seed: seed)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "null", "true", "-1", "1e999", "9223372036854775808",
            "\\ud800",
            "\"format\"", "\"values\"", "\"text\"", "\"data\"", "\"date\"", "\"nan\"", "\u{0}", "\u{FEFF}",
        ].map { Array($0.utf8) }
        try defaults.set("text", forKey: "text")
        try defaults.set(Data([1, 2, 3]), forKey: "data")
        try defaults.set(Date(timeIntervalSinceReferenceDate: 0.5), forKey: "date")
        try defaults.set(["a", "b"], forKey: "list")
        let whole = try Data(contentsOf: URL(fileURLWithPath: defaults.path))
        var (readable, damaged) = (0, 0)
        for round in 0..<250 {
            var bytes = [UInt8](whole)
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let from = Int.random(in: 0...bytes.count, using: &random)
                let to = min(bytes.count, from + Int.random(in: 0...6, using: &random))
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes.removeSubrange(from...)
                case 1: bytes.insert(contentsOf: bytes[..<from], at: to)
                case 2: bytes.replaceSubrange(from..<to, with: [UInt8.random(in: 0...255, using: &random)])
                default:
                    bytes.replaceSubrange(from..<to, with: pieces.randomElement(using: &random) ?? [])
                }
            }
            try Data(bytes).write(to: URL(fileURLWithPath: defaults.path))
            do {
                _ = try defaults.contents()
                readable += 1
            } catch {
                damaged += 1
                switch error {
                case .damaged, .newerFormat: break
                default: Issue.record("seed \(seed), round \(round): \(error)")
                }
                #expect(throws: error) { try defaults.set(1, forKey: "key") }
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: defaults.path)) == Data(bytes))
        }
        #expect(readable > 0 && damaged > 0)
    }

    @Test func `an unreadable file is reported, and nothing is lost`() throws {
        try defaults.set("before", forKey: "key")
        chmod(defaults.path, 0o600)
        // A process of another user that reaches the file anyway.
        let folder = elsewhere.path(of: group.container.name)
        try FileManager.default.copyItem(atPath: group.container.path, toPath: folder)
        chmod(elsewhere.path, 0o755)
        chmod(folder, 0o777)
        unlink(folder + "/shared.defaults.json-lock")
        chmod(folder + "/shared.defaults.json", 0)
        let words = UnprivilegedProcess.words(TemporaryGroup.tool, [group.container.name])
        let process = try LineProcess("env", ["XDG_DATA_HOME=\(elsewhere.path)"] + words)
        #expect(try process.answer() == folder)
        #expect(try process.ask("set key after").contains("Cannot read defaults"))
        #expect(try defaults.value(String.self, forKey: "key") == "before")
    }
}
