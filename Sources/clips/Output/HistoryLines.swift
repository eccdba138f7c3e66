import ClipsCore
import FoundationEssentials
import PersistentStore
import Terminal

/// Formats transactions, whole or in pieces, as lines, in memory for one piece.
struct HistoryLines {
    let isJSON: Bool
    /// The first changes of a transaction whose later pieces have not been read.
    private var changes: [String] = []
    private var count = 0
    /// The number of deletions, and of those that are shown.
    private var (deleted, shownDeleted) = (0, 0)

    init(isJSON: Bool) { self.isJSON = isJSON }

    private static let maxChangesInLine = 6

    /// Returns lines, or parts of them, for transactions or pieces in order.
    mutating func text(_ pieces: [HistoryTransaction], of store: ClipStore) async throws -> String {
        if isJSON { return try pieces.map(json).joined() }
        // Only the first changes of a transaction are shown.
        let changes = pieces.flatMap { $0.changes.prefix(Self.maxChangesInLine) }
        let context = try await store.context(of: changes)
        return pieces.map { plain($0, context) }.joined()
    }

    /// Returns a part of an object on one line.
    private func json(_ piece: HistoryTransaction) throws -> String {
        func quoted(_ text: String?) -> String { text.map(JSONWriter.quoted) ?? "null" }
        let start = piece.pieceIndex > 0 ? "," : #"{"author":\#(quoted(piece.author)),"changes":["#
        let changes = try JSONLine.text(piece.changes.map(ChangeObject.init)).dropFirst().dropLast()
        var end = ""
        if piece.isComplete {
            var rest = JSONWriter()
            rest.add("context", literal: quoted(piece.contextName))
            rest.add("process", literal: piece.process.map { "\($0)" } ?? "null")
            rest.add("program", literal: quoted(piece.program))
            rest.add("timestamp", JSONLine.time(piece.timestamp))
            rest.add("token", piece.token.description)
            rest.add("transaction", literal: "\(piece.number)")
            end = "]," + rest.text.dropFirst()
        }
        return JSONLine.shown(start) + changes + JSONLine.shown(end) + (piece.isComplete ? "\n" : "")
    }

    private mutating func plain(_ piece: HistoryTransaction, _ context: ChangeContext) -> String {
        count += piece.changes.count
        deleted += piece.changes.count { $0.kind == .delete }
        for change in piece.changes.prefix(Self.maxChangesInLine - changes.count) {
            shownDeleted += change.kind == .delete ? 1 : 0
            let role = UndoHistory.Role(contextName: piece.contextName)
            guard let sentence = context.sentence(change, of: piece.changes, role: role) else {
                count -= 1
                continue
            }
            changes.append(sentence)
        }
        guard piece.isComplete else { return "" }
        defer { (changes, count, deleted, shownDeleted) = ([], 0, 0, 0) }
        let (more, others) = (count - changes.count, deleted - shownDeleted)
        let share = others == 0 || deleted == count ? "" : ", \(others) deleted"
        if more > 0 { changes.append("and \(more) more\(share)") }
        let author = piece.shownAuthor
        let time = JSONLine.time(piece.timestamp)
        let process = piece.process.map { "  \(piece.program ?? "")(\($0))" } ?? ""
        return SafeText.line(
            "\(piece.number)  \(time)  \(author)\(process)  \(changes.joined(separator: ", "))") + "\n"
    }
}

private struct ChangeObject: Encodable {
    let change: Int64
    let kind: String
    let entity: String
    let object: Int64
    let updated: [String]
    let old: [String: EncodedValue]
    @ExplicitNull var tombstone: [String: EncodedValue]?

    init(_ change: HistoryChange) {
        self.change = change.number
        kind = "\(change.kind)"
        entity = change.objectID.entity
        object = change.objectID.key
        updated = change.updatedAttributes
        old = change.oldValues.mapValues(EncodedValue.init)
        tombstone = change.tombstone?.mapValues(EncodedValue.init)
    }
}

/// An optional that is encoded as `null`, so that every line has the same keys.
@propertyWrapper
struct ExplicitNull<Wrapped: Encodable>: Encodable {
    var wrappedValue: Wrapped?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

/// A stored value in JSON; a blob in base 64.
private struct EncodedValue: Encodable {
    let value: AttributeValue

    init(_ value: AttributeValue) { self.value = value }

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
