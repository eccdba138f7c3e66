import Foundation
import Synchronization
import TestSupport
import Testing

/// One operation and one kind of fault: the first call of the system meets it, then in a new try the second, and so
/// on, until the operation is through without having met it.
struct Walk: Sendable, CustomTestStringConvertible {
    let operation: Operation
    let fault: Fault
    /// Every how manieth call is tried in a quick run of the tests.
    var stride = 1
    /// Where it has to succeed whatever happens.
    var mayFail = true

    var testDescription: String { "\(operation.name): \(fault)" }

    /// All calls, instead of one in so many: minutes.
    static let triesAll = ProcessInfo.processInfo.environment["CLIPS_ALL_FAULTS"] != nil

    private static let failure = Fault(calls: "orwst", kind: .error(EIO))
    /// Of a long log every frame is read when it is found again: thousands of calls.
    private static let failureToWrite = Fault(calls: "wst", kind: .error(EIO))
    private static let noRoom = Fault(calls: "wt", kind: .error(ENOSPC), goesOn: true)
    private static let short = Fault(calls: "rw", kind: .short)
    private static let death = Fault(calls: "ws", kind: .kill)
    private static let tornDeath = Fault(calls: "w", kind: .torn)

    static let all = [
        Walk(operation: .save, fault: failure, stride: 5),
        Walk(operation: .save, fault: noRoom, stride: 5),
        Walk(operation: .save, fault: short, stride: 9),
        Walk(operation: .save, fault: death, stride: 7),
        Walk(operation: .saveOnLongLog, fault: failureToWrite, stride: 40),
        Walk(operation: .saveOnLongLog, fault: noRoom, stride: 30),
        Walk(operation: .saveOnLongLog, fault: tornDeath, stride: 30),
        Walk(operation: .create, fault: failure, stride: 23),
        Walk(operation: .create, fault: noRoom, stride: 17),
        Walk(operation: .create, fault: death, stride: 17),
        Walk(operation: .create, fault: tornDeath, stride: 19),
        Walk(operation: .lines, fault: noRoom, stride: 9),
        Walk(operation: .lines, fault: failure, stride: 17),
        Walk(operation: .import, fault: failure, stride: 19),
        Walk(operation: .import, fault: noRoom, stride: 11),
        Walk(operation: .import, fault: death, stride: 13),
        Walk(operation: .clean, fault: failure, stride: 11),
        Walk(operation: .clean, fault: noRoom, stride: 9),
        Walk(operation: .clean, fault: tornDeath, stride: 9),
        Walk(operation: .backup, fault: failure, stride: 17),
        Walk(operation: .backup, fault: noRoom, stride: 11),
        Walk(operation: .backup, fault: short, stride: 25),
        Walk(operation: .search, fault: failure, stride: 35),
        Walk(operation: .search, fault: noRoom, stride: 23, mayFail: false),
        Walk(operation: .search, fault: tornDeath, stride: 23),
        Walk(operation: .search, fault: short, stride: 31, mayFail: false),
        Walk(operation: .searchAgain, fault: failure, stride: 21),
        Walk(operation: .searchAgain, fault: noRoom, stride: 15, mayFail: false),
        Walk(operation: .list, fault: failure, stride: 15),
        Walk(operation: .list, fault: noRoom, stride: 9, mayFail: false),
    ]
}

@Suite(.serialized) struct FaultWalkTests {
    @Test(arguments: Walk.all)
    func `whatever call fails, nothing that was reported saved is lost, and what to do is said`(walk: Walk)
        async throws
    {
        let template = try walk.operation.situation.make()
        let before = walk.operation.situation == .noStore ? [] : try template.idsOfCopy()
        let stride = Walk.triesAll ? 1 : walk.stride
        var number = 1
        var met = 0
        // Two at once: most of a try is waiting for another process.
        while true {
            let numbers = [number, number + stride]
            let results = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in numbers {
                    group.addTask { try await Self.hasMet(walk, at: number, template, before) }
                }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            met += results.count { $0 }
            if results.contains(false) { break }
            number += 2 * stride
        }
        #expect(met > 0)
        Tally.add(met, of: "\(walk.testDescription)")
    }

    /// One try.
    ///
    /// - Returns: whether there were so many calls.
    private static func hasMet(_ walk: Walk, at number: Int, _ template: ClipsProgram, _ before: Set<Int64>)
        async throws -> Bool
    {
        let clips = try Situation.copy(template)
        let note = clips.folder.path(of: "note")
        let (operation, kind) = (walk.operation, walk.fault.kind)
        let run = try operation.run(
            on: clips,
            with: walk.fault.environment(
                at: number, path: clips.folder.path(of: operation.files), note: note))
        let hasMet = FileManager.default.fileExists(atPath: note)
        let place: Comment = "call \(number): \(run.status), \(run.errors)"
        var saved = before
        if operation.words[0] == "extension" { saved.formUnion(run.ids) }
        if kind.isDeadly && hasMet {
            #expect(run.status == 128 + SIGKILL, place)
        } else if run.status == 0 {
            #expect(try operation.shortfall(clips, run) == nil, place)
        } else {
            #expect(run.status == 1 && walk.mayFail && hasMet, place)
            #expect(Sentences.fault(in: run.errors) == nil, place)
            if let text = operation.text { #expect(try (clips.unsaved() + run.errors).contains(text), place) }
        }
        let complaints = await Oracle(clips: clips).complaints(saved: saved)
        #expect(complaints == [], place)
        if !kind.isDeadly { #expect(try litter(in: clips) == [], place) }
        return hasMet
    }

    /// Files that nobody has asked for.
    private static func litter(in clips: ClipsProgram) throws -> [String] {
        let known: Set = ["note", "import.jsonl", "backup.db", "tmp"]
        return try FileManager.default.contentsOfDirectory(atPath: clips.folder.path)
            .filter { !$0.hasPrefix("clips.db") && !known.contains($0) }
    }
}

/// How many faults were tried; printed for who runs all of them.
enum Tally {
    private static let count = Mutex(0)

    static func add(_ number: Int, of what: String) {
        let all = count.withLock {
            $0 += number
            return $0
        }
        if Walk.triesAll { print("\(number) faults in \(what), \(all) in all") }
    }
}
