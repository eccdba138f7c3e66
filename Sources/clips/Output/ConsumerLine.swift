import ClipsCore
import FoundationEssentials
import PersistentStore
import Platform
import Terminal

extension ConsumerStatus {
    /// A line of `clips consumers`.
    var line: String {
        let state =
            isRunning ? "running, process \(process ?? 0)" : process == nil ? "has not run" : "not running"
        let lag = lag == 0 ? "up to date" : "\(Int(lag).counted("transaction")) behind"
        return SafeText.line(
            "\(AuthorName.shown(consumer: name))  at \(token.number)  \(lag)  \(state)  seen \(lastSeen.ISO8601Format())"
        )
    }

    /// A line of `clips consumers --json`.
    var json: JSONObject {
        [
            "author": author, "lag": lag, "name": name, "process": process, "running": isRunning,
            "seen": JSONLine.time(lastSeen), "token": token.description, "transient": isTransient,
        ]
    }
}
