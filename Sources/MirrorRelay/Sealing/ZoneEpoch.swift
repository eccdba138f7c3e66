import FoundationEssentials

/// A key with which machines seal records, until one of them changes it.
///
/// The first one derives from the secret of the zone. Messages that are sealed with a later one name it, and have sizes in
/// steps; those of the first one are as earlier versions wrote them.
package struct ZoneEpoch: Codable, Hashable, Sendable {
    let name: Name
    let key: Data

    /// Later keys are greater: of two with one number, which machines chose without knowledge of each other, all use the
    /// same.
    package struct Name: Codable, Hashable, Comparable, Sendable {
        var number = 0
        /// A random number; 0 for the first key.
        var id: UInt64 = 0

        package static func < (left: Self, right: Self) -> Bool {
            (left.number, left.id) < (right.number, right.id)
        }
    }

    /// Creates a random key.
    init(number: Int) {
        name = Name(number: number, id: UInt64.random(in: 1 ... .max))
        key = Data(Sodium.random(32))
    }

    init(name: Name, key: [UInt8]) { (self.name, self.key) = (name, Data(key)) }

    init(secret: [UInt8]) {
        self.init(name: Name(), key: Sodium.hash("clips mirror: seal".utf8, key: secret, count: 32))
    }

    private static let mark = Array("\u{1}clp".utf8)
    private static let prefixCount = mark.count + 8

    func seal(_ plain: [UInt8], for context: String) -> [UInt8] {
        guard name.id != 0 else { return Sodium.seal(plain, for: context, key: Array(key)) }
        let prefix = Self.mark + withUnsafeBytes(of: name.id.littleEndian) { Array($0) }
        return Sodium.seal(Padding.pad(plain), for: context, key: Array(key), after: prefix)
    }

    /// Returns the number of the key that sealed bytes name; 0 for the first one, whose random bytes name another one by
    /// accident in one of four billion messages.
    static func id(of sealed: [UInt8]) -> UInt64 {
        guard sealed.count >= prefixCount, sealed.starts(with: mark) else { return 0 }
        return sealed[mark.count..<prefixCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the plain bytes; nil if they were sealed with another key, or for another context.
    func open(_ sealed: [UInt8], for context: String) -> [UInt8]? {
        guard name.id != 0 else { return Sodium.open(sealed, for: context, key: Array(key)) }
        guard Self.id(of: sealed) == name.id else { return nil }
        let padded = Sodium.open(sealed, from: Self.prefixCount, for: context, key: Array(key))
        guard let padded else { return nil }
        return Padding.unpad(padded)
    }
}
