import Platform

/// The changes from the rows of one snapshot to those of the next.
///
/// To update a view, remove the rows at ``removed`` and at the start of each move, from the last to the first;
/// then insert those at ``inserted`` and at the end of each move, from the first to the last; then update those
/// at ``updated``.
public struct LiveDifference: Hashable, Sendable {
    /// A row that changed its place among the others.
    package struct Move: Hashable, Sendable {
        package let from: Int
        package let to: Int
    }

    /// The indexes of the rows that are no longer in the window, in the previous rows.
    public private(set) var removed: [Int] = []
    /// The indexes of the rows that were not in the window, in the present rows.
    public private(set) var inserted: [Int] = []
    package private(set) var moves: [Move] = []
    /// The rows that changed their place among the others: the index in the previous rows, and in the present ones.
    public var moved: [(from: Int, to: Int)] { moves.map { ($0.from, $0.to) } }
    /// The indexes of the rows with other values, whether or not they moved, in the present rows.
    public private(set) var updated: [Int] = []

    /// Whether the rows are unchanged.
    package var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moves.isEmpty && updated.isEmpty }

    /// - Returns: Also the previous index of each present row that is unchanged.
    /// - Complexity: O(*n*) in the rows, and O(*m* log *m*) in those between the first and the last that were
    ///   inserted, removed, or moved.
    static func between<Row: LiveListRow>(_ old: [Row], _ new: [Row]) -> (LiveDifference, unchanged: [Int?]) {
        var difference = LiveDifference()
        let origins = difference.match(old.map(\.id), new.map(\.id))
        let unchanged = origins.enumerated().map { index, origin -> Int? in
            guard let origin else { return nil }
            if old[origin] == new[index] { return origin }
            difference.updated.append(index)
            return nil
        }
        return (difference, unchanged)
    }

    /// Finds the rows that were removed, inserted, and moved. Returns the previous index of each present row.
    private mutating func match<ID: Hashable>(_ old: [ID], _ new: [ID]) -> [Int?] {
        let start = zip(old, new).prefix { $0 == $1 }.count
        let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }
            .count
        let middle = Dictionary(
            uniqueKeysWithValues: (start..<old.count - end).map { (old[$0], $0) })
        let origins = new.indices.map { index -> Int? in
            if index < start { return index }
            if index >= new.count - end { return index + old.count - new.count }
            return middle[new[index]]
        }
        inserted = origins.indices.filter { origins[$0] == nil }
        let remaining = Set(origins.compactMap(\.self))
        removed = old.indices.filter { !remaining.contains($0) }
        let common = origins.indices.filter { $0 >= start && $0 < new.count - end && origins[$0] != nil }
        let still = Set(Self.longestAscent(common.map { origins[$0] ?? 0 }))
        for index in common {
            if let origin = origins[index], !still.contains(origin) {
                moves.append(Move(from: origin, to: index))
            }
        }
        return origins
    }

    /// Returns a longest ascending subsequence: the rows that need not move.
    private static func longestAscent(_ values: [Int]) -> [Int] {
        // The index of the least last value of an ascent of each length, and the index before each.
        var ends: [Int] = []
        var previous: [Int?] = []
        for (index, value) in values.enumerated() {
            let length = ends.partitionPoint { values[$0] >= value }
            previous.append(length > 0 ? ends[length - 1] : nil)
            if length < ends.count { ends[length] = index } else { ends.append(index) }
        }
        var ascent: [Int] = []
        var index = ends.last
        while let at = index {
            ascent.append(values[at])
            index = previous[at]
        }
        return ascent
    }
}
