import CNATS
import Glibc
import Platform

/// A connection with a JetStream server. It ends with the first failure: a later one must check the server's
/// lineage again.
actor JetStreamConnection {
    private nonisolated let loop: EventLoop
    private nonisolated let acknowledgements = Acknowledgements()
    private let handles = Handles()

    /// libnats' objects, destroyed with their owner.
    private final class Handles {
        var connection: OpaquePointer?
        var context: OpaquePointer?
        var subscriptions: [ObjectIdentifier: (number: Int, subscription: OpaquePointer?)] = [:]

        deinit {
            for entry in subscriptions.values {
                MessageFeed.registry.remove(entry.number)
                natsSubscription_Destroy(entry.subscription)
            }
            jsCtx_Destroy(context)
            natsConnection_Destroy(connection)
        }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Unanswered requests and puts fail after this time.
    static let patience = Duration.seconds(10)
    private static var milliseconds: Int64 { patience.components.seconds * 1000 }

    private init(_ loop: EventLoop) { self.loop = loop }

    /// Connects to a server.
    static func open(_ address: ServerAddress) async throws(RelayError) -> JetStreamConnection {
        guard let loop = try? EventLoop() else { throw .rejected(reason: "no descriptor is left") }
        let connection = JetStreamConnection(loop)
        try await connection.connect(address)
        return connection
    }

    nonisolated var isEnded: Bool { acknowledgements.isEnded }

    private func connect(_ address: ServerAddress) throws(RelayError) {
        var options: OpaquePointer?
        try RelayError.check(natsOptions_Create(&options))
        defer { natsOptions_Destroy(options) }
        let number = Acknowledgements.registry.add(acknowledgements)
        let closure = CallbackRegistry<Acknowledgements>.closure(number)
        do throws(RelayError) {
            try Self.configure(options, address)
            try RelayError.check(natsOptions_SetClosedCB(options, Acknowledgements.closed, closure))
            try RelayError.check(natsConnection_Connect(&handles.connection, options))
            var streaming = jsOptions()
            try RelayError.check(jsOptions_Init(&streaming))
            streaming.Wait = Self.milliseconds
            streaming.PublishAsync.MaxPending = 4096
            streaming.PublishAsync.StallWait = Self.milliseconds
            streaming.PublishAsync.AckHandler = Acknowledgements.handler
            streaming.PublishAsync.AckHandlerClosure = closure
            try RelayError.check(natsConnection_JetStream(&handles.context, handles.connection, &streaming))
        } catch {
            if handles.connection == nil { Acknowledgements.registry.remove(number) }
            throw error
        }
    }

    private static func configure(_ options: OpaquePointer?, _ address: ServerAddress) throws(RelayError) {
        try RelayError.check(natsOptions_SetURL(options, address.url))
        try RelayError.check(natsOptions_SetName(options, "clips-mirror"))
        try RelayError.check(natsOptions_SetAllowReconnect(options, false))
        try RelayError.check(natsOptions_SetTimeout(options, 5000))
        // A silent server is noticed within a minute and a half.
        try RelayError.check(natsOptions_SetPingInterval(options, 30_000))
        if address.isSecure { try RelayError.check(natsOptions_SetSecure(options, true)) }
        if let user = address.user {
            try RelayError.check(natsOptions_SetUserInfo(options, user, address.password ?? ""))
        } else if let token = address.password {
            try RelayError.check(natsOptions_SetToken(options, token))
        }
        if let path = address.credentials {
            try RelayError.check(natsOptions_SetUserCredentialsFromFiles(options, path, nil))
        }
        if let path = address.authority {
            try RelayError.check(natsOptions_LoadCATrustedCertificates(options, path))
        }
    }

    /// Puts messages, in their order, and returns the sequence of each, or its error.
    func put(_ messages: [OutgoingMessage]) async -> [PutBatch.Answer] {
        let batch = PutBatch(count: messages.count)
        for (index, message) in messages.enumerated() {
            do throws(RelayError) {
                try publish(message, batch, index)
            } catch {
                batch.answer(index, .failure(error))
            }
        }
        return await batch.answers()
    }

    private func publish(_ outgoing: OutgoingMessage, _ batch: PutBatch, _ index: Int) throws(RelayError) {
        var message: OpaquePointer?
        let status = outgoing.body.withUnsafeBytes { bytes in
            natsMsg_Create(
                &message, outgoing.subject, nil, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(bytes.count))
        }
        try RelayError.check(status)
        defer { natsMsg_Destroy(message) }
        if outgoing.stamp != 0 {
            let stamp = "\(outgoing.stamp)"
            try RelayError.check(natsMsgHeader_Set(message, StreamMessage.stampHeader, stamp))
        }
        var options = jsPubOptions()
        jsPubOptions_Init(&options)
        options.MaxWait = Self.milliseconds
        options.ExpectLastSubjectSeq = outgoing.expected ?? 0
        options.ExpectNoMessage = outgoing.expected == 0
        let number = UInt(bitPattern: message)
        try acknowledgements.add(number, batch, index)
        let published = js_PublishMsgAsync(handles.context, &message, &options)
        if published != NATS_OK { acknowledgements.answer(number, .failure(RelayError(published))) }
    }

    /// Sends a request of JetStream's API without waiting for its answer.
    func send(_ request: String, _ body: String) {
        natsConnection_PublishString(handles.connection, "$JS.API.\(request)", body)
    }

    /// Returns the newest message of a subject, which may have wildcards.
    ///
    /// Answered by the stream's leader: a direct get may be answered by a stale replica.
    func last(_ subject: String, of stream: String) throws(RelayError) -> StreamMessage {
        try message { js_GetLastMsg(&$0, handles.context, stream, subject, nil, &$1) }
    }

    func message(_ sequence: UInt64, of stream: String) throws(RelayError) -> StreamMessage {
        try message { js_GetMsg(&$0, handles.context, stream, sequence, nil, &$1) }
    }

    private func message(
        _ request: (inout OpaquePointer?, inout jsErrCode) -> natsStatus
    ) throws(RelayError) -> StreamMessage {
        var (message, code) = (OpaquePointer?.none, jsErrCode(0))
        try RelayError.check(request(&message, &code), code)
        defer { natsMsg_Destroy(message) }
        guard let copy = StreamMessage(message) else { throw .notFound }
        return copy
    }

    /// Closes the connection.
    func close() { natsConnection_Close(handles.connection) }
}

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

extension JetStreamConnection {
    /// Returns a name of the stream that differs after it was deleted and created again.
    func identity(of stream: String) throws(RelayError) -> String {
        try withInfo(of: stream) { "\(stream) \($0.Created)" }
    }

    func messageCount(of stream: String) throws(RelayError) -> Int {
        try withInfo(of: stream) { Int($0.State.Msgs) }
    }

    private func withInfo<Answer>(
        of stream: String, _ body: (jsStreamInfo) -> Answer
    ) throws(RelayError) -> Answer {
        var (info, code) = (UnsafeMutablePointer<jsStreamInfo>?.none, jsErrCode(0))
        try RelayError.check(js_GetStreamInfo(&info, handles.context, stream, nil, &code), code)
        defer { jsStreamInfo_Destroy(info) }
        guard let info else { throw .notFound }
        return body(info.pointee)
    }

    /// Creates a stream for the subjects below a prefix, unless it exists.
    ///
    /// Without a limit per subject: Debian's nats-server 2.9.10 loses acknowledged messages with one. A full
    /// stream refuses new messages instead of deleting old ones.
    func createStream(_ name: String, prefix: String, replicas: Int64 = 1) throws(RelayError) {
        var config = jsStreamConfig()
        jsStreamConfig_Init(&config)
        config.Discard = js_DiscardNew
        config.Replicas = replicas
        var code = jsErrCode(0)
        let status = name.withCString { name in
            "\(prefix).>".withCString { subject in
                var subjects: [UnsafePointer<CChar>?] = [subject]
                return subjects.withUnsafeMutableBufferPointer { subjects in
                    config.Name = name
                    config.Subjects = subjects.baseAddress
                    config.SubjectsLen = 1
                    return js_AddStream(nil, handles.context, &config, nil, &code)
                }
            }
        }
        // Another configuration: an administrator changed the limits, which remain.
        if status != NATS_OK && code.rawValue == 10058 { return }
        try RelayError.check(status, code)
    }
}
