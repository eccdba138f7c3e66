import Testing

@testable import PersistentStore

/// The watcher's reaction to each event, as a value.
@Suite struct WatcherMachineTests {
    private func looked(_ atWork: Bool, _ saw: Bool) -> WatcherMachine.Event {
        .looked(atWork ? .unknown : .none, sawCommit: saw)
    }

    /// The look of every cause except a change of the log.
    private let look = WatcherMachine.Action.look(trustsRinger: false)

    private func lookAgain(_ pause: Duration) -> WatcherMachine.Action {
        .lookAgain(after: pause, isDeaf: pause < .milliseconds(1))
    }

    @Test func `every file event causes a look`() {
        var machine = WatcherMachine()
        #expect(machine.handle(.logChanged) == [.look(trustsRinger: true)])
        #expect(machine.handle(.rung(isRepeated: false)) == [look])
        #expect(machine.handle(.pauseOver) == [look])
        #expect(machine.handle(.pathInDoubt) == [.checkPath, look])
    }

    @Test func `a look that finds no writer is the last one`() {
        var machine = WatcherMachine()
        #expect(machine.handle(looked(false, false)) == [])
        #expect(machine.handle(looked(false, true)) == [.announceCommit])
    }

    @Test func `a look that finds a writer is repeated, even if it saw a commit`() {
        var machine = WatcherMachine()
        #expect(machine.handle(looked(true, false)) == [lookAgain(WatcherMachine.firstPause)])
        #expect(
            machine.handle(looked(true, true)) == [
                .announceCommit, lookAgain(WatcherMachine.firstPause * 2),
            ])
    }

    @Test func `pauses double up to a limit and reset when no writer is left`() {
        var machine = WatcherMachine()
        var pause = WatcherMachine.firstPause
        for _ in 0..<12 {
            #expect(machine.handle(looked(true, false)) == [lookAgain(pause)])
            pause = min(pause * 2, WatcherMachine.longestPause)
        }
        #expect(pause == WatcherMachine.longestPause)
        #expect(machine.handle(looked(false, false)) == [.endPause])
        #expect(machine.handle(looked(true, false)) == [lookAgain(WatcherMachine.firstPause)])
    }

    // writer    | lock, frames . . . . . publish, unlock, ring |
    // inotify   |    ^ log                                  ^ doorbell
    // watcher   |      look: ringing, version unread, long pause   look: sees the commit, end of the pause
    //
    // Only a look after a change of the log leaves the version unread: commits that follow each other at once
    // hold the lock nearly always, and each ring reports one that can be read.
    @Test func `a writer that rings is waited for in one long pause, which its ring ends`() {
        var machine = WatcherMachine()
        let longPause = WatcherMachine.Action.lookAgain(after: WatcherMachine.longestPause, isDeaf: true)
        #expect(machine.handle(.looked(.ringing, sawCommit: false)) == [longPause])
        #expect(machine.handle(.rung(isRepeated: false)) == [look])
        #expect(machine.handle(.looked(.ringing, sawCommit: true)) == [.announceCommit, longPause])
        #expect(machine.handle(.pauseOver) == [look])
        #expect(
            machine.handle(.looked(.unknown, sawCommit: true)) == [
                .announceCommit, lookAgain(WatcherMachine.firstPause),
            ])
        #expect(machine.handle(looked(false, true)) == [.announceCommit, .endPause])
        #expect(machine.handle(looked(false, true)) == [.announceCommit])
    }

    @Test func `after a repeated ring, the log is ignored for a moment`() {
        var machine = WatcherMachine()
        let pause = WatcherMachine.Action.lookAgain(after: WatcherMachine.ringingPause, isDeaf: true)
        for _ in 0..<3 {
            #expect(machine.handle(.rung(isRepeated: true)) == [look])
            #expect(machine.handle(looked(false, true)) == [.announceCommit, pause])
        }
        #expect(machine.handle(.pauseOver) == [look])
        #expect(machine.handle(looked(false, false)) == [.endPause])
        #expect(machine.handle(looked(false, false)) == [])
        // An unknown writer at work, and a single ring, end it.
        #expect(machine.handle(.rung(isRepeated: true)) == [look])
        #expect(
            machine.handle(looked(true, true)) == [.announceCommit, lookAgain(WatcherMachine.firstPause)])
        #expect(machine.handle(.rung(isRepeated: false)) == [look])
        #expect(machine.handle(looked(false, true)) == [.announceCommit, .endPause])
    }

    // writer    | frames 1, publish 1 | frames 2, publish 2 | frames 3 . . . . . . . . publish 3, unlock
    // inotify   |    ^ event          |                     |    ^ event (the last)
    // watcher   |                look: sees 1 and 2, lock held (by 3)     pause over, look: sees 3, lock free
    //
    // The third commit's event came before its frames were readable, and no event follows. A watcher that
    // repeats only after an empty look is satisfied by 1 and 2, and loses 3.
    @Test func `the last commit of a burst of three is detected although no event follows it`() {
        var machine = WatcherMachine()
        #expect(machine.handle(.logChanged) == [.look(trustsRinger: true)])
        let afterTwo = machine.handle(looked(true, true))
        #expect(afterTwo == [.announceCommit, lookAgain(WatcherMachine.firstPause)])
        #expect(machine.handle(.pauseOver) == [look])
        #expect(machine.handle(looked(false, true)) == [.announceCommit, .endPause])
    }

    @Test func `polling continues, slowly with events and fast without`() {
        var machine = WatcherMachine()
        #expect(machine.handle(.eventsAvailable) == [.poll(after: WatcherMachine.pollWithEvents)])
        #expect(
            machine.handle(.pollDue) == [.checkPath, look, .poll(after: WatcherMachine.pollWithEvents)])
        #expect(machine.handle(.eventsUnavailable) == [.poll(after: WatcherMachine.pollWithoutEvents)])
        #expect(
            machine.handle(.pollDue) == [
                .checkPath, look, .poll(after: WatcherMachine.pollWithoutEvents),
            ])
    }

    @Test func `without a fallback, only a watcher without events polls`() {
        var machine = WatcherMachine(fallbackInterval: nil)
        #expect(machine.handle(.eventsAvailable) == [])
        #expect(machine.handle(.pollDue) == [.checkPath, look])
        #expect(machine.handle(.eventsUnavailable) == [.poll(after: WatcherMachine.pollWithoutEvents)])
    }

    @Test func `a replaced store is reported once, and nothing after it`() {
        var machine = WatcherMachine()
        #expect(machine.handle(.path(isOurs: true)) == [])
        #expect(machine.handle(.path(isOurs: false)) == [.announceReplaced])
        let events: [WatcherMachine.Event] = [
            .logChanged, .rung(isRepeated: false), .pathInDoubt, .pauseOver, .pollDue, looked(true, true),
            .path(isOurs: false),
            .eventsAvailable, .eventsUnavailable,
        ]
        for event in events { #expect(machine.handle(event) == []) }
    }
}
