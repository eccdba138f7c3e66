package import ClipsCore
package import PersistentStore

/// The store of a host that another program starts, opened by the first request. Confined to its host.
package final class HostStore {
    private let path: String
    private let author: String
    private let contextName: String?
    private let options: StoreOptions
    private let indexing: BackgroundIndexing
    private var store: ClipStore?
    private var isReopened = false

    /// - Parameters:
    ///   - path: The path of the store.
    ///   - author: The author of the host's transactions.
    ///   - contextName: The context name of the transactions.
    package init(path: String, author: String, contextName: String? = nil, options: StoreOptions) {
        self.path = path
        self.author = author
        self.contextName = contextName
        self.options = options
        indexing = BackgroundIndexing(path: path, author: author, options: options)
    }

    package var isOpen: Bool { store != nil }

    /// Whether another connection to the store replaced the first one since the last question.
    package var wasReopened: Bool {
        defer { isReopened = false }
        return isReopened
    }

    /// Returns the store, opened or created by the first call that succeeds.
    package func opened() async throws -> ClipStore {
        if let store { return store }
        try ClipsLocation(path: path).makeFolder()
        let opened = try await ClipStore.openToRead(
            path: path, author: author, contextName: contextName, options: options)
        store = opened
        return opened
    }

    /// Returns the store to change it. One that could only be read is opened again, in case the reason has
    /// passed.
    package func openedToWrite() async throws -> ClipStore {
        let present = try await opened()
        guard present.readOnlyReason != nil else { return present }
        let writable = try await ClipStore(
            path: path, author: author, contextName: contextName, options: options)
        store = writable
        isReopened = true
        await present.close()
        return writable
    }

    /// Returns the store to search it. A missing index makes searches slower until it is built.
    package func openedToSearch() async throws -> ClipStore {
        let store = try await opened()
        indexing.start()
        return store
    }

    /// Closes the store; the next call opens it again.
    package func close() async {
        isReopened = store != nil
        await store?.close()
        store = nil
    }
}
