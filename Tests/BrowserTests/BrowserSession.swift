import BrowserDriver
import Foundation
import Synchronization
import TestSupport
import Testing

/// The tests of one ``BrowserSession``.
@Suite(.serialized, BrowserTrait()) enum WithBrowsers {
    @Suite struct ConnectionTests {}
    @Suite struct ExtensionTests {}
}

/// The installed browsers, `clips` as the host of each, and one store, for all tests.
final class BrowserSession: Sendable {
    @TaskLocal static var current: BrowserSession?

    let clips: ClipsProgram
    let site: TestSite
    private let homes: [BrowserKind: TemporaryFolder]
    private let browsers: [BrowserKind: any Browser]

    init() throws {
        clips = try ClipsProgram()
        site = try TestSite()
        let kinds = BrowserKind.allCases.filter(\.isInstalled)
        homes = try Dictionary(uniqueKeysWithValues: kinds.map { ($0, try TemporaryFolder()) })
        var browsers: [BrowserKind: any Browser] = [:]
        for (kind, home) in homes {
            try kind.installHost(ClipsProgram.path, home: home.path)
            browsers[kind] = try kind.start(home: home.path, environment: clips.environment)
        }
        self.browsers = browsers
        try clips.run("add", "--title", "The first clip", "--url", "https://first.example/")
    }

    /// Returns the browser, or cancels the test.
    static func browser(_ kind: BrowserKind) throws -> (BrowserSession, any Browser) {
        let session = try #require(current)
        guard let browser = session.browsers[kind] else {
            try Test.cancel("\(kind.program) is not installed.")
        }
        return (session, browser)
    }

    func home(of kind: BrowserKind) -> String { homes[kind]?.path ?? "" }

    /// Ends the browsers. Their hosts exit with them.
    func end() {
        for browser in browsers.values { browser.quit() }
        let hasEnded = eventually { processes().isEmpty }
        if !hasEnded { Issue.record("still running: \(processes())") }
    }

    /// The processes on the store whose command line contains all words.
    func processes(_ words: String...) -> [Int32] {
        let mark = Data("CLIPS_STORE=\(clips.storePath)\0".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { process in
            let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ") ?? Data()
            let command = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
            return environment.range(of: mark) != nil
                && words.allSatisfy { command.range(of: Data($0.utf8)) != nil }
        }
    }

    /// The hosts of a browser.
    func hosts(of kind: BrowserKind) -> [Int32] {
        processes(ClipsProgram.path, kind == .chromium ? "chrome-extension://" : kind.extensionID)
    }
}

/// Starts the browsers before the first test of a suite, and ends them after the last.
struct BrowserTrait: SuiteTrait, TestScoping {
    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let session = try BrowserSession()
        defer { session.end() }
        try await BrowserSession.$current.withValue(session) { try await function() }
    }
}
