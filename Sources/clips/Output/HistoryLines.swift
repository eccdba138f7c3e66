import ClipsCore
import FoundationEssentials
import PersistentStore
import Platform
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
        if isJSON { return pieces.map(json).joined() }
        // Only the first changes of a transaction are shown.
        let changes = pieces.flatMap { $0.changes.prefix(Self.maxChangesInLine) }
        let context = try await store.context(of: changes)
        return pieces.map { plain($0, context) }.joined()
    }

    /// Returns a part of an object on one line.
    private func json(_ piece: HistoryTransaction) -> String {
        let start = piece.pieceIndex > 0 ? "," : #"{"author":\#(piece.author?.json ?? "null"),"changes":["#
        let changes = piece.changes.map(JSONObject.init).json.dropFirst().dropLast()
        guard piece.isComplete else { return JSONLine.shown(start + changes) }
        let rest: JSONObject = [
            "context": piece.contextName, "process": piece.process, "program": piece.program,
            "timestamp": JSONLine.time(piece.timestamp), "token": piece.token.description,
            "transaction": piece.number,
        ]
        return JSONLine.shown(start + changes + "]," + rest.json.dropFirst()) + "\n"
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

extension JSONObject {
    fileprivate init(_ change: HistoryChange) {
        self = [
            "change": change.number, "entity": change.objectID.entity, "kind": "\(change.kind)",
            "object": change.objectID.key, "old": JSONObject(change.oldValues),
            "tombstone": change.tombstone.map(JSONObject.init), "updated": change.updatedAttributes,
        ]
    }

    /// Creates an object of stored values; a blob in base 64.
    private init(_ values: [String: AttributeValue]) {
        self.init()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            switch value {
            case .null: add(name, nil)
            case .integer(let value): add(name, value)
            case .real(let value):
                let text = "\(value.isFinite ? value : 0)"
                add(name, JSONLiteral(text.hasSuffix(".0") ? String(text.dropLast(2)) : text))
            case .text(let value): add(name, value)
            case .blob(let value): add(name, Data(value).base64EncodedString())
            }
        }
    }
}
