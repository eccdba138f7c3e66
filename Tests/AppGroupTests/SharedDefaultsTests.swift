import AppGroup
import Foundation
import Glibc
import TestSupport
import Testing

/// Values that several processes share.
@Suite(.serialized) struct SharedDefaultsTests {
    let group: TemporaryGroup
    let defaults: SharedDefaults

    init() throws {
        group = try TemporaryGroup()
        defaults = try group.container.defaults()
    }

    private func text() throws -> String { try String(contentsOfFile: defaults.path, encoding: .utf8) }
    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: defaults.path))
    }

    @Test func `every type is restored as it was set, bit for bit`() throws {
        let bytes = Data([0, 255, 10, 34])
        let date = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
        try defaults.set(true, forKey: "bool")
        try defaults.set(Int.min, forKey: "least")
        try defaults.set(Int.max, forKey: "most")
        try defaults.set(0.1 + 0.2, forKey: "real")
        try defaults.set(-Double.infinity, forKey: "infinite")
        try defaults.set("\u{0}\"\\ é 漢 \u{1F600}\n", forKey: "text")
        try defaults.set(bytes, forKey: "bytes")
        try defaults.set(Data(), forKey: "empty")
        try defaults.set(date, forKey: "date")
        try defaults.set(["a", "", "b"], forKey: "list")
        let again = try group.container.defaults()
        #expect(try again.value(Bool.self, forKey: "bool") == true)
        #expect(try again.value(Int.self, forKey: "least") == Int.min)
        #expect(try again.value(Int.self, forKey: "most") == Int.max)
        #expect(try again.value(Double.self, forKey: "real") == 0.1 + 0.2)
        #expect(try again.value(Double.self, forKey: "infinite") == -Double.infinity)
        #expect(try again.value(String.self, forKey: "text") == "\u{0}\"\\ é 漢 \u{1F600}\n")
        #expect(try again.value(Data.self, forKey: "bytes") == bytes)
        #expect(try again.value(Data.self, forKey: "empty") == Data())
        #expect(try again.value(Date.self, forKey: "date") == date)
        #expect(try again.value([String].self, forKey: "list") == ["a", "", "b"])
        #expect(try again.value(String.self, forKey: "none") == nil)
        try again.update { $0.removeValue(forKey: "text") }
        #expect(try defaults.contents().keys.contains("text") == false)
    }

    @Test func `a value of another type is an error that names both types, not nil`() throws {
        try defaults.set("12", forKey: "count")
        let error = AppGroupError.otherType(key: "count", stored: "String", wanted: "Int")
        #expect(throws: error) { try defaults.value(Int.self, forKey: "count") }
        try defaults.set(1, forKey: "count")
        #expect(throws: AppGroupError.self) { try defaults.value(Bool.self, forKey: "count") }
    }

    enum Theme: String, SharedDefaultConvertible { case light, dark }
    struct Unsupported: SharedDefaultConvertible {}

    @Test func `an enumeration is stored as its raw value, and another type is an error`() throws {
        try defaults.set(Theme.dark, forKey: "theme")
        #expect(try defaults.value(Theme.self, forKey: "theme") == .dark)
        #expect(try defaults.value(String.self, forKey: "theme") == "dark")
        try defaults.set("blue", forKey: "theme")
        let error = AppGroupError.otherType(key: "theme", stored: "String", wanted: "Theme")
        #expect(throws: error) { try defaults.value(Theme.self, forKey: "theme") }
        #expect(throws: AppGroupError.unsupportedType("Unsupported")) {
            try defaults.set(Unsupported(), forKey: "theme")
        }
        #expect(try defaults.value(String.self, forKey: "theme") == "blue")
    }

    @Test func `an empty array of texts and empty data have different types`() throws {
        try defaults.set([String](), forKey: "texts")
        try defaults.set(Data(), forKey: "bytes")
        #expect(try defaults.value([String].self, forKey: "texts") == [])
        #expect(try defaults.value(Data.self, forKey: "bytes") == Data())
        #expect(throws: AppGroupError.self) { try defaults.value(Data.self, forKey: "texts") }
        #expect(throws: AppGroupError.self) { try defaults.value([String].self, forKey: "bytes") }
    }

    @Test func `suites are separate, and a bad suite name or key is refused`() throws {
        let other = try group.container.defaults(suite: "other")
        try other.set(1, forKey: "key")
        #expect(try defaults.value(Int.self, forKey: "key") == nil)
        for name in ["", "..", "a/b", "a b", String(repeating: "a", count: 65)] {
            #expect(throws: AppGroupError.invalidSuite(name)) {
                try group.container.defaults(suite: name)
            }
        }
        #expect(throws: AppGroupError.invalidKey("")) { try defaults.set(1, forKey: "") }
    }

    @Test func `only the owner can read the folder and the file`() throws {
        try defaults.set(1, forKey: "key")
        func mode(_ path: String) -> mode_t {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
        }
        #expect(mode(group.container.path) == 0o700)
        #expect(mode(defaults.path) == 0o600)
        #expect(mode(defaults.path + "-lock") == 0o600)
    }

    @Test func `eight concurrent writers lose none of each other's keys and counts`() throws {
        let members = try (0..<8).map { _ in try group.member() }
        for (index, member) in members.enumerated() { member.send("count own\(index) 25") }
        for member in members { #expect(try member.answer(within: 60) == "done") }
        let contents = try defaults.contents()
        #expect(try contents.value(Int.self, forKey: "all") == 200)
        for index in members.indices {
            #expect(try contents.value(Int.self, forKey: "own\(index)") == 25)
        }
    }

    @Test func `a writer killed at random moments never leaves half a file and never blocks others`() throws {
        var random = SeededRandom(seed: 7)
        try defaults.set("kept", forKey: "bystander")
        var rounds: Set<String> = []
        var kills = 0
        // On a busy machine, most are killed before their first round.
        while kills < 60 || rounds.count < 3 && kills < 1000 {
            kills += 1
            let member = try group.member()
            #expect(try member.ask("storm") == "storming")
            _ = poll(nil, 0, Int32.random(in: 0...12, using: &random))
            member.killNow()
            let contents = try defaults.contents()
            let one = try contents.value(String.self, forKey: "one")
            #expect(try one == contents.value(String.self, forKey: "other"))
            rounds.insert(String((one ?? "").prefix { $0 != "," }))
            try defaults.set("still here", forKey: "survivor")
            #expect(try defaults.value(String.self, forKey: "bystander") == "kept")
        }
        #expect(rounds.count >= 3)
    }

    @Test func `a reader during writes sees only whole states`() async throws {
        let member = try group.member()
        #expect(try member.ask("storm") == "storming")
        var seen: Set<String> = []
        let sawMany = try await soon(within: 20) {
            let contents = try defaults.contents()
            let one = try contents.value(String.self, forKey: "one")
            #expect(try one == contents.value(String.self, forKey: "other"))
            if let one { seen.insert(one) }
            return seen.count > 50
        }
        #expect(sawMany)
    }

    @Test func `a stopped writer that holds the lock is an error after the timeout, and reads continue`()
        throws
    {
        try defaults.set("before", forKey: "key")
        let member = try group.member()
        #expect(try member.ask("hold") == "holding")
        member.signal(SIGSTOP)
        #expect(try defaults.value(String.self, forKey: "key") == "before")
        let error = #expect(throws: AppGroupError.self) { try defaults.set("after", forKey: "key") }
        #expect(error == .busy(defaults.path + "-lock", waited: .seconds(5)))
        member.signal(SIGCONT)
        #expect(try member.ask("") == "released")
        try defaults.set("after", forKey: "key")
    }

    @Test(arguments: [
        "", "{", "[]", "{\"format\":1}", "{\"format\":1,\"values\":{\"a\":{}}}",
        "{\"format\":1,\"values\":{\"a\":{\"integer\":1.5}}}",
        "{\"format\":1,\"values\":{\"a\":{\"real\":\"much\"}}}",
        "{\"format\":1,\"values\":{\"a\":{\"colour\":\"red\"}}}", String(repeating: "[", count: 100_000),
    ])
    func `a damaged file is reported, unchanged, and moved aside on request`(damage: String) throws {
        try defaults.set(1, forKey: "key")
        try write(damage)
        #expect(throws: AppGroupError.damaged(defaults.path, reason: Self.form)) {
            try defaults.contents()
        }
        #expect(throws: AppGroupError.damaged(defaults.path, reason: Self.form)) {
            try defaults.set(2, forKey: "key")
        }
        #expect(try text() == damage)
        let aside = try #require(try defaults.setAside())
        #expect(try String(contentsOfFile: aside, encoding: .utf8) == damage)
        #expect(try defaults.contents().keys.isEmpty)
        try defaults.set(3, forKey: "key")
        #expect(try defaults.setAside() == nil)
        #expect(try defaults.value(Int.self, forKey: "key") == 3)
    }

    private static let form = "the JSON is not valid"

    @Test func `a path that is not a file, a file that is too large, and a newer one are distinguished`()
        throws
    {
        mkfifo(defaults.path, 0o600)
        #expect(throws: AppGroupError.damaged(defaults.path, reason: "it is not a regular file")) {
            try defaults.contents()
        }
        unlink(defaults.path)
        let large = Data(repeating: 1, count: 1 << 20)
        let tooBig = AppGroupError.tooBig(defaults.path, limit: 1 << 20)
        #expect(throws: tooBig) { try defaults.set(large, forKey: "key") }
        #expect(try defaults.contents().keys.isEmpty)
        try write("{\"format\":2,\"shape\":\"unknown\"}")
        #expect(throws: AppGroupError.newerFormat(defaults.path)) { try defaults.contents() }
        #expect(throws: AppGroupError.newerFormat(defaults.path)) { try defaults.setAside() }
    }

    @Test func `a change by another process is reported without a poll, always with the newest state`()
        async throws
    {
        try defaults.set("first", forKey: "key")
        var updates = try defaults.updates(pollingEvery: .seconds(3600)).makeAsyncIterator()
        #expect(try await updates.next()?.value(String.self, forKey: "key") == "first")
        let member = try group.member()
        for word in ["second", "third"] {
            #expect(try member.ask("set key \(word)") == "done")
            #expect(try await updates.next()?.value(String.self, forKey: "key") == word)
        }
        // Damage ends the updates with its error.
        try write("{")
        await #expect(throws: AppGroupError.self) { while try await updates.next() != nil {} }
    }

    @Test func `updates that have no reader release their descriptors`() async {
        // A process of its own, in which no other test opens files.
        await #expect(processExitsWith: .success) {
            let tests = try SharedDefaultsTests()
            func descriptors() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            // The first pause opens those of the system's timers.
            #expect(
                try await soon {
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains {
                        let path = "/proc/self/fd/" + $0
                        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
                        return target?.contains("timerfd") == true
                    }
                })
            let before = try descriptors()
            for _ in 0..<5 {
                let updates = try tests.defaults.updates()
                let reader = Task { for try await _ in updates {} }
                #expect(try await soon { try descriptors() > before })
                reader.cancel()
                _ = await reader.result
            }
            #expect(try await soon { try descriptors() <= before })
        }
    }
}
