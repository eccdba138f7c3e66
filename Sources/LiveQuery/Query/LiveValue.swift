import HistoryTracking
public import PersistentStore
import Synchronization

/// A value computed from the store, such as a sum, that is kept current with every commit, regardless of the writer.
///
/// ```swift
/// let total = try await LiveValue(of: Booking.self, in: container) { try $0.sum(of: \Booking.amount) }
/// for try await amount in total.values { print(amount ?? 0) }
/// ```
///
/// An iteration delivers the present value, then each that differs from the one before; a slow iteration gets the
/// newest alone. Several iterations may run at the same time. The sequence ends after ``stop()``, when the container
/// is closed, and if the task is canceled; an error of the closure ends it.
public final class LiveValue<Value: Equatable & Sendable>: Sendable {
    private let observer: ValueObserver<Value>
    private let tracker: HistoryTracker

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - entities: The entities on whose objects the value depends. The history must record them.
    ///   - container: The store.
    ///   - compute: A closure that computes the value, on the reader's thread, at first and after each commit that
    ///     changes one of these entities.
    /// - Throws: `StoreError.unknownEntity(_:)`; `StoreError.untracked(entity:)`.
    public init(
        of entities: [String], in container: PersistentContainer,
        _ compute: @escaping @Sendable (borrowing StoreSnapshot) throws -> Value
    ) async throws(StoreError) {
        for name in entities {
            guard let entity = container.model.entity(name) else { throw .unknownEntity(name) }
            guard entity.tracksHistory else { throw .untracked(entity: name) }
        }
        observer = ValueObserver(Set(entities), compute)
        tracker = HistoryTracker(
            container: container, parameters: .live(name: "live value"), consumer: observer)
        try await tracker.start()
    }

    /// Creates a value that depends on the records of one type.
    ///
    /// - Parameters:
    ///   - type: The type of the records.
    ///   - container: The store.
    ///   - compute: A closure that computes the value, such as with `sum(of:over:)`.
    public convenience init<R: Record>(
        of type: R.Type, in container: PersistentContainer,
        _ compute: @escaping @Sendable (borrowing StoreSnapshot) throws -> Value
    ) async throws(StoreError) {
        try await self.init(of: [R.entity.name], in: container, compute)
    }

    /// The present value, then each that differs from the one before.
    public var values: some AsyncSequence<Value, any Error> & Sendable { Values(value: self) }

    /// Ends the tracking and all iterations.
    public func stop() async { await tracker.stop() }
}

extension LiveValue {
    private struct Values: AsyncSequence, Sendable {
        let value: LiveValue

        func makeAsyncIterator() -> Iterator {
            Iterator(value: value, results: value.observer.results().makeAsyncIterator())
        }
    }

    fileprivate struct Iterator: AsyncIteratorProtocol {
        // The tracking lasts as long as an iteration.
        let value: LiveValue
        fileprivate var results: AsyncThrowingStream<Value, any Error>.Iterator
        private var previous: Value?

        fileprivate init(value: LiveValue, results: AsyncThrowingStream<Value, any Error>.Iterator) {
            (self.value, self.results) = (value, results)
        }

        mutating func next() async throws -> Value? {
            while let value = try await results.next(isolation: #isolation) {
                guard value != previous else { continue }
                previous = value
                return value
            }
            return nil
        }
    }
}

/// Computes the value after each change, and passes it to all iterations.
private final class ValueObserver<Value: Sendable>: HistoryConsumer {
    private struct State {
        var latest: Result<Value, any Error>?
        var isStopped = false
        var lastStream = 0
        var streams: [Int: AsyncThrowingStream<Value, any Error>.Continuation] = [:]
    }

    private let entities: Set<String>
    private let compute: @Sendable (borrowing StoreSnapshot) throws -> Value
    private let state = Mutex(State())

    init(_ entities: Set<String>, _ compute: @escaping @Sendable (borrowing StoreSnapshot) throws -> Value) {
        (self.entities, self.compute) = (entities, compute)
    }

    var batchLimit: BatchLimit { .refreshBeyond(1000) }

    func refresh(from snapshot: borrowing StoreSnapshot) {
        let result: Result<Value, any Error>
        do { result = .success(try compute(snapshot)) } catch { result = .failure(error) }
        let streams = state.withLock { state in
            state.latest = result
            return Array(state.streams.values)
        }
        for stream in streams { Self.deliver(result, to: stream) }
    }

    func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) {
        let isConcerned = transactions.contains {
            $0.changes.contains { entities.contains($0.objectID.entity) }
        }
        if isConcerned { refresh(from: snapshot) }
    }

    func trackingDidChange(_ state: TrackingState) {
        guard case .stopped = state else { return }
        let streams = self.state.withLock { state in
            state.isStopped = true
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    func results() -> AsyncThrowingStream<Value, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Value.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
        let (number, latest, isStopped) = state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = continuation
            return (state.lastStream, state.latest, state.isStopped)
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
        }
        if let latest { Self.deliver(latest, to: continuation) }
        if isStopped { continuation.finish() }
        return stream
    }

    private static func deliver(
        _ result: Result<Value, any Error>, to stream: AsyncThrowingStream<Value, any Error>.Continuation
    ) {
        switch result {
        case .success(let value): stream.yield(value)
        case .failure(let error): stream.finish(throwing: error)
        }
    }
}
