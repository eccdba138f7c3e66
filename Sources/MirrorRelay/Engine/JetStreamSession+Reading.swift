import Mirroring
import Synchronization

extension JetStreamSession {
    /// Returns the sequence of the newest record; 0 if there is none.
    private func newestNumber() async throws(RelayError) -> Int64 {
        Int64(try await connection.last(zone.records, of: zone.stream)?.sequence ?? 0)
    }

    /// The time in which messages that have arrived wait for others.
    private static var fillingTime: Duration { .milliseconds(20) }

    func changes(after number: Int64, limit: Int) async throws(RelayError) -> [MirrorEntry] {
        guard limit > 0 else { return [] }
        let feed = try await feed(after: number)
        var messages = feed.take(limit)
        if messages.isEmpty {
            guard try await newestNumber() > number else { return [] }
            messages = try await connection.next(feed, of: zone.stream, limit: limit)
        } else {
            await connection.request(feed, of: zone.stream)
        }
        // A fast line fills each batch, so that the next one is merged while it is saved.
        let end = ContinuousClock.now + Self.fillingTime
        while messages.count < limit, messages.last?.following ?? 0 > 0, ContinuousClock.now < end,
            messages.reduce(0, { $0 + $1.size }) < MessageFeed.window
        {
            let rest = limit - messages.count
            guard
                let more = try? await connection.next(
                    feed, of: zone.stream, limit: rest, within: Self.fillingTime)
            else { break }
            messages += more
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
        let feed = try await feed(after: number)
        await connection.request(feed, of: zone.stream)
        try await feed.wait()
    }

    /// Returns the feed that continues after a number.
    private func feed(after number: Int64) async throws(RelayError) -> MessageFeed {
        if let feed {
            let isUsable = !feed.messages.isStale
            if isUsable, feed.position == number { return feed.messages }
            // The messages between are own ones.
            if isUsable, feed.position < number, feed.messages.skip(upTo: UInt64(number)) {
                self.feed?.position = number
                return feed.messages
            }
            self.feed = nil
            await connection.close(feed.messages, of: zone.stream)
        }
        let messages = try await connection.feed(
            zone.records, of: zone.stream, from: .after(UInt64(max(0, number))))
        feed = (messages, number)
        return messages
    }

    /// Lists the records. One that was interrupted continues.
    func list() async throws(RelayError) -> [MirrorRevision] {
        let end = try await newestNumber()
        guard end > 0 else { return [] }
        var listing = parts.state.withLock { $0.listing } ?? PartialRecords.Listing()
        if let last = listing.last, try await entry(at: last.number) != last { listing = .init() }
        let start = listing.last.map { JetStreamConnection.Start.headersAfter(UInt64($0.number)) }
        let (revisions, failure) = try await connection.messages(
            zone.records, start ?? .newestHeaders, upTo: UInt64(end), in: zone
        ) { [self] in revision($0) }
        for revision in revisions { listing.revisions[revision.key] = revision }
        listing.last = revisions.last ?? listing.last
        let known = listing
        parts.state.withLock { $0.listing = failure == nil ? nil : known }
        if let failure { throw failure }
        return known.revisions.values.sorted { $0.number < $1.number }
    }
}
