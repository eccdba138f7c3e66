/// Counts a batch's rows, reports progress at intervals, and ends the batch if its task is cancelled.
struct BatchMeter {
    /// The number of rows between two reports, and between two checks for cancellation.
    static let interval = 1000

    let report: (@Sendable (BatchProgress) -> Void)?
    /// The connection, checked because a large batch reaches the log before it commits: a log that another
    /// process replaced is detected early.
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
