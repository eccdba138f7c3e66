import Mirroring
import Synchronization

/// One connection of the engine, whose key the zone has accepted.
actor JetStreamSession {
    let connection: JetStreamConnection
    let zone: Zone
    var feed: (messages: MessageFeed, position: Int64)?
    /// The chunks of the large record that is being received.
    var chunkFeed: (messages: MessageFeed, subject: String, position: UInt64)?
    let parts: PartialRecords
    /// The keys that no record on the server contained since the last call of ``identity()``.
    private var missingKeys: Set<UInt64> = []

    init(_ connection: JetStreamConnection, _ zone: Zone, _ parts: PartialRecords = PartialRecords()) {
        (self.connection, self.zone, self.parts) = (connection, zone, parts)
    }

    /// Connects, and creates a zone that is missing, as on a server that was emptied.
    static func open(
        _ address: ServerAddress, _ zone: Zone, _ parts: PartialRecords = PartialRecords()
    ) async -> Result<JetStreamSession, RelayError> {
        do throws(RelayError) {
            let connection = try await JetStreamConnection.open(address)
            let session = JetStreamSession(connection, zone, parts)
            if try await session.checkKey() == nil { try await session.createZone() }
            try await session.refreshKeys()
            return .success(session)
        } catch {
            return .failure(error)
        }
    }

    nonisolated var isEnded: Bool { connection.isEnded }

    /// Returns the sequence of the zone's metadata; nil if the zone does not exist. Writes nothing.
    ///
    /// - Throws: ``RelayError/wrongKey``.
    func checkKey() async throws(RelayError) -> UInt64? {
        let message: StreamMessage?
        do throws(RelayError) {
            message = try await connection.waitingForStream { () throws(RelayError) in
                _ = try await connection.identity(of: zone.stream)
                return try await connection.last(zone.metadata, of: zone.stream)
            }
        } catch RelayError.noStream, RelayError.notFound {
            return nil
        }
        guard let message else { return nil }
        guard zone.cipher.open(message.body, subject: zone.metadata) != nil else { throw .wrongKey }
        return message.sequence
    }

    private func createZone() async throws(RelayError) {
        let metadata = zone.cipher.seal(
            Array(#"{"v":1}"#.utf8), subject: zone.metadata, usesFirstKey: true)
        let message = OutgoingMessage(subject: zone.metadata, expected: 0, body: metadata)
        do throws(RelayError) {
            try await connection.waitingForStream { () throws(RelayError) in
                try await connection.createStream(zone.stream, prefix: zone.subjects)
                do throws(RelayError) {
                    for answer in await connection.put([message]) { _ = try answer.get() }
                } catch RelayError.noResponders {
                    throw .incomplete
                }
            }
        } catch RelayError.outdated {
            // Another machine was first.
            _ = try await checkKey()
        }
    }

    func identity() async throws(RelayError) -> String {
        missingKeys = []
        return try await connection.waitingForStream { () throws(RelayError) in
            try await connection.identity(of: zone.stream)
        }
    }

    func close() async {
        if let feed { await connection.close(feed.messages, of: zone.stream) }
        feed = nil
        await closeChunks()
        await connection.close()
    }

    func entry(at number: Int64) async throws(RelayError) -> MirrorRevision? {
        guard number > 0 else { return nil }
        return try await connection.message(UInt64(number), of: zone.stream).flatMap(revision)
    }

    nonisolated func revision(_ message: StreamMessage) -> MirrorRevision? {
        zone.key(of: message.subject).map { key in
            MirrorRevision(
                key: key, number: Int64(message.sequence), stamp: message.stamp,
                time: message.time / 1_000_000)
        }
    }

    func get(_ keys: [String]) async throws(RelayError) -> [MirrorEntry] {
        var entries: [MirrorEntry] = []
        for key in keys {
            guard let entry = try await newest(key) else { continue }
            entries.append(entry)
        }
        return entries
    }

    /// Returns the newest revision of a key; nil if there is none.
    private func newest(_ key: String) async throws(RelayError) -> MirrorEntry? {
        while let message = try await connection.last(zone.record(key), of: zone.stream) {
            if let entry = try await entry(message) { return entry }
        }
        return nil
    }

    /// Returns the plain form of a message; nil if it is damaged: the key of the zone was checked, so the server damaged
    /// it, or moved it from another subject.
    func body(of message: StreamMessage) -> RecordBody? {
        zone.cipher.open(message.body, subject: message.subject).flatMap(RecordBody.init)
    }

    /// Opens a message; nil if its chunks were superseded, and a newer revision exists. The body of a damaged one is
    /// empty, and one in chunks that were not received is deferred.
    func entry(_ message: StreamMessage) async throws(RelayError) -> MirrorEntry? {
        guard let revision = revision(message) else { return nil }
        try await findKey(of: message)
        switch body(of: message) {
        case .whole(let record): return MirrorEntry(revision: revision, body: record)
        case .chunked(let list):
            parts.state.withLock { _ = $0.chunkedKeys.insert(revision.key) }
            guard let record = record(list, of: revision.key) else { return MirrorEntry(deferred: revision) }
            guard record.isEmpty else { return MirrorEntry(revision: revision, body: record) }
            let newest = try await connection.last(message.subject, of: zone.stream)
            return newest?.sequence == message.sequence ? MirrorEntry(revision: revision, body: []) : nil
        case nil:
            // A record that is sealed with a key that this machine lacks is not damaged.
            let isDamaged = zone.cipher.unknownKey(of: message.body) == nil
            return MirrorEntry(revision: revision, body: isDamaged ? [] : [0])
        }
    }

    /// Reads the change of the key, if another machine sealed a message with a key that this one does not know.
    private func findKey(of message: StreamMessage) async throws(RelayError) {
        guard let id = zone.cipher.unknownKey(of: message.body), missingKeys.count < 100,
            missingKeys.insert(id).inserted
        else { return }
        // A damaged message may name any key.
        try await refreshKeys()
    }

    func put(_ puts: [MirrorPut]) async throws(RelayError) -> [MirrorPutResult] {
        zone.cipher.ring.reload()
        var messages: [OutgoingMessage] = []
        var tooLarge: Set<Int> = []
        for (index, put) in puts.enumerated() {
            var body = RecordBody.whole(put.body)
            if put.body.count > RecordBody.largestWhole {
                do throws(RelayError) {
                    while try await sendChunks(of: put) < 1 {}
                    body = .chunked(try await upload(of: put).list)
                } catch RelayError.tooLarge {
                    tooLarge.insert(index)
                    continue
                }
            }
            let subject = zone.record(put.key)
            messages.append(
                OutgoingMessage(
                    subject: subject, expected: UInt64(put.expected), stamp: put.stamp,
                    body: zone.cipher.seal(
                        body.bytes, subject: subject, usesFirstKey: put.key == zone.cipher.formatKey)))
        }
        var answers = await connection.put(messages)[...]
        var results: [MirrorPutResult] = []
        for (index, put) in puts.enumerated() {
            guard !tooLarge.contains(index), let answer = answers.popFirst() else {
                results.append(.tooLarge)
                continue
            }
            do throws(RelayError) {
                let number = try answer.get()
                results.append(.stored(Int64(number)))
                if put.expected > 0 { await connection.remove(UInt64(put.expected), of: zone.stream) }
                let (isChunked, upload) = parts.state.withLock { state in
                    state.damagedKeys.remove(put.key)
                    return (state.chunkedKeys.contains(put.key), state.uploads.removeValue(forKey: put.key))
                }
                if isChunked {
                    let first = upload?.stamp == put.stamp ? upload?.sequences.values.min() : nil
                    try? await connection.removeChunks(of: put.key, before: first ?? number, in: zone)
                }
            } catch RelayError.outdated {
                results.append(.outdated)
                // The other machine's put removes the chunks: the next one sends all.
                parts.state.withLock { state in
                    if state.uploads.removeValue(forKey: put.key) != nil { state.damagedKeys.insert(put.key) }
                }
            } catch RelayError.tooLarge {
                results.append(.tooLarge)
            } catch {
                results.append(.failed(MirrorError(error)))
            }
        }
        return results
    }

    /// Removes a revision, if the number is still that of the key: a server that forgot may have assigned it again.
    func remove(_ key: String, upTo number: Int64) async throws(RelayError) {
        guard try await entry(at: number)?.key == key else { return }
        await connection.remove(UInt64(number), of: zone.stream)
    }
}
