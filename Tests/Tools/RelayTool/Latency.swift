import ClipsCore
import FoundationEssentials
import MirrorRelay
import Mirroring
import PersistentStore

/// Two stores with a mirror each: a commit in one until it is in the list of the other.
struct Latency {
    let url: String
    let zone: String
    let secret: MirrorSecret

    func measure(_ count: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/relay-tool-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (a, b) = (
            try await ClipStore(path: folder + "/a.db", author: "cli"),
            try await ClipStore(path: folder + "/b.db", author: "cli")
        )
        let configuration = ClipModel.mirrored(zone: zone)
        let tasks = try [a, b].map { store in
            let engine = JetStreamEngine(try ServerAddress(url), zone: zone, secret: secret)
            let mirror = Mirror(container: store.container, configuration: configuration, engine: engine)
            return Task { try await mirror.run() }
        }
        defer { for task in tasks { task.cancel() } }
        let (arrivals, continuation) = AsyncStream.makeStream(of: Void.self)
        let session = try await ClipsSession(path: folder + "/b.db", author: "app") { messages in
            for case .transactions(let transactions) in messages
            where transactions.contains(where: { $0.inserted > 0 }) {
                continuation.yield()
            }
        }
        try await session.start()
        var arrival = arrivals.makeAsyncIterator()
        let context = a.container.makeContext(author: "cli")
        // The first commits find cold caches and a mirror that still connects.
        for number in 0..<count + 5 {
            let began = ContinuousClock.now
            try await context.insert(
                ClipModel.entity, ["url": .text("https://\(number).example"), "title": .text("A clip")])
            try await context.save()
            await arrival.next()
            let time = (ContinuousClock.now - began).components
            if number >= 5 { print(Double(time.seconds) + Double(time.attoseconds) / 1e18) }
        }
        await session.stop()
    }
}
