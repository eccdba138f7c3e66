import ClipsCore
import Glibc
import PersistentStore
import SearchIndex

/// The repeated work of the other processes of a soak, each in a separate process.
enum SoakWork: String {
    /// Inserts, changes, and deletes its own clips and those of other writers.
    case write
    /// Commits plain SQL on several connections, without the library.
    case external
    /// Purges history that is seconds old, and deletes the oldest clips beyond a limit.
    case clean
    /// Updates the index and searches.
    case search

    static let clips = 500

    private var pause: Duration {
        switch self {
        case .write: .milliseconds(30)
        case .external: .milliseconds(50)
        case .clean: .seconds(2)
        case .search: .seconds(1)
        }
    }

    /// Works until the end of its input; answers each byte with the number of repetitions.
    func serve(_ path: String, _ number: Int, _ options: StoreOptions) async -> Int32 {
        do {
            var options = options
            if !number.isMultiple(of: 2) { options.durability = .normal }
            if self == .external {
                let writer = try SoakExternalWriter(path, number)
                try await untilTheInputEnds { try writer.work() }
                return 0
            }
            let store = try await ClipStore(path: path, author: "\(rawValue)-\(number)", options: options)
            var worker = SoakWorker(store: store, number: number)
            try await untilTheInputEnds { try await worker.work(self) }
            await store.container.close()
            return 0
        } catch {
            TextLine.print("\(rawValue)-\(number) failed: \(error)", on: STDERR_FILENO)
            return 1
        }
    }

    private nonisolated(nonsending) func untilTheInputEnds(_ work: () async throws -> Void) async throws {
        var next = ContinuousClock.now
        var count: Int64 = 0
        while true {
            let left = next - .now
            if left > .zero {
                guard answer(count, within: left) else { return }
                continue
            }
            next = max(next + pause, .now)
            try await work()
            count += 1
        }
    }

    /// Returns false at the end of the input.
    private func answer(_ count: Int64, within time: Duration) -> Bool {
        var asked = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        let milliseconds =
            time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
        guard poll(&asked, 1, Int32(milliseconds) + 1) > 0 else { return true }
        var byte: UInt8 = 0
        var count = count
        guard read(STDIN_FILENO, &byte, 1) == 1 else { return false }
        Glibc.write(STDOUT_FILENO, &count, 8)
        return true
    }
}

private struct SoakWorker {
    let store: ClipStore
    let number: Int
    private var own: [Int64] = []
    private var random: SampleRandom

    init(store: ClipStore, number: Int) {
        (self.store, self.number) = (store, number)
        random = SampleRandom(seed: UInt64(number))
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
        switch random.below(10) {
        case 0..<4: own += try await store.add([draft()])
        case 4: own += try await store.add((0..<3).map { _ in draft() })
        case 5..<8:
            // Most IDs near its own belong to other writers.
            guard let id = mine.map({ max(1, $0 + Int64(random.below(40)) - 20) }) else { return }
            let changes: [ClipAttribute: Value] =
                switch random.below(3) {
                case 0: [.starred: .boolean(random.below(2) == 0)]
                case 1: [.unread: .boolean(random.below(2) == 0)]
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
        if own.count > SoakWork.clips / 8 { try await delete(Array(own.prefix(5))) }
    }

    private mutating func delete(_ ids: [Int64]) async throws {
        own.removeAll { ids.contains($0) }
        try await store.delete(ids)
    }

    private mutating func title() -> String { "soak \(number)-\(random.below(1_000_000)) \(words())" }

    private mutating func words() -> String {
        let words = ["bread", "clock", "harbour", "kernel", "map", "river", "throw", "window"]
        return (0..<3).map { _ in words[random.below(words.count)] }.joined(separator: " ")
    }

    private mutating func draft() -> ClipDraft {
        var draft = ClipDraft()
        draft.title = title()
        draft.url = "https://site\(random.below(40)).example/\(random.below(1_000_000))"
        draft.text = (0..<20).map { _ in words() }.joined(separator: "\n")
        draft.tags = [words().split(separator: " ").map(String.init)[0]]
        return draft
    }

    private func clean() async throws {
        _ = try await store.container.purgeHistory(maximumAge: .seconds(20), minimumAge: .seconds(10))
        let newest = FetchRequest(ClipModel.entity, sort: ClipQuery.newestFirst)
        let ids = try await store.container.read { try $0.fetch(newest).map(\.id.key) }
        if ids.count > SoakWork.clips { try await store.delete(Array(ids.dropFirst(SoakWork.clips))) }
    }

    private mutating func search() async throws {
        let query = SearchQuery(words().split(separator: " ").map(String.init)[0])
        var search = ClipSearch(query, sort: .newest, limit: 1000, in: store)
        try await store.updateIndex()
        while try await search.next() != nil {}
    }
}
