import Platform

extension StoreOptions {
    /// Runs asynchronous work on the calling thread alone, with the stores opened with the options passed to
    /// it.
    ///
    /// For a program that runs one task and exits: starting threads would take longer than the task itself. A
    /// store that waits for another writer blocks all of that work.
    package static func runOnThisThread(
        _ work: @escaping @Sendable (StoreOptions) async -> Int32
    ) throws(StoreError) -> Int32 {
        let loop: EventLoop
        do {
            loop = try EventLoop(needsPipe: false)
        } catch {
            throw .cannotOpen(path: "", reason: error.description)
        }
        return loop.runOnThisThread {
            var options = StoreOptions()
            options.loop = loop
            return await work(options)
        }
    }
}
