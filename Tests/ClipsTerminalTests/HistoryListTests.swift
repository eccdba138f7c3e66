import ClipsCore
import LiveQuery
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

@Suite struct HistoryListTests {
    @Test func `transactions in any order are listed once, the newest first`() {
        var random = SeededRandom(seed: 31)
        var list = HistoryList(height: 10)
        var known: Set<Int64> = []
        for _ in 0..<200 {
            let numbers = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                Int64.random(in: 1...400, using: &random)
            }
            known.formUnion(numbers)
            list.add(numbers.sorted().map { transaction($0) })
            #expect(list.transactions.map(\.id) == known.sorted(by: >))
        }
    }

    @Test func `the cursor stays on its transaction and row as new ones arrive`() {
        var list = HistoryList(height: 10)
        list.add((1...50).map { transaction($0) })
        list.move(by: 20)
        let (selected, row) = (list.selectedTransaction?.id, list.selected - list.top)
        for number in Int64(51)...90 { list.add([transaction(number)]) }
        #expect(list.selectedTransaction?.id == selected)
        #expect(list.selected - list.top == row)
    }

    @Test func `the parts of one step are one row until it is unfolded`() {
        var list = HistoryList(height: 10)
        list.add([transaction(1)])
        for number in Int64(2)...6 {
            list.add([transaction(number, inserting: [number], contextName: "mark #1")])
        }
        list.add([transaction(7, contextName: "mark #6"), transaction(8)])
        #expect(list.count == 4 && list.transactions.count == 8)
        list.move(by: 2)
        #expect(list.selectedRow?.count == 5 && list.selectedTransaction == nil)
        list.switchPane()
        #expect(list.count == 8 && list.selectedTransaction?.id == 6)
    }

    @Test func `a row that Enter has opened keeps the cursor as others arrive, until the user moves`() throws
    {
        var state = AppState.showing(3)
        try state.press("H")
        let group = (1...3).map { transaction($0, inserting: [$0], author: nil) }
        state.take(.transactions(group))
        let effects = try state.press("<Enter>")
        #expect(state.history.count == 3 && !effects.isEmpty)
        state.take(.transactions((4...6).map { transaction($0, inserting: [$0]) }))
        #expect(state.history.selectedTransaction?.id == 3)
        try state.press("gg")
        state.take(.transactions([transaction(7, inserting: [7])]))
        #expect(state.history.selectedTransaction?.id == 7)
    }

    @Test func `no row is blank while others are hidden above`() {
        var list = HistoryList(height: 10)
        list.add((1...3).map { transaction($0) })
        list.move(by: 1)
        list.add((4...60).map { transaction($0) })
        #expect(list.top == list.count - 10)
        list.moveToEnd()
        list.resize(height: 30)
        #expect(list.top == list.count - 30)
        var state = AppState.showing(3, Size(rows: 10, columns: 80))
        _ = try? state.press("?G")
        _ = state.handle(.resized(Size(rows: 50, columns: 80)), at: noon)
        #expect(
            !state.lines.dropLast(2).contains { $0.allSatisfy(\.isWhitespace) && $0 != state.lines.first })
    }

    @Test func `the oldest transactions are discarded, and the cursor stays in the list`() {
        var list = HistoryList(height: 10)
        for number in Int64(1)...6_000 { list.add([transaction(number)]) }
        #expect((2_000...2_500).contains(list.transactions.count))
        #expect(list.selectedTransaction?.id == 6_000)
        list.moveToEnd()
        list.add((6_001...9_000).map { transaction($0) })
        #expect(list.selected == list.transactions.count - 1)
        #expect(list.row(at: list.transactions.count) == nil)
    }

    @Test func `older transactions are reached behind a row of thousands`() {
        var list = HistoryList(height: 10)
        func part(_ numbers: ClosedRange<Int64>) -> [TransactionSummary] {
            numbers.map { $0 <= 3 ? transaction($0) : transaction($0, inserting: [$0], author: nil) }
        }
        list.addLoad(part(5_501...6_000))
        var end: Int64 = 5_500
        while let count = list.nextOlder(), end > 0 {
            #expect(count == Int(6_000 - end))
            list.addLoad(part(max(1, end - 499)...end), isOlder: true)
            end = max(0, end - 500)
        }
        #expect(end == 0 && list.count == 4 && list.transactions.count == 6_000)
        let most = Int64(HistoryList.mostCount)
        list = HistoryList(height: 10)
        list.addLoad(part(10_001...most + 10_000))
        list.moveToEnd()
        #expect(list.endsEarly && list.nextOlder() == nil)
        list.moveToStart()
        #expect(list.count == 1 && list.endsEarly)
    }

    @Test func `consecutive transactions of an unknown writer are one row until it is opened`() {
        var list = HistoryList(height: 10)
        list.add([transaction(1)] + (2...5).map { transaction($0, inserting: [$0], author: nil) })
        #expect(list.count == 2 && list.selectedRow?.isFolded == true && list.selectedTransaction == nil)
        #expect(list.row(at: 0)?.sums.inserted == 4)
        list.add([transaction(6, inserting: [6], author: nil), transaction(7)])
        #expect(list.count == 3 && list.row(at: 1)?.transactions.count == 5)
        list.moveTo(index: 1)
        list.switchPane()
        #expect(list.count == 7 && list.selectedTransaction?.id == 6 && !list.isInChanges)
        list.switchPane()
        #expect(list.isInChanges)
        // A transaction being read is not folded into a new one.
        list = HistoryList(height: 10)
        list.add([transaction(1, author: nil)])
        list.switchPane()
        list.add([transaction(2, author: nil)])
        #expect(list.count == 2 && list.selectedTransaction?.id == 1)
    }

    @Test func `a row counts a clip that changed several times once`() throws {
        var state = AppState.showing(3, Size(rows: 24, columns: 90))
        try state.press("H")
        state.take(
            .transactions([external(1, inserting: 7), external(2, inserting: 7), external(3, inserting: 8)]))
        #expect(state.lines[1].contains("and 1 more"), "\(state.lines[1])")
    }

    @Test func `the history begins at the newest row if there were commits since it was closed`() throws {
        var state = AppState.showing(3)
        try state.press("H")
        state.take(.transactions((1...4).map { transaction($0, inserting: [$0]) }))
        try state.press("2jHH")
        #expect(state.history.selected == 2)
        try state.press("H")
        state.take(.transactions([transaction(5, inserting: [5])]))
        try state.press("H")
        #expect(state.history.selected == 0 && state.history.selectedTransaction?.id == 5)
    }

    @Test func `a wide history has the date and the time of each row, and no change is ever narrower`() throws
    {
        var state = AppState.showing(3)
        try state.press("H")
        state.take(.transactions([transaction(1, inserting: [1], title: "T")]))
        var widest = 0
        for columns in 20...250 {
            _ = state.handle(.resized(Size(rows: 24, columns: columns)), at: noon)
            let change = HistoryScreen.Columns(width: columns).change
            #expect(change >= widest, "\(columns) columns")
            widest = max(widest, change)
            let time = LocalTime(noon).dateAndTime
            #expect(state.lines[1].contains(time) == (columns >= 98), "\(state.lines[1])")
        }
    }

    @Test(arguments: [12, 300], [[], [4, 5, 6]])
    func `titles never get narrower when the terminal gets wider`(length: Int, inserted: [Int64]) throws {
        for (name, deleted) in [(nil, 1), (nil, 3), ("undo 1", 3), (nil, 200)] {
            var state = AppState.showing(3)
            try state.press("H")
            let title = String(repeating: "X", count: length)
            let change = transaction(
                1, inserting: inserted, deleting: (10..<10 + Int64(deleted)).map { $0 }, title: title,
                contextName: name)
            state.take(.transactions([change]))
            state.history.titles.add([4: title], values: [:])
            var widest = 0
            for columns in 20...140 {
                _ = state.handle(.resized(Size(rows: 7, columns: columns)), at: noon)
                let width = state.lines[1].count { $0 == "X" }
                #expect(width >= widest, "\(columns) columns: \(state.lines[1])")
                widest = max(widest, width)
            }
            #expect(widest >= min(length, 40))
        }
    }

    @Test func `all transactions of a row are counted, and the clips of thousands are approximate`() {
        var list = HistoryList(height: 10)
        for (numbers, others) in [(1...5000, "and 4,999 more"), (5001...20_200, "and ~20,199 more")] {
            list.add(numbers.map { transaction(Int64($0), inserting: [Int64($0)], author: nil) })
            let row = list.row(at: 0)
            #expect(list.count == 1 && row?.isCut == false)
            #expect(row?.newestLine.map { row?.others(than: $0) } == others)
        }
    }

    @Test func `the other clips of a row are named by what was done to them, each once`() {
        var list = HistoryList(height: 10)
        list.add([transaction(4, inserting: [1, 2, 3, 4], author: nil)])
        list.add([update(5, of: 1, [.title]), transaction(6, deleting: [2], author: nil)])
        let row = list.row(at: 0)
        #expect(list.count == 1 && row?.newestLine.map { row?.others(than: $0) } == "and 3 saved")
        list.add([update(7, of: 9, [.starred]), update(8, of: 8, [.title])])
        let longer = list.row(at: 0)
        #expect(longer?.newestLine.map { longer?.others(than: $0) } == "and 3 saved, 1 changed, 1 deleted")
        #expect(longer?.newestLine.map { longer?.others(than: $0, isShort: true) } == "+3 ~1 -1")
    }

    @Test func `a row has adjacent transactions only, and shows that older ones are not loaded`() {
        func external(_ number: Int64) -> TransactionSummary {
            transaction(number, inserting: [number], author: nil)
        }
        var list = HistoryList(height: 10)
        list.add([1, 2, 5, 6].map(external))
        #expect(list.count == 2 && list.row(at: 0)?.transactions.count == 2)
        list.addLoad((1001...1500).map(external))
        #expect(list.count == 3 && (0..<3).map { list.row(at: $0)?.isCut } == [true, true, false])
        list.switchPane()
        list.add([external(1501)])
        #expect(list.count == 503)
        // Discarding the oldest transactions does not fold the others again.
        list.add((1502...6000).map(external))
        #expect(list.count == list.transactions.count)
    }

    @Test func `windows of one author that are open at the same time have numbers`() throws {
        let names = ["window", "window-2", "window-2 undo 1", "restore", "window-2 restore #3", "window-x"]
        let all = names.enumerated().map { window(Int64($0.offset) + 1, name: $0.element) }
        #expect(all.map(\.shownAuthor) == ["app", "app 2", "app 2", "app", "app 2", "app"])
        #expect(
            all.map(\.contextName) == [nil, nil, "undo 1", "restore", "restore", "window-x"])
        #expect(all.map { $0.role != .work } == [false, false, true, true, true, false])
        #expect(try all.map(HistoryFilter("\"app 2\"", now: noon).admits).count { $0 } == 3)
        #expect(try all.map(HistoryFilter("app", now: noon).admits).count { $0 } == 6)
    }

    @Test func `the history is loading at first, and loads older transactions at its end`() throws {
        var state = AppState.showing(3)
        let effects = try state.press("H")
        #expect(state.lines[1].hasPrefix(" …") && !state.lines.contains { $0.contains("history is empty") })
        guard case .loadHistory(_, after: 0)? = effects.last else {
            Issue.record("not loaded: \(effects)")
            return
        }
        func load(_ numbers: ClosedRange<Int64>, after count: Int) -> [Effect] {
            state.answer(
                .loadHistory(HistoryFilter(), after: count),
                (numbers.map { transaction($0, inserting: [$0]) }, Int64(0)))
        }
        func next(_ effects: [Effect]) -> [Int] {
            effects.compactMap { if case .loadHistory(_, let count) = $0 { count } else { nil } }
        }
        #expect(next(load(501...1000, after: 0)) == [])
        #expect(state.statusLine.contains("1/500+"))
        #expect(try next(state.press("G")) == [500])
        #expect(try next(state.press("kj")) == [])
        #expect(next(load(301...500, after: 500)) == [])
        #expect(state.statusLine.contains("500/700 "), "\(state.statusLine)")
        #expect(try next(state.press("G")) == [])
        #expect(state.history.selectedTransaction?.id == 301)
    }

    @Test func `after a commit that is too large to be reported, all since the newest one are loaded`() throws
    {
        var state = AppState.showing(3)
        try state.press("H")
        state.answer(.loadHistory(HistoryFilter()), ([transaction(7, inserting: [1])], Int64(0)))
        let window = LiveList<ClipRow>.Window(
            rows: [row(1)], lowerIndex: 0, count: 1, reachesStart: true, reachesEnd: true)
        let effects = state.handle(
            .message(.window(window, generation: state.list.feed.generation)), at: noon)
        #expect(effects.contains { if case .loadNewHistory(_, after: 7) = $0 { true } else { false } })
    }

    @Test func `a load of all transactions removes those that the store has purged`() {
        var list = HistoryList(height: 10)
        list.add((1...9).map { transaction($0) })
        list.moveToEnd()
        list.addLoad([transaction(9)])
        #expect(list.count == 9)
        list.addLoad([8, 9].map { transaction($0) }, purged: 7)
        #expect(list.transactions.map(\.id) == [9, 8] && list.selected == 1)
        list.addLoad([], purged: 9)
        #expect(list.count == 0 && list.selectedRow == nil)
    }

    @Test func `transactions down to the cursor are not discarded`() {
        var list = HistoryList(height: 10)
        list.addLoad((3001...3500).map { transaction($0) })
        for first in stride(from: Int64(2501), through: 1, by: -500) {
            list.moveToEnd()
            #expect(list.nextOlder() == list.transactions.count)
            list.addLoad((first..<first + 500).map { transaction($0) }, isOlder: true)
        }
        #expect(list.transactions.count == 3500 && list.transactions.last?.id == 1)
        list.moveToStart()
        list.add([transaction(3501)])
        #expect(list.transactions.count == 2000 && list.isCut)
    }
}
