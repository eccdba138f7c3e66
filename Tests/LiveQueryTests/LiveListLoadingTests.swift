import LiveQuery
import Synchronization
import Testing

private func rows(_ range: Range<Int>) -> [TestRow] { range.map { TestRow(id: $0, key: $0) } }

private func window(_ range: Range<Int>, of count: Int?, answers number: Int? = nil) -> TestList.Window {
    .init(
        rows: rows(range), lowerIndex: range.lowerBound, count: count, reachesStart: range.lowerBound == 0,
        reachesEnd: range.upperBound == count, requestNumber: number)
}

struct LiveListLoadingTests {
    @Test
    func `a new list requests the start once`() throws {
        var list = TestList(height: 20)
        let request = try list.request()
        #expect(request.kind == .start(limit: 95))
        #expect(list.asksNothing)
        list.requestFailed(number: request.number)
        let again = try list.request()
        #expect(again.kind == request.kind)
    }

    @Test
    func `near the edge of the loaded rows, the list requests more`() throws {
        var list = TestList(height: 20)
        list.replace(window: window(0..<95, of: 1_000))
        #expect(list.asksNothing)
        list.moveTo(index: 60)
        let request = try list.request()
        #expect(request.kind == .after(.init(key: 94, id: 94), limit: 41))
        #expect(list.asksNothing)
        list.extend(with: rows(95..<136), .after, reachedEdge: false, requestNumber: request.number)
        #expect(list.rows.count == 136)
        #expect(list.asksNothing)
    }

    @Test
    func `a list that is read again goes to a row that is not loaded yet`() throws {
        var list = TestList(height: 20)
        list.replace(window: window(0..<95, of: 1_000))
        list.moveTo(index: 400)
        _ = try list.request()
        // It is not counted yet.
        list.replace(window: window(0..<95, of: nil), isRefresh: true)
        let request = try list.request()
        list.replace(window: window(330..<470, of: nil, answers: request.number))
        list.setCount(1_000)
        #expect(list.selectedID == 400 && list.selectedIndex == 400)
    }

    @Test
    func `a list that is emptied while it seeks the cursor's item requests nothing more`() throws {
        var list = TestList(height: 20)
        list.follows = true
        list.replace(window: window(0..<400, of: 1_000))
        list.moveTo(index: 300)
        list.replace(window: window(0..<95, of: nil), isRefresh: true)
        #expect(list.isAwaitingCursor)
        let request = try list.request()
        list.apply(changes: rows(0..<95).map { .init(id: $0.id, old: $0.position, new: nil) })
        #expect(list.count == 0 && list.isAwaitingCursor && list.staysAtStart)
        list.replace(
            window: .init(
                rows: [], lowerIndex: 0, count: 0, reachesStart: true, reachesEnd: true,
                requestNumber: request.number))
        #expect(list.asksNothing && !list.isAwaitingCursor)
    }

    @Test
    func `a list that is read again around an earlier cursor stays at the present one`() throws {
        var list = TestList(height: 20)
        list.replace(window: window(0..<95, of: 1_000))
        list.move(by: 8)
        list.replace(window: window(500..<700, of: nil), isRefresh: true)
        #expect(list.isAwaitingCursor)
        let request = try list.request()
        list.replace(window: window(0..<95, of: nil, answers: request.number))
        list.setCount(1_000)
        #expect(list.selectedID == 8 && list.selectedIndex == 8 && list.top == 0)
        // Its item was deleted: that after it.
        let rest = rows(0..<95).filter { $0.id != 8 }
        list.replace(
            window: .init(rows: rest, lowerIndex: 0, count: nil, reachesStart: true, reachesEnd: false),
            isRefresh: true)
        #expect(list.selectedID == 9 && list.lostID == 8)
    }

    @Test
    func `a list that is read again shows new rows at its top if it follows them`() {
        for follows in [false, true] {
            var list = TestList(height: 20)
            list.follows = follows
            list.replace(
                window: .init(
                    rows: rows(1_000..<1_095), lowerIndex: 0, count: nil, reachesStart: true,
                    reachesEnd: false))
            list.replace(window: window(0..<95, of: nil), isRefresh: true)
            #expect(list.top == 0)
            #expect(list.isAwaitingCursor != follows)
        }
    }

    @Test
    func `an answer that was superseded is ignored`() throws {
        var list = TestList(height: 20)
        list.replace(window: window(0..<95, of: 1_000))
        list.moveTo(index: 60)
        let first = try list.request()
        list.requestFailed(number: first.number)
        let second = try list.request()
        list.extend(with: rows(95..<136), .after, reachedEdge: false, requestNumber: first.number)
        #expect(list.rows.count == 95)
        list.extend(with: rows(95..<136), .after, reachedEdge: false, requestNumber: second.number)
        #expect(list.rows.count == 136)
    }

