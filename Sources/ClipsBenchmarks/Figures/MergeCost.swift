import ClipsCore
import LiveQuery
import PersistentStore
import Platform

extension Figure {
    static let mergeCost = Figure(
        name: "F6", title: "one change merged into a list of 1,000,000 clips, and of 1,000"
    ) { workspace in
        let stores = try [workspace.manyClips, 1_000].map { try LargeStore(workspace, clips: $0) }
        let clips = workspace.manyClips.grouped
        return try ["top", "middle"].map { position in
            let loops = try stores.map { try MergeLoop($0, workspace, isAtTop: position == "top") }
            let comparison = try Comparison(
                rounds: workspace.count(20, quick: 6), warmsUp: true, ours: { try loops[0].merge(50) },
                reference: { try loops[1].merge(50) })
            for loop in loops { try loop.close() }
            return Measurement(
                "one change merged, \(position) of \(clips)", .time, comparison, reference: "of 1,000",
                goal: .atMost(1.1), headline: "One change merged, \(position) of \(clips) clips")
        }
    }
}

/// A loop that commits clips and measures the cost of each from the transaction to the list.
private final class MergeLoop {
    private let store: ClipStore
    private let source: ClipListSource
    private let context: StoreContext
    private let mailbox: Mailbox<ClipListMessage>
    private var list = LiveList<ClipRow>(height: 40)
    private var created: Int64

    init(_ large: LargeStore, _ workspace: Workspace, isAtTop: Bool) throws {
        let path = try SampleStore.copy(large.path, workspace)
        store = try blocking { try await ClipStore(path: path, author: "app") }
        let mailbox = try Mailbox<ClipListMessage>()
        self.mailbox = mailbox
        source = ClipListSource(store: store) { $0.forEach(mailbox.post) }
        context = store.container.makeContext(author: "other")
        created = LargeStore.created(at: isAtTop ? -1 : large.clips / 2)
        try store.container.readBlocking { [source] in try source.refresh(from: $0) }
        let began = Moment.now
        while !list.isCounted {
            receiveMessages()
            guard began.secondsSince < 60 else { throw BenchmarkError("the list was not counted") }
        }
        list.moveTo(index: isAtTop ? 0 : large.clips / 2)
        try load()
    }

    /// Returns the times of a number of changes.
    func merge(_ count: Int) throws -> [Double] {
        try (0..<count).map { number in
            created += 1
            var values = SampleClip.values(number)
            values[ClipAttribute.created.rawValue] = .integer(created)
            let wanted = list.count + 1
            let read = try blocking { [store, source, context, values] in
                let before = try await store.container.currentToken()
                try await context.insert(ClipModel.entity, values)
                try await context.save()
                return try await store.container.read { snapshot in
                    let began = Moment.now
                    let news = try snapshot.transactions(HistoryFetchRequest(.after(before)))
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

    func close() throws { try store.container.closeBlocking() }

    private func load() throws {
        while let request = list.nextRequest() {
            let anchor = list.selectedRow?.position
            try blocking { [source] in await source.list.answer(request, generation: 0, anchor: anchor) }
            receiveMessages()
        }
    }

    private func receiveMessages() {
        var failure: String?
        for message in mailbox.removeAll() { list.apply(message, &failure) }
    }
}
