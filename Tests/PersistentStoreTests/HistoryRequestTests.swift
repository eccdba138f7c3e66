import Foundation
import PersistentStore
import TestSupport
import Testing

/// Requests, compared with a filter over the whole history.
@Suite struct HistoryRequestTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [UInt64(1), 2, 3])
    func `a random request returns the same as a filter over the whole history`(seed: UInt64)
        async throws
    {
        let container = try await Notes.open(folder, model: RandomHistory.model())
        var history = RandomHistory(random: SeededRandom(seed: seed), container: container)
        let beginning = try await container.currentToken()
        try await history.write(60)
        let all = try await container.transactions()
        #expect(all.contains { $0.process == nil } && all.contains { $0.changes.count > 2 })
        for _ in 0..<250 {
            let request = history.request(among: all)
            let expected = Self.filtered(all, after: beginning, request)
            let changes = expected.flatMap(\.changes)
            let answer = try await container.read { snapshot in
                var pieces: [HistoryTransaction] = []
                try snapshot.forEachTransaction(request) {
                    pieces.append($0)
                    return true
                }
                return Answer(
                    pieces: pieces, whole: try snapshot.transactions(request),
                    count: try snapshot.historyCount(request), ids: try snapshot.objectIDs(request),
                    changes: try snapshot.changes(request))
            }
            let hint: Comment = "seed \(seed), \(request)"
            let rows = request.includesChanges ? expected : expected.map(\.bare)
            let facts = [
                "pieces": Self.joined(answer.pieces) == rows, "whole": answer.whole == answer.pieces,
                "size": answer.pieces.allSatisfy { $0.changes.count <= request.maxChangesAtOnce ?? .max },
                "count":
                    answer.count == HistoryCount(transactions: expected.count, changes: changes.count),
                "ids": answer.ids == Set(changes.map(\.objectID)), "changes": answer.changes == changes,
            ]
            let wrong = facts.filter { !$0.value }.keys.sorted()
            try #require(wrong == [], hint)
        }
    }

    private struct Answer: Sendable {
        let pieces: [HistoryTransaction]
        let whole: [HistoryTransaction]
        let count: HistoryCount
        let ids: Set<ObjectID>
        let changes: [HistoryChange]
    }

    /// An expected transaction.
    private struct Row: Equatable {
        let token: HistoryToken
        let timestamp: Date
        let who: [String?]
        var changes: [HistoryChange]

        init(_ transaction: HistoryTransaction, changes: [HistoryChange]) {
            token = transaction.token
            timestamp = transaction.timestamp
            who = [transaction.author, transaction.contextName, transaction.process?.description]
            self.changes = changes
        }

        var bare: Row {
            var row = self
            row.changes = []
            return row
        }
    }

    private static func joined(_ pieces: [HistoryTransaction]) -> [Row] {
        var rows: [Row] = []
        var isOpen = false
        for piece in pieces {
            let row = Row(piece, changes: piece.changes)
            if isOpen, let last = rows.last {
                rows[rows.count - 1].changes += row.changes
                if last.bare != row.bare { return [] }
            } else {
                rows.append(row)
            }
            isOpen = !piece.isComplete
        }
        return isOpen ? [] : rows
    }

    private static func filtered(
        _ all: [HistoryTransaction], after beginning: HistoryToken, _ request: HistoryFetchRequest
    ) -> [Row] {
        var end = beginning.number
        var rows: [Row] = []
        for transaction in all {
            let before = end
            end = transaction.number
            let isAfterStart =
                switch request.start {
                case .beginning, .newest: true
                case .after(let token): before >= token.number
                case .afterTransaction(let number): before >= number
                case .ending(let token): end >= token.number
                case .afterDate(let date): transaction.timestamp > date
                }
            guard isAfterStart, request.predicate.map({ admits($0, transaction) }) ?? true else { continue }
            let changes = transaction.changes.filter { change in
                request.changePredicate.map { admits($0, change) } ?? true
            }
            guard request.changePredicate == nil || !changes.isEmpty else { continue }
            rows.append(Row(transaction, changes: changes))
        }
        let limit = request.limit ?? .max
        if case .newest = request.start { return rows.dropLast(request.offset).suffix(limit) }
        return Array(rows.dropFirst(request.offset).prefix(limit))
    }

    private static func admits(_ predicate: TransactionPredicate, _ transaction: HistoryTransaction) -> Bool {
        switch predicate {
        case .author(let author): transaction.author == author
        case .contextName(let name): transaction.contextName == name
        case .contextNamePrefix(let start): transaction.contextName?.hasPrefix(start) == true
        case .program(let program): transaction.program == program
        case .process(let process): transaction.process == process
        case .after(let date): transaction.timestamp > date
        case .before(let date): transaction.timestamp < date
        case .and(let parts): parts.allSatisfy { admits($0, transaction) }
        case .or(let parts): parts.contains { admits($0, transaction) }
        case .not(let part): !admits(part, transaction)
        }
    }

    private static func admits(_ predicate: ChangePredicate, _ change: HistoryChange) -> Bool {
        switch predicate {
        case .entity(let name): change.objectID.entity == name
        case .kind(let kind): change.kind == kind
        case .objects(let ids): ids.contains(change.objectID)
        case .updated(let name): change.updatedAttributes.contains(name)
        case .and(let parts): parts.allSatisfy { admits($0, change) }
        case .or(let parts): parts.contains { admits($0, change) }
        case .not(let part): !admits(part, change)
        }
    }
}
