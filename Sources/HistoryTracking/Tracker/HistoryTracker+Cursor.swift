import PersistentStore

/// Where the tracker's cursor begins, is kept and ends.
extension HistoryTracker {
    /// A cursor that is not known yet begins at the present, with everything read anew.
    func openCursor() async throws(StoreError) {
        do {
            switch parameters.cursor {
            case .elsewhere(let storage): try await openCursor(in: storage)
            case .everyPass, .transient: try await openCursorInStore()
            }
        } catch let error as StoreError {
            throw error
        } catch PassFailure.store(let error) {
            throw error
        } catch PassFailure.thrown(_, _, let errorType) {
            throw .other(path: container.path, reason: "the consumer threw \(errorType) at the start")
        } catch {
            throw .other(path: container.path, reason: "the cursor cannot be read: \(type(of: error))")
        }
        watching = .live
        change(to: watching)
    }

    private func openCursorInStore() async throws {
        let claim = ConsumerClaim(parameters.name, store: container.path)
        let isTransient = parameters.cursor.isTransient || !claim.isFirst
        let isKnown =
            if isTransient { false } else { try await container.read { try $0.hasConsumer(claim.name) } }
        let start: HistoryToken? = if isKnown { nil } else { try await refresh() }
        var registered = try await container.registerConsumer(
            claim.name, author: parameters.author, isTransient: isTransient,
            retention: parameters.retention, startingAt: start)
        if isKnown && registered.name != claim.name {
            registered.token = try await refresh()
            try await container.resetCursor(of: registered.name, to: registered.token)
        }
        self.claim = claim
        cursor = HistoryCursor(consumer: registered.name, token: registered.token)
    }

    /// Text that is not a token is as good as a token that has expired.
    private func openCursor(in storage: any CursorStorage) async throws {
        claim = ConsumerClaim(parameters.name, store: container.path)
        let name = claim?.name ?? parameters.name
        let key = parameters.cursorPrefix + name
        let text = try await storageCalls { try storage.cursor(forKey: key) }
        if let token = text.flatMap(HistoryToken.init) {
            cursor = HistoryCursor(consumer: name, token: token)
            return
        }
        if text != nil {
            log(.notice, .important, "the cursor of \(name) was damaged; everything is read anew")
        }
        let token = try await refresh()
        if text != nil { await report(SkippedHistory(after: nil, upTo: token, reason: .unusableCursor)) }
        cursor = HistoryCursor(consumer: name, token: token, isKept: false)
    }

    func closeCursor() async {
        if isForgottenAtStop, let cursor {
            try? await container.removeConsumer(cursor.consumer)
        } else {
            try? await writeCursor()
        }
        cursor = nil
    }

    /// A second consumer of a name, or one without memory, is forgotten when it stops.
    private var isForgottenAtStop: Bool {
        switch parameters.cursor {
        case .transient: true
        case .everyPass: cursor?.consumer != parameters.name
        case .elsewhere: false
        }
    }

    func keepCursor() async throws(PassFailure) {
        if case .transient(let interval) = parameters.cursor {
            guard storingCursor == nil, cursor?.isKept == false else { return }
            storingCursor = Task { [weak self] in
                guard (try? await Task.sleep(for: interval)) != nil else { return }
                await self?.keepTransientCursor()
            }
        } else {
            do { try await writeCursor() } catch { throw .store(error) }
        }
    }

    /// Failing to write it costs nothing but a later cleaning: the next pass tries again.
    private func keepTransientCursor() async {
        storingCursor = nil
        try? await writeCursor()
    }

    private func writeCursor() async throws(StoreError) {
        guard let cursor, !cursor.isKept else { return }
        if case .elsewhere = parameters.cursor {
            try await resetKeptCursor(cursor.consumer, to: cursor.token)
        } else {
            try await moveCursorInStore(cursor)
        }
        self.cursor?.wasKept(at: cursor.token)
    }

    /// Somebody may have removed the consumer: it still reads, so it is registered again where it is.
    private func moveCursorInStore(_ cursor: HistoryCursor) async throws(StoreError) {
        do {
            try await container.moveCursor(of: cursor.consumer, to: cursor.token)
        } catch .unknownConsumer {
            _ = try await container.registerConsumer(
                cursor.consumer, author: parameters.author, isTransient: isForgottenAtStop,
                retention: parameters.retention, startingAt: cursor.token)
        }
    }

    func resetKeptCursor(_ name: String, to token: HistoryToken) async throws(StoreError) {
        guard case .elsewhere(let storage) = parameters.cursor else {
            return try await container.resetCursor(of: name, to: token)
        }
        let (text, key) = (token.description, parameters.cursorPrefix + name)
        do {
            try await storageCalls { try storage.setCursor(text, forKey: key) }
        } catch {
            throw .other(path: container.path, reason: "the cursor cannot be kept: \(type(of: error))")
        }
    }
}
