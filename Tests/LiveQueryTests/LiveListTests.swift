import TestSupport
import Testing

@testable import LiveQuery

/// Rows with the keys 0, 10, 20, … whose ids are their keys.
private func row(_ key: Int, id: Int? = nil, version: Int = 0) -> TestRow {
    TestRow(id: id ?? key, key: key, version: version)
}

private func place(_ key: Int, id: Int? = nil) -> TestRow.Position { row(key, id: id).position }

private func inserted(_ key: Int) -> TestList.Change { .init(id: key, old: nil, new: row(key)) }

private func deleted(_ key: Int) -> TestList.Change { .init(id: key, old: place(key), new: nil) }

private func moved(_ key: Int, to new: Int) -> TestList.Change {
    .init(id: key, old: place(key), new: row(new, id: key))
}

/// A counted list of `count` rows with those of `range` loaded, and the cursor on one of them.
private func list(
    count: Int = 20, loaded range: Range<Int>? = nil, height: Int = 5, top: Int = 0, selected: Int = 0
) -> TestList {
    let range = range ?? 0..<count
    var list = TestList(height: height)
    list.replace(
        window: .init(
            rows: range.map { row($0 * 10) }, lowerIndex: range.lowerBound, count: count,
            reachesStart: range.lowerBound == 0, reachesEnd: range.upperBound == count))
    list.moveTo(index: top + height - 1)
    list.moveTo(index: top)
    list.moveTo(index: selected)
    return list
}

struct LiveListAnchorTests {
    @Test
    func `the cursor remains on its item and screen row while rows above change`() {
        var list = list(top: 5, selected: 7)
        list.apply(changes: [inserted(1), inserted(2), deleted(30), moved(190, to: 5)])
        #expect(list.selectedID == 70)
        #expect(list.selectedIndex == 9)
        #expect(list.top == 7)
        #expect(list.count == 21)
    }

    @Test
    func `changes below move nothing`() {
        var list = list(top: 5, selected: 7)
        list.apply(changes: [inserted(75), deleted(190), deleted(180)])
        #expect(list.selectedIndex == 7)
        #expect(list.top == 5)
        #expect(list.count == 19)
    }

    @Test
    func `changes outside the loaded rows keep count and positions exact`() {
        var list = list(count: 1_000, loaded: 400..<600, top: 480, selected: 482)
        list.apply(changes: [inserted(1), inserted(2), deleted(10), inserted(9_001), deleted(9_000)])
        #expect(list.count == 1_001)
        #expect(list.lowerIndex == 401)
        #expect(list.selectedIndex == 483)
        #expect(list.selectedID == 4_820)
        #expect(list.top == 481)
    }

    @Test
    func `too few rows above clamp the viewport to the start`() {
        var list = list(top: 2, selected: 5)
        list.apply(changes: [deleted(0), deleted(10), deleted(20), deleted(30)])
        #expect(list.selectedID == 50)
        #expect(list.selectedIndex == 1)
        #expect(list.top == 0)
    }

    @Test
    func `the list leaves no blank rows below its last row`() {
        var list = list(top: 15, selected: 16)
        list.apply(changes: [deleted(170), deleted(180), deleted(190)])
        #expect(list.selectedID == 160)
        #expect(list.top == 12)
        // As many rows are inserted above as the screen has.
        var short = self.short()
        short.move(by: 1)
        short.apply(changes: (1...20).map { inserted(-$0) })
        #expect(short.selectedID == 10 && short.top == 18)
        short.resize(height: 9)
        #expect(short.selectedID == 10 && short.top == 14)
    }

    private func short() -> TestList { list(count: 3) }

    @Test
    func `in a list that was empty, the cursor stays at the top until the user moves`() {
        var empty = list(count: 0)
        empty.follows = true
        empty.replace(
            window: .init(rows: [], lowerIndex: 0, count: 0, reachesStart: true, reachesEnd: true))
        for key in stride(from: 100, to: 0, by: -10) { empty.apply(changes: [inserted(key)]) }
        #expect(empty.selectedID == 10 && empty.top == 0 && empty.count == 10)
        empty.move(by: 1)
        empty.apply(changes: [inserted(5)])
        #expect(empty.selectedID == 20)
        // A filter without matches follows a list with a selected item, and its first match is selected.
        empty.replace(
            window: .init(rows: [], lowerIndex: 0, count: 0, reachesStart: true, reachesEnd: true))
        empty.moveToStart()
        for key in stride(from: 100, to: 0, by: -10) { empty.apply(changes: [inserted(key)]) }
        #expect(empty.selectedID == 10 && empty.top == 0)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `an item is in the list once, in any order of messages`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var list = TestList(height: 5, minimumMargin: 5)
        func some() -> [TestRow] {
            let keys = (0..<40).filter { _ in random.chance(0.3) }
            return keys.map { row($0 * 10 + random.below(3), id: $0) }
        }
        for _ in 0..<40 {
            let request = list.nextRequest()
            switch random.below(4) {
            case 0:
                list.replace(
                    window: .init(
                        rows: some() + (random.chance(0.5) ? some() : []), lowerIndex: random.below(3),
                        count: nil, reachesStart: random.chance(0.5), reachesEnd: random.chance(0.5),
                        requestNumber: random.chance(0.5) ? request?.number : nil))
            case 1:
                let isAfter = if case .after? = request?.kind { true } else { false }
                list.extend(
                    with: some(), isAfter ? .after : .before, reachedEdge: random.chance(0.3),
                    requestNumber: request?.number ?? 0)
            case 2: list.setCount(random.below(60))
            default:
                let changes = some().map { new in
                    TestList.Change(
                        id: new.id, old: random.chance(0.5) ? place(new.id * 10, id: new.id) : nil,
                        new: random.chance(0.7) ? new : nil)
                }
                list.apply(changes: changes)
            }
            #expect(Set(list.rows.map(\.id)).count == list.rows.count)
            #expect(list.count >= list.rows.count)
        }
    }

