import FoundationEssentials
import PersistentStore
import Terminal

/// One line of `clips consumers`.
struct ConsumerLine {
    let isJSON: Bool

    func text(_ record: ConsumerRecord) throws -> String {
        guard !isJSON else { return try JSONLine.text(Object(record)) }
        let state = record.isRunning ? "running, process \(record.process ?? 0)" : "not running"
        let lag = record.lag == 0 ? "up to date" : "\(record.lag) transactions behind"
        let time = record.lastSeen.ISO8601Format()
        return SafeText.line("\(record.name)  at \(record.token.number)  \(lag)  \(state)  seen \(time)")
    }

    private struct Object: Encodable {
        let name: String
        let token: HistoryToken
        @ExplicitNull var author: String?
        @ExplicitNull var process: Int32?
        let running: Bool
        let transient: Bool
        let seen: String
        let lag: Int

        init(_ record: ConsumerRecord) {
            name = record.name
            token = record.token
            author = record.author
            process = record.process
            running = record.isRunning
            transient = record.isTransient
            seen = JSONLine.time(record.lastSeen)
            lag = record.lag
        }
    }
}
