import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

/// A thread that is both an executor and a poll loop.
@Suite struct EventLoopTests {
    actor Counter {
        nonisolated let loop: EventLoop
        private(set) var count = 0
        private(set) var threads: Set<UInt> = []

        init(_ loop: EventLoop) { self.loop = loop }

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        func add() {
            count += 1
            threads.insert(UInt(pthread_self()))
        }
    }

    final class Notes: Sendable {
        private let words = Mutex<[String]>([])
        var all: [String] { words.withLock { $0 } }
        func add(_ word: String) { words.withLock { $0.append(word) } }
    }

    @Test func `work from many threads runs on one thread, each piece once`() async throws {
        let counter = Counter(try EventLoop())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<500 { await counter.add() } }
            }
        }
        #expect(await counter.count == 4000)
        #expect(await counter.threads.count == 1)
        await counter.loop.checksIsolation(of: counter)
    }

    @Test func `timers fire in due order, never early, and once per name`() async throws {
        let loop = try EventLoop()
        let notes = Notes()
        let began = ContinuousClock.now
        let (late, early, replaced, cancelled) = (TimerName(), TimerName(), TimerName(), TimerName())
        loop.schedule(late, after: .milliseconds(30)) { notes.add("late") }
        loop.schedule(early, after: .microseconds(200)) { notes.add("early") }
        loop.schedule(replaced, after: .milliseconds(1)) { notes.add("wrong") }
        loop.schedule(replaced, after: .milliseconds(15)) { notes.add("middle") }
        loop.schedule(cancelled, after: .milliseconds(2)) { notes.add("wrong") }
        loop.cancel(cancelled)
        #expect(await soon { notes.all.count >= 3 })
        #expect(notes.all == ["early", "middle", "late"])
        #expect(ContinuousClock.now - began >= .milliseconds(30))
    }

    @Test func `descriptors with one handler cause one call when both are readable`() async throws {
        let (loop, notes) = (try EventLoop(), Notes())
        let pipes = [try Pipe(), try Pipe()]
        for pipe in pipes { pipe.signal() }
        let drain: @Sendable () -> Void = {
            for pipe in pipes { pipe.drain() }
            notes.add("called")
        }
        loop.schedule(TimerName(), after: .zero) {
            loop.watch(pipes[0].readEnd, handler: drain)
            loop.watch(pipes[1].readEnd, with: pipes[0].readEnd, handler: drain)
        }
        #expect(await soon { !notes.all.isEmpty })
        pipes[1].signal()
        #expect(await soon { notes.all.count >= 2 })
        loop.schedule(TimerName(), after: .zero) { notes.add("end") }
        #expect(await soon { notes.all.last == "end" })
        #expect(notes.all == ["called", "called", "end"])
    }

    @Test func `work does not wait for a timer of less than a millisecond`() async throws {
        let counter = Counter(try EventLoop())
        let goesOn = Atomic<Bool>(true)
        let timer = TimerName()
        @Sendable func tick() {
            guard goesOn.load(ordering: .relaxed) else { return }
            counter.loop.schedule(timer, after: .microseconds(900)) { tick() }
        }
        tick()
        var times: [Duration] = []
        for _ in 0..<400 {
            // By then, the loop waits again.
            let began = ContinuousClock.now + .microseconds(200)
            while ContinuousClock.now < began {}
            await counter.add()
            times.append(.now - began)
        }
        goesOn.store(false, ordering: .relaxed)
        // Each would wait for the rest of a timer that fired just before; others slow down many, but not most.
        #expect(times.sorted()[100] < .microseconds(400), "\(times.sorted()[100])")
    }

    @Test func `a pipe's hang-up is reported once, and nothing before it`() async throws {
        let loop = try EventLoop()
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[1]) }
        let notes = Notes()
        loop.watchForHangUp(ends[1]) { notes.add("hung up") }
        let (pause, later) = (TimerName(), TimerName())
        loop.schedule(pause, after: .milliseconds(5)) { notes.add("paused") }
        #expect(await soon { notes.all == ["paused"] })
        close(ends[0])
        #expect(await soon { notes.all.count == 2 })
        loop.schedule(later, after: .milliseconds(5)) { notes.add("later") }
        #expect(await soon { notes.all.count >= 3 })
        #expect(notes.all == ["paused", "hung up", "later"])
    }

    @Test func `overdue timers fire in due order`() async throws {
        let loop = try EventLoop()
        let notes = Notes()
        loop.schedule(TimerName(), after: .zero) { _ = poll(nil, 0, 20) }
        for delay in [9, 3, 6, 5, 8] {
            loop.schedule(TimerName(), after: .milliseconds(delay)) { notes.add("\(delay)") }
        }
        #expect(await soon { notes.all.count == 5 })
        #expect(notes.all == ["3", "5", "6", "8", "9"])
    }

    @Test(arguments: [true, false])
    func `a pause ends when its task is cancelled`(isEarly: Bool) async throws {
        let loop = try EventLoop()
        let notes = Notes()
        let task = Task {
            if isEarly { while !Task.isCancelled { await Task.yield() } }
            notes.add("paused")
            await loop.pause(for: .seconds(3600))
        }
        if !isEarly { #expect(await soon { notes.all.count == 1 }) }
        task.cancel()
        await task.value
    }

    @Test func `a readable descriptor is reported until it is no longer watched`() async throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let notes = Notes()
        loop.watch(pipe.readEnd) {
            pipe.drain()
            notes.add("readable")
        }
        for round in 1...5 {
            pipe.signal()
            #expect(await soon { notes.all.count == round })
        }
        loop.stopWatching(pipe.readEnd)
        let (pause, done) = (TimerName(), Notes())
        pipe.signal()
        loop.schedule(pause, after: .milliseconds(5)) { done.add("later") }
        #expect(await soon { done.all.count == 1 })
        #expect(notes.all.count == 5)
    }

    @Test func `the thread ends when the loop has no owner`() async throws {
        func threads() throws -> Int {
            try Shell.run("sh", ["-c", "ls /proc/\(getpid())/task | wc -l"]).output
                .split(separator: "\n").compactMap { Int($0) }.first ?? 0
        }
        var counters: [Counter] = []
        for _ in 0..<20 { counters.append(Counter(try EventLoop())) }
        for counter in counters { await counter.add() }
        let before = try threads()
        counters.removeAll()
        // Other tests start and end threads, so most of them is enough.
        #expect(try await soon { try threads() <= before - 15 })
    }

    @Test func `the calling thread can be the loop's thread`() async throws {
        let status = try EventLoop().runOnThisThread { 7 }
        #expect(status == 7)
    }

    @Test func `isolation is refused on any other thread`() async throws {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop()
            loop.checkIsolated()
        }
    }
}

extension EventLoop {
    /// Ends the program if the actor's thread is not the loop's.
    func checksIsolation(of counter: isolated EventLoopTests.Counter) { checkIsolated() }
}
