import ClipsCore
import FoundationEssentials
import PersistentStore
import Terminal

extension ConsumerStatus {
    /// A line of `clips consumers`.
    var line: String {
        let state =
            isRunning ? "running, process \(process ?? 0)" : process == nil ? "has not run" : "not running"
        let lag = lag == 0 ? "up to date" : "\(Message.count(Int(lag), "transaction")) behind"
        return SafeText.line(
            "\(AuthorName.shown(consumer: name))  at \(token.number)  \(lag)  \(state)  seen \(lastSeen.ISO8601Format())"
        )
    }
}

/// A line of `clips consumers --json`.
struct ConsumerObject: Encodable {
    let name: String
    let token: HistoryToken
    @ExplicitNull var author: String?
    @ExplicitNull var process: Int32?
    let running: Bool
    let transient: Bool
    let seen: String
    let lag: Int

    init(_ record: ConsumerStatus) {
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
