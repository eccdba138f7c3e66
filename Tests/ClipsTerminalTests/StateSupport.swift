import ClipsCore
import Foundation
import HistoryTracking
import LiveQuery
import Terminal

@testable import ClipsTerminal
@testable import PersistentStore

/// The order of a list in which no other was chosen.
let newestFirst = SortOrder(
    [.init("created", isAscending: false, ignoresCase: false)], isKeyAscending: false)

let noon = Date(timeIntervalSince1970: 1_800_000_000)

func row(
    _ id: Int64, _ title: String = "", author: String = "cli", url: String = "", at place: SortPosition? = nil
) -> ClipRow {
    let created = noon.milliseconds - 1_000_000 + id * 1000
    let layout = StoredObject.Layout(names: [
        "title", "url", "author", "tags", "created", "starred", "unread",
    ])
    let values: [AttributeValue] = [
        .text(title.isEmpty ? "Clip \(id)" : title),
        .text(url.isEmpty ? "https://site\(id % 9).example/\(id)" : url),
        .text(author), .text("tag\(id % 3),more"), .integer(created), .boolean(id % 5 == 0),
        .boolean(id % 2 == 0),
    ]
    let object = StoredObject(id: ClipModel.objectID(id), version: 1, layout: layout, values: values)
    return ClipRow(object, position: place ?? newestFirst.position(of: object))
}

func window(_ ids: some Sequence<Int64>, generation: Int = 0) -> LiveMessage<ClipRow> {
    let rows = ids.map { row($0) }
    return .window(
        LiveList.Window(rows: rows, lowerIndex: 0, count: rows.count, reachesStart: true, reachesEnd: true),
        generation: generation)
}

func arrival(_ ids: [Int64]) -> LiveMessage<ClipRow> {
    .changes(ids.map { LiveList.Change(id: $0, old: nil, new: row($0)) }, generation: 0)
}

func transaction(
    _ number: Int64, inserting ids: [Int64] = [], deleting deleted: [Int64] = [],
    author: String? = "extension", isOwn: Bool = false, title: String? = nil,
    contextName: String? = nil, at time: Date = noon
) -> TransactionSummary {
    let token = HistoryToken(storeID: UUID(), generation: 1, number: number)
    let deletions = deleted.map { id in
        HistoryChange(
            number: number * 1000 + id, kind: .delete, objectID: ClipModel.objectID(id),
            updatedAttributes: [], tombstone: ["title": .text(title ?? "Clip \(id)")], oldValues: [:])
    }
    let changes = ids.map { id in
        HistoryChange(
            number: number * 1000 + id, kind: .insert, objectID: ClipModel.objectID(id),
            updatedAttributes: [],
            tombstone: nil, oldValues: [:])
    }
    let transaction = HistoryTransaction(
        number: number, token: token, timestamp: time, author: author, contextName: contextName,
        process: author == nil ? nil : 42, program: author == nil ? nil : "test", session: isOwn ? 7 : 8,
        firstRow: number,
        changes: changes + deletions, isComplete: true)
    return TransactionSummary(transaction, ownSession: 7)
}

/// A transaction of a program that leaves no name, such as the `sqlite3` shell.
func external(_ number: Int64, inserting id: Int64) -> TransactionSummary {
    let token = HistoryToken(storeID: UUID(), generation: 1, number: number)
    let change = HistoryChange(
        number: number * 1000, kind: .insert, objectID: ClipModel.objectID(id), updatedAttributes: [],
        tombstone: nil, oldValues: [:])
    let transaction = HistoryTransaction(
        number: number, token: token, timestamp: noon, author: nil, contextName: nil, process: nil,
        program: nil, session: nil, firstRow: number, changes: [change], isComplete: true)
    return TransactionSummary(transaction, ownSession: 7)
}

/// A transaction of such a program that turns flags of a clip on, or removes its tag.
func update(_ number: Int64, of id: Int64, _ attributes: [ClipAttribute]) -> TransactionSummary {
    let token = HistoryToken(storeID: UUID(), generation: 1, number: number)
    let change = HistoryChange(
        number: number, kind: .update, objectID: ClipModel.objectID(id),
        updatedAttributes: attributes.map(\.rawValue), tombstone: nil,
        oldValues: Dictionary(
            uniqueKeysWithValues: attributes.map {
                ($0.rawValue, $0 == .tags ? .text("alpha,beta") : .boolean(false))
            }))
    let transaction = HistoryTransaction(
        number: number, token: token, timestamp: noon, author: nil, contextName: nil, process: nil,
        program: nil, session: nil, firstRow: number, changes: [change], isComplete: true)
    return TransactionSummary(transaction, ownSession: 7)
}

/// A transaction of a window.
func window(_ number: Int64, name: String) -> TransactionSummary {
    let token = HistoryToken(storeID: UUID(), generation: 1, number: number)
    let transaction = HistoryTransaction(
        number: number, token: token, timestamp: noon, author: "app", contextName: name, process: 3,
        program: "clips", session: 8, firstRow: number, changes: [])
    return TransactionSummary(transaction, ownSession: 7)
}

extension ClipRow {
    /// The same clip, saved just before another one.
    func inserted(after other: ClipRow) -> ClipRow {
        let created = other.created.milliseconds + 1
        let layout = StoredObject.Layout(names: ["title", "created"])
        let object = StoredObject(
            id: ClipModel.objectID(id), version: 1, layout: layout, values: [.text(title), .integer(created)])
        return ClipRow(object, position: newestFirst.position(of: object))
    }
}

extension AppState {
    static func showing(_ count: Int64, _ size: Size = Size(rows: 24, columns: 80), config: String = "")
        -> AppState
    {
        var state = AppState(size: size, now: noon, config: ConfigFile(config))
        _ = state.handle(.message(.state(.live)), at: noon)
        _ = state.handle(.message(window((0..<count).reversed())), at: noon)
        return state
    }

    @discardableResult
    mutating func press(_ keys: String, at now: Date = noon) throws -> [Effect] {
        try KeyParser.keys(in: keys).flatMap { handle(.key($0), at: now) }
    }

    @discardableResult
    mutating func take(_ messages: LiveMessage<ClipRow>..., at now: Date = noon) -> [Effect] {
        messages.flatMap { handle(.message($0), at: now) }
    }

    /// Handles the answer to an effect, as if the store had read a value.
    @discardableResult
    mutating func answer(_ effect: Effect, _ value: Any, at now: Date = noon) -> [Effect] {
        handle(.answer(effect, value), at: now)
    }

    /// The newest transaction that the list has received.
    var newestTransaction: Int64 { sync.lastChange?.transaction ?? 0 }

    var lines: [String] { draw().lines }
    var statusLine: String { layout.status.map { lines[$0.row] } ?? "" }
    var screenRow: Int { list.clips.selectedIndex - list.clips.top }
}

extension AppEvent {
    static func message(_ message: LiveMessage<ClipRow>) -> AppEvent { .message(.list(message)) }

    /// The answer to an effect, as if the store had read a value.
    static func answer(_ effect: Effect, _ value: Any) -> AppEvent {
        guard case .store(let request) = effect.performance, let reply = request.reply(value) else {
            preconditionFailure("\(value) does not answer \(effect)")
        }
        return .answered(reply)
    }
}
