extension JetStreamConnection {
    /// The chunks that are sealed and sent together, to bound the memory.
    private static var chunksAtOnce: Int { 8 }

    /// Puts the chunks of a record.
    ///
    /// - Returns: The chunks, and the sequence of the first.
    func write(
        _ record: [UInt8], of key: String, in zone: Zone
    ) async throws(RelayError) -> (ChunkList, first: UInt64) {
        guard record.count <= RecordBody.largest, let deflated = Deflate.compress(record) else {
            throw .tooLarge
        }
        let hash = zone.cipher.name(of: record)
        let starts = Array(stride(from: 0, to: deflated.count, by: RecordBody.chunkSize))
        var first = UInt64.max
        for group in stride(from: 0, to: starts.count, by: Self.chunksAtOnce) {
            let numbers = group..<min(group + Self.chunksAtOnce, starts.count)
            let messages = numbers.map { number in
                let subject = zone.chunk(key, hash, number)
                let chunk = deflated[
                    starts[number]..<min(starts[number] + RecordBody.chunkSize, deflated.count)]
                return OutgoingMessage(
                    subject: subject, body: zone.cipher.seal(Array(chunk), subject: subject))
            }
            for answer in await put(messages) { first = min(first, try answer.get()) }
        }
        return (ChunkList(hash: hash, count: starts.count, size: record.count), first)
    }

    /// Returns a record; nil if a chunk was removed or damaged.
    func read(_ list: ChunkList, of key: String, in zone: Zone) async throws(RelayError) -> [UInt8]? {
        var deflated: [UInt8] = []
        for number in 0..<list.count {
            let subject = zone.chunk(key, list.hash, number)
            do throws(RelayError) {
                let sealed = try last(subject, of: zone.stream).body
                guard let chunk = zone.cipher.open(sealed, subject: subject) else { return nil }
                deflated += chunk
            } catch RelayError.notFound {
                return nil
            }
        }
        guard let record = Deflate.decompress(deflated, size: list.size),
            zone.cipher.name(of: record) == list.hash
        else { return nil }
        return record
    }

    /// Removes the chunks of a key before a sequence.
    func removeChunks(of key: String, before sequence: UInt64, in zone: Zone) async throws(RelayError) {
        let subject = zone.chunks(key)
        let newest: UInt64
        do throws(RelayError) {
            newest = try last(subject, of: zone.stream).sequence
        } catch RelayError.notFound {
            return
        }
        let feed = try feed(subject, of: zone.stream, from: .allHeaders)
        var failure: RelayError?
        var end: UInt64 = 0
        while end < newest, failure == nil {
            do throws(RelayError) {
                for message in try await next(feed, limit: .max) {
                    end = message.sequence
                    if end < sequence { remove(end, of: zone.stream) }
                }
            } catch {
                failure = error
            }
        }
        close(feed)
        if let failure { throw failure }
    }

    /// Removes one message, without waiting. A purge of its subject is not used: nats-server 2.9.10 was tested with
    /// removals of single messages.
    func remove(_ sequence: UInt64, of stream: String) {
        send("STREAM.MSG.DELETE.\(stream)", #"{"seq":\#(sequence),"no_erase":true}"#)
    }
}
