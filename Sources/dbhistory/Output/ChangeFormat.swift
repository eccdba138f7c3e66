import FoundationEssentials
import PersistentStore
import Platform

/// A line of output: a change, a row of a first copy, or the beginning of a copy of a table.
enum Entry {
    case change(HistoryChange, HistoryTransaction)
    case row(table: String, key: [String: AttributeValue], values: [String: AttributeValue], HistoryToken)
    case truncate(table: String, HistoryToken)

    var table: String {
        switch self {
        case .change(let change, _): change.objectID.entity
        case .row(let table, _, _, _), .truncate(let table, _): table
        }
    }
}

enum ChangeFormat: String, CaseIterable {
    case text, jsonl, debezium

    /// Returns an entry as one line.
    func line(_ entry: Entry, database: String) -> String {
        switch self {
        case .text: ChangeText.line(entry)
        case .jsonl: ChangeJSON.line(entry)
        case .debezium: DebeziumEnvelope(database: database).line(entry)
        }
    }
}

/// The row before a change as far as it is recorded; nil if there was none.
func rowBefore(_ change: HistoryChange) -> [String: AttributeValue]? {
    switch change.kind {
    case .insert: nil
    case .update: change.key.merging(change.newValues) { $1 }.merging(change.oldValues) { $1 }
    case .delete: change.key.merging(change.tombstone ?? [:]) { $1 }
    }
}

/// The row after a change as far as it is recorded; nil if there is none.
func rowAfter(_ change: HistoryChange) -> [String: AttributeValue]? {
    change.kind == .delete ? nil : change.key.merging(change.newValues) { $1 }
}

enum ChangeText {
    static func line(_ entry: Entry) -> String {
        switch entry {
        case .change(let change, let transaction):
            let writer = [transaction.author, transaction.program].compactMap { $0 }
            let before = change.kind == .delete ? change.tombstone ?? [:] : change.oldValues
            let sides = [row(before), "→", row(change.newValues)].filter { !$0.isEmpty }
            let arrow = sides.count == 1 ? "" : "  " + sides.joined(separator: " ")
            let names =
                change.updatedAttributes.isEmpty
                ? "" : " (\(change.updatedAttributes.joined(separator: ", ")))"
            let link = change.counterpart.map { "  with \($0)" } ?? ""
            return plain(
                "\(change.number)  \(transaction.timestamp.formatted(.iso8601))  \(writer.isEmpty ? "-" : writer.joined(separator: "/"))  \(change.kind) \(change.objectID.entity) \(row(change.key))\(names)\(arrow)\(link)"
            )
        case .row(let table, let key, let values, _):
            return plain("row \(table) \(row(key))  \(row(values))")
        case .truncate(let table, _): return plain("copy \(table)")
        }
    }

    private static func row(_ values: [String: AttributeValue]) -> String {
        values.sorted { $0.key < $1.key }.map { "\($0.key)=\(word($0.value))" }.joined(separator: " ")
    }

    /// - Parameter isQuoted: Whether a text or a blob is a literal of SQL.
    static func word(_ value: AttributeValue, isQuoted: Bool = true) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): isQuoted ? "'\(value.replacing("'", with: "''"))'" : value
        case .blob(let bytes): isQuoted ? "x'\(bytes.hexadecimal)'" : bytes.hexadecimal
        }
    }

    /// Returns a text without characters that a terminal interprets.
    static func plain(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isUnsafe =
                scalar.value < 32 || (0x7F...0x9F).contains(scalar.value)
                || (0x2028...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            if isUnsafe {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

enum ChangeJSON {
    static func line(_ entry: Entry) -> String {
        let object: JSONObject =
            switch entry {
            case .change(let change, let transaction):
                [
                    "op": "\(change.kind)", "table": change.objectID.entity, "key": JSONObject(change.key),
                    "before": rowBefore(change).map { JSONObject($0) },
                    "after": rowAfter(change).map { JSONObject($0) }, "updated": change.updatedAttributes,
                    "change": change.number, "counterpart": change.counterpart,
                    "row": change.objectID.key, "transaction": transaction.number,
                    "time": transaction.timestamp.formatted(.iso8601), "author": transaction.author,
                    "program": transaction.program, "process": transaction.process,
                    "token": transaction.token.description,
                ]
            case .row(let table, let key, let values, let token):
                [
                    "op": "read", "table": table, "key": JSONObject(key), "before": nil,
                    "after": JSONObject(values), "token": token.description,
                ]
            case .truncate(let table, let token):
                ["op": "truncate", "table": table, "token": token.description]
            }
        return object.json
    }
}

/// The envelope of Debezium's connectors (debezium.io/documentation, "Data change events"), without a schema.
struct DebeziumEnvelope {
    let database: String

    func line(_ entry: Entry) -> String {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        var (before, after, operation): ([String: AttributeValue]?, [String: AttributeValue]?, String)
        var time = now
        var (change, transaction): (Int64?, Int64?) = (nil, nil)
        switch entry {
        case .change(let recorded, let whole):
            (before, after) = (rowBefore(recorded), rowAfter(recorded))
            operation = ["c", "u", "d"][recorded.kind.rawValue]
            time = Int64((whole.timestamp.timeIntervalSince1970 * 1000).rounded())
            (change, transaction) = (recorded.number, whole.number)
        case .row(_, let key, let values, _):
            (before, after, operation) = (nil, key.merging(values) { $1 }, "r")
        case .truncate: (before, after, operation) = (nil, nil, "t")
        }
        let source: JSONObject = [
            "version": clipsVersion, "connector": "sqlite", "name": database, "ts_ms": time,
            "snapshot": change == nil ? "true" : "false", "db": "main", "table": entry.table,
            "txId": transaction, "change": change,
        ]
        let object: JSONObject = [
            "before": before.map { JSONObject($0, plainBlobs: true) },
            "after": after.map { JSONObject($0, plainBlobs: true) }, "source": source, "op": operation,
            "ts_ms": now, "transaction": transaction.map { ["id": "\($0)"] as JSONObject },
        ]
        return object.json
    }
}
