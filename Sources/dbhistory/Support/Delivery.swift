import PersistentStore
import Platform

/// Delivers a transaction to a program or a URL, with a key by which the receiver recognizes a repetition.
struct Delivery: Sendable {
    enum Receiver: Sendable {
        case command(String)
        case url(String)
    }

    let receiver: Receiver
    let attempts: Int
    let pause: Duration

    private static let maxPause = Duration.seconds(60)

    /// Delivers lines until the receiver accepts them.
    ///
    /// - Parameter sleep: Waits for a growing time between two attempts.
    /// - Returns: Whether one of the attempts succeeded.
    func deliver(_ lines: String, _ transaction: HistoryTransaction, sleep: (Duration) async throws -> Void)
        async throws
        -> Bool
    {
        var pause = pause
        for attempt in 1...max(1, attempts) {
            if attempt > 1 {
                try await sleep(pause)
                pause = min(pause * 2, Self.maxPause)
            }
            if send(lines, transaction) { return true }
        }
        return false
    }

    private func send(_ lines: String, _ transaction: HistoryTransaction) -> Bool {
        // A piece of a long transaction has a key of its own.
        let piece = transaction.isWhole ? "" : ".\(transaction.pieceIndex)"
        let key = "\(transaction.token)\(piece)"
        let words =
            switch receiver {
            case .command(let command): ["sh", "-c", command]
            case .url(let url):
                [
                    "curl", "--silent", "--show-error", "--fail", "--max-time", "60", "--request", "POST",
                    "--header",
                    "Content-Type: application/x-ndjson", "--header", "Idempotency-Key: \(key)",
                    "--data-binary",
                    "@-", "--output", "/dev/null", "--url", url,
                ]
            }
        let child = ChildProcess.start(
            words,
            environment: ["DBHISTORY_KEY": key, "DBHISTORY_TRANSACTION": "\(transaction.number)"],
            input: lines)
        return ChildProcess.status(of: child) == 0
    }
}
