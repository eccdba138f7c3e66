package import PersistentStore

extension ClipStore {
    /// Gives clips a star, or takes it away; returns how many clips that changed.
    @discardableResult
    package func star(_ ids: [Int64], _ isStarred: Bool) async throws(StoreError) -> Int {
        try await change(ids) { $0.isStarred == isStarred ? [:] : [.starred: .boolean(isStarred)] }
    }

    /// Changes clips by what they are at the commit: what somebody else changes meanwhile is looked at again.
    private func change(_ ids: [Int64], _ changes: (Clip) -> [ClipAttribute: Value])
        async throws(StoreError) -> Int
    {
        var attempts = 0
        while true {
            let context = makeContext()
            var count = 0
            for clip in try await clips(ids) {
                var values = Dictionary(uniqueKeysWithValues: changes(clip).map { ($0.rawValue, $1) })
                guard !values.isEmpty else { continue }
                values[ClipAttribute.updated.rawValue] = .integer(now())
                try await context.update(clip.objectID, values, onVersion: clip.version)
                count += 1
            }
            guard count > 0 else { return 0 }
            do {
                try await context.save()
                return count
            } catch {
                guard case .conflict = error, attempts < Self.mostAttempts else { throw error }
                attempts += 1
            }
        }
    }

    static let mostAttempts = 100
}
