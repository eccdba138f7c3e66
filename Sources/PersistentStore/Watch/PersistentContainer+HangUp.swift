import FileWatch

extension PersistentContainer {
    /// Calls `handler` once, on the reader's thread, as soon as nothing can read any more what is written to a
    /// descriptor: a follower waits for commits and for that in one `ppoll`.
    package func watchForHangUp(_ descriptor: CInt, handler: @escaping @Sendable () -> Void) {
        reader.loop.watchForHangUp(descriptor, handler: handler)
    }
}
