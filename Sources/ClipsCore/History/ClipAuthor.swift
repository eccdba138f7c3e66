package import PersistentStore

/// The author of transactions as a user names it. `mcp:NAME` is the client NAME of the author `mcp`: all agents have
/// this author, and the context names of a client's transactions begin with its name.
package struct ClipAuthor: Hashable, Sendable {
    /// The author of all agents.
    package static let agent = "mcp"

    package let name: String
    package var client: String?

    package init(_ text: String) {
        let isAgent = text.hasPrefix(Self.agent + ":")
        name = isAgent ? Self.agent : text
        client = isAgent ? Self.clientName(String(text.dropFirst(Self.agent.count + 1))) : nil
    }

    init(name: String, client: String?) { (self.name, self.client) = (name, client) }

    /// The context names of work that has another meaning.
    private static let reserved: Set = ["opening", "window", "restore", "undo", "redo", "check"]
    private static let maxName = 64

    /// Returns the name of a client as one word that no other context name contains.
    package static func clientName(_ text: String) -> String {
        let word = String(
            text.unicodeScalars.prefix(maxName).map { scalar in
                let isWord =
                    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                return isWord || "._-".unicodeScalars.contains(scalar) ? Character(scalar) : "-"
            })
        let isReserved = reserved.contains(word) || WindowNumber.number(word[...]) != nil
        return word.isEmpty || isReserved ? "client-\(word)" : word
    }

    /// The condition on the author's transactions, and on the client if there is one.
    package var transactions: TransactionPredicate {
        guard let client else { return .author(name) }
        return Self.transactions(of: name, beginning: client)
    }

    private static func transactions(of author: String, beginning word: String) -> TransactionPredicate {
        .and([.author(author), .or([.contextName(word), .contextNamePrefix(word + " ")])])
    }

    /// Returns the condition on the transactions of an author as the history shows it, also of one window, such as
    /// `app 2`.
    package static func transactions(shownAs text: String) -> TransactionPredicate {
        // Undo of an external writer's changes has the name that is shown.
        if AuthorName.isUnknown(text) { return .authors([nil, AuthorName.unknown]) }
        let all = ClipAuthor(text).transactions
        guard let (author, number) = window(shownAs: text) else { return all }
        // An author may have such a name.
        return .or([all, transactions(of: author, beginning: WindowNumber.word(number))])
    }

    /// Returns the author and the number of a window such as `app 2`; nil for another name.
    package static func window(shownAs text: String) -> (author: String, number: Int)? {
        guard let space = text.lastIndex(of: " "), let number = Int(text[space...].dropFirst()), number > 1
        else { return nil }
        return (String(text[..<space]), number)
    }
}

/// Undo of all that an author did since a time.
extension ClipStore {
    /// Returns the steps since a point in the history that can be undone, oldest first.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of transactions that are read; nil for all.
    ///   - others: Authors whose steps count as those of this one.
    ///   - ofAll: Whether to return those of all authors, not only of this one and its client.
    package func undoable(
        since start: HistoryFetchRequest.Start, limit: Int? = nil, alsoOf others: [String] = [],
        ofAll: Bool = false
    ) async throws(StoreError) -> [UndoHistory.Step] {
        let session = session
        let all = HistoryFetchRequest(
            start, where: ofAll ? nil : ownTransactions(alsoOf: others), limit: limit, includesChanges: false)
        return try await container.read { snapshot throws(StoreError) in
            UndoHistory(all: try snapshot.transactions(all), session: session).undoable
        }
    }

    /// Undoes steps, the newest first, each as a transaction.
    ///
    /// - Parameters:
    ///   - overwrites: Whether to overwrite later changes of other authors, which remain otherwise.
    ///   - report: A closure called with each description, and whether a part remains; not for a step of which nothing
    ///     was undone.
    /// - Returns: The number of steps that were undone, of those of which a part remains, and whether clips remain that
    ///   the steps saved.
    package func undo(
        _ steps: [UndoHistory.Step], overwrites: Bool = false, report: (String, Bool) -> Void
    ) async throws(StoreError) -> (undone: Int, contested: Int, leavesClips: Bool) {
        var (undone, contested, leavesClips) = (0, 0, false)
        for step in steps.reversed() {
            let description = try await changeDescription(of: step.token) ?? "a change"
            var outcome = try await undo(step.token, contested: overwrites ? .overwrite : .ask)
            var isPart = false
            if case .contested(let conflict) = outcome {
                isPart = true
                leavesClips = leavesClips || conflict.clips.contains(where: \.isDeletion)
                outcome = try await undo(step.token, contested: .keepTheirs)
            }
            contested += isPart ? 1 : 0
            guard case .saved(let saved) = outcome, saved.token != nil else { continue }
            undone += 1
            report(try await self.description(description, ofClips: saved.clips, of: saved.count), isPart)
        }
        return (undone, contested, leavesClips)
    }
}
