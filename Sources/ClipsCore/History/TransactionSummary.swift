package import FoundationEssentials
import Mirroring
package import PersistentStore

/// One transaction, as a row of the history.
package struct TransactionSummary: Hashable, Sendable, Identifiable {
    package struct Line: Hashable, Sendable {
        /// The number of the change.
        package let number: Int64
        package let kind: HistoryChange.Kind
        /// The clip; 0 for quotes that changed without their clip.
        package let clip: Int64
        /// The change in words, without the new values.
        package let words: ChangeWords
        /// The title of a deleted clip, or the words of a deleted quote in quotation marks.
        package let title: String?
    }

    /// The maximum number of lines; a batch may have a million changes.
    package static let maxLines = 100
    /// The seconds between changes of one statement of an external writer, at most.
    package static let maxGap = 0.02

    package let id: Int64
    package let token: HistoryToken
    package let timestamp: Date
    package let author: String?
    package let contextName: String?
    /// The number of the window that committed it, if the context name says it.
    package let window: Int?
    /// The transaction before the step of undo of which this is a part; nil if this is a whole one.
    package let step: Int64?
    /// The names of the machines from which an import of the mirror came.
    package let origin: String?
    /// Whether the transaction undid or restored work.
    package let role: UndoHistory.Role
    package let program: String?
    package let process: Int32?
    /// Whether this process's own store committed it.
    package let isOwn: Bool
    package let inserted: Int
    package let updated: Int
    package let deleted: Int
    package let insertedClips: [Int64]
    package let deletedClips: [Int64]
    package let lines: [Line]
    /// The change in words, if all clips changed alike.
    package let words: ChangeWords?
    /// The title of the only clip that changed, if it was read.
    package var clipTitle: String?

    /// Whether it deletes what another program's deletion of clips left; no work of its author.
    package var isRepair: Bool {
        contextName?.split(separator: " ").last == UndoHistory.repairingContext[...]
    }

    /// Whether its author is shown by a name; see ``ClipAuthor/transactions(shownAs:)``.
    package func isBy(_ name: String) -> Bool {
        let client = contextName?.split(separator: " ").first.map { "\(ClipAuthor.agent):\($0)" }
        return [AuthorName.shown(author), AuthorName.shown(author, window: window)].contains(name)
            || author == ClipAuthor.agent && client == name
    }

    /// Whether it may have changed one of some clips.
    package func affects(_ clips: Set<Int64>) -> Bool {
        lines.contains { clips.contains($0.clip) } || updated + deleted > lines.count
    }

    package init(_ transaction: HistoryTransaction, ownSession: Int64?) {
        id = transaction.number
        token = transaction.token
        timestamp = transaction.timestamp
        author = transaction.author
        let name = StepName(transaction.contextName)
        let work = name.workOfWindow
        window = name.window
        step = name.start
        contextName = work.isEmpty ? nil : work
        origin = transaction.origin
        let role = UndoHistory.Role(contextName: transaction.contextName)
        self.role = role
        program = transaction.program
        process = transaction.process
        isOwn = ownSession != nil && transaction.session == ownSession
        let changes = transaction.changes.filter { $0.objectID.entity == ClipModel.entity }
        inserted = changes.count { $0.kind == .insert }
        updated = changes.count { $0.kind == .update }
        deleted = changes.count { $0.kind == .delete }
        insertedClips = changes.lazy.filter { $0.kind == .insert }.map(\.objectID.key)
        deletedClips = changes.lazy.filter { $0.kind == .delete }.map(\.objectID.key)
        let isAlike = changes.dropFirst().allSatisfy { [first = changes.first] in
            first.map($0.isAlike) == true
        }
        let quotes = QuoteCounts(transaction.changes)
        let own = QuoteCounts(ofClipsIn: transaction.changes)
        words = isAlike ? changes.first.map { ChangeWords($0, quotes: own, role: role) } : nil
        lines =
            changes.isEmpty
            ? [Line(quotes, of: transaction, role: role)].compactMap(\.self)
            : changes.prefix(Self.maxLines).map { change in
                Line(
                    number: change.number, kind: change.kind, clip: change.objectID.key,
                    words: ChangeWords(change, quotes: own, role: role),
                    title: change.tombstone.flatMap(ClipModel.title(of:)))
            }
    }
}

extension TransactionSummary {
    /// Whether others may belong to the same step, or to the same statement of an external writer.
    package var isPart: Bool { step != nil || author == nil && program == nil }

    /// Whether no transaction is between this one, of an external writer, and another.
    package func isNext(to previous: TransactionSummary) -> Bool {
        id == previous.id + Int64(max(1, inserted + updated + deleted))
    }

    /// Whether this transaction and the one before it are a row of the history: parts of a step of undo, or changes that
    /// may be of the same statement of an external writer.
    package func continues(_ previous: TransactionSummary) -> Bool {
        if let step {
            return step == previous.step && process == previous.process && author == previous.author
        }
        return author == nil && program == nil && previous.author == nil && previous.program == nil
            && isNext(to: previous) && timestamp.timeIntervalSince(previous.timestamp) < Self.maxGap
    }
}

extension StoreSnapshot {
    /// Returns the title of the only clip that a transaction changed; nil for several, or if it was deleted since.
    func titleOfOnlyClip(in transaction: HistoryTransaction) throws(StoreError) -> String? {
        let changed = transaction.changes.lazy.filter { $0.objectID.entity == ClipModel.entity }.prefix(2)
        guard let change = changed.first, changed.count == 1, change.kind != .delete else { return nil }
        return try titles(of: [change.objectID.key], maxLater: 0)[change.objectID.key]
    }
}

extension TransactionSummary.Line {
    /// Returns this and a later change of the same clip as one change.
    package func followed(by later: Self) -> Self {
        guard kind != .delete, later.kind == .update else { return later }
        return Self(
            number: later.number, kind: kind, clip: clip,
            words: kind == .insert ? words : words.followed(by: later.words), title: nil)
    }

    /// Creates the line of a transaction that changed quotes alone, as another program or a mirror does.
    fileprivate init?(
        _ quotes: QuoteCounts, of transaction: HistoryTransaction, role: UndoHistory.Role
    ) {
        let first = transaction.changes.first { $0.objectID.entity == Quote.entity }
        guard let first else { return nil }
        self.init(
            number: first.number, kind: first.kind, clip: 0, words: ChangeWords(quotes, role: role),
            title: first.tombstone?[Quote.text]?.textValue.map { "“\($0)”" })
    }
}

extension HistoryTransaction {
    fileprivate var origin: String? {
        MirrorConfiguration.origin(ofAuthor: author, contextName: contextName)
    }

    /// The author, with the number of a window next to others, and the machines from which an import of the mirror came.
    package var shownAuthor: String {
        AuthorName.shown(author, window: StepName(contextName).window)
            + (origin.map { " from \($0)" } ?? "")
    }
}

extension HistoryChange {
    /// Whether another change has the same words, except for tags.
    fileprivate func isAlike(_ other: HistoryChange) -> Bool {
        kind == other.kind && updatedAttributes == other.updatedAttributes
            && [ClipAttribute.starred, .unread, .archived].allSatisfy {
                oldValues[$0.rawValue] == other.oldValues[$0.rawValue]
            }
            && ClipAttribute.texts.allSatisfy {
                (oldValues[$0.rawValue]?.textValue == "") == (other.oldValues[$0.rawValue]?.textValue == "")
            }
    }
}
