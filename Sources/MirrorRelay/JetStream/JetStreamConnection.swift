import CNATS
import Glibc
import Mirroring
import Platform

/// A connection with a JetStream server. It ends with the first failure: a later one must check the server's
/// lineage again.
actor JetStreamConnection {
    nonisolated let loop: EventLoop
    nonisolated let acknowledgements = Acknowledgements()
    let handles = Handles()
    /// The bytes that are sent without an acknowledgement.
    private var window = TransferWindow((64 << 10)...(4 << 20))

    /// libnats' objects, destroyed with their owner.
    final class Handles {
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

    /// Unanswered requests and puts fail after this time: that of one message of the greatest size on the slowest line.
    static let patience = Duration.seconds(30)
    private static var milliseconds: Int64 { patience.components.seconds * 1000 }

    private init(_ loop: EventLoop) { self.loop = loop }

    /// Connects to a server.
    static func open(_ address: ServerAddress) async throws(RelayError) -> JetStreamConnection {
        guard let loop = try? EventLoop() else { throw .rejected(reason: "no descriptor is left") }
        let connection = JetStreamConnection(loop)
        try await connection.connect(address)
        return connection
    }

    /// Runs work on a connection of its own.
    static func use<Value: Sendable>(
        _ address: ServerAddress,
        _ work: (JetStreamConnection) async throws(RelayError) -> Value
    ) async throws(MirrorError) -> Value {
        do throws(RelayError) {
            let connection = try await open(address)
            let value: Value
            do throws(RelayError) {
                value = try await work(connection)
            } catch {
                await connection.close()
                throw error
            }
            await connection.close()
            return value
        } catch {
            throw MirrorError(error)
        }
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
            var status = natsConnection_Connect(&handles.connection, options)
            // A server may send INFO again before it answers the login, which libnats 3.4 takes for an error.
            for _ in 0..<2 where status == NATS_PROTOCOL_ERROR {
                status = natsConnection_Connect(&handles.connection, options)
            }
            guard status == NATS_OK else { throw RelayError(status, connectingTo: address) }
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
        for path in [address.credentials, address.authority].compactMap(\.self) where access(path, R_OK) != 0
        {
            throw .unreachable(reason: "the file \(path) cannot be read; check its path and permissions")
        }
        if let path = address.credentials {
            try RelayError.check(natsOptions_SetUserCredentialsFromFiles(options, path, nil))
        }
        if let path = address.authority {
            try RelayError.check(natsOptions_LoadCATrustedCertificates(options, path))
        }
    }

    /// Puts messages, in their order, and returns the sequence of each, or its error. After the end of the connection,
    /// the others are not sent.
    func put(_ messages: [OutgoingMessage]) async -> [PutBatch.Answer] {
        var answers: [PutBatch.Answer] = []
        while answers.count < messages.count {
            if isEnded, let last = answers.last, case .failure = last {
                answers.append(last)
                continue
            }
            var (end, size) = (answers.count, 0)
            while end < messages.count, end == answers.count || size < window.size {
                size += messages[end].size
                end += 1
            }
            let began = ContinuousClock.now
            let sent = await send(messages[answers.count..<end])
            answers += sent
            window.note(size, in: ContinuousClock.now - began)
        }
        return answers
    }

    private func send(_ messages: ArraySlice<OutgoingMessage>) async -> [PutBatch.Answer] {
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

    /// Returns the newest message of a subject, which may have wildcards; nil without one.
    ///
    /// Answered by the stream's leader: a direct get may be answered by a stale replica.
    func last(_ subject: String, of stream: String) throws(RelayError) -> StreamMessage? {
        try message { js_GetLastMsg(&$0, handles.context, stream, subject, nil, &$1) }
    }

    func message(_ sequence: UInt64, of stream: String) throws(RelayError) -> StreamMessage? {
        try message { js_GetMsg(&$0, handles.context, stream, sequence, nil, &$1) }
    }

    private func message(
        _ request: (inout OpaquePointer?, inout jsErrCode) -> natsStatus
    ) throws(RelayError) -> StreamMessage? {
        var (message, code) = (OpaquePointer?.none, jsErrCode(0))
        let status = request(&message, &code)
        defer { natsMsg_Destroy(message) }
        do throws(RelayError) { try RelayError.check(status, code) } catch RelayError.notFound { return nil }
        return StreamMessage(message)
    }

    /// Closes the connection. The callback of a closed one may come much later, and requests until then fail.
    func close() {
        acknowledgements.end(.unreachable(reason: "the connection was closed"))
        natsConnection_Close(handles.connection)
    }
}
