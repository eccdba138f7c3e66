import CNATS
import Glibc
import Platform

extension JetStreamConnection {
    /// The first message of a feed.
    enum Start: Hashable, Sendable {
        case after(UInt64)
        /// The newest message of each subject, without bodies.
        case newestHeaders
        case allHeaders
    }

    /// Starts to deliver the messages of a subject in their order.
    ///
    /// - Returns: The feed, which must be closed.
    func feed(_ subject: String, of stream: String, from start: Start) throws(RelayError) -> MessageFeed {
        let feed = MessageFeed()
        let number = MessageFeed.registry.add(feed)
        do throws(RelayError) {
            handles.subscriptions[ObjectIdentifier(feed)] = (
                number, try subscribe(number, subject, stream, start)
            )
        } catch {
            MessageFeed.registry.remove(number)
            throw error
        }
        acknowledgements.add(feed, number: number)
        return feed
    }

    func close(_ feed: MessageFeed) {
        feed.finish(.cancelled)
        guard let (number, subscription) = handles.subscriptions.removeValue(forKey: ObjectIdentifier(feed))
        else { return }
        MessageFeed.registry.remove(number)
        acknowledgements.removeFeed(number)
        natsSubscription_Unsubscribe(subscription)
        natsSubscription_Destroy(subscription)
    }

    /// Returns the next messages of a feed of which at least one exists.
    func next(_ feed: MessageFeed, limit: Int) async throws(RelayError) -> [StreamMessage] {
        let timer = TimerName()
        loop.schedule(timer, after: Self.patience) {
            feed.wake(.unreachable(reason: "the server did not answer"))
        }
        defer { loop.cancel(timer) }
        try await feed.wait()
        return feed.take(limit)
    }

    private func subscribe(
        _ number: Int, _ subject: String, _ stream: String, _ start: Start
    ) throws(RelayError) -> OpaquePointer? {
        var options = jsSubOptions()
        jsSubOptions_Init(&options)
        options.Ordered = true
        // Silence of the server is noticed after two of them; they reach no other machine.
        options.Config.Heartbeat = 15 * 1_000_000_000
        switch start {
        case .after(let sequence):
            options.Config.DeliverPolicy = sequence == 0 ? js_DeliverAll : js_DeliverByStartSequence
            options.Config.OptStartSeq = sequence == 0 ? 0 : sequence + 1
        case .newestHeaders:
            options.Config.DeliverPolicy = js_DeliverLastPerSubject
            options.Config.HeadersOnly = true
        case .allHeaders:
            options.Config.DeliverPolicy = js_DeliverAll
            options.Config.HeadersOnly = true
        }
        var (subscription, code) = (OpaquePointer?.none, jsErrCode(0))
        let name = strdup(stream)
        defer { free(name) }
        options.Stream = UnsafePointer(name)
        let status = js_Subscribe(
            &subscription, handles.context, subject, MessageFeed.handler,
            CallbackRegistry<MessageFeed>.closure(number), nil, &options, &code)
        try RelayError.check(status, code)
        return subscription
    }
}
