import PersistentStore
import Testing

@testable import HistoryTracking

/// The tracker's reaction to each event, as a value.
@Suite struct TrackerMachineTests {
    typealias Event = TrackerMachine.Event
    typealias Action = TrackerMachine.Action

    private static let retryPause = Duration.seconds(1)
    private static let succeeded = Event.passEnded(hasDelivered: true, failure: nil)
    private static let failed = Event.passEnded(hasDelivered: false, failure: .store(.closed))
    private static let threw = threw(at: [5, 6])
    private static let stop: [Action] = [.cancelRetry, .close, .report(.stopped)]
    private static let fail: [Action] = [
        .report(.failing(.store(.closed))), .log(.store(.closed)), .retry(after: retryPause),
    ]

    private static func threw(at transactions: [Int64]) -> Event {
        .passEnded(
            hasDelivered: false,
            failure: .thrown(by: .observer, transactions: transactions, errorType: "Refusal"))
    }

    private static func error(at transaction: Int64?) -> TrackingError {
        .thrown(by: .observer, transaction: transaction, errorType: "Refusal")
    }

    private static func machine(after events: [Event] = []) -> TrackerMachine {
        var machine = TrackerMachine(failuresBeforeParking: 3, retryPause: retryPause)
        for event in events { _ = machine.handle(event) }
        return machine
    }

    /// A state, as the events that lead to it, and the actions after each further event; none after the
    /// events that are not listed.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let events: [Event]
        var reactions: [(event: Event, actions: [Action])] = []

        init(_ description: String, _ events: Event...) {
            testDescription = description
            self.events = events
        }

        func on(_ event: Event, _ actions: Action...) -> Row { on(event, actions) }

        func on(_ event: Event, _ actions: [Action]) -> Row {
            var row = self
            row.reactions.append((event, actions))
            return row
        }

