import ClipsCore
import Foundation
import HistoryTracking
import TestSupport

@testable import ClipsTerminal
@testable import PersistentStore

/// The reference: clips as plain values with all commits, as the store has them.
struct SimulatedClips {
    struct Item: Equatable {
        var title: String
        var url = ""
        var text = ""
        var tags: [String] = []
        var author: String
        var isStarred = false
        var isUnread = true
        var isArchived = false
        var created: Int64
        var updated: Int64
        var version: Int64 = 1

        var values: [String: AttributeValue] {
            [
                "title": .text(title), "url": .text(url), "text": .text(text), "note": .text(""),
                "tags": .text(Tags(tags).joined), "author": .text(author), "starred": .boolean(isStarred),
                "unread": .boolean(isUnread), "archived": .boolean(isArchived), "created": .integer(created),
                "updated": .integer(updated),
                "uuid": .text(""),
            ]
        }
    }

    struct Change {
        var id: Int64
        var before: Item?
        var after: Item?
    }

    struct Commit {
        var number: Int64
        var author: String
        var isOwn: Bool
        var changes: [Change]
    }

    private(set) var items: [Int64: Item] = [:]
    private(set) var commits: [Commit] = []
    private var lastID: Int64 = 0
    /// Milliseconds; every commit is later than the one before.
    private(set) var clock: Int64 = noon.milliseconds

    private static let storeID = UUID()

    static func token(_ number: Int64) -> HistoryToken {
        HistoryToken(storeID: storeID, generation: 1, number: number)
    }

    /// Commits new values of clips; returns nil without any change.
    @discardableResult
    mutating func commit(_ author: String, isOwn: Bool = false, _ news: [Int64: Item?]) -> HistoryToken? {
        clock += 10
        var changes: [Change] = []
        for (id, item) in news.sorted(by: { $0.key < $1.key }) where items[id] != item {
            var item = item
            item?.version = (items[id]?.version ?? 0) + 1
            changes.append(Change(id: id, before: items[id], after: item))
            items[id] = item
        }
        guard !changes.isEmpty else { return nil }
        let number = Int64(commits.count + 1)
        commits.append(Commit(number: number, author: author, isOwn: isOwn, changes: changes))
        return Self.token(number)
    }

    mutating func newID() -> Int64 {
        lastID += 1
        return lastID
    }

    func object(_ id: Int64) -> StoredObject? {
        guard let item = items[id] else { return nil }
        let values = item.values.sorted { $0.key < $1.key }
        return StoredObject(
            id: ClipModel.objectID(id), version: item.version,
            layout: StoredObject.Layout(names: values.map(\.key)), values: values.map(\.value))
    }

    func clip(_ id: Int64) -> Clip? { object(id).map(Clip.init) }

    /// Returns the position of a clip in a list; nil if the query excludes it.
    static func position(of id: Int64, _ item: Item?, in query: ClipQuery) -> SortPosition? {
        guard let item, admits(item, query) else { return nil }
        let attribute = SortOrder.Component(
            query.sort.attribute, isAscending: query.sort.isAscending,
            ignoresCase: query.sort.attribute == "title")
        return SortOrder([attribute], isKeyAscending: query.sort.isAscending).position(of: id, item.values)
    }

    static func admits(_ item: Item, _ query: ClipQuery) -> Bool {
        let words = query.filter.split(separator: " ")
        if words.isEmpty && item.isArchived || query.isUnreadOnly && !item.isUnread { return false }
        return words.allSatisfy { item.title.lowercased().contains($0.lowercased()) }
    }

    func row(_ id: Int64, in query: ClipQuery) -> ClipRow? {
        guard let position = Self.position(of: id, items[id], in: query), let object = object(id) else {
            return nil
        }
        return ClipRow(object, position: position)
    }

    func rows(_ query: ClipQuery) -> [ClipRow] {
        items.keys.compactMap { row($0, in: query) }.sorted { $0.position < $1.position }
    }

    /// Returns the clip of a query after or before a position, or the first or last one.
    func nearest(_ query: ClipQuery, to place: SortPosition?, isForward: Bool) -> Int64? {
        let rows = rows(query)
        guard let place else { return (isForward ? rows.first : rows.last)?.id }
        return isForward
            ? (rows.first { $0.position > place } ?? rows.first)?.id
            : (rows.last { $0.position < place } ?? rows.last)?.id
    }

    static func summary(_ commit: Commit) -> TransactionSummary {
        let changes = commit.changes.enumerated().map { index, change in
            HistoryChange(
                number: commit.number * 1000 + Int64(index),
                kind: change.before == nil ? .insert : change.after == nil ? .delete : .update,
                objectID: ClipModel.objectID(change.id),
                updatedAttributes: change.before != nil && change.after != nil ? ["title"] : [],
                tombstone: change.after == nil ? change.before?.values : nil, oldValues: [:])
        }
        let transaction = HistoryTransaction(
            number: commit.number, token: token(commit.number), timestamp: noon, author: commit.author,
            contextName: nil, process: 42, program: "test", session: commit.isOwn ? 7 : 8,
            firstRow: commit.number, changes: changes)
        return TransactionSummary(transaction, ownSession: 7)
    }
}

extension SimulatedClips {
    private static let words = ["alpha", "beta", "gamma", "delta", "bread", "map"]

    mutating func newItem(_ author: String, using random: inout SeededRandom) -> Item {
        let words = (0..<2).map { _ in Self.words.randomElement(using: &random) ?? "" }
        clock += 10
        // Most are the newest, others are sorted in anywhere.
        let age = random.isLikely(0.7) ? 0 : Int64.random(in: 0...100, using: &random) * 1000
        return Item(
            title: words.joined(separator: " "), url: "https://\(words[0]).example/", text: words[1],
            tags: [words[0]], author: author, isStarred: random.isLikely(0.2),
            isUnread: random.isLikely(0.5), created: clock - age, updated: clock)
    }

    /// Commits random changes of another process, half of them to the user's clips.
    mutating func interfere(with favorites: [Int64], using random: inout SeededRandom) {
        var news: [Int64: Item?] = [:]
        for _ in 0..<(random.isLikely(0.1) ? 30 : Int.random(in: 1...4, using: &random)) {
            let other = items.keys.sorted().randomElement(using: &random)
            let id = (random.isLikely(0.5) ? favorites.randomElement(using: &random) : nil) ?? other
            guard let id, random.isLikely(0.65) else {
                news[newID()] = .some(newItem("extension", using: &random))
                continue
            }
            guard var item = news[id] ?? items[id] else {
                // Restores a deleted clip.
                news[id] = .some(
                    commits.last { $0.changes.contains { $0.id == id && $0.before != nil } }
                        .flatMap { $0.changes.first { $0.id == id }?.before }
                        ?? newItem("extension", using: &random))
                continue
            }
            item.updated = clock + 10
            switch Int.random(in: 0..<6, using: &random) {
            case 0: news[id] = .some(nil)
            case 1: item.title = newItem("", using: &random).title
            case 2: item.isStarred.toggle()
            case 3: item.tags = ["other"]
            case 4: item.created += Int64.random(in: -50...50, using: &random) * 100
            default: item.text += "\nmore"
            }
            if news[id] == nil { news[id] = .some(item) }
        }
        commit(random.isLikely(0.9) ? "extension" : "app", news)
    }
}

extension SeededRandom {
    mutating func isLikely(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }
}