    @Test
    func `after a deletion, the next item is selected, or at the end the previous one`() {
        var list = list(top: 15, selected: 18)
        list.apply(changes: [deleted(180)])
        #expect(list.selectedID == 190)
        #expect(list.selectedIndex - list.top == 4)
        list.apply(changes: [deleted(190)])
        #expect(list.selectedID == 170)
        #expect(list.selectedIndex - list.top == 4)
    }

    @Test
    func `a restored item is selected again`() {
        var list = list(top: 5, selected: 7)
        list.apply(changes: [deleted(70), deleted(80)])
        #expect(list.selectedID == 90)
        list.apply(changes: [inserted(80), inserted(70), inserted(1)])
        #expect(list.selectedID == 70)
        #expect(list.selectedIndex - list.top == 2)
    }

    @Test
    func `a restored item is not selected after a move`() {
        var list = list(top: 5, selected: 7)
        list.apply(changes: [deleted(70)])
        list.move(by: 1)
        list.apply(changes: [inserted(70)])
        #expect(list.selectedID == 90)
    }

    @Test
    func `several changes of one item count once`() {
        var list = list(top: 5, selected: 7)
        list.apply(changes: [
            deleted(70), inserted(70), moved(70, to: 3),
            .init(id: 70, old: place(3, id: 70), new: row(75, id: 70)),
        ])
        #expect(list.selectedID == 70)
        #expect(list.count == 20)
        #expect(list.rows.map(\.key).contains(75))
    }

    @Test
    func `the cursor follows an item that is re-sorted within the loaded rows`() {
        var list = list(top: 5, selected: 7)
        list.apply(changes: [moved(70, to: 165)])
        #expect(list.selectedID == 70)
        #expect(list.selectedIndex == 16)
        #expect(list.top == 14)
    }

    @Test
    func `the cursor follows an item that is re-sorted beyond the loaded rows`() throws {
        var list = list(count: 1_000, loaded: 0..<200, top: 5, selected: 7)
        list.apply(changes: [moved(70, to: 9_005)])
        #expect(list.selectedID == nil)
        #expect(list.sought?.id == 70)
        #expect(list.row(at: list.top) == row(50))
        let request = try list.request()
        guard case .around(place(9_005, id: 70), _, _) = request.kind else {
            Issue.record("asks for \(request.kind)")
            return
        }
        #expect(list.asksNothing)
        let rows = (850...900).map { row($0 * 10) } + [row(9_005, id: 70)] + (901..<950).map { row($0 * 10) }
        list.replace(
            window: .init(
                rows: rows, lowerIndex: 849, count: nil, reachesStart: false, reachesEnd: false,
                requestNumber: request.number))
        #expect(list.selectedID == 70)
        #expect(list.selectedIndex == 900)
        #expect(list.top == 898)
        #expect(list.isCounted && list.count == 1_000)
    }

    @Test
    func `an item that is re-sorted again while it is sought is sought at its newest position`() throws {
        var list = list(count: 1_000, loaded: 0..<200, top: 5, selected: 7)
        list.apply(changes: [moved(70, to: 9_005)])
        let first = try list.request()
        list.apply(changes: [.init(id: 70, old: place(9_005, id: 70), new: row(5_005, id: 70))])
        let second = try list.request()
        guard case .around(place(5_005, id: 70), _, _) = second.kind else {
            Issue.record("asks for \(second.kind)")
            return
        }
        list.replace(
            window: .init(
                rows: (880..<920).map { row($0 * 10) }, lowerIndex: 880, count: nil, reachesStart: false,
                reachesEnd: false, requestNumber: first.number))
        #expect(list.row(at: list.top) == row(50))
        #expect(list.sought?.id == 70)
    }

