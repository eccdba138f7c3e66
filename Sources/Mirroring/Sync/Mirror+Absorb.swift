import HistoryTracking
import PersistentStore

/// Giving clocks to local edits: the history becomes states of records that wait to be put. They are saved with
/// the cursor in the history, so a crash repeats nothing and the clocks of a put never change.
extension Mirror {
    /// The number of objects that are saved together.
    private static var pageSize: Int { 1000 }
    /// The number of changes by imports after which the cursor moves.
    private static var maxUnsaved: Int64 { 10_000 }

    /// Processes the history up to its end, or begins at the current state after history was lost. Nothing may be
    /// received or sent between the loss and the reconciliation, which looks for edits that the history lacks.
    func absorbOrRestart() async throws(MirrorError) {
        do throws(MirrorError) {
            try await absorb()
        } catch .store(.tokenExpired), .store(.tokenFromFuture) {
            try await restart()
            try await absorb()
        }
    }

    /// Processes the history up to its end.
    func absorb() async throws(MirrorError) {
        while let position {
            let (zone, values) = (zone, values)
            let next: (absorption: Absorption, end: HistoryFollower)? = try await read {
                snapshot throws(StoreError) in
                var end = position
                guard let step = try end.next(in: snapshot) else { return nil }
                var absorption = Absorption(zone: zone, values: values)
                try absorption.run(try step.transactions(in: snapshot), in: snapshot)
                return (absorption, end)
            }
            guard let (absorption, end) = next else { return }
            // A cursor that only passes imports moves rarely: each commit would be a signal to all processes.
            let hasEdits = !absorption.rows.isEmpty || absorption.hasExcludedChanges
            if hasEdits || end.token.number - savedNumber > Self.maxUnsaved {
                do throws(MirrorError) {
                    try await save(movingTo: end.token) { transaction throws(StoreError) in
                        try absorption.save(in: &transaction)
                    }
                } catch .store(.conflict) {
                    // An object was edited, or a conflict was resolved, since the history was read.
                    continue
                }
                savedNumber = end.token.number
                if hasEdits { absorbedEdits += 1 }
            }
            self.position = end
            if end.isAtEnd { return }
        }
    }

    /// Continues after a token, with the edits that were not imported.
    func follow(after token: HistoryToken) {
        savedNumber = token.number
        position = HistoryFollower(after: token, where: .not(.author(MirrorConfiguration.author)))
    }

    /// Begins at the current state after history was lost.
    private func restart() async throws(MirrorError) {
        try await noteMissingHistory()
        let token = try await store { () throws(StoreError) in
            let token = try await container.currentToken()
            try await container.resetCursor(of: configuration.consumer, to: token)
            return token
        }
        follow(after: token)
        isConnected = false
        try await scan()
    }

    /// Gives the lowest clocks to objects without a record: those that precede the mirror. An edit of the same
    /// object on another machine, which has a copy of the store, wins; one that the history has here is a conflict then.
    func scan() async throws(MirrorError) {
        let (zone, values) = (zone, values)
        let edited = try await read { snapshot throws(StoreError) in
            var edited: [ObjectID: Set<String>] = [:]
            let updates = HistoryFetchRequest(
                where: .not(.author(MirrorConfiguration.author)), changes: .kind(.update))
            try snapshot.forEachChange(updates) { change, _ in
                edited[change.objectID, default: []].formUnion(change.updatedAttributes)
                return true
            }
            return edited
        }
        let number = position?.token.number ?? 0
        for mirrored in configuration.mirrored {
            var request = FetchRequest(mirrored.name, limit: Self.pageSize)
            request.attributes = [mirrored.identifier] + mirrored.sets.keys
            let read = { @Sendable (page: FetchRequest) async in
                await self.result { (snapshot: inout StoreSnapshot) throws(StoreError) in
                    let objects = try snapshot.fetch(page)
                    var absorption = Absorption(zone: zone, values: values)
                    try absorption.scan(objects, number: number, edited: edited, in: snapshot)
                    return (absorption, objects.last.map { snapshot.position(of: $0, in: []) })
                }
            }
            var page = try await read(request).get()
            while let end = page.1 {
                request.after = end
                // Each page is read while the one before it is saved.
                let (absorption, following) = (page.0, request)
                async let next = read(following)
                try await save { transaction throws(StoreError) in try absorption.save(in: &transaction) }
                page = try await next.get()
            }
        }
        self.zone[.scanned] = 1
        try await save { _ throws(StoreError) in }
    }
}
