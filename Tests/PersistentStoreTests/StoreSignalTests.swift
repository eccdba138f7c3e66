@testable import PersistentStore
import Testing

/// The events of a subscriber that reads the store in any case.
@Suite struct StoreSignalTests {
    private let signals = StoreSignals()

    @Test func `signals of one kind are one until it is taken, and the others keep their order`() async {
        for signal in [StoreSignal.watchingByPolling, .committed, .committed, .replaced] {
            #expect(signals.add(signal))
        }
        #expect(await signals.next() == .watchingByPolling)
        #expect(await signals.next() == .committed)
        #expect(signals.add(.committed))
        #expect(await signals.next() == .replaced)
        #expect(await signals.next() == .committed)
    }

    @Test func `a waiting task gets the next signal`() async {
        async let next = signals.next()
        #expect(signals.add(.committed))
        #expect(await next == .committed)
    }

    @Test func `the end follows the pending signals, and no signal follows the end`() async {
        #expect(signals.add(.committed))
        signals.finish()
        #expect(!signals.add(.replaced))
        #expect(await signals.next() == .committed)
        #expect(await signals.next() == nil)
        #expect(await signals.next() == nil)
    }

    @Test func `the end reaches a waiting task`() async {
        async let next = signals.next()
        signals.finish()
        #expect(await next == nil)
    }
}
