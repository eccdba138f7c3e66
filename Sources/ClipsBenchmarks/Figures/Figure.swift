/// One figure: a name and its measurement. To add one, add a file and an entry in `all`.
struct Figure: Sendable {
    let name: String
    let title: String
    /// Whether the figure is measured only if it is named, because it takes long.
    var isOnlyNamed = false
    let measure: @Sendable (Workspace) throws -> [Measurement]

    static let all = [
        commitToList, commitToPaint, bulkCost, trackingCost, fetchCost, mergeCost, startToPaint, peakMemory,
        keyToPaint, oneShotProcess, searchCost, cleaningCost, browserHost, searchQuality, mirrorCost,
        mergeOfMany, recordCost, importCost, budget, killedProcesses, scaleCurve, soak,
    ]
}
