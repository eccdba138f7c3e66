import ClipsCore
import FoundationEssentials
import PersistentStore
import Terminal

/// Prints transactions, those that there are and those that come.
struct HistoryFeed {
    let container: PersistentContainer
    let invocation: Invocation

    func run(_ request: HistoryFetchRequest, follows: Bool) async throws -> ExitStatus {
        // Listening begins before the first look, so nothing falls between the two.
        let events = follows ? try await container.events() : nil
        var position = try await print(request)
        try invocation.output.flush()
        guard let events else { return .done }
        for await event in events {
            switch event {
            case .committed(let newest):
                guard newest != position else { continue }
                position = try await print(HistoryFetchRequest(.token(position), where: request.predicate))
                try invocation.output.flush()
            case .replaced: throw StoreError.replaced(path: container.path)
            case .watchingBySweep:
                invocation.remark(
                    "clips: there are no file events here; the store is asked 20 times a second.")
            }
        }
        return .done
    }

    /// Returns the position up to which everything has been looked at.
    private func print(_ request: HistoryFetchRequest) async throws -> HistoryToken {
        let (output, isJSON) = (invocation.output, invocation.isJSON)
        return try await container.read { snapshot in
            try snapshot.forEachTransaction(request) { transaction in
                output.line(
                    isJSON ? try JSONLine.text(TransactionObject(transaction)) : Self.line(transaction))
                return true
            }
            return try snapshot.newestToken()
        }
    }

    private static let mostChangesInLine = 6

    static func line(_ transaction: HistoryTransaction) -> String {
        let who = AuthorName.shown(transaction.author)
        let time = JSONLine.time(transaction.timestamp)
        var changes = transaction.changes.prefix(mostChangesInLine).map { change in
            let updated =
                change.updatedAttributes.isEmpty
                ? "" : " (\(change.updatedAttributes.joined(separator: ", ")))"
            return "\(change.kind) \(change.objectID)\(updated)"
        }
        let more = transaction.changes.count - changes.count
        if more > 0 { changes.append("and \(more) more") }
        let process = transaction.process.map { "  \(transaction.program ?? "")(\($0))" } ?? ""
        return SafeText.line(
            "\(transaction.number)  \(time)  \(who)\(process)  \(changes.joined(separator: ", "))")
    }
}

/// One line of `clips history --json`.
private struct TransactionObject: Encodable {
    let transaction: Int64
    let token: HistoryToken
    let timestamp: String
    @ExplicitNull var author: String?
    @ExplicitNull var context: String?
    @ExplicitNull var process: Int32?
    @ExplicitNull var program: String?
    let changes: [ChangeObject]

    init(_ transaction: HistoryTransaction) {
        self.transaction = transaction.number
        token = transaction.token
        timestamp = JSONLine.time(transaction.timestamp)
        author = transaction.author
        context = transaction.contextName
        process = transaction.process
        program = transaction.program
        changes = transaction.changes.map(ChangeObject.init)
    }
}

private struct ChangeObject: Encodable {
    let change: Int64
    let kind: String
    let entity: String
    let object: Int64
    let updated: [String]
    let old: [String: JSONValue]
    @ExplicitNull var tombstone: [String: JSONValue]?

    init(_ change: HistoryChange) {
        self.change = change.number
        kind = change.kind.description
        entity = change.objectID.entity
        object = change.objectID.key
        updated = change.updatedAttributes
        old = change.oldValues.mapValues(JSONValue.init)
        tombstone = change.tombstone?.mapValues(JSONValue.init)
    }
}

/// Writes `null` for nil instead of leaving the key out, so that every line has the same keys.
@propertyWrapper
struct ExplicitNull<Wrapped: Encodable>: Encodable {
    var wrappedValue: Wrapped?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

/// A stored value in JSON; a blob is its bytes in base 64.
private struct JSONValue: Encodable {
    let value: Value

    init(_ value: Value) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .integer(let value): try container.encode(value)
        case .real(let value): try container.encode(value.isFinite ? value : 0)
        case .text(let value): try container.encode(value)
        case .blob(let value): try container.encode(Data(value).base64EncodedString())
        }
    }
}
