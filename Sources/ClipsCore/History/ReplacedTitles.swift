package import PersistentStore

/// The titles of deleted clips whose IDs other clips got later, which only external writers do.
package struct ReplacedTitles: Sendable {
    /// By the numbers of the clip and of the deletion.
    private var titles: [Int64: [Int64: String]] = [:]

    package init() {}

    /// Learns the titles from changes, oldest first. The deletion of a clip and the insertion of the other are usually
    /// one statement.
    package mutating func add(
        _ changes: some Sequence<(number: Int64, kind: HistoryChange.Kind, clip: Int64, title: String?)>
    ) {
        var deletions: [Int64: (number: Int64, title: String)] = [:]
        for change in changes {
            switch change.kind {
            case .delete: deletions[change.clip] = change.title.map { (change.number, $0) }
            case .insert:
                if let deletion = deletions.removeValue(forKey: change.clip) {
                    titles[change.clip, default: [:]][deletion.number] = deletion.title
                }
            case .update: break
            }
        }
    }

    /// Returns the title of the clip that had an ID when a change was made, if that is another clip now.
    package func title(of clip: Int64, at change: Int64) -> String? {
        titles[clip]?.filter { $0.key >= change }.min { $0.key < $1.key }?.value
    }
}
