import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Reads that race a purge.
@Suite struct HistoryPurgeRaceTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The tokens so far, each with the key of the object that its transaction inserted.
    private final class Log: Sendable {
        let tokens: Mutex<[(token: HistoryToken, key: Int64)]> = Mutex([])
        let isFinished = Mutex(false)

        var isRunning: Bool { isFinished.withLock { !$0 } }
    }

    @Test func `a fetch racing purges returns the whole range or expired`() async throws {
        var options = StoreOptions()
        options.durability = .normal
        let writing = try await Notes.open(folder, options: options)
        let purging = try await Notes.open(folder, options: options)
        let reading = try await Notes.open(folder, options: options)
        let log = Log()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let context = writing.makeContext(author: "writer")
                while log.isRunning {
                    let temporary = try await context.insert("Note", ["title": "x"])
                    let result = try await context.save()
                    guard let token = result.token else { continue }
                    let key = result.permanentID(temporary).key
                    log.tokens.withLock { $0.append((token, key)) }
                }
            }
            group.addTask {
                // A number, so that both sides of the purge have tokens however slow the machine is.
                let bounds = HistoryBounds(maximumChanges: 10)
                while log.isRunning { _ = try await purging.purgeHistory(bounds) }
            }
            group.addTask {
                defer { log.isFinished.withLock { $0 = true } }
                var random = SeededRandom(seed: 38)
                var (whole, expired) = (0, 0)
                _ = try await soon(within: 300) {
                    // On both sides of the purge, and at its end.
                    let reach = [3, 9, 12, 6000].randomElement(using: &random) ?? 0
                    guard let start = log.tokens.withLock({ $0.suffix(reach).randomElement(using: &random) })
                    else {
                        return false
                    }
                    do {
                        let (keys, objects) = try await reading.read { snapshot in
                            let changes = try snapshot.changes(HistoryFetchRequest(.after(start.token)))
                            return (changes.map(\.objectID.key), try snapshot.count(FetchRequest("Note")))
                        }
                        // Keys have no gaps, so the number of objects is the newest key.
                        let isWhole = keys == Array((start.key + 1)..<Int64(objects + 1))
                        try #require(isWhole, "after \(start.key): \(keys), \(objects) objects")
                        whole += 1
                    } catch StoreError.tokenExpired {
                        expired += 1
                    }
                    return whole > 20 && expired > 20
                }
                #expect(whole > 20 && expired > 20, "\(whole) whole, \(expired) expired")
            }
            try await group.waitForAll()
        }
    }
}
