import Foundation
import Fuzzing
import TestSupport
import Testing

/// A short version of `.ci/fuzz`, without libFuzzer: inputs that are changed, cut, and combined from known
/// ones.
@Suite struct FuzzingTests {
    @Test(.timeLimit(.minutes(2)), arguments: FuzzTarget.allCases)
    func `mutated input breaks no target`(target: FuzzTarget) throws {
        let seed: UInt64 = 20_261_121
        var mutation = Mutation(
            seeds: try FuzzFiles.seeds(target), words: try FuzzFiles.words(target), seed: seed)
        // `.ci/fuzz` runs for the time of its argument.
        let end = ContinuousClock.now + .milliseconds(LongProof.isWhole ? 600 : 150)
        var count = 0
        for round in 0..<(LongProof.isWhole ? 20_000 : 2000) {
            count += 1
            let bytes = mutation.next()
            let broken = target.broken(by: bytes)
            #expect(
                broken == nil,
                "seed \(seed), round \(round), base 64 \(Data(bytes).base64EncodedString())")
            if broken != nil || ContinuousClock.now > end { break }
        }
        if !LongProof.isWhole { LongProof.omits("up to \(20_000 - count) of 20000 inputs of \(target)") }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `inputs that once broke a target no longer do`(target: FuzzTarget) throws {
        for bytes in try FuzzFiles.found(target) + FuzzFiles.seeds(target) {
            #expect(target.broken(by: bytes) == nil, "\(Data(bytes).base64EncodedString())")
        }
    }

    @Test func `every target has seeds and words`() throws {
        for target in FuzzTarget.allCases {
            #expect(try !FuzzFiles.seeds(target).isEmpty && !FuzzFiles.words(target).isEmpty, "\(target)")
        }
        #expect(try FuzzFiles.words(.keys).contains(Array("\u{1B}[200~".utf8)))
    }
}
