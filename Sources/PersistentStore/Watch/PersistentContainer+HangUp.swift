import Platform

extension PersistentContainer {
    /// Calls `handler` once, on the reader's thread, when no process can read data written to a descriptor
    /// any more. A follower waits for this and for commits in one `ppoll`.
    package func watchForHangUp(_ descriptor: CInt, handler: @escaping @Sendable () -> Void) {
        reader.loop.watchForHangUp(descriptor, handler: handler)
    }
}