        /// The reactions of every running tracker.
        var running: Row {
            on(.stopped, TrackerMachineTests.stop).on(.polling, .report(.polling)).on(
                .storeReplaced, .report(.storeReplaced))
        }
    }

    private static let events: [Event] = [
        .started, .stopped, .signalled, .retryDue, succeeded, failed, threw, .recovered, .polling,
        .storeReplaced,
    ]

    private static let rows: [Row] = [
        Row("stopped").on(.started, .report(.live)),
        Row("idle", .started, .signalled, succeeded).running.on(.signalled, .pass).on(.retryDue, .pass),
        Row("in a pass", .started, .signalled).running
            .on(succeeded, .clean(hasDelivered: true)).on(failed, fail + clean).on(threw, .pass),
        Row("signalled in a pass", .started, .signalled, .signalled).running
            .on(succeeded, .pass).on(failed, fail + pass).on(threw, .pass),
        Row("isolating", .started, .signalled, threw).running
            .on(succeeded, .clean(hasDelivered: true)).on(failed, fail + clean)
            .on(
                threw, .report(.failing(error(at: 5))), .log(error(at: 5)), .retry(after: retryPause),
                .clean(hasDelivered: false)),
        Row("before a retry", .started, .signalled, failed).running
            .on(.signalled, .pass).on(.retryDue, .pass),
        Row("in a pass before a retry", .started, .signalled, failed, .signalled).running
            .on(succeeded, .report(.live), .clean(hasDelivered: true))
            .on(failed, .log(.store(.closed)), .clean(hasDelivered: false)).on(threw, .pass),
        Row("stopped in a pass", .started, .signalled, .stopped).on(.started, .report(.live)),
        Row("restarted in a pass", .started, .signalled, .stopped, .started).running,
        Row("restarted in a pass and signalled", .started, .signalled, .stopped, .started, .signalled).running
            .on(succeeded, .pass).on(failed, .pass).on(threw, .pass),
    ]

    private static let pass: [Action] = [.pass]
    private static let clean: [Action] = [.clean(hasDelivered: false)]

    @Test(arguments: rows) func `every event in every state`(row: Row) {
        for event in Self.events {
            var machine = Self.machine(after: row.events)
            let expected = row.reactions.first { $0.event == event }?.actions ?? []
            #expect(machine.handle(event) == expected, "\(event)")
        }
    }

    @Test func `any number of signals during a pass cause one more`() {
        var machine = Self.machine(after: [.started, .signalled])
        for _ in 0..<100 { #expect(machine.handle(.signalled) == []) }
        #expect(machine.handle(Self.succeeded) == [.pass])
        #expect(
            machine.handle(.passEnded(hasDelivered: false, failure: nil)) == [.clean(hasDelivered: true)])
    }

    @Test func `a pass for a commit that recorded nothing is not followed by a cleaning`() {
        let nothing = Event.passEnded(hasDelivered: false, failure: nil)
        let idle = [Event.started, .signalled, Self.succeeded]
        var machine = Self.machine(after: idle + [.committed, .committed])
        #expect(machine.handle(nothing) == [.pass])
        #expect(machine.handle(nothing) == [])
        #expect(machine.handle(.committed) == [.pass])
        #expect(machine.handle(Self.succeeded) == [.clean(hasDelivered: true)])
        // Another cause of the pass, before or after the commit.
        for events in [[.signalled, .committed, nothing], [.committed, .signalled, nothing]] as [[Event]] {
            machine = Self.machine(after: idle + events)
            #expect(machine.handle(nothing) == Self.clean)
        }
        machine = Self.machine(after: idle + [.committed, Self.failed, .retryDue])
        #expect(machine.handle(nothing) == [.report(.live)] + Self.clean)
    }

    @Test func `a pass that finds the store replaced reports it and is not retried`() {
        var machine = Self.machine(after: [.started, .committed])
        let replaced = Event.passEnded(hasDelivered: false, failure: .store(.replaced(path: "/n.db")))
        #expect(machine.handle(replaced) == [.report(.storeReplaced)] + Self.clean)
        #expect(machine.handle(.storeReplaced) == [])
    }

    @Test func `a failure of a pass does not hide that the store was replaced`() {
        var machine = Self.machine(after: [.started, .committed, .storeReplaced])
        #expect(machine.handle(Self.failed) == Self.clean)
        machine = Self.machine(after: [.started, .committed, Self.failed, .storeReplaced, .retryDue])
        #expect(machine.handle(Self.failed) == Self.clean)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(Int64.max) * 10])
    func `any retry pause ends at a time that exists`(pause: Duration) {
        var machine = TrackerMachine(failuresBeforeParking: 3, retryPause: pause)
        _ = machine.handle(.started)
        _ = machine.handle(.signalled)
        for _ in 0..<8 {
            let pauses = machine.handle(Self.failed).compactMap { action in
                if case .retry(let pause) = action { pause } else { nil }
            }
            #expect(pauses == [pause.bounded] && pause.bounded >= .zero)
            _ = machine.handle(.retryDue)
        }
        // A sum that overflows ends the process.
        let now = ContinuousClock.now
        #expect(now + pause.bounded >= now)
    }

    @Test func `retry pauses double up to a limit and reset after a success`() {
        var machine = Self.machine(after: [.started, .signalled])
        for power in [0, 1, 2, 3, 4, 5, 6, 6, 6] {
            #expect(machine.handle(Self.failed).contains(.retry(after: Self.retryPause * (1 << power))))
            #expect(machine.handle(.retryDue) == [.pass])
        }
        #expect(machine.handle(Self.succeeded) == [.report(.live), .clean(hasDelivered: true)])
        _ = machine.handle(.signalled)
        #expect(machine.handle(Self.failed).contains(.retry(after: Self.retryPause)))
    }

    @Test func `a transaction is isolated, tried again, and parked`() {
        var machine = Self.machine(after: [.started, .signalled])
        #expect(machine.handle(Self.threw) == [.pass])
        #expect(machine.isIsolating)
        for _ in 1..<3 {
            #expect(machine.handle(Self.threw(at: [5])).contains(.log(Self.error(at: 5))))
            #expect(machine.handle(.retryDue) == [.pass])
        }
        let parked = ParkedTransaction(number: 5, step: .observer, errorType: "Refusal")
        #expect(machine.handle(Self.threw(at: [5])) == [.park(parked), .pass])
        #expect(machine.isParked(.observer, at: 5))
        #expect(!machine.isParked(.consumer, at: 5) && !machine.isParked(.observer, at: 6))
        #expect(machine.handle(Self.succeeded).first == .report(.live))
        #expect(!machine.isIsolating)
    }

    @Test func `a failure at the next transaction is counted from one`() {
        var machine = Self.machine(after: [.started, .signalled, Self.threw])
        for number: Int64 in [5, 5, 6, 6] {
            #expect(machine.handle(Self.threw(at: [number])).contains(.log(Self.error(at: number))))
            #expect(machine.handle(.retryDue) == [.pass])
        }
    }

    @Test func `a recovery discards the parked transaction`() {
        var machine = Self.machine(after: [.started, .signalled, Self.threw])
        for _ in 1...3 { _ = (machine.handle(Self.threw(at: [5])), machine.handle(.retryDue)) }
        #expect(machine.isParked(.observer, at: 5))
        #expect(machine.handle(.recovered) == [])
        #expect(!machine.isParked(.observer, at: 5))
    }

    @Test func `a full refresh that throws is retried and never isolated`() {
        var machine = Self.machine(after: [.started, .signalled])
        #expect(machine.handle(Self.threw(at: [])).contains(.log(Self.error(at: nil))))
        #expect(!machine.isIsolating)
    }

    @Test func `a success restores the state of the watcher`() {
        var machine = Self.machine(after: [.started, .polling, .signalled, Self.failed, .retryDue])
        #expect(machine.handle(Self.succeeded).first == .report(.polling))
        #expect(machine.handle(.polling) == [])
    }

    @Test func `a restart discards the failures of the earlier run`() {
        var machine = Self.machine(after: [.started, .signalled, Self.threw, Self.threw(at: [5]), .stopped])
        #expect(!machine.isRunning && !machine.isIsolating)
        #expect(machine.handle(.started) == [.report(.live)])
        #expect(machine.handle(.signalled) == [.pass])
        #expect(machine.handle(Self.failed).contains(.retry(after: Self.retryPause)))
    }
}
