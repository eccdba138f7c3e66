import ClipsCore
import PersistentStore
import Synchronization

extension Figure {
    static let mergeCost = Figure(
        name: "F6", title: "merging one change into a list over 1,000,000 clips, against over 1,000"
    ) { workspace in
        let large = try LargeStore(workspace, clips: workspace.manyClips)
        let small = try LargeStore(workspace, clips: 1_000)
        return try [MergeLoop.Row.top, .middle].map { row in
            let loops = try [large, small].map { try MergeLoop($0, workspace, row) }
            let block = 50
            for loop in loops { _ = try loop.merge(block) }
            let comparison = try Comparison(rounds: workspace.count(20, quick: 6)) {
                try loops[0].merge(block)
            } beside: {
                try loops[1].merge(block)
            }
            for loop in loops { try loop.close() }
            return Measurement(
                "one change merged, \(row) of \(Quantity.grouped(large.clips))", .time, comparison,
                beside: "of 1,000", goal: Measurement.Goal(atMost: 2)
            ).headlined("One change merged, \(row) of \(Quantity.grouped(large.clips)) clips")
        }
    }
}

/// A loop that commits clips and measures the cost of each from the transaction to the list.
private final class MergeLoop {
    enum Row {
        case top
        case middle
    }

    private let store: ClipStore
    private let source: ClipListSource
    private let context: StoreContext
    private let messages: Messages
    private var list = LiveList<ClipRow>(height: 40)
    private var created: Int64

    init(_ large: LargeStore, _ workspace: Workspace, _ row: Row) throws {
        let path = try large.copy(workspace)
        let messages = Messages()
        self.messages = messages
        store = try blocking { try await ClipStore(path: path, author: "app") }
        source = ClipListSource(store: store) { news in messages.list.withLock { $0 += news } }
        context = store.container.makeContext(author: "other")
        created = LargeStore.created(at: row == .top ? -1 : large.clips / 2)
        let (store, source) = (store, source)
        try blocking { try await store.container.read { try source.refresh(from: $0) } }
        try load(at: row == .top ? 0 : large.clips / 2)
    }

    /// Returns the times of a number of changes.
    func merge(_ count: Int) throws -> [Double] {
        try (0..<count).map { number in
            created += 1
            var values = SmallStore.values(number)
            values[ClipAttribute.created.rawValue] = .integer(created)
            let wanted = list.count + 1
            let (store, source, context, clip) = (store, source, context, values)
            let read = try blocking {
                let before = try await store.container.currentToken()
                try await context.insert(ClipModel.entity, clip)
                try await context.save()
                return try await store.container.read { snapshot in
                    let began = Moment.now
                    let news = try snapshot.transactions(HistoryFetchRequest(.token(before)))
                    try source.consume(news, in: snapshot)
                    return began.secondsSince
                }
            }
            let began = Moment.now
            receiveMessages()
            let applied = began.secondsSince
            guard list.count == wanted else { throw BenchmarkError("a change did not reach the list") }
            try load()
            return read + applied
        }
    }

    func close() throws {
        let store = store
        try blocking { await store.container.close() }
    }

    /// Loads the list around an index, and waits for its count.
    private func load(at index: Int) throws {
        let began = Moment.now
        while !list.isCounted {
            receiveMessages()
            guard began.secondsSince < 60 else { throw BenchmarkError("the list was not counted") }
        }
        list.moveTo(index: index)
        try load()
    }

    private func load() throws {
        while let request = list.nextRequest() {
            let (source, anchor) = (source, list.selectedRow?.position)
            try blocking { await source.answer(request, generation: 0, anchor: anchor) }
            receiveMessages()
        }
    }

    private func receiveMessages() {
        let received = messages.list.withLock { messages in
            defer { messages.removeAll() }
            return messages
        }
        var failure: String?
        for message in received { list.apply(message, &failure) }
    }

    private final class Messages: Sendable {
        let list = Mutex<[ClipListMessage]>([])
    }
}
