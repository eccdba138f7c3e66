import FoundationEssentials
import SQLite

/// The consumers that retain history without need, or whose cursor has expired.
struct ConsumerCheck {
    let now: Int64

    private static let manyTransactions = 10_000
    private static let manyDays = 14

    func run(_ consumers: [ConsumerRecord], _ ends: HistoryExtent) -> [StoreFinding] {
        consumers.compactMap { consumer in
            if consumer.isTransient && !consumer.isRunning { return .staleConsumer(consumer.name) }
            if consumer.token.generation != ends.generation || consumer.token.number < ends.expiry {
                return .expiredConsumer(consumer.name)
            }
            let days = Int((Double(now) / 1000 - consumer.lastSeen.timeIntervalSince1970) / 86_400)
            guard days >= Self.manyDays, consumer.lag >= Self.manyTransactions else { return nil }
            return .laggingConsumer(consumer.name, transactions: consumer.lag, days: days)
        }
    }
}
