import Mirroring
import Synchronization

/// Large records, in chunks that are acknowledged one by one.
extension JetStreamSession {
    /// Sends the next chunks of a record, and returns the share that the server has; 1 for a record that is too large,
    /// which the put reports.
    func sendPart(of put: MirrorPut) async throws(RelayError) -> Double {
        do throws(RelayError) { return try await sendChunks(of: put) } catch RelayError.tooLarge { return 1 }
    }

    func sendChunks(of put: MirrorPut) async throws(RelayError) -> Double {
        guard put.body.count > RecordBody.largestWhole else { return 1 }
        var upload = try await upload(of: put)
        let numbers = upload.missing.prefix(8)
        let messages = numbers.map { number in
            let subject = zone.chunk(put.key, upload.list.hash, number)
            return OutgoingMessage(
                subject: subject, body: zone.cipher.seal(upload.chunk(number), subject: subject))
        }
        let answers = await connection.put(messages)
        for (number, answer) in zip(numbers, answers) {
            if case .success(let sequence) = answer { upload.sequences[number] = sequence }
        }
        let sent = upload
        parts.state.withLock { $0.uploads[put.key] = sent }
        // The next call reports a failure after some were sent.
        let failures = answers.filter { if case .failure = $0 { true } else { false } }
        if failures.count == answers.count { for answer in failures { _ = try answer.get() } }
        return sent.share
    }

    /// Returns the chunks of a record, with those that the server has.
    func upload(of put: MirrorPut) async throws(RelayError) -> PartialRecords.Upload {
        let known = parts.state.withLock { $0.uploads[put.key] }
        if let known, known.stamp == put.stamp { return known }
        guard put.body.count <= RecordBody.largest, let deflated = Deflate.compress(put.body) else {
            throw .tooLarge
        }
        let count = (deflated.count + RecordBody.chunkSize - 1) / RecordBody.chunkSize
        let list = ChunkList(hash: zone.cipher.chunkName(of: put.body), count: count, size: put.body.count)
        var upload = PartialRecords.Upload(
            stamp: put.stamp, expected: put.expected, list: list, deflated: deflated)
        let isFollowing = known.map { $0.expected == put.expected } ?? true
        if isFollowing, known?.list == list { upload.sequences = known?.sequences ?? [:] }
        if isFollowing, upload.sequences.isEmpty, !parts.state.withLock({ $0.damagedKeys.contains(put.key) })
        {
            // A process that was killed may have sent some.
            let subject = zone.chunk(put.key, list.hash)
            if let last = try await connection.last(subject, of: zone.stream)?.sequence {
                let (chunks, failure) = try await connection.messages(
                    subject, .newestHeaders, upTo: last, in: zone
                ) { (Self.number(of: $0), $0.sequence) }
                if let failure { throw failure }
                for (number, sequence) in chunks where (0..<count).contains(number) {
                    upload.sequences[number] = sequence
                }
            }
        }
        let new = upload
        parts.state.withLock {
            $0.uploads[put.key] = new
            $0.chunkedKeys.insert(put.key)
        }
        return new
    }

    private static func number(of chunk: StreamMessage) -> Int {
        chunk.subject.split(separator: ".").last.flatMap { Int($0) } ?? -1
    }

    /// Receives the next chunks of the newest revision of a key, and returns the share that arrived.
    func receivePart(of key: String) async throws(RelayError) -> Double {
        let message = try await connection.last(zone.record(key), of: zone.stream)
        guard case .chunked(let list)? = message.flatMap({ body(of: $0) }) else {
            parts.state.withLock { $0.downloads[key] = nil }
            await closeChunks()
            return 1
        }
        var download = parts.state.withLock { state in
            state.downloads[key].flatMap { $0.list == list ? $0 : nil } ?? PartialRecords.Download(list: list)
        }
        let subject = zone.chunk(key, list.hash)
        var isLast = false
        if !download.isComplete {
            if download.end == nil {
                download.end = try await connection.last(subject, of: zone.stream)?.sequence
            }
            isLast = download.end.map { $0 <= download.position } ?? true
            for chunk in isLast ? [] : try await chunks(subject, after: download.position) {
                download.position = chunk.sequence
                let number = Self.number(of: chunk)
                guard (0..<list.count).contains(number) else { continue }
                download.chunks[number] = zone.cipher.open(chunk.body, subject: chunk.subject)
            }
        }
        if isLast, !download.isComplete { download.isDamaged = true }
        let current = download
        parts.state.withLock { $0.downloads[key] = current }
        if current.isComplete { await closeChunks() }
        return current.share
    }

    /// Returns the next chunks after a sequence.
    private func chunks(_ subject: String, after position: UInt64) async throws(RelayError) -> [StreamMessage]
    {
        if chunkFeed?.subject != subject || chunkFeed?.position != position {
            await closeChunks()
            let feed = try await connection.feed(subject, of: zone.stream, from: .after(position), first: 1)
            chunkFeed = (feed, subject, position)
        }
        guard let feed = chunkFeed?.messages else { return [] }
        let messages = try await connection.next(feed, of: zone.stream, limit: .max)
        if let last = messages.last { chunkFeed?.position = last.sequence }
        return messages
    }

    func closeChunks() async {
        if let feed = chunkFeed?.messages { await connection.close(feed, of: zone.stream) }
        chunkFeed = nil
    }

    /// Returns the record of a complete download; nil if it is not complete, and an empty one if it is damaged.
    func record(_ list: ChunkList, of key: String) -> [UInt8]? {
        let download = parts.state.withLock { state -> PartialRecords.Download? in
            guard let download = state.downloads[key], download.list == list, download.isComplete else {
                return nil
            }
            state.downloads[key] = nil
            return download
        }
        guard let download else { return nil }
        let deflated = (0..<list.count).flatMap { download.chunks[$0] ?? [] }
        guard !download.isDamaged, let record = Deflate.decompress(deflated, size: list.size),
            zone.cipher.isName(list.hash, of: record)
        else {
            parts.state.withLock { _ = $0.damagedKeys.insert(key) }
            return []
        }
        return record
    }
}
