import Testing

@testable import Mirroring

@Suite struct NamedValuesTests {
    @Test func `values by name equal those of a dictionary after any changes`() {
        var random = SystemRandomNumberGenerator()
        let names = (0..<40).map { "\($0 % 20)é\($0)" }
        for _ in 0..<200 {
            let elements = (0..<Int.random(in: 0...30)).map { (key: names.randomElement() ?? "", value: $0) }
            var (values, expected) = (NamedValues(elements), Dictionary(elements) { $1 })
            for number in 0..<50 {
                let name = names.randomElement(using: &random) ?? ""
                let value = Bool.random() ? number : nil
                (values[name], expected[name]) = (value, value)
                #expect(values[name] == expected[name])
            }
            #expect(values.map(\.key) == expected.keys.sorted())
            #expect(values.map(\.value) == expected.sorted { $0.key < $1.key }.map(\.value))
            let other = NamedValues(elements)
            values.merge(other) { $0 + $1 }
            expected.merge(Dictionary(elements) { $1 }) { $0 + $1 }
            #expect(values == NamedValues(expected.map { ($0, $1) }))
            #expect(values.filter { $0.value > 20 }.count == expected.filter { $0.value > 20 }.count)
        }
    }
}
