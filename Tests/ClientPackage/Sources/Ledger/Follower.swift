import Glibc
import HistoryTracking
import PersistentStore
import Synchronization

/// Maintains a sum from the changes in the history and prints it after each batch.
final class RunningSum: HistoryConsumer {
    private let amounts = Mutex<[ObjectID: Int64]>([:])

    func refresh(from snapshot: borrowing StoreSnapshot) throws {
        let bookings = try snapshot.fetch(FetchRequest("Booking"))
        amounts.withLock { amounts in
            amounts.removeAll()
            for booking in bookings { amounts[booking.id] = booking["amount"].integerValue }
        }
        report("everything")
    }

    func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws {
        let touched = Set(transactions.flatMap(\.changes).map(\.objectID))
        let bookings = try snapshot.fetch(FetchRequest("Booking", where: .keys(touched.map(\.key))))
        amounts.withLock { amounts in
            for id in touched { amounts[id] = nil }
            for booking in bookings { amounts[booking.id] = booking["amount"].integerValue }
        }
        report(transactions.map { $0.author ?? "unknown" }.joined(separator: ","))
    }

    private func report(_ authors: String) {
        say("\(authors): \(amounts.withLock { $0.values.reduce(0, +) })")
    }
}

/// Prints a line immediately, even into a pipe.
private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

extension Ledger {
    static func follow(_ container: PersistentContainer) async throws {
        var parameters = TrackingParameters(name: "sum")
        // A ledger retains its history.
        parameters.cleaning = .none
        let tracker = HistoryTracker(container: container, parameters: parameters, consumer: RunningSum())
        await tracker.registerObserver(entity: "Booking", kind: .delete) { transaction in
            let amount = transaction.changes.first?.tombstone?["amount"]?.integerValue ?? 0
            say("struck by \(transaction.author ?? "unknown"): \(amount)")
        }
        try await tracker.start()
        while readLine() != nil {}
        await tracker.stop()
    }
}