    @Test
    func `far from the loaded rows, the list requests a window there, and shows nothing until it arrives`()
        throws
    {
        var list = TestList(height: 20)
        list.replace(window: window(0..<95, of: 1_000_000))
        list.moveTo(index: 500_000)
        #expect(list.selectedIndex == 500_000)
        #expect(list.selectedID == nil)
        #expect(list.row(at: 500_000) == nil)
        let request = try list.request()
        #expect(request.kind == .at(index: 499_981, before: 75, after: 95))
        list.move(by: -3)
        #expect(list.asksNothing)
        list.replace(window: window(499_906..<500_076, of: nil, answers: request.number))
        #expect(list.selectedID == 499_997)
        #expect(list.count == 1_000_000)
        #expect(list.asksNothing)
    }

    @Test
    func `a cursor beyond the loaded rows retains its distance to them`() {
        var list = TestList(height: 20)
        list.replace(window: window(100..<195, of: 1_000))
        list.moveTo(index: 500)
        list.apply(changes: [.init(id: -1, old: nil, new: TestRow(id: -1, key: 1))])
        list.apply(changes: [.init(id: -2, old: nil, new: TestRow(id: -2, key: 150))])
        #expect(list.selectedIndex == 502)
        #expect(list.top == 483)
        list.moveTo(index: 20)
        list.apply(changes: [.init(id: -2, old: .init(key: 150, id: -2), new: nil)])
        #expect(list.selectedIndex == 20)
    }

    @Test
    func `a counted list without rows beyond its window reaches the end`() {
        var list = TestList(height: 20)
        list.replace(window: window(0..<95, of: 96))
        #expect(!list.reachesEnd)
        list.apply(changes: [.init(id: 95, old: .init(key: 95, id: 95), new: nil)])
        #expect(list.reachesEnd)
        list.moveToEnd()
        #expect(list.asksNothing)
    }

    @Test
    func `the answer to an abandoned jump is ignored`() throws {
        var list = TestList(height: 20)
        list.replace(window: window(0..<95, of: 1_000))
        list.moveToEnd()
        let request = try list.request()
        #expect(request.kind == .end(limit: 95))
        list.moveToStart()
        let next = list.nextRequest()
        #expect(next == nil)
        list.replace(window: window(905..<1_000, of: 1_000, answers: request.number))
        #expect(list.rows.first?.id == 0)
    }

    @Test
    func `the end of an uncounted list is the store's`() throws {
        var list = TestList(height: 20)
        list.replace(window: window(0..<95, of: nil))
        #expect(!list.isCounted)
        #expect(list.count == 95)
        list.moveToEnd()
        #expect(list.selectedIndex == 0)
        let request = try list.request()
        var end = window(905..<1_000, of: nil, answers: request.number)
        end.reachesEnd = true
        list.replace(window: end)
        #expect(list.selectedID == 999)
        #expect(list.top == 980)
        #expect(list.isCounted && list.count == 1_000)
    }

    @Test
    func `an uncounted list follows the changes, and is counted at its end`() throws {
        var list = TestList(height: 20)
        list.replace(window: window(0..<60, of: nil))
        let request = try list.request()
        list.apply(changes: [.init(id: 3, old: .init(key: 3, id: 3), new: nil)])
        #expect(!list.isCounted && list.count == 59)
        list.extend(with: rows(60..<70), .after, reachedEdge: true, requestNumber: request.number)
        #expect(list.isCounted && list.count == 69)
        #expect(list.reachesEnd)
    }

    @Test
    func `a later count replaces the known one`() {
        var list = TestList(height: 20)
        list.replace(window: window(0..<95, of: nil))
        list.setCount(1_000_000)
        list.apply(changes: [.init(id: 5_000_000, old: nil, new: TestRow(id: 5_000_000, key: 5_000_000))])
        #expect(list.isCounted && list.count == 1_000_001)
    }

    @Test
    func `deleted rows do not shrink the coverage`() {
        var list = TestList(height: 20)
        list.replace(window: window(100..<300, of: 1_000))
        list.moveTo(index: 200)
        list.apply(changes: (100..<110).map { .init(id: $0, old: .init(key: $0, id: $0), new: nil) })
        list.apply(changes: [.init(id: 101, old: nil, new: TestRow(id: 101, key: 101))])
        #expect(list.rows.first?.id == 101)
        #expect(list.lowerIndex == 100)
        #expect(list.count == 991)
    }

    @Test
    func `a long move through the list holds a bounded window`() throws {
        var list = TestList(height: 20)
        list.replace(window: window(0..<95, of: 5_000))
        for _ in 0..<200 {
            list.page(by: 1, half: false)
            while let request = list.nextRequest() {
                guard case .after(let bound, let limit) = request.kind else {
                    Issue.record("asks for \(request.kind)")
                    return
                }
                list.extend(
                    with: rows(bound.key + 1..<bound.key + 1 + limit), .after, reachedEdge: false,
                    requestNumber: request.number)
            }
            #expect(list.rows.count <= 400)
            #expect(list.selectedID == list.selectedIndex)
        }
        #expect(list.selectedIndex == 3_600)
    }

