/// Counts a batch's rows, tells of them now and then, and ends the batch when its task is cancelled.
struct BatchMeter {
    /// Rows between two reports, and between two looks at the cancellation.
    static let interval = 1000

    let report: (@Sendable (BatchProgress) -> Void)?
    /// A large batch reaches the log before it commits, so that a log which another process replaced is noticed early.
    let store: StoreConnection
    var total: Int?
    private(set) var done = 0

    init(report: (@Sendable (BatchProgress) -> Void)?, store: StoreConnection) {
        self.report = report
        self.store = store
    }

    mutating func add(_ rows: Int) throws(StoreError) {
        let earlier = done
        done += rows
        guard earlier / Self.interval != done / Self.interval else { return }
        try checkCancellation()
        try store.checkFiles()
        report?(BatchProgress(done: done, total: total))
    }

    func checkCancellation() throws(StoreError) {
        if Task.isCancelled { throw .cancelled }
    }
}
