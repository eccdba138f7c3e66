extension RandomAccessCollection {
    /// Returns the index of the first element for which a condition holds, as it does for all after it; the end if there
    /// is none.
    ///
    /// - Complexity: O(log *n*) calls.
    @inlinable
    package func partitionPoint(where holds: (Element) -> Bool) -> Index {
        var (low, count) = (startIndex, count)
        while count > 0 {
            let middle = index(low, offsetBy: count / 2)
            if holds(self[middle]) {
                count /= 2
            } else {
                low = index(after: middle)
                count -= count / 2 + 1
            }
        }
        return low
    }
}

extension RandomAccessCollection where Element: Comparable {
    /// Whether a collection in ascending order contains an element.
    @inlinable
    package func contains(sorted element: Element) -> Bool {
        let index = partitionPoint { $0 >= element }
        return index < endIndex && self[index] == element
    }
}
