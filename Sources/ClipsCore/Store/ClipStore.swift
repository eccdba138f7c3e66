import FoundationEssentials
package import PersistentStore
import Platform
package import SearchIndex

/// A store of clips, opened for one author: all that a front end needs of the store.
package struct ClipStore: Sendable {
    package let container: PersistentContainer
    /// The full-text index; its file is opened by the first search.
    package let index: SearchIndex
    package private(set) var author: String
    /// The error that made the store read-only; nil if it is writable.
    package private(set) var readOnlyReason: StoreError?
    /// The client of an agent, with which the context names of its transactions begin; nil for other authors.
    package private(set) var client: String?
    /// The number of a window, from 2, with which the context names of its transactions begin.
    private(set) var window: Int?
    /// The author as the history shows it whose transactions can be undone; nil for ``author`` and its client.
    private var shownAuthor: String?
    private var context: StoreContext
    /// The context name of transactions without one of their own.
    var stepName: String?
    let now: @Sendable () -> Int64
    let oversized: OversizedValues

    /// The ID of the store, the same for every process that opens it.
    package var storeID: String { container.storeID.uuidString.lowercased() }

    /// The file of the store.
    package var path: String { container.path }

    /// Whether a path leads to a file of the store or of its index. A process that has them open must not open
    /// or close them otherwise: that drops SQLite's locks (sqlite.org/howtocorrupt.html 2.2).
    package func hasFile(at path: String) -> Bool {
        guard let file = FileIdentity(path: path) else { return false }
        let store = FilePath.resolved(self.path)
        return ["", "-wal", "-shm", "-search", "-search-wal", "-search-shm"].contains {
            FileIdentity(path: store + $0) == file
        }
    }

    /// Opens a store, or creates it if the options allow that.
    ///
    /// - Parameter author: The name of an author, or of one client of an agent; see ``ClipAuthor``.
    package init(
        path: String, author: String, contextName: String? = nil, options: StoreOptions = StoreOptions()
    ) async throws(StoreError) {
        var options = options
        oversized = options.oversized ?? ClipStore.oversizedTexts()
        options.oversized = oversized
        container = try await PersistentContainer(path: path, model: try ClipModel.make(), options: options)
        index = SearchIndex(container, ClipModel.searched)
        let writer = ClipAuthor(author)
        (self.author, client) = (writer.name, writer.client)
        context = container.makeContext(author: writer.name, name: contextName)
        stepName = writer.client ?? contextName
        now = options.clock
    }

    /// Opens a store for reading.
    ///
    /// A store that cannot be written, as on a full disk or in another user's folder, is opened read-only,
    /// and ``readOnlyReason`` is the error.
    package static func openToRead(
        path: String, author: String, contextName: String? = nil, options: StoreOptions = StoreOptions()
    ) async throws(StoreError) -> ClipStore {
        do {
            return try await ClipStore(
                path: path, author: author, contextName: contextName, options: options)
        } catch {
            guard error.isAboutWriting else { throw error }
            var reading = options
            reading.access = .readOnly
            // The first error is the more specific one.
            guard
                var store = try? await ClipStore(
                    path: path, author: author, contextName: contextName, options: reading)
            else { throw error }
            store.readOnlyReason = error
            return store
        }
    }

    /// Returns the same store for another client of its author.
    package func acting(for client: String) -> ClipStore {
        var store = self
        (store.client, store.stepName) = (client, client)
        return store
    }

    /// Returns the same store for a window with a number.
    func acting(asWindow number: Int) -> ClipStore {
        guard number > 1 else { return self }
        var store = self
        (store.window, store.stepName) = (number, WindowNumber.word(number))
        return store
    }

    /// The condition on the transactions of the author, and of the client if there is one.
    package var ownTransactions: TransactionPredicate {
        shownAuthor.map(ClipAuthor.transactions(shownAs:))
            ?? ClipAuthor(name: author, client: client).transactions
    }

    /// Returns the same store for undo of an author as the history shows it, such as the window `app 2`.
    package func undoing(shownAs name: String) async throws(StoreError) -> ClipStore {
        var store = self
        if AuthorName.isUnknown(name) { store.shownAuthor = AuthorName.unknown }
        guard let (author, number) = ClipAuthor.window(shownAs: name) else { return store }
        store.shownAuthor = name
        let named = HistoryFetchRequest(.newest, where: .author(name), limit: 1, includesChanges: false)
        let isAuthor = try await container.read { snapshot throws(StoreError) in
            try !snapshot.transactions(named).isEmpty
        }
        guard !isAuthor else { return store }
        store.author = author
        store.context = container.makeContext(author: author, name: nil)
        return store.acting(asWindow: number)
    }

    /// Returns the condition on the transactions of the author, and of others.
    func ownTransactions(alsoOf others: [String]) -> TransactionPredicate {
        others.isEmpty ? ownTransactions : .or([ownTransactions] + others.map { .author($0) })
    }

    /// Returns the context name of work with a name of its own, which begins with the client, or a later window.
    func named(_ work: String) -> String {
        (client ?? window.map(WindowNumber.word)).map { "\($0) \(work)" } ?? work
    }

    /// Closes the store; later calls throw `StoreError.closed`.
    package func close() async { await container.close() }

    /// The session in the transactions of this store.
    package var session: Int64 { context.session }

    /// The other process that has the write lock at this moment, as `name (process 4711)`.
    package var lockHolder: String? { container.otherWriter }

    /// Returns values with the time of the change.
    func stamped(_ values: [String: AttributeValue]) -> [String: AttributeValue] {
        values.merging([ClipAttribute.updated.rawValue: .integer(now())]) { $1 }
    }

    func stamped(_ values: [ClipAttribute: AttributeValue]) -> [String: AttributeValue] {
        stamped(Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) }))
    }

    /// Reads and changes clips with the write lock, as one transaction of this store's author and session.
    ///
    /// - Parameter work: The name of the work, to which that of the client or the window is added.
    func write<Value: Sendable>(
        work: String? = nil, _ body: @Sendable (inout StoreTransaction) throws -> Value
    ) async throws -> Written<Value> {
        try await context.write(name: work.map(named) ?? stepName, body)
    }

    func write<Value: Sendable>(
        work: String? = nil, _ body: @Sendable (inout StoreTransaction) throws(StoreError) -> Value
    ) async throws(StoreError) -> Written<Value> {
        try await write(named: work.map(named) ?? stepName, body)
    }

    /// - Parameter name: The whole context name.
    func write<Value: Sendable>(
        named name: String?, _ body: @Sendable (inout StoreTransaction) throws(StoreError) -> Value
    ) async throws(StoreError) -> Written<Value> {
        try await context.write(name: name, body)
    }
}

extension StoreError {
    /// Whether the store may be readable in spite of the error.
    fileprivate var isAboutWriting: Bool {
        switch self {
        case .notWritable, .full, .inputOutput, .cannotOpen, .otherOwner, .writableByOthers: true
        default: false
        }
    }
}
