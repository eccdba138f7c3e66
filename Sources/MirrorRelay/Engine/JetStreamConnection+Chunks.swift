extension JetStreamConnection {
    /// Removes the chunks of a key before a sequence.
    func removeChunks(of key: String, before sequence: UInt64, in zone: Zone) async throws(RelayError) {
        let subject = zone.chunks(key)
        guard let newest = try last(subject, of: zone.stream)?.sequence else { return }
        let (numbers, failure) = try await messages(subject, .headersAfter(0), upTo: newest, in: zone) {
            $0.sequence < sequence ? $0.sequence : nil
        }
        for number in numbers { remove(number, of: zone.stream) }
        if let failure { throw failure }
    }

    /// Returns the results of a closure for the messages of a subject up to a sequence that exists, or to a size; and the
    /// error that ended it.
    func messages<Result: Sendable>(
        _ subject: String, _ start: Start, upTo end: UInt64, maxSize: Int = .max, in zone: Zone,
        _ transform: @Sendable (StreamMessage) -> Result?
    ) async throws(RelayError) -> ([Result], RelayError?) {
        let feed = try feed(subject, of: zone.stream, from: start)
        var (results, newest, size): ([Result], UInt64, Int) = ([], 0, 0)
        var failure: RelayError?
        while newest < end, size < maxSize, failure == nil {
            do throws(RelayError) {
                for message in try await next(feed, of: zone.stream, limit: .max) {
                    newest = message.sequence
                    size += message.size
                    if let result = transform(message) { results.append(result) }
                }
            } catch {
                failure = error
            }
        }
        close(feed, of: zone.stream)
        return (results, failure)
    }

    /// Removes one message, without waiting. A purge of its subject is not used: nats-server 2.9.10 was tested with
    /// removals of single messages.
    func remove(_ sequence: UInt64, of stream: String) {
        send("STREAM.MSG.DELETE.\(stream)", #"{"seq":\#(sequence),"no_erase":true}"#)
    }
}
