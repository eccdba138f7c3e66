import LiveQuery
import TestSupport

/// A row of the simulated list, with a version that distinguishes an update.
struct TestRow: LiveListRow {
    struct Position: Comparable {
        var key: Int
        var id: Int

        static func < (a: Position, b: Position) -> Bool { (a.key, a.id) < (b.key, b.id) }
    }

    var id: Int
    var key: Int
    var version = 0

    var position: Position { Position(key: key, id: id) }
}

typealias TestList = LiveList<TestRow>

/// A message of the store, with the whole list at the time of sending.
struct Message {
    enum Content {
        case window(TestList.Window)
        case more([TestRow], TestList.Direction, reachedEdge: Bool, number: Int)
        case count
        case changes([TestList.Change])
    }

    var content: Content
    var snapshot: [TestRow]
}

/// The reference: a sorted array that answers requests and reports its changes, in one order.
struct SimulatedStore {
    private struct Item {
        var keys: [Int]
        var isHidden = false
        var version = 0
    }

    private var items: [Int: Item] = [:]
    private var nextID = 0
    private var sorting = 2
    private var isFiltered = false
    private(set) var rows: [TestRow] = []
    var outbox: [Message] = []

    init(count: Int, using random: inout SeededRandom) {
        _ = change(operations: count) { store in store.insert(using: &random) }
    }

    private func row(_ id: Int) -> TestRow? {
        guard let item = items[id], !(isFiltered && item.isHidden) else { return nil }
        return TestRow(id: id, key: item.keys[sorting], version: item.version)
    }

    private func place(_ position: TestRow.Position) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func change(operations: Int, _ operation: (inout Self) -> Int?) -> [TestList.Change] {
        (0..<operations).compactMap { _ in
            let before = self
            guard let id = operation(&self) else { return nil }
            let old = before.row(id)
            let new = row(id)
            if let old { rows.remove(at: place(old.position)) }
            if let new { rows.insert(new, at: place(new.position)) }
            return old == nil && new == nil ? nil : .init(id: id, old: old?.position, new: new)
        }
    }

    private mutating func insert(using random: inout SeededRandom) -> Int {
        nextID += 1
        items[nextID] = Item(
            keys: [random.below(200), random.below(200), -nextID], isHidden: random.chance(0.3))
        return nextID
    }

    /// Inserts, updates, deletes, hides, restores and moves items, some of them near `favourite`.
    mutating func changeItems(operations: Int, favourite: Int?, using random: inout SeededRandom) {
        var deleted: (Int, Item)?
        let changes = change(operations: operations) { store in
            let kind = random.below(10)
            if kind < 3 { return store.insert(using: &random) }
            if kind == 3, let (id, item) = deleted {
                deleted = nil
                store.items[id] = item
                return id
            }
            var id = favourite
            if id == nil || random.chance(0.7) {
                id = store.rows.isEmpty ? nil : store.rows[random.below(store.rows.count)].id
            }
            guard let id, var item = store.items[id] else { return nil }
            item.version += 1
            switch kind {
            case 4, 5:
                deleted = (id, item)
                store.items[id] = nil
                return id
            case 6: item.isHidden.toggle()
            case 7, 8: item.keys[store.sorting] = random.below(200)
            default: break
            }
            store.items[id] = item
            return id
        }
        outbox.append(Message(content: .changes(changes), snapshot: rows))
    }

    /// Restores an item that was hidden or deleted.
    mutating func restore(id: Int, using random: inout SeededRandom) {
        guard row(id) == nil else { return }
        let changes = change(operations: 1) { store in
            var item = store.items[id] ?? Item(keys: [random.below(200), random.below(200), -id])
            item.isHidden = false
            store.items[id] = item
            return id
        }
        outbox.append(Message(content: .changes(changes), snapshot: rows))
    }

    /// Changes the order or the filter, with a window around an item of the list.
    mutating func changeQuery(around id: Int?, using random: inout SeededRandom) {
        if random.chance(0.5) { sorting = random.below(3) } else { isFiltered.toggle() }
        rows = items.keys.compactMap { row($0) }.sorted { $0.position < $1.position }
        let place = id.flatMap { items[$0] }.map { TestRow.Position(key: $0.keys[sorting], id: id ?? 0) }
        let middle = place.map(self.place) ?? 0
        var window = window(middle - random.below(12), middle + 1 + random.below(12))
        window.around = place
        window.count = random.chance(0.5) ? rows.count : nil
        outbox.append(Message(content: .window(window), snapshot: rows))
    }

    mutating func sendCount() {
        outbox.append(Message(content: .count, snapshot: rows))
    }

    mutating func answer(_ request: TestList.Request, counted: Bool) {
        var window: TestList.Window
        switch request.kind {
        case .start(let limit): window = self.window(0, limit)
        case .end(let limit): window = self.window(rows.count - limit, rows.count)
        case .around(let position, let before, let after):
            window = self.window(place(position) - before, place(position) + after)
        case .at(let index, let before, let after):
            window = self.window(min(index, rows.count) - before, min(index, rows.count) + after)
        case .after(let position, let limit):
            var first = place(position)
            if first < rows.count, rows[first].position == position { first += 1 }
            let end = min(rows.count, first + limit)
            let content = Message.Content.more(
                Array(rows[first..<end]), .after, reachedEdge: end == rows.count, number: request.number)
            return outbox.append(Message(content: content, snapshot: rows))
        case .before(let position, let limit):
            let end = place(position)
            let first = max(0, end - limit)
            let content = Message.Content.more(
                Array(rows[first..<end]), .before, reachedEdge: first == 0, number: request.number)
            return outbox.append(Message(content: content, snapshot: rows))
        }
        window.requestNumber = request.number
        window.count = counted ? rows.count : nil
        outbox.append(Message(content: .window(window), snapshot: rows))
    }

    private func window(_ first: Int, _ end: Int) -> TestList.Window {
        let end = max(0, min(end, rows.count))
        let first = max(0, min(first, end))
        if first == end, !rows.isEmpty {
            return first > 0 ? window(first - 1, end) : window(first, end + 1)
        }
        return TestList.Window(
            rows: Array(rows[first..<end]), lowerIndex: first, count: nil, reachesStart: first == 0,
            reachesEnd: end == rows.count)
    }
}

struct NothingAsked: Error {}

extension LiveList<TestRow> {
    mutating func request() throws(NothingAsked) -> Request {
        guard let request = nextRequest() else { throw NothingAsked() }
        return request
    }

    var asksNothing: Bool {
        var copy = self
        return copy.nextRequest() == nil
    }

    mutating func receive(_ message: Message) {
        switch message.content {
        case .window(let window): replace(window: window)
        case .more(let rows, let direction, let reachedEdge, let number):
            extend(with: rows, direction, reachedEdge: reachedEdge, requestNumber: number)
        case .count: setCount(message.snapshot.count)
        case .changes(let changes): apply(changes: changes)
        }
    }
}

extension SeededRandom {
    mutating func below(_ bound: Int) -> Int { Int(next() >> 33) % bound }

    mutating func chance(_ probability: Double) -> Bool { Double(below(1 << 20)) < probability * 1_048_576 }
}
