import PersistentStore
import TestSupport
import Testing

@testable import Mirroring

/// The join of states, and their form as JSON.
@Suite struct RecordFormTests {
    private static let entity = MirroredEntity("Note", minor: ["starred"], sets: ["tags": ","])

    private func state(_ random: inout SeededRandom) -> RecordState {
        func clock() -> MirrorClock {
            // Few clocks, so that equal ones occur; the value follows from the clock, as on machines.
            MirrorClock(
                milliseconds: Int64.random(in: 1...4, using: &random),
                machine: UInt64.random(in: 1...2, using: &random), transaction: 1)
        }
        var state = RecordState()
        for name in ["title", "note", "starred"] where Bool.random(using: &random) {
            let clock = clock()
            let values: [AttributeValue] = [
                .text("\"\\\u{0}é\u{1F600}/"), .integer(.min), .real(0.1), .real(.infinity), .blob([0, 255]),
                .null,
            ]
            let index = Int(clock.milliseconds + Int64(clock.machine) * 3) % values.count
            state.attributes[name] = .init(clock: clock, value: .known(values[index]))
        }
        for tag in ["a", "b"] where Bool.random(using: &random) {
            let clock = clock()
            state.elements["tags", default: [:]][tag] = .init(clock: clock, position: clock.milliseconds % 2)
        }
        for key in ["title", "note", "tags/a"] where Int.random(in: 0..<4, using: &random) == 0 {
            state.saw[key] = VersionVector(clock()).joined(VersionVector(clock()))
        }
        return state
    }

    @Test func `the join is associative, commutative, and idempotent`() {
        var random = SeededRandom(seed: 17)
        for _ in 0..<5000 {
            let (a, b, c) = (state(&random), state(&random), state(&random))
            #expect(a.joined(b) == b.joined(a))
            #expect(a.joined(b).joined(c) == a.joined(b.joined(c)))
            #expect(a.joined(a) == a)
            #expect(a.joined(b).joined(a) == a.joined(b))
        }
    }

    @Test func `machines that exchange a record end with one state, even if deletions saw some edits`() {
        var random = SeededRandom(seed: 19)
        for _ in 0..<500 {
            var machines = (0..<3).map { _ in state(&random) }
            #expect(machines[0].merged(machines[1]) == machines[1].merged(machines[0]))
            #expect(machines[0].merged(machines[0]) == machines[0])
            var record = RecordState()
            for _ in 0..<9 {
                for index in machines.indices.shuffled(using: &random) {
                    machines[index] = machines[index].merged(record)
                    machines[index].normalize(Self.entity)
                    if record.lacks(machines[index]) { record = machines[index] }
                }
            }
            #expect(machines.allSatisfy { $0 == record && !record.lacks($0) })
        }
    }

    @Test func `a record is the same after it is written and read`() throws {
        var random = SeededRandom(seed: 18)
        for index in 0..<3000 {
            var form = RecordForm(entity: "Note", uuid: "é/\(index)", state: state(&random))
            if let title = form.state.attributes["title"]?.clock {
                let other = MirrorClock(milliseconds: 0, machine: .max, transaction: 0)
                form.state.attributes["title"]?.seen = VersionVector(other).joined(VersionVector(title))
                form.state.attributes["other"] = .init(clock: title, value: .other(Array("[1.5,true]".utf8)))
            }
            #expect(try RecordForm(form.bytes) == form)
        }
    }

    @Test func `texts that are encoded and read once are those of each record`() throws {
        var random = SeededRandom(seed: 20)
        var texts = StateTexts()
        for index in 0..<3000 {
            let form = RecordForm(
                entity: index % 3 == 0 ? "Note" : "Clip", uuid: "\"/\(index)", state: state(&random))
            #expect(texts.bytes(of: form) == form.bytes)
            #expect(texts.state(of: form, in: form.bytes) == form.state)
            #expect(texts.state(of: form, in: form.bytes.dropLast()) == nil)
            var put = form
            put.machine = 5
            #expect(texts.state(of: form, in: put.bytes) == form.state)
        }
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"v":1}"#, #"{"v":1,"e":"N","u":"x","a":{"t":[]}}"#, #"{"v":1,"e":"N","u":"x"} x"#,
        #"{"v":1,"e":"N","u":"x","a":{"t":["",1]}}"#, #"{"v":1,"e":"N","u":"x","a":{"t":["1.g.1",1]}}"#,
        #"{"v":1,"e":"N","u":"x","saw":{"t":"1.a"}}"#, #"{"v":1,"e":"N","u":"\ud800"}"#,
        #"{"v":1,"e":"N","u":"x"#,
        #"{"v":-1,"e":"N","u":"x"}"#, #"{"a":{},"v":1,"e":"N","u":"x"}"#,
        #"{"v":1,"e":"N","u":"x","z":"# + String(repeating: "[", count: 100_000),
    ])
    func `bytes that are no record are rejected`(text: String) {
        #expect(throws: (any Error).self) { try RecordForm(Array(text.utf8)) }
    }

    @Test func `a deleted object leaves only clocks`() {
        var state = RecordState()
        let local = LocalTransaction(machine: 7, number: 1, milliseconds: 100)
        state.edit(["title", "starred", "tags"], members: ["tags": ["a"]], in: local)
        state.attributes["title"]?.value = .known("secret")
        state.delete(Self.entity)
        #expect(!state.isAlive(Self.entity))
        #expect(state.attributes.keys.sorted() == ["starred"])
        #expect(state.saw.keys.sorted() == ["tags/a", "title"])
        // An older clock does not revive it, however late it arrives; an edit after the deletion does.
        var again = state
        again.edit(["title"], members: [:], in: LocalTransaction(machine: 7, number: 2, milliseconds: 1))
        #expect(again.isAlive(Self.entity))
    }
}
