/// One figure of the specification: a name, and how it is measured. A new one is a file and a line in `all`.
struct Figure: Sendable {
    let name: String
    let title: String
    /// Long ones are measured only when they are named.
    var isOnlyNamed = false
    let measure: @Sendable (Workspace) throws -> [Measurement]

    static let all = [
        commitToList, commitToPaint, bulkCost, trackingCost, fetchCost, mergeCost, startToPaint, peakMemory,
        keyToPaint, oneShotProcess, searchCost, cleaningCost, mergeOfMany, killedProcesses, scaleCurve, soak,
    ]
}
