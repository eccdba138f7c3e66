import CNATS
import Glibc
import Platform

extension JetStreamConnection {
    /// The first message of a feed.
    enum Start: Hashable, Sendable {
        case after(UInt64)
        case headersAfter(UInt64)
        /// The newest message of each subject, without bodies.
        case newestHeaders
    }

    /// Starts to deliver the messages of a subject in their order.
    ///
    /// A pull consumer, so that the server sends what was requested, and answers to other requests do not wait behind
    /// megabytes. Without a limit in bytes: nats-server 2.9.10 omits the message that exceeds it.
    ///
    /// - Parameter first: The number of messages that are requested first, and at least.
    /// - Returns: The feed, which must be closed.
    func feed(
        _ subject: String, of stream: String, from start: Start, first: Int = 8
    ) throws(RelayError) -> MessageFeed {
        let inbox = try inbox()
        let feed = MessageFeed(
            consumer: try addConsumer(subject, stream, start), inbox: inbox, first: first)
        let number = MessageFeed.registry.add(feed)
        var subscription: OpaquePointer?
        let status = natsConnection_Subscribe(
            &subscription, handles.connection, inbox, MessageFeed.handler,
            CallbackRegistry<MessageFeed>.closure(number))
        guard status == NATS_OK else {
            MessageFeed.registry.remove(number)
            throw RelayError(status)
        }
        natsSubscription_SetPendingLimits(subscription, -1, -1)
        handles.subscriptions[ObjectIdentifier(feed)] = (number, subscription)
        acknowledgements.add(feed, number: number)
        request(feed, of: stream)
        watch(feed, of: stream)
        return feed
    }

    func close(_ feed: MessageFeed, of stream: String) {
        feed.finish(.cancelled)
        guard let (number, subscription) = handles.subscriptions.removeValue(forKey: ObjectIdentifier(feed))
        else { return }
        MessageFeed.registry.remove(number)
        acknowledgements.removeFeed(number)
        natsSubscription_Unsubscribe(subscription)
        natsSubscription_Destroy(subscription)
        send("CONSUMER.DELETE.\(stream).\(feed.consumer)", "")
    }

    /// Returns the next messages of a feed of which at least one exists.
    func next(
        _ feed: MessageFeed, of stream: String, limit: Int,
        within patience: Duration = JetStreamConnection.patience
    ) async throws(RelayError) -> [StreamMessage] {
        request(feed, of: stream)
        let timer = TimerName()
        loop.schedule(timer, after: patience) {
            feed.wake(.unreachable(reason: "the server did not answer"))
        }
        defer { loop.cancel(timer) }
        try await feed.wait()
        defer { request(feed, of: stream) }
        return feed.take(limit)
    }

    /// Requests further messages when those that were requested have arrived.
    func request(_ feed: MessageFeed, of stream: String) {
        let count = feed.takeRequest()
        guard count > 0 else { return }
        let subject = "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(feed.consumer)"
        natsConnection_PublishRequestString(
            handles.connection, subject, feed.inbox,
            #"{"batch":\#(count),"expires":\#(Self.day),"idle_heartbeat":\#(Self.heartbeat)}"#)
    }

    private static var day: Int64 { 24 * 3600 * 1_000_000_000 }
    /// The server's signs of life, in nanoseconds; they reach no other machine.
    private static var heartbeat: Int64 { 15 * 1_000_000_000 }

    /// Renews a request that expired, and ends a feed of which the server sends nothing: a cluster can lose a consumer.
    private func watch(_ feed: MessageFeed, of stream: String) {
        if feed.isAwaited { request(feed, of: stream) }
        loop.schedule(TimerName(), after: MessageFeed.silence / 2) { [weak self, weak feed] in
            guard let self, let feed else { return }
            if feed.isSilent { return feed.finish(.unreachable(reason: "the server delivers nothing")) }
            Task { await self.watch(feed, of: stream) }
        }
    }

    private func inbox() throws(RelayError) -> String {
        var inbox: UnsafeMutablePointer<CChar>?
        try RelayError.check(natsInbox_Create(&inbox))
        defer { natsInbox_Destroy(inbox) }
        guard let inbox else { throw .rejected(reason: "no name is left") }
        return String(cString: inbox)
    }

    /// Creates a consumer that ends by itself, and returns its name.
    private func addConsumer(
        _ subject: String, _ stream: String, _ start: Start
    ) throws(RelayError) -> String {
        var config = jsConsumerConfig()
        jsConsumerConfig_Init(&config)
        config.AckPolicy = js_AckNone
        config.InactiveThreshold = 300 * 1_000_000_000
        config.MemoryStorage = true
        config.Replicas = 1
        switch start {
        case .after(let sequence), .headersAfter(let sequence):
            config.DeliverPolicy = sequence == 0 ? js_DeliverAll : js_DeliverByStartSequence
            config.OptStartSeq = sequence == 0 ? 0 : sequence + 1
            if case .headersAfter = start { config.HeadersOnly = true }
        case .newestHeaders:
            config.DeliverPolicy = js_DeliverLastPerSubject
            config.HeadersOnly = true
        }
        var (info, code) = (UnsafeMutablePointer<jsConsumerInfo>?.none, jsErrCode(0))
        let filter = strdup(subject)
        defer { free(filter) }
        config.FilterSubject = UnsafePointer(filter)
        let status = js_AddConsumer(&info, handles.context, stream, &config, nil, &code)
        try RelayError.check(status, code)
        defer { jsConsumerInfo_Destroy(info) }
        guard let name = info?.pointee.Name else { throw .rejected(reason: "a consumer has no name") }
        return String(cString: name)
    }
}
