import Testing

@testable import PersistentStore

/// The watcher's reaction to each event, as a value.
@Suite struct WatcherMachineTests {
    private func looked(_ atWork: Bool, _ saw: Bool) -> WatcherMachine.Event {
        .looked(writerAtWork: atWork, sawCommit: saw)
    }

    @Test func `every file event causes a look`() {
        var machine = WatcherMachine()
        #expect(machine.handle(.fileEvent) == [.look])
        #expect(machine.handle(.pauseOver) == [.look])
        #expect(machine.handle(.pathInDoubt) == [.checkPath, .look])
    }

    @Test func `a look that finds no writer is the last one`() {
        var machine = WatcherMachine()
        #expect(machine.handle(looked(false, false)) == [])
        #expect(machine.handle(looked(false, true)) == [.announceCommit])
    }

    @Test func `a look that finds a writer is repeated, even if it saw a commit`() {
        var machine = WatcherMachine()
        #expect(machine.handle(looked(true, false)) == [.lookAgain(after: WatcherMachine.firstPause)])
        #expect(
            machine.handle(looked(true, true)) == [
                .announceCommit, .lookAgain(after: WatcherMachine.firstPause * 2),
            ])
    }

    @Test func `pauses double up to a limit and reset when no writer is left`() {
        var machine = WatcherMachine()
        var pause = WatcherMachine.firstPause
        for _ in 0..<12 {
            #expect(machine.handle(looked(true, false)) == [.lookAgain(after: pause)])
            pause = min(pause * 2, WatcherMachine.longestPause)
        }
        #expect(pause == WatcherMachine.longestPause)
        _ = machine.handle(looked(false, false))
        #expect(machine.handle(looked(true, false)) == [.lookAgain(after: WatcherMachine.firstPause)])
    }

    // writer    | frames 1, publish 1 | frames 2, publish 2 | frames 3 . . . . . . . . publish 3, unlock
    // inotify   |    ^ event          |                     |    ^ event (the last)
    // watcher   |                look: sees 1 and 2, lock held (by 3)     pause over, look: sees 3, lock free
    //
    // The third commit's event came before its frames were readable, and no event follows. A watcher that
    // repeats only after an empty look is satisfied by 1 and 2, and loses 3.
    @Test func `the last commit of a burst of three is detected although no event follows it`() {
        var machine = WatcherMachine()
        #expect(machine.handle(.fileEvent) == [.look])
        let afterTwo = machine.handle(looked(true, true))
        #expect(afterTwo == [.announceCommit, .lookAgain(after: WatcherMachine.firstPause)])
        #expect(machine.handle(.pauseOver) == [.look])
        #expect(machine.handle(looked(false, true)) == [.announceCommit])
    }

    @Test func `polling continues, slowly with events and fast without`() {
        var machine = WatcherMachine()
        #expect(machine.handle(.eventsAvailable) == [.poll(after: WatcherMachine.pollWithEvents)])
        #expect(
            machine.handle(.pollDue) == [.checkPath, .look, .poll(after: WatcherMachine.pollWithEvents)])
        #expect(machine.handle(.eventsUnavailable) == [.poll(after: WatcherMachine.pollWithoutEvents)])
        #expect(
            machine.handle(.pollDue) == [
                .checkPath, .look, .poll(after: WatcherMachine.pollWithoutEvents),
            ])
    }

    @Test func `without a fallback, only a watcher without events polls`() {
        var machine = WatcherMachine(fallbackInterval: nil)
        #expect(machine.handle(.eventsAvailable) == [])
        #expect(machine.handle(.pollDue) == [.checkPath, .look])
        #expect(machine.handle(.eventsUnavailable) == [.poll(after: WatcherMachine.pollWithoutEvents)])
    }

    @Test func `a replaced store is reported once, and nothing after it`() {
        var machine = WatcherMachine()
        #expect(machine.handle(.path(isOurs: true)) == [])
        #expect(machine.handle(.path(isOurs: false)) == [.announceReplaced])
        let events: [WatcherMachine.Event] = [
            .fileEvent, .pathInDoubt, .pauseOver, .pollDue, looked(true, true), .path(isOurs: false),
            .eventsAvailable, .eventsUnavailable,
        ]
        for event in events { #expect(machine.handle(event) == []) }
    }
}
