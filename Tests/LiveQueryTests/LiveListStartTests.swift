import TestSupport
import Testing

@testable import LiveQuery

struct LiveListStartTests {
    private func row(_ key: Int) -> TestRow { TestRow(id: key, key: key, version: 0) }

    private func inserted(_ key: Int) -> TestList.Change { .init(id: key, old: nil, new: row(key)) }

    @Test(arguments: [1, 2, 9, 200])
    func `the cursor stays at the top until the user moves, and on its item after that`(count: Int) {
        var list = TestList(height: 5)
        list.follows = true
        func window(_ keys: some Sequence<Int>) -> TestList.Window {
            let rows = keys.map { row($0 * 10) }
            return .init(rows: rows, lowerIndex: 0, count: rows.count, reachesStart: true, reachesEnd: true)
        }
        list.replace(window: window(0..<20))
        let arrivals = (1...count).map { inserted(-10 * $0) }
        list.apply(changes: arrivals)
        #expect(list.selectedIndex == 0 && list.top == 0 && list.selectedID == -10 * count)
        list.replace(window: window(-300..<20), isRefresh: true)
        #expect(list.selectedIndex == 0 && list.top == 0)
        list.move(by: 1)
        list.move(by: -1)
        list.apply(changes: (1...count).map { inserted(-3000 - 10 * $0) })
        #expect(list.selectedID == -3000 && list.selectedIndex == count)
        #expect(list.top == (count < 5 ? 0 : count))
        list.stayAtStart()
        list.apply(changes: (1...count).map { inserted(-6000 - 10 * $0) })
        #expect(list.selectedIndex == 0 && list.top == 0)
        // Arrivals moved the cursor of a list that did not follow.
        var still = TestList(height: 5)
        still.replace(window: window(0..<20))
        still.apply(changes: [inserted(-5)])
        still.follows = true
        still.apply(changes: arrivals)
        #expect(still.selectedID == 0 && still.selectedIndex == count + 1)
    }
}
