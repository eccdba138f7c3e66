/// Reproducible random numbers from a seed (SplitMix64), because the generated stores are reused.
struct SampleRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Returns a rank; low ranks are more frequent: uniform on a logarithmic scale, approximately 1/rank.
    mutating func rank(below count: Int) -> Int {
        let shift = next() % UInt64(UInt64.bitWidth - UInt64(count).leadingZeroBitCount)
        let top = min(UInt64(count), 2 << shift)
        return Int(next() % top)
    }
}
