import Platform
import TestSupport
import Testing

@Suite struct PartitionPointTests {
    @Test func `the first element for which a condition holds is found in any collection`() {
        var random = SeededRandom(seed: 1)
        for count in 0..<40 {
            let numbers = (0..<count).map { _ in Int.random(in: 0..<20, using: &random) }.sorted()
            for slice in [numbers[...], numbers.dropFirst(3), numbers.dropLast(2)] {
                for bound in -1...20 {
                    let first = slice.firstIndex { $0 >= bound } ?? slice.endIndex
                    #expect(slice.partitionPoint { $0 >= bound } == first)
                    #expect(slice.contains(sorted: bound) == slice.contains(bound))
                }
            }
        }
    }
}
