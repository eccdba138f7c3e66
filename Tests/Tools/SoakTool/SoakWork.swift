import ClipsCore
import Glibc
import PersistentStore
import SQLite
import SearchIndex
import TestSupport

/// The repeated work of a process in a soak: `SoakTool WORK STORE NUMBER`.
@main
enum SoakWork: String {
    /// Inserts, changes, and deletes its own clips and those of other writers.
    case write
    /// Commits plain SQL on several connections, without the library.
    case external
    /// Purges history that is seconds old, and deletes the oldest clips beyond a limit.
    case clean
    /// Updates the index and searches.
    case search

    private var pauseMilliseconds: Int64 {
        switch self {
        case .write: 30
        case .external: 50
        case .clean: 2000
        case .search: 1000
        }
    }

    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 4, let work = SoakWork(rawValue: words[1]), let number = Int(words[3]) else {
            exit(2)
        }
        exit(try StoreOptions.runOnThisThread { await work.serve(words[2], number, $0) })
    }

    /// Works until the end of its input; answers each line with the number of repetitions.
    func serve(_ path: String, _ number: Int, _ loopOptions: StoreOptions) async -> Int32 {
        do {
            if self == .external {
                let writer = try SoakExternalWriter(path, number)
                try await untilInputEnds { try writer.work() }
                return 0
            }
            var options = loopOptions
            if !number.isMultiple(of: 2) { options.durability = .normal }
            let store = try await ClipStore(path: path, author: "\(rawValue)-\(number)", options: options)
            var worker = SoakWorker(store: store, number: number)
            try await untilInputEnds { try await worker.work(self) }
            await store.container.close()
            return 0
        } catch {
            Self.write("\(rawValue)-\(number) failed: \(error)\n", to: STDERR_FILENO)
            return 1
        }
    }

    private static func write(_ text: String, to descriptor: CInt) {
        var text = text
        text.withUTF8 { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    private nonisolated(nonsending) func untilInputEnds(_ work: () async throws -> Void) async throws {
        let clock = ContinuousClock()
        var due = clock.now
        var count = 0
        while true {
            let left = Int32(max(0, (due - clock.now) / .milliseconds(1)).rounded(.up))
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            if poll(&input, 1, left) > 0 {
                guard readLine() != nil else { return }
                Self.write("\(count)\n", to: STDOUT_FILENO)
            } else {
                due = max(due + .milliseconds(pauseMilliseconds), clock.now)
                try await work()
                count += 1
            }
        }
    }
}

private struct SoakWorker {
    let store: ClipStore
    let number: Int
    private var own: [Int64] = []
    private var random: SeededRandom

    private static let maxClips = 500

    init(store: ClipStore, number: Int) {
        (self.store, self.number) = (store, number)
        random = SeededRandom(seed: UInt64(number))
    }

    mutating func work(_ work: SoakWork) async throws {
        switch work {
        case .write: try await write()
        case .clean: try await clean()
        case .search: try await search()
        case .external: break
        }
    }

    private mutating func write() async throws {
        let mine = own.randomElement(using: &random)
        switch random.index(below: 10) {
        case 0..<4: own += try await store.add([draft()])
        case 4: own += try await store.add((0..<3).map { _ in draft() })
        case 5..<8:
            // Most IDs near its own belong to other writers.
            guard let id = mine.map({ max(1, $0 + Int64(random.index(below: 40)) - 20) }) else { return }
            let changes: [ClipAttribute: AttributeValue] =
                switch random.index(below: 3) {
                case 0: [.starred: .boolean(random.index(below: 2) == 0)]
                case 1: [.unread: .boolean(random.index(below: 2) == 0)]
                default: [.title: .text(title())]
                }
            do {
                try await store.update(id, changes)
            } catch {
                // Another process deleted it.
                guard case .conflict = error else { throw error }
            }
        default: if let id = mine { try await delete([id]) }
        }
        if own.count > Self.maxClips / 8 { try await delete(Array(own.prefix(5))) }
    }

    private mutating func delete(_ ids: [Int64]) async throws {
        own.removeAll { ids.contains($0) }
        try await store.delete(ids)
    }

    private mutating func title() -> String { "soak \(number)-\(random.index(below: 1_000_000)) \(words(3))" }

    private mutating func words(_ count: Int) -> String {
        let words = ["bread", "clock", "harbour", "kernel", "map", "river", "throw", "window"]
        return (0..<count).map { _ in words[random.index(below: words.count)] }.joined(separator: " ")
    }

    private mutating func draft() -> ClipDraft {
        var draft = ClipDraft()
        draft.title = title()
        draft.url = "https://site\(random.index(below: 40)).example/\(random.index(below: 1_000_000))"
        draft.text = (0..<20).map { _ in words(3) }.joined(separator: "\n")
        draft.tags = [words(1)]
        return draft
    }

    private func clean() async throws {
        _ = try await store.container.purgeHistory(maximumAge: .seconds(20), minimumAge: .seconds(10))
        let newest = FetchRequest(ClipModel.entity, sort: [ClipQuery.newestFirst])
        let ids = try await store.container.read { try $0.fetch(newest).map(\.id.key) }
        if ids.count > Self.maxClips { try await store.delete(Array(ids.dropFirst(Self.maxClips))) }
    }

    private mutating func search() async throws {
        var search = ClipSearch(SearchQuery(words(1)), sort: .newest, limit: 1000, in: store)
        try await store.updateIndex()
        while try await search.next() != nil {}
    }
}

/// An external writer of a soak: plain SQL, one commit per statement, on several connections in turn.
private final class SoakExternalWriter {
    private let first: Connection
    private let second: Connection
    private let third: Connection
    private let number: Int
    private var random: SeededRandom

    init(_ path: String, _ number: Int) throws {
        first = try Self.connect(path)
        second = try Self.connect(path)
        third = try Self.connect(path)
        self.number = number
        random = SeededRandom(seed: UInt64(7000 + number))
    }

    private static func connect(_ path: String) throws -> Connection {
        let connection = try Connection(path: path, access: .readWrite, busyTimeoutMilliseconds: 20_000)
        try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
        return connection
    }

    /// Makes three commits in quick succession, in a random order of the connections.
    func work() throws {
        for _ in 0..<3 {
            let sql = statement()
            switch random.index(below: 3) {
            case 0: try first.execute(sql)
            case 1: try second.execute(sql)
            default: try third.execute(sql)
            }
        }
    }

    private func statement() -> String {
        let id = "(SELECT id FROM Clip ORDER BY id DESC LIMIT 1 OFFSET \(random.index(below: 60)))"
        let title = "'external \(number)-\(random.index(below: 1_000_000))'"
        // Deletes more than it inserts, so that the windows of the apps have space for all clips.
        return switch random.index(below: 10) {
        case 0, 1: "INSERT INTO Clip (title) VALUES (\(title))"
        case 2: "INSERT INTO Clip (title) VALUES (\(title)), (\(title) || 'b')"
        case 3: "UPDATE Clip SET title = \(title) WHERE id = \(id)"
        case 4: "UPDATE Clip SET starred = NOT starred WHERE id >= \(id) - 2 AND id <= \(id)"
        case 5: "INSERT OR REPLACE INTO Clip (id, title) SELECT \(id), \(title) WHERE \(id) NOT NULL"
        case 6:
            """
            INSERT INTO Clip (id, title) SELECT \(id), 'x' WHERE \(id) NOT NULL
            ON CONFLICT (id) DO UPDATE SET title = \(title)
            """
        default: "DELETE FROM Clip WHERE id >= \(id) - 1 AND id <= \(id)"
        }
    }
}

extension SeededRandom {
    fileprivate mutating func index(below count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}
