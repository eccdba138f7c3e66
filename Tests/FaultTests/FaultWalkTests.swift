import Foundation
import TestSupport
import Testing

/// An operation and a fault: it affects the first system call, then in a new attempt the second, and so on, until the
/// operation ends without it.
struct Walk: Sendable, CustomTestStringConvertible {
    let operation: Operation
    let fault: Fault
    /// The step between the affected calls in the selection.
    var stride = 1
    /// Whether the operation can fail with the fault.
    var mayFail = true

    var testDescription: String { "\(operation.name): \(fault)" }

    private static let failure = Fault(calls: "orwst", kind: .error(EIO))
    /// Without reads: recovery reads every frame of a long log, in thousands of calls.
    private static let failureToWrite = Fault(calls: "wst", kind: .error(EIO))
    /// Of the examination of a file, before and after a commit.
    private static let blindness = Fault(calls: "i", kind: .error(EIO))
    private static let noRoom = Fault(calls: "wt", kind: .error(ENOSPC), persists: true)
    private static let short = Fault(calls: "rw", kind: .short)
    private static let death = Fault(calls: "ws", kind: .kill)
    private static let tornDeath = Fault(calls: "w", kind: .torn)

    static let all = [
        Walk(operation: .save, fault: failure, stride: 60),
        Walk(operation: .save, fault: noRoom, stride: 60),
        Walk(operation: .save, fault: short, stride: 108),
        Walk(operation: .save, fault: death, stride: 84),
        Walk(operation: .save, fault: blindness, stride: 84),
        Walk(operation: .saveOnLongLog, fault: failureToWrite, stride: 1800),
        Walk(operation: .saveOnLongLog, fault: noRoom, stride: 1800),
        Walk(operation: .saveOnLongLog, fault: tornDeath, stride: 1800),
        Walk(operation: .create, fault: failure, stride: 276),
        Walk(operation: .create, fault: noRoom, stride: 204),
        Walk(operation: .create, fault: death, stride: 204),
        Walk(operation: .create, fault: tornDeath, stride: 228),
        Walk(operation: .lines, fault: noRoom, stride: 108),
        Walk(operation: .lines, fault: failure, stride: 204),
        Walk(operation: .lines, fault: blindness, stride: 84),
        Walk(operation: .import, fault: failure, stride: 228),
        Walk(operation: .import, fault: blindness, stride: 84),
        Walk(operation: .import, fault: noRoom, stride: 132),
        Walk(operation: .import, fault: death, stride: 156),
        Walk(operation: .clean, fault: failure, stride: 276),
        Walk(operation: .clean, fault: noRoom, stride: 204),
        Walk(operation: .clean, fault: tornDeath, stride: 204),
        Walk(operation: .backup, fault: failure, stride: 204),
        Walk(operation: .backup, fault: noRoom, stride: 132),
        Walk(operation: .backup, fault: short, stride: 300),
        Walk(operation: .search, fault: failure, stride: 420),
        Walk(operation: .search, fault: noRoom, stride: 276, mayFail: false),
        Walk(operation: .search, fault: tornDeath, stride: 276),
        Walk(operation: .search, fault: short, stride: 372, mayFail: false),
        Walk(operation: .searchAgain, fault: failure, stride: 252),
        Walk(operation: .searchAgain, fault: noRoom, stride: 180, mayFail: false),
        Walk(operation: .list, fault: failure, stride: 180),
        Walk(operation: .list, fault: noRoom, stride: 108, mayFail: false),
    ]
}

@Suite(.serialized) struct FaultWalkTests {
    @Test(arguments: Walk.all)
    func `no failing system call loses a saved clip, and each failure is reported with advice`(walk: Walk)
        async throws
    {
        let template = try walk.operation.situation.make()
        let before = walk.operation.situation == .noStore ? [] : try template.idsOfCopy()
        // The recovery of a long log repeats a few calls thousands of times.
        let least = walk.operation.situation == .longLog ? 50 : 1
        let stride = LongProof.isWhole ? least : walk.stride
        var number = 1
        var met: [Character] = []
        // Two at a time: an attempt mostly waits for another process.
        while true {
            let numbers = [number, number + stride]
            let results = try await withThrowingTaskGroup(of: Character?.self) { group in
                for (index, number) in numbers.enumerated() {
                    // The operation that ends without the fault has a higher number than each that meets it.
                    group.addTask {
                        try await Self.met(walk, at: number, template, before, checksEnd: index == 1)
                    }
                }
                return try await group.reduce(into: [Character?]()) { $0.append($1) }
            }
            met += results.compactMap(\.self)
            if results.contains(nil) { break }
            number += 2 * stride
        }
        // A call of each kind, which the steps may have missed.
        for kind in walk.fault.calls where !LongProof.isWhole && !met.contains(kind) {
            let fault = Fault(
                calls: String(kind), kind: walk.fault.kind, persists: walk.fault.persists)
            let single = Walk(operation: walk.operation, fault: fault, mayFail: walk.mayFail)
            if let call = try await Self.met(single, at: 1, template, before) { met.append(call) }
        }
        #expect(!met.isEmpty)
        print("\(met.count) faults in \(walk.testDescription)")
        if stride > 1 { LongProof.omits("\(stride - 1) of \(stride) calls in \(walk.testDescription)") }
    }

    /// Runs an attempt.
    ///
    /// - Parameter checksEnd: Whether an operation without the fault is checked, too.
    /// - Returns: The letter of the call that failed; nil if the operation has fewer calls.
    private static func met(
        _ walk: Walk, at number: Int, _ template: ClipsProgram, _ before: Set<Int64>, checksEnd: Bool = false
    ) async throws -> Character? {
        let clips = try template.copy()
        let note = clips.folder.path(of: "note")
        let (operation, kind) = (walk.operation, walk.fault.kind)
        let run = try operation.run(
            on: clips,
            with: walk.fault.environment(
                at: number, path: clips.folder.path(of: operation.files), note: note))
        let context: Comment = "call \(number): \(run.status), \(run.errors)"
        let call = (try? String(contentsOfFile: note, encoding: .utf8))?.first
        let hasMet = call != nil
        if !hasMet {
            #expect(run.status == 0, context)
            if !checksEnd { return nil }
        }
        var saved = before
        if operation.words[0] == "extension" { saved.formUnion(run.ids) }
        if kind.isDeadly && hasMet {
            #expect(run.status == 128 + SIGKILL, context)
        } else if run.status == 0 {
            #expect(try operation.shortfall(clips, run) == nil, context)
        } else {
            #expect([1, 2].contains(run.status) && walk.mayFail && hasMet, context)
            #expect(Sentences.fault(in: run.errors) == nil, context)
            if run.errors.contains("Nothing was saved") {
                #expect(((try? clips.ids()) ?? []) == before, context)
            }
            if let text = operation.text {
                #expect(try (clips.unsaved() + run.errors).contains(text), context)
            }
        }
        let complaints = await Oracle(clips: clips).complaints(saved: saved)
        #expect(complaints == [], context)
        if !kind.isDeadly { #expect(try litter(in: clips) == [], context) }
        return call
    }

    /// Unexpected files.
    private static func litter(in clips: ClipsProgram) throws -> [String] {
        let known: Set = ["note", "import.jsonl", "backup.db", "tmp"]
        return try FileManager.default.contentsOfDirectory(atPath: clips.folder.path)
            .filter { !$0.hasPrefix("clips.db") && !known.contains($0) }
    }
}
