import ClipsCore
import TestSupport
import Testing

@testable import ClipsTerminal

@Suite struct HistoryListTests {
    @Test func `in whatever order transactions come, each is there once, the newest on top`() {
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

    @Test func `the cursor stays on its transaction and row while news come on top`() {
        var list = HistoryList(height: 10)
        list.add((1...50).map { transaction($0) })
        list.move(by: 20)
        let (selected, row) = (list.selectedTransaction?.id, list.selected - list.top)
        for number in Int64(51)...90 { list.add([transaction(number)]) }
        #expect(list.selectedTransaction?.id == selected)
        #expect(list.selected - list.top == row)
    }

    @Test func `the oldest are forgotten, but not under the cursor's feet`() {
        var list = HistoryList(height: 10)
        for number in Int64(1)...6_000 { list.add([transaction(number)]) }
        #expect((2_000...2_500).contains(list.transactions.count))
        #expect(list.selectedTransaction?.id == 6_000)
        list.moveToEnd()
        list.add((6_001...9_000).map { transaction($0) })
        #expect(list.selected == list.transactions.count - 1)
        #expect(list.transaction(at: list.transactions.count) == nil)
    }
}
