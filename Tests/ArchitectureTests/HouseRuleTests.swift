import Foundation
import Testing

/// Rules of the project that a contributor would otherwise have to remember.
@Suite struct HouseRuleTests {
    static let sources: [SourceFile] = (try? SourceFile.all(in: "Sources")) ?? []

    @Test func `no source file exceeds 400 lines, and half have at most 130`() {
        let lengths = Self.sources.map(\.lines.count).sorted()
        #expect(!lengths.isEmpty)
        for file in Self.sources { #expect(file.lines.count <= 400, "\(file.path)") }
        #expect(lengths[lengths.count / 2] <= 130)
    }

    @Test(arguments: ["@unchecked Sendable", "nonisolated(unsafe)", "try!", "as!", "TODO", "FIXME"])
    func `no source file bypasses the compiler's checks or has an open task`(words: String) {
        for file in Self.sources where file.text.contains(words) {
            for (number, line) in file.lines.enumerated() {
                #expect(!line.contains(words), "\(file.path):\(number + 1)")
            }
        }
    }

    /// The static program would load libraries of another version of Glibc (getpwnam(3), getaddrinfo(3)).
    @Test func `no source file queries the name service`() {
        // A regular expression for each line takes seconds.
        let names = ["getpw", "getgr", "getaddrinfo", "gethostby", "attributesOfItem"]
        for file in Self.sources where names.contains(where: { file.text.contains($0) }) {
            for (number, line) in file.lines.enumerated() where !line.contains("//") {
                #expect(
                    !line.contains(/\b(?:getpw|getgr|getaddrinfo|gethostby|attributesOfItem)\w*\(/),
                    "\(file.path):\(number + 1)")
            }
        }
    }

    @Test func `only the modules that must know SQL contain any`() {
        let allowed = [
            "Sources/PersistentStore/", "Sources/SQLite/", "Sources/SearchIndex/", "Sources/ClipsBenchmarks/",
            // The database of another program.
            "Sources/ClipsExchange/Formats/PlacesReader.swift",
        ]
        let statements = ["SELECT ", "INSERT INTO", "UPDATE ", "DELETE FROM", "CREATE TABLE", "PRAGMA "]
        for file in Self.sources
        where !allowed.contains(where: { file.path.hasPrefix($0) })
            && statements.contains(where: { file.text.contains($0) })
        {
            for (number, line) in file.lines.enumerated() where !line.contains("//") {
                #expect(!statements.contains { line.contains($0) }, "\(file.path):\(number + 1)")
            }
        }
        // The check finds a known match.
        #expect(Self.sources.contains { $0.path.hasPrefix(allowed[0]) && $0.text.contains("INSERT INTO") })
    }

    /// The calls that ``Platform`` wraps, in the form of C; methods of the same name have other arguments.
    private static var systemCalls: [Regex<Substring>] {
        [
            /\b(?:Glibc\.)(?:open|read|write)\b/, /\bopen(?:at)?\([^:()]*,[^:]*\bO_/,
            /\bp?(?:read|write)\([^:()]+,[^:]+,\s*(?:[\w.]+\.count|\d+)\)/,
            /\b(?:strerror|waitpid|getenv|flock|mkstemps?|mkdtemp|fcntl|nanosleep)\(/,
            /\bp?poll\((?:&|nil|\w+,)/,
            /\berrno\b[^:]/,
        ]
    }

    @Test func `only Platform makes system calls that may be interrupted, and reads errno`() throws {
        // The probe of SQLite's lock caches its descriptor; the benchmarks measure with calls of their own.
        let allowed = ["Sources/Platform/", "Sources/SQLite/WriterLock.swift", "Sources/ClipsBenchmarks/"]
        let systemCalls = Self.systemCalls
        // Each match contains one of these; regular expressions for all lines take seconds.
        let names = [
            "Glibc.", "open", "read(", "write(", "strerror", "waitpid", "getenv", "flock", "mkstemp",
            "mkdtemp", "fcntl", "nanosleep", "poll(", "errno",
        ]
        for file in Self.sources where !allowed.contains(where: { file.path.hasPrefix($0) }) {
            let present = names.filter { file.text.contains($0) }
            guard !present.isEmpty else { continue }
            for (number, line) in file.lines.enumerated()
            where present.contains(where: { line.contains($0) }) && !line.contains("//") {
                #expect(
                    !systemCalls.contains { line.contains($0) },
                    "\(file.path):\(number + 1) calls the system. Use Platform.")
            }
        }
        let calls = [
            "let file = open(path, O_RDONLY | O_CLOEXEC)", "Glibc.read(file, buffer.baseAddress, 8)",
            "while read(file, &bytes, bytes.count) > 0 {", "_ = write(file, &byte, 1)",
            "String(cString: strerror(code))", "guard errno == EINTR else {", "_ = poll(nil, 0, 2)",
        ]
        for call in calls {
            #expect(systemCalls.contains { call.contains($0) }, "\(call)")
            #expect(names.contains { call.contains($0) }, "\(call)")
        }
        let methods = [
            "watcher.poll()", "case poll(after: Duration)", "try write(store, copy, progress)",
            "func open(_ path: String, _ flags: CInt)",
            "throw .noSignals(errno: code)",
        ]
        for method in methods { #expect(!systemCalls.contains { method.contains($0) }, "\(method)") }
    }

    @Test func `front ends reach the store through ClipsCore`() {
        let frontEnds = [
            "Sources/clips/", "Sources/ClipsTerminal/", "Sources/ClipsExchange/", "Sources/BrowserHost/",
        ]
        func reachesThrough(_ file: SourceFile) -> Bool { file.text.contains("store.container") }
        for file in Self.sources where frontEnds.contains(where: { file.path.hasPrefix($0) }) {
            #expect(!reachesThrough(file), "\(file.path)")
        }
        // The check finds a known match.
        #expect(Self.sources.contains(where: reachesThrough))
    }

    @Test func `no test sleeps`() throws {
        let call = /sleep\s*\(/
        for file in try SourceFile.all(in: "Tests") where file.text.contains("sleep") {
            for (number, line) in file.lines.enumerated() {
                #expect(!line.contains(call), "\(file.path):\(number + 1)")
            }
        }
        // The check finds each spelling.
        #expect(["", "u", "Task."].allSatisfy { ($0 + "sleep" + "(1)").contains(call) })
    }

    @Test func `the top level has its six entries and dot-files`() throws {
        let allowed: Set = ["Package.swift", "Sources", "Tests", "Assets", "README.md", "CHANGELOG.md"]
        let entries = try FileManager.default.contentsOfDirectory(atPath: SourceFile.root)
        let visible = entries.filter { !$0.hasPrefix(".") }
        #expect(Set(visible) == allowed)
    }
}
