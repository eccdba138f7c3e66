/// A set of hashes of tokens, which are distributed evenly already.
struct TokenSet {
    private var slots = [UInt64](repeating: 0, count: 64)
    /// The slots in use, so that a set of a few tokens is emptied at their cost.
    private var used: [Int] = []
    private var mask = 63

    init(_ hashes: some Sequence<UInt64> = EmptyCollection()) {
        for hash in hashes { insert(hash) }
    }

    /// Returns whether the hash is new.
    @discardableResult
    mutating func insert(_ hash: UInt64) -> Bool {
        // 0 is a free slot.
        let hash = max(hash, 1)
        let slot = slot(of: hash)
        guard slots[slot] == 0 else { return false }
        slots[slot] = hash
        used.append(slot)
        if used.count > mask / 2 { grow() }
        return true
    }

    func contains(_ hash: UInt64) -> Bool { slots[slot(of: max(hash, 1))] != 0 }

    mutating func removeAll() {
        for slot in used { slots[slot] = 0 }
        used.removeAll(keepingCapacity: true)
    }

    private func slot(of hash: UInt64) -> Int {
        // The high bits of FNV-1a depend on all bytes.
        var slot = Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
        while slots[slot] != 0, slots[slot] != hash { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        let hashes = used.map { slots[$0] }
        mask = 2 * mask + 1
        slots = [UInt64](repeating: 0, count: mask + 1)
        used.removeAll(keepingCapacity: true)
        for hash in hashes {
            let slot = slot(of: hash)
            slots[slot] = hash
            used.append(slot)
        }
    }
}
