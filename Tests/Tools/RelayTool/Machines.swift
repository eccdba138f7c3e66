import ClipsCore
import FoundationEssentials
import Glibc
import MirrorRelay
import Mirroring
import PersistentStore

/// Many machines in this process: each commits one clip, and waits until it has those of all others.
///
/// Writes 0 as eight bytes when all are connected, begins with the next byte of the input, writes the nanoseconds
/// until all have converged, and ends with the input.
struct Machines {
    let url: String
    let zone: String
    let secret: MirrorSecret

    func measure(_ count: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/relay-tool-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = StoreOptions()
        // A user has 128 folder watches; these machines have no other processes.
        options.usesFileEvents = false
        options.durability = .normal
        var stores: [ClipStore] = []
        for number in 0..<count {
            stores.append(
                try await ClipStore(path: "\(folder)/\(number).db", author: "cli", options: options))
        }
        let mirrors = try stores.map { store in
            let engine = JetStreamEngine(try ServerAddress(url), zone: zone, secret: secret)
            let mirror = Mirror(
                container: store.container, configuration: ClipModel.mirrored(zone: zone), engine: engine)
            return Task { try await mirror.run() }
        }
        defer { for mirror in mirrors { mirror.cancel() } }
        try await commit([stores[0]])
        try await wait(stores, for: 1)
        write(0)
        _ = getchar()
        let began = ContinuousClock.now
        try await commit(stores)
        try await wait(stores, for: count + 1)
        write(Int64((ContinuousClock.now - began) / .nanoseconds(1)))
        while getchar() != EOF {}
    }

    private func commit(_ stores: [ClipStore]) async throws {
        for (number, store) in stores.enumerated() {
            let context = store.container.makeContext(author: "cli")
            try await context.insert(
                ClipModel.entity,
                ["url": .text("https://\(number).example"), "title": .text("Of machine \(number)")])
            try await context.save()
        }
    }

    private func wait(_ stores: [ClipStore], for count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask {
                    let events = try await store.container.events()
                    func isComplete() async throws -> Bool {
                        try await store.container.read { snapshot throws(StoreError) in
                            try snapshot.count(FetchRequest(ClipModel.entity)) >= count
                        }
                    }
                    guard try await !isComplete() else { return }
                    for await _ in events where try await isComplete() { return }
                }
            }
            try await group.waitForAll()
        }
    }

    private func write(_ number: Int64) {
        var number = number
        _ = Glibc.write(STDOUT_FILENO, &number, 8)
    }
}
