import TestSupport
import Testing

@testable import LiveQuery

@Suite struct LiveDifferenceTests {
    private static func rows(_ ids: [Int]) -> [TestRow] { ids.map { TestRow(id: $0, key: 0) } }

    private static func difference(_ old: [Int], _ new: [Int]) -> LiveDifference {
        LiveDifference.between(rows(old), rows(new)).0
    }

    @Test func `one moved row is one move, in either direction`() {
        let down = Self.difference([1, 2, 3, 4, 5], [2, 3, 4, 1, 5])
        #expect(down.moves == [.init(from: 0, to: 3)] && down.removed.isEmpty && down.inserted.isEmpty)
        let up = Self.difference([1, 2, 3, 4, 5], [1, 4, 2, 3, 5])
        #expect(up.moves == [.init(from: 3, to: 1)])
    }

    @Test func `a window that moves by one removes one row and inserts one`() {
        let difference = Self.difference([1, 2, 3, 4], [2, 3, 4, 5])
        #expect(difference.removed == [0] && difference.inserted == [3] && difference.moved.isEmpty)
    }

    @Test func `equal rows have no difference`() {
        #expect(Self.difference([1, 2, 3], [1, 2, 3]).isEmpty && Self.difference([], []).isEmpty)
    }

    @Test func `a difference leads from any rows to any others`() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<3_000 {
            let old = (0..<12).shuffled(using: &random).prefix(random.below(13)).map {
                TestRow(id: $0, key: 0)
            }
            var new = old
            for _ in 0..<random.below(5) {
                let index = random.below(new.count + 1)
                switch random.below(4) {
                case 0: new.insert(TestRow(id: 100 + random.below(1_000_000), key: 0), at: index)
                case 1 where index < new.count: new.remove(at: index)
                case 2 where index < new.count: new[index].version += 1
                case 3 where index < new.count:
                    new.insert(new.remove(at: index), at: random.below(new.count + 1))
                default: new.shuffle(using: &random)
                }
            }
            let (difference, unchanged) = LiveDifference.between(old, new)
            #expect(old.applying(difference, from: new) == new, "\(old.map(\.id)) \(new.map(\.id))")
            #expect(difference.isEmpty == (old == new))
            for (index, origin) in unchanged.enumerated() {
                if let origin { #expect(old[origin] == new[index]) }
            }
        }
    }
}
