/// One figure: a name and its measurement. To add one, add a file and an entry in `all`.
struct Figure: Sendable {
    let name: String
    let title: String
    let measure: @Sendable (Workspace) throws -> [Measurement]

    static let all = [
        commitToList, commitToPaint, bulkCost, trackingCost, fetchCost, mergeCost, startToPaint, peakMemory,
        keyToPaint, oneShotProcess, searchCost, cleaningCost, browserHost, searchQuality, mirrorCost,
        importCost, captureCost, linkCheck, logSize, budget,
    ]
}
