import Mirroring

extension JetStreamSession {
    /// Returns the sequence of the newest record; 0 if there is none.
    private func newestNumber() async throws(RelayError) -> Int64 {
        do throws(RelayError) {
            return Int64(try await connection.last(zone.records, of: zone.stream).sequence)
        } catch RelayError.notFound {
            return 0
        }
    }

    func changes(after number: Int64, limit: Int) async throws(RelayError) -> [MirrorEntry] {
        guard limit > 0 else { return [] }
        let feed = try await feed(after: number)
        var messages = feed.take(limit)
        if messages.isEmpty {
            guard try await newestNumber() > number else { return [] }
            messages = try await connection.next(feed, limit: limit)
        }
        var entries: [MirrorEntry] = []
        for message in messages {
            guard Int64(message.sequence) > self.feed?.position ?? 0 else {
                throw .rejected(reason: "the order of the messages is not valid")
            }
            self.feed?.position = Int64(message.sequence)
            if let entry = try await entry(message) { entries.append(entry) }
        }
        // Only superseded revisions so far.
        guard entries.isEmpty, let last = messages.last else { return entries }
        return try await changes(after: Int64(last.sequence), limit: limit)
    }

    func waitForChanges(after number: Int64) async throws(RelayError) {
        try await feed(after: number).wait()
    }

    /// Returns the feed that continues after a number.
    private func feed(after number: Int64) async throws(RelayError) -> MessageFeed {
        if let feed {
            if feed.position == number { return feed.messages }
            self.feed = nil
            await connection.close(feed.messages)
        }
        let messages = try await connection.feed(
            zone.records, of: zone.stream, from: .after(UInt64(max(0, number))))
        feed = (messages, number)
        return messages
    }

    func list() async throws(RelayError) -> [MirrorRevision] {
        let last = try await newestNumber()
        guard last > 0 else { return [] }
        let feed = try await connection.feed(zone.records, of: zone.stream, from: .newestHeaders)
        var revisions: [String: MirrorRevision] = [:]
        var end: Int64 = 0
        var failure: RelayError?
        while end < last, failure == nil {
            do throws(RelayError) {
                for message in try await connection.next(feed, limit: .max) {
                    guard let revision = revision(message) else { continue }
                    revisions[revision.key] = revision
                    end = revision.number
                }
            } catch {
                failure = error
            }
        }
        await connection.close(feed)
        if let failure { throw failure }
        return revisions.values.sorted { $0.number < $1.number }
    }
}
