/// Values by name, in ascending order of the names. Of a few, one array is smaller and faster than a hash table.
struct NamedValues<Value> {
    /// Not a tuple, which arrays copy and destroy several times more slowly.
    struct Element {
        let key: String
        var value: Value
    }

    private var elements: [Element] = []

    init() {}

    /// Creates values from elements in any order. Of two with one name, the later one is retained.
    init(_ unordered: [(key: String, value: Value)]) {
        for (name, value) in unordered { self[name] = value }
    }

    subscript(name: String) -> Value? {
        get {
            let index = position(of: name)
            return hasName(name, at: index) ? elements[index].value : nil
        }
        set {
            let isLast = elements.last.map { $0.key < name } ?? true
            let index = isLast ? elements.count : position(of: name)
            switch (newValue, hasName(name, at: index)) {
            case (let value?, true): elements[index].value = value
            case (let value?, false): elements.insert(Element(key: name, value: value), at: index)
            case (nil, true): elements.remove(at: index)
            case (nil, false): break
            }
        }
    }

    var keys: some Sequence<String> { elements.lazy.map(\.key) }

    /// The index of the first name that is not less. Copies no element, unlike a closure.
    private func position(of name: String) -> Int {
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = (low + high) / 2
            if elements[middle].key < name { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func hasName(_ name: String, at index: Int) -> Bool {
        index < elements.count && elements[index].key == name
    }

    fileprivate func hasStorage(of other: Self) -> Bool {
        elements.withUnsafeBufferPointer { own in
            other.elements.withUnsafeBufferPointer {
                $0.baseAddress == own.baseAddress && $0.count == own.count
            }
        }
    }

    func filter(_ isIncluded: (Element) -> Bool) -> Self {
        var filtered = self
        filtered.elements.removeAll { !isIncluded($0) }
        return filtered
    }

    func mapValues<Mapped>(_ transform: (Value) -> Mapped) -> [String: Mapped] {
        Dictionary(uniqueKeysWithValues: elements.map { ($0.key, transform($0.value)) })
    }

    /// Calls a closure with each value, which it may change.
    mutating func update(_ body: (String, inout Value) -> Void) {
        for index in elements.indices { body(elements[index].key, &elements[index].value) }
    }

    /// Adds other values, and combines those of one name.
    mutating func merge(_ other: Self, uniquingKeysWith combine: (Value, Value) -> Value) {
        for element in other.elements {
            let (name, value) = (element.key, element.value)
            self[name] = self[name].map { combine($0, value) } ?? value
        }
    }
}

extension NamedValues: RandomAccessCollection {
    var startIndex: Int { elements.startIndex }
    var endIndex: Int { elements.endIndex }
    subscript(position: Int) -> Element { elements[position] }
}

extension NamedValues: Sendable where Value: Sendable {}
extension NamedValues.Element: Sendable where Value: Sendable {}
extension NamedValues.Element: Equatable where Value: Equatable {}
extension NamedValues.Element: Hashable where Value: Hashable {}

extension NamedValues: Equatable where Value: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        left.hasStorage(of: right) || left.elements == right.elements
    }
}

extension NamedValues: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}
