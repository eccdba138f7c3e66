package import PersistentStore

extension ClipStore {
    /// Opens the store; where it cannot be written, as in a folder of somebody else's or on a full disk, what is
    /// there can be read all the same, and ``obstacle`` says what it was.
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
            // What it was refused for at first says more.
            guard
                var store = try? await ClipStore(
                    path: path, author: author, contextName: contextName, options: reading)
            else { throw error }
            store.obstacle = error
            return store
        }
    }
}

extension StoreError {
    /// Whether a store that was refused for it may be readable.
    fileprivate var isAboutWriting: Bool {
        switch self {
        case .readOnly, .full, .inputOutput, .cannotOpen, .otherOwner, .writableByOthers: true
        default: false
        }
    }
}
