import ClipsCore
import Foundation
import LiveQuery
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

@Suite struct RandomKeysTests {
    static let keys = [
        "j", "k", "5j", "99k", "g", "G", "7G", "<C-d>", "<C-u>", "<C-f>", "<C-b>", "<Enter>", "<Tab>",
        "<Esc>", "/", "a",
        "b", "<BS>", "<Left>", "w", "h", "l", "*", "d", "u", "<C-r>", "r", "p", "F", "H", "?", "y", "o", "e",
        "1", "0",
        "<Space>", "v", "t", "s", "n", "N", "z", ":", "<Tab>", "<S-Tab>", "R", "C", "M", "O", "+x",
        ":sort title<Enter>", ":set relativenumber on<Enter>", ":tag +a -b<Enter>", "<Up>", "<Down>",
        "<Enter>",
        "<C-w>", "<Paste:x\\ny>", "<WheelDown:1,1>", "<C-l>", "Q", ".", ",", "J", "K", "V", "A", "S", "f",
        "x", "<Unknown>", "q",
    ]

    @Test(arguments: 1...UInt64(LongProof.count(1, of: 12, "seeds of random keys")))
    func `random keys and messages do not trap, at any size`(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        var state = AppState.showing(60)
        var next: Int64 = 60
        var now = noon
        var drawn = DrawnFrame()
        for step in 0..<LongProof.count(600, of: 1500, "random keys") {
            now += Double.random(in: 0...2, using: &generator)
            let effects: [Effect]
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                let size = Size(
                    rows: Int.random(in: 0...40, using: &generator),
                    columns: Int.random(in: 0...140, using: &generator))
                effects = state.handle(.resized(size), at: now)
            case 1, 2:
                effects = state.take(
                    arrival([next]), .transactions([transaction(next, inserting: [next])]), at: now)
                next += 1
            case 3: effects = state.handle(.tick, at: now)
            default: effects = try state.press(Self.keys.randomElement(using: &generator) ?? "j", at: now)
            }
            for effect in effects { answer(effect, &state, next, now) }
            let frame = state.draw(reusing: &drawn)
            #expect(frame == state.draw(), "seed \(seed), step \(step)")
            _ = state.nextDeadline
        }
    }

    /// A minimal store.
    private func answer(_ effect: Effect, _ state: inout AppState, _ next: Int64, _ now: Date) {
        switch effect {
        case .show(_, let generation, _):
            var rows = LiveList<ClipRow>.Window(
                rows: (0..<40).reversed().map { row($0) }, lowerIndex: 0, count: 40, reachesStart: true,
                reachesEnd: true)
            if generation % 3 == 0 { rows.rows = []; rows.count = 0 }
            _ = state.handle(.message(.window(rows, generation: generation)), at: now)
        case .work: state.answer(effect, Work.Outcome.failed("No store."), at: now)
        case .showAround(_, _, let generation, _):
            let rows = LiveList<ClipRow>.Window(
                rows: (0..<40).reversed().map { row($0) }, lowerIndex: 0, count: 40, reachesStart: true,
                reachesEnd: true)
            _ = state.handle(.message(.window(rows, generation: generation)), at: now)
        case .gatherRange: state.answer(effect, [1, 2, 3] as [Int64], at: now)
        case .loadNames: state.answer(effect, KnownNames(tags: ["alpha", "alps", "beta"]), at: now)
        case .findMatch: state.answer(effect, (next > 80 ? 3 : nil) as Int64? as Any, at: now)
        case .findUnread: state.answer(effect, (next > 80 ? 5 : nil) as Int64? as Any, at: now)
        case .findHidden(let marks, _), .findArrivals(let marks, _):
            state.answer(effect, (hidden: marks, deleted: Set<Int64>()), at: now)
        case .gatherList: state.answer(effect, [4, 5, 6] as [Int64], at: now)
        case .loadHistory:
            state.answer(effect, ((1...30).map { transaction($0, inserting: [$0]) }, Int64(0)), at: now)
        case .loadClip: state.answer(effect, Clip?.none as Any, at: now)
        default: break
        }
    }
}
