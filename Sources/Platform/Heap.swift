/// A binary max-heap.
///
/// - Complexity: O(1) for `max`, O(log *n*) to insert or remove.
package struct Heap<Element: Comparable & Sendable>: Sendable {
    package private(set) var elements: [Element] = []

    package init() {}

    package init(_ elements: some Sequence<Element>) {
        // A descending order is a heap.
        self.elements = elements.sorted(by: >)
    }

    package var max: Element? { elements.first }

    package mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, elements[(index - 1) / 2] < elements[index] {
            elements.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    package mutating func removeMax() {
        guard !elements.isEmpty else { return }
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        var index = 0
        while true {
            let greater = [2 * index + 1, 2 * index + 2].filter { $0 < elements.count }.max {
                elements[$0] < elements[$1]
            }
            guard let greater, elements[index] < elements[greater] else { return }
            elements.swapAt(index, greater)
            index = greater
        }
    }
}