    @Test
    func `rows of an earlier request may contain the item that the cursor follows`() throws {
        var list = list(count: 1_000, loaded: 0..<50, top: 5, selected: 7)
        let request = try list.request()
        list.apply(changes: [moved(70, to: 515)])
        #expect(list.sought?.id == 70)
        list.extend(
            with: [row(500), row(510), row(515, id: 70), row(520)], .after, reachedEdge: false,
            requestNumber: request.number)
        #expect(list.selectedID == 70)
        #expect(list.selectedIndex == 51)
        #expect(list.top == 49)
    }

    @Test
    func `an update of the selected item shows its new content`() {
        var list = list(top: 5, selected: 7)
        list.apply(changes: [.init(id: 70, old: place(70), new: row(70, version: 2))])
        #expect(list.selectedRow == row(70, version: 2))
        #expect(list.count == 20)
    }

    @Test
    func `a repeated change changes nothing`() {
        var list = list(top: 5, selected: 7)
        list.apply(changes: [inserted(5), deleted(150)])
        let rows = list.rows
        list.apply(changes: [inserted(5), deleted(150)])
        #expect(list.rows == rows)
        #expect(list.count == 20)
        #expect(list.selectedID == 70)
    }

    @Test
    func `the first item of an empty list is selected`() {
        var list = list(count: 0)
        #expect(list.selectedID == nil)
        list.apply(changes: [inserted(10), inserted(20)])
        #expect(list.selectedID == 10)
        list.apply(changes: [deleted(10), deleted(20)])
        #expect(list.selectedID == nil)
        #expect(list.count == 0)
    }
}

struct LiveListFollowTests {
    @Test
    func `following at the top shows arrivals, and the cursor moves down with its item`() {
        var list = list(selected: 0)
        list.follows = true
        list.apply(changes: [inserted(-10), inserted(-20)])
        #expect(list.top == 0)
        #expect(list.selectedID == 0)
        #expect(list.selectedIndex == 2)
    }

    @Test
    func `a user who has left the first row retains the position, following or not`() {
        var list = list(selected: 1)
        list.follows = true
        list.apply(changes: [inserted(-10), inserted(-20)])
        #expect(list.selectedID == 10)
        #expect(list.selectedIndex - list.top == 1)
        list.moveToStart()
        list.apply(changes: [inserted(-30)])
        #expect(list.top == 0)
    }

    @Test
    func `following shows every row of a list that fits the screen`() {
        var list = list(count: 3, selected: 1)
        list.follows = true
        list.apply(changes: [inserted(-10)])
        #expect(list.top == 0)
        #expect(list.selectedID == 10)
        list.apply(changes: [inserted(-20), inserted(-30), inserted(-40)])
        #expect(list.top == 2)
        #expect(list.selectedID == 10)
    }

    @Test
    func `not following, arrivals push the viewport down`() {
        var list = list(selected: 1)
        list.apply(changes: [inserted(-10), inserted(-20)])
        #expect(list.top == 2)
        #expect(list.selectedID == 10)
    }

    @Test
    func `following away from the top pushes the viewport too`() {
        var list = list(top: 1, selected: 3)
        list.follows = true
        list.apply(changes: [inserted(-10), inserted(-20)])
        #expect(list.top == 3)
        #expect(list.selectedID == 30)
    }

    @Test
    func `following moves to a selected item that is itself re-sorted off the screen`() {
        var list = list(selected: 1)
        list.follows = true
        list.apply(changes: [moved(10, to: 155)])
        #expect(list.selectedID == 10)
        #expect(list.selectedIndex - list.top == 1)
    }
}

struct LiveListQueryTests {
    private func window(_ keys: [Int], around: Int? = nil) -> TestList.Window {
        .init(
            rows: keys.map { row($0) }, lowerIndex: 0, count: nil, reachesStart: true, reachesEnd: true,
            around: around.map { place($0) })
    }

    @Test
    func `with another query, the cursor remains on its item, and the screen is full`() {
        var list = list(top: 5, selected: 7)
        list.replace(window: window([10, 20, 30, 40, 70, 90]))
        #expect(list.selectedID == 70)
        #expect(list.selectedIndex == 4)
        #expect(list.top == 1)
        #expect(list.count == 6)
    }

    @Test
    func `a filter that hides the selected item selects the next one, and without it the item again`() {
        var list = list(top: 5, selected: 7)
        list.replace(window: window([0, 20, 40, 60, 80, 100], around: 70))
        #expect(list.selectedID == 80)
        #expect(list.lostID == 70)
        list.replace(window: window((0..<20).map { $0 * 10 }))
        #expect(list.selectedID == 70)
        #expect(list.selectedIndex - list.top == 3)
    }

    @Test
    func `answers to requests before another query are ignored`() throws {
        var list = list(count: 1_000, loaded: 0..<50)
        let request = try list.request()
        list.replace(window: window([1, 2, 3]))
        list.extend(with: [row(600)], .after, reachedEdge: false, requestNumber: request.number)
        #expect(list.rows.map(\.key) == [1, 2, 3])
        #expect(list.count == 3)
    }
}
