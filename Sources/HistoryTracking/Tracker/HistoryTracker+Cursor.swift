import PersistentStore

/// Opening, storing, recovering, and closing the tracker's cursor.
extension HistoryTracker {
    /// Opens the cursor. A new cursor begins at the start that the parameters require.
    func openCursor() async throws(StoreError) {
        do {
            for name in parameters.expectedConsumers.sorted() where name != parameters.name {
                try await container.expectConsumer(name)
            }
            switch parameters.cursor {
            case .external(let storage, let prefix):
                try await openCursor(in: storage, prefix: prefix)
            case .everyPass, .transient: try await openCursorInStore()
            }
        } catch let error as StoreError {
            throw error
        } catch PassFailure.store(let error) {
            throw error
        } catch PassFailure.thrown(_, _, let errorType) {
            throw .consumerFailed(name: parameters.name, errorType: errorType)
        } catch {
            throw .other(path: container.path, reason: "the cursor cannot be read: \(type(of: error))")
        }
    }

    /// Begins again if an older copy of the store is restored between the first refresh and the registration.
    private func openCursorInStore() async throws {
        for _ in 1..<10 {
            do { return try await registerCursor() } catch StoreError.tokenFromFuture {}
        }
        try await registerCursor()
    }

    private func registerCursor() async throws {
        let claim = ConsumerClaim(parameters.name, store: container.path)
        let isTransient = parameters.cursor.isTransient || !claim.isFirst
        let isKnown =
            if isTransient { false } else { try await container.read { try $0.hasConsumer(claim.name) } }
        let start = isKnown ? container.beginningToken : try await startToken()
        var registered = try await container.registerConsumer(
            claim.name, author: parameters.author, isTransient: isTransient,
            retention: parameters.retention, startingAt: start)
        let continues = isKnown && registered.name == claim.name
        if !continues && parameters.start == .now {
            // The name of another process, or a position that was registered for an expected consumer.
            let current = isKnown ? try await refresh() : start
            if registered.token != current {
                try await container.resetCursor(of: registered.name, to: current)
                registered.token = current
            }
        }
        self.claim = claim
        cursor = HistoryCursor(consumer: registered.name, at: follower(after: registered.token))
    }

    private func follower(after token: HistoryToken) -> HistoryFollower {
        HistoryFollower(
            after: token, where: parameters.predicate, limit: consumer?.batchLimit ?? .split(1000))
    }

    private func startToken() async throws(PassFailure) -> HistoryToken {
        switch parameters.start {
        case .now: try await refresh()
        case .beginning: container.beginningToken
        }
    }

    /// Text that is not a token of this history is treated like an expired token.
    private func openCursor(in storage: any CursorStorage, prefix: String) async throws {
        claim = ConsumerClaim(parameters.name, store: container.path)
        let name = claim?.name ?? parameters.name
        let key = prefix + name
        let text = try await storageCalls { try storage.cursor(forKey: key) }
        let parts = (text ?? "").split(separator: " ").map(String.init)
        if let token = parts.first.flatMap(HistoryToken.init),
            await isOfHistory(token, parts.dropFirst().first)
        {
            cursor = HistoryCursor(consumer: name, at: follower(after: token))
            return
        }
        guard text != nil else {
            cursor = HistoryCursor(
                consumer: name, at: follower(after: try await startToken()), isStored: false)
            return
        }
        log(
            .notice, .important,
            "the cursor of \(name) is damaged, or of another history; starting a full refresh")
        let token = try await refresh()
        await report(SkippedHistory(after: nil, upTo: token, reason: .unusableCursor))
        cursor = HistoryCursor(consumer: name, at: follower(after: token), isStored: false)
    }

    /// Whether the row at a token is the one with which the token was stored: a cursor outside the store remains when the
    /// store is replaced by an older file, whose history may grow to the same number.
    private func isOfHistory(_ token: HistoryToken, _ digest: String?) async -> Bool {
        guard let digest, let present = await self.digest(at: token) else { return true }
        return digest == present
    }

    private func digest(at token: HistoryToken) async -> String? {
        try? await container.read { snapshot throws(StoreError) in try snapshot.digest(at: token) }.map(
            String.init)
    }

    func closeCursor() async {
        if isUnregisteredAtStop, let cursor {
            try? await container.removeConsumer(cursor.consumer)
        } else {
            try? await writeCursor()
        }
        cursor = nil
    }

    /// Whether the consumer is unregistered when the tracker stops: the second one of a name, or one without
    /// memory.
    private var isUnregisteredAtStop: Bool {
        switch parameters.cursor {
        case .transient: true
        case .everyPass: cursor?.consumer != parameters.name
        case .external: false
        }
    }

    func storeCursor() async throws(PassFailure) {
        if case .transient(let interval) = parameters.cursor {
            guard storingCursor == nil, cursor?.isStored == false else { return }
            storingCursor = task(after: interval.bounded) { await $0.storeTransientCursor() }
        } else {
            do { try await writeCursor() } catch { throw .store(error) }
        }
    }

    /// A failure only delays cleaning: the next pass tries again.
    private func storeTransientCursor() async {
        storingCursor = nil
        try? await writeCursor()
    }

    private func writeCursor() async throws(StoreError) {
        guard let cursor, !cursor.isStored else { return }
        if case .external = parameters.cursor {
            try await resetStoredCursor(cursor.consumer, to: cursor.token)
        } else {
            try await moveCursorInStore(cursor)
        }
        self.cursor?.wasStored(at: cursor.token)
    }

    /// Moves the stored cursor. If another process removed the consumer, registers it again at its position.
    private func moveCursorInStore(_ cursor: HistoryCursor) async throws(StoreError) {
        do {
            try await container.moveCursor(of: cursor.consumer, to: cursor.token)
        } catch .unknownConsumer {
            _ = try await container.registerConsumer(
                cursor.consumer, author: parameters.author, isTransient: isUnregisteredAtStop,
                retention: parameters.retention, startingAt: cursor.token)
        }
    }

    func resetStoredCursor(_ name: String, to token: HistoryToken) async throws(StoreError) {
        guard case .external(let storage, let prefix) = parameters.cursor else {
            return try await container.resetCursor(of: name, to: token)
        }
        let (text, key) = (
            [token.description, await digest(at: token)].compactMap(\.self).joined(separator: " "),
            prefix + name
        )
        do {
            try await storageCalls { try storage.setCursor(text, forKey: key) }
        } catch {
            throw .other(path: container.path, reason: "the cursor cannot be stored: \(type(of: error))")
        }
    }

    /// Refreshes the consumer and the contexts and returns the token of their state.
    func refresh() async throws(PassFailure) -> HistoryToken {
        let consumer = consumer
        let (token, errorType): (HistoryToken, String?)
        do throws(StoreError) {
            (token, errorType) = try await container.read { snapshot throws(StoreError) in
                (try snapshot.newestToken(), try thrownType { try consumer?.refresh(from: snapshot) })
            }
        } catch {
            throw .store(error)
        }
        if let errorType { throw .thrown(by: .consumer, transactions: [], errorType: errorType) }
        statistics.refreshes += 1
        await merger.refetch()
        return token
    }
}
