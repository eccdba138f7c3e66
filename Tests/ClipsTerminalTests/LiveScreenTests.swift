import LiveQuery
import Terminal
import TestSupport
import Testing

@testable import ClipsCore
@testable import ClipsTerminal

/// Random sessions in which every key has its effect, and other processes disturb nothing.
@Suite struct LiveScreenTests {
    @Test func `each key has its effect, and other processes move nothing`() {
        for seed in 1...UInt64(LongProof.count(10, of: 200, "random sessions of keys and commits")) {
            let steps = Self.steps(seed: seed, count: 120)
            guard let broken = Self.failure(of: steps, seed) else { continue }
            let least = Self.minimal(steps) { Self.failure(of: $0, seed) != nil }
            let sentence = Self.failure(of: least, seed)?.sentence ?? broken.sentence
            Issue.record("seed \(seed): \(sentence), after \(least.map { "\($0)" }.joined(separator: "; "))")
            return
        }
    }

    @Test func `keys typed ahead have the same effect as keys typed one by one`() {
        for seed in 1...UInt64(LongProof.count(1, of: 60, "sessions of keys typed ahead")) {
            let phrases = Self.keysAhead(seed: seed, count: 12)
            guard Self.difference(of: phrases, seed) != nil else { continue }
            let least = Self.minimal(phrases) { Self.difference(of: $0, seed) != nil }
            Issue.record("seed \(seed): \(least): \(Self.difference(of: least, seed) ?? "")")
            return
        }
    }

    private static let phrases: [String] =
        ActionTable.entries.flatMap(\.keys).filter { $0 != "q" }
        + [
            "5", "3", "12j", "7G", "<BS>", "<S-Tab>", "<Paste:x\\ny>", "<WheelDown:1,1>", "<Press:3,5>",
            "/alpha",
            "/a", "a", "b", "alpha", "<Enter>", "<Enter>", "<Esc>", "<Esc>", "<Esc>", "<Down>", "<Up>",
            "<C-w>",
            ":sort title<Enter>", ":sort created<Enter>", ":sort starred<Enter>", ":12<Enter>", ":ta<Tab>",
            ":set relativenumber on<Enter>", ":tag +a -b<Enter>", ":delete<Enter>", "t new<Enter>", "st",
            "sc",
            "sg", "yu", "yt", "H", "Hjj<Tab>", "H/author:app<Enter>", "HC", "?/star", "?jj", "q", "e", "vjj",
            "vG",
            "mt", "<Unknown>", "p", "p", "F", "<Space><Space>", "jj", "kk", "n", "N", "g", "G", "d", "u", "*",
        ]

    private static func steps(seed: UInt64, count: Int) -> [SessionStep] {
        var random = SeededRandom(seed: seed)
        var steps: [SessionStep] = random.isLikely(0.8) ? [.drain] : []
        while steps.count < count {
            switch Int.random(in: 0..<40, using: &random) {
            case 0..<12:
                let phrase = phrases.randomElement(using: &random) ?? "j"
                steps += ((try? KeyParser.keys(in: phrase)) ?? []).map { .press($0) }
            case 12..<17: steps.append(.commit(random.next()))
            case 17..<21: steps.append(.deliver)
            case 21..<29: steps.append(.receive)
            case 29..<35: steps.append(.work(queue: Int.random(in: 0..<3, using: &random), random.next()))
            case 35: steps.append(.pass(seconds: Double.random(in: 0...3, using: &random)))
            case 36 where random.isLikely(0.3): steps.append(.refresh)
            case 37:
                let size = Size(
                    rows: Int.random(in: 1...60, using: &random),
                    columns: Int.random(in: 1...200, using: &random))
                steps.append(.resize(random.isLikely(0.6) ? Size(rows: 24, columns: 80) : size))
            case 38: steps.append(.drain)
            default: steps.append(.suspend)
            }
        }
        return steps + [.drain]
    }

    private static func failure(of steps: [SessionStep], _ seed: UInt64) -> Broken? {
        var session = LiveSession(
            clips: seed.isMultiple(of: 5) ? 150 : Int(seed % 40), follows: seed % 4 == 0)
        session.drawsAll = seed.isMultiple(of: 8)
        do {
            for step in steps { try session.take(step) }
            return nil
        } catch {
            return error
        }
    }

    private static func keysAhead(seed: UInt64, count: Int) -> [String] {
        var random = SeededRandom(seed: seed)
        let phrases = [
            "j", "k", "4j", "2k", "g", "G", "9G", "<Space>", "2<Space>",
            "v",
            "v", "/a<Enter>", "/alpha", "/b<Down><Down><Enter>", "<Enter>", "<Tab>", "n", "N", "l",
            "p", ".", ",", "J", "K", "V", "x", "d",
            ":sort title<Enter>", ":sort starred<Enter>", "st", "sc", "tnew<Enter>", "z", "F",
            ":5<Enter>",
            ":tag +x<Enter>",
        ]
        return (0..<count).map { _ in phrases.randomElement(using: &random) ?? "j" }
    }

    /// Returns the difference between keys that wait for each answer and keys typed at once.
    private static func difference(of phrases: [String], _ seed: UInt64) -> String? {
        do {
            var patient = LiveSession(clips: 150)
            var hasty = LiveSession(clips: 150)
            // A failure would meet different requests.
            (patient.worker.failureRate, hasty.worker.failureRate) = (0, 0)
            for key in try phrases.flatMap({ try KeyParser.keys(in: $0) }) {
                try patient.take(.drain)
                try patient.take(.press(key))
                try hasty.take(.press(key))
            }
            try patient.take(.drain)
            try hasty.take(.drain)
            let (one, other) = (Outcome(patient), Outcome(hasty))
            return one == other ? nil : "waited for: \(one); typed ahead: \(other)"
        } catch {
            return "\((error as? Broken)?.sentence ?? "\(error)")"
        }
    }

    private struct Outcome: Equatable {
        let selected: Int64?
        let place: Int
        let marks: [Int64]
        let query: ClipQuery
        let typed: String?
        let isReading: Bool
        let detail: Int64?
        let tagged: [Int64: [String]]

        init(_ session: LiveSession) {
            let state = session.state
            selected = state.list.clips.selectedID
            place = state.list.clips.selectedIndex
            marks = state.list.marks.all.sorted()
            query = state.list.query
            typed = state.prompt?.editor.text
            isReading = state.reader.hasFocus
            detail = state.reader.hasFocus ? state.reader.id : nil
            tagged = session.worker.store.items.mapValues(\.tags).filter {
                $1.contains("new") || $1.contains("x")
            }
        }
    }

    /// Removes steps that the failure does not need, in ever smaller pieces.
    private static func minimal<Step>(_ steps: [Step], _ fails: ([Step]) -> Bool) -> [Step] {
        var steps = steps
        var size = steps.count / 2
        while size > 0 {
            var index = 0
            while index < steps.count {
                var fewer = steps
                fewer.removeSubrange(index..<min(index + size, steps.count))
                if fails(fewer) { steps = fewer } else { index += size }
            }
            size /= 2
        }
        return steps
    }
}