    @Test
    func `a smaller screen holds fewer rows`() {
        var list = TestList(height: 100)
        list.replace(window: window(0..<800, of: 5_000))
        list.moveTo(index: 700)
        list.resize(height: 20)
        #expect(list.rows.count == 400)
        #expect(list.selectedID == 700)
    }
}

struct LiveListMoveTests {
    private func list(height: Int = 10, count: Int = 100) -> TestList {
        var list = TestList(height: height)
        list.replace(window: window(0..<count, of: count))
        return list
    }

    @Test
    func `the viewport moves no further than the cursor needs`() {
        var list = list()
        list.move(by: 9)
        #expect(list.top == 0)
        list.move(by: 1)
        #expect(list.top == 1)
        list.move(by: .max)
        #expect(list.selectedIndex == 99 && list.top == 90)
        list.move(by: .min)
        #expect(list.selectedIndex == 0 && list.top == 0)
    }

    @Test
    func `context remains visible around the cursor, but not beyond the ends`() {
        var list = list()
        list.scrollMargin = 3
        list.move(by: 7)
        #expect(list.top == 1)
        list.moveToEnd()
        #expect(list.top == 90)
        list.move(by: -7)
        #expect(list.top == 89)
    }

    @Test
    func `pages move viewport and cursor, and at the ends the cursor alone`() {
        var list = list()
        list.move(by: 4)
        list.page(by: 1, half: false)
        #expect(list.top == 8 && list.selectedIndex == 12)
        list.page(by: 1, half: true)
        #expect(list.top == 13 && list.selectedIndex == 17)
        list.page(by: 100, half: false)
        #expect(list.top == 90 && list.selectedIndex == 99)
        list.page(by: -2, half: true)
        #expect(list.top == 80 && list.selectedIndex == 89)
        list.page(by: -100, half: true)
        #expect(list.top == 0 && list.selectedIndex == 0)
    }

    @Test
    func `scrolling keeps the cursor on its item until it would leave the screen`() {
        var list = list()
        list.move(by: 5)
        list.scroll(by: 3)
        #expect(list.top == 3 && list.selectedIndex == 5)
        list.scroll(by: 10)
        #expect(list.top == 13 && list.selectedIndex == 13)
        list.scroll(by: -10)
        #expect(list.top == 3 && list.selectedIndex == 12)
    }

    @Test
    func `the cursor remains visible on a smaller screen, and on its row on a larger one`() {
        var list = list()
        list.moveTo(index: 28)
        #expect(list.top == 19)
        list.resize(height: 4)
        #expect(list.top == 25 && list.selectedIndex == 28)
        list.resize(height: 30)
        #expect(list.top == 25 && list.selectedIndex == 28)
        list.resize(height: 0)
        #expect(list.height == 1 && list.top == 28)
    }

    @Test
    func `an item is selected by its ID only if it is loaded`() {
        var list = list()
        let isSelected = list.select(id: 42)
        #expect(isSelected && list.selectedIndex == 42)
        let isUnknownSelected = list.select(id: 4_200)
        #expect(!isUnknownSelected && list.selectedIndex == 42)
    }
}

struct LiveListCostTests {
    /// Counts the comparisons of positions; used by one test only.
    struct CountedRow: LiveListRow {
        struct Position: Comparable {
            static let comparisons = Atomic(0)

            var key: Int

            static func < (a: Position, b: Position) -> Bool {
                comparisons.add(1, ordering: .relaxed)
                return a.key < b.key
            }
        }

        static let reads = Atomic(0)

        var id: Int

        var position: Position {
            Self.reads.add(1, ordering: .relaxed)
            return Position(key: id)
        }
    }

    private func work(count: Int, changes: Int) -> (comparisons: Int, reads: Int) {
        let middle = count / 2
        var list = LiveList<CountedRow>(height: 20)
        list.replace(
            window: .init(
                rows: (middle - 100..<middle + 100).map { CountedRow(id: $0 * 10) }, lowerIndex: middle - 100,
                count: count, reachesStart: false, reachesEnd: false))
        list.moveTo(index: middle)
        let comparisons = CountedRow.Position.comparisons.load(ordering: .relaxed)
        let reads = CountedRow.reads.load(ordering: .relaxed)
        for change in 0..<changes {
            let place = [5, middle * 10 + 3, count * 10 - 5][change % 3] + change * 10
            list.apply(changes: [.init(id: place, old: nil, new: CountedRow(id: place))])
        }
        #expect(list.count == count + changes)
        return (
            CountedRow.Position.comparisons.load(ordering: .relaxed) - comparisons,
            CountedRow.reads.load(ordering: .relaxed) - reads
        )
    }

    @Test
    func `a change costs the same in a list of a thousand and of a million`() {
        let small = work(count: 1_000, changes: 30)
        let large = work(count: 1_000_000, changes: 30)
        #expect(small == large)
        #expect(large.comparisons <= 30 * 24)
        #expect(large.reads <= 30 * 24)
    }
}
