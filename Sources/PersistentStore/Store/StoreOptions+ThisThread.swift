import FileWatch

extension StoreOptions {
    /// Runs asynchronous work on the calling thread alone, with the stores that it opens by the options it gets.
    ///
    /// For a program that does one thing and ends: starting threads would take it longer than the thing itself.
    /// A store that waits for another writer then holds up everything else of that work.
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
