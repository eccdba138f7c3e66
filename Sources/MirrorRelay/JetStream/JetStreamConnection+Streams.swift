import CNATS

extension JetStreamConnection {
    /// Returns a name of the stream that differs after it was deleted and created again.
    ///
    /// - Throws: ``RelayError/incomplete`` before the stream has its storage. It gets its time of creation together
    ///   with its storage, and a request for a message of a stream without storage ends nats-server 2.9 with a panic.
    func identity(of stream: String) throws(RelayError) -> String {
        let created = try withInfo(of: stream, \.Created)
        guard created > 0 else { throw .incomplete }
        return "\(stream) \(created)"
    }

    /// Repeats requests while another machine creates their stream.
    nonisolated func waitingForStream<Answer: Sendable>(
        _ body: () async throws(RelayError) -> Answer
    ) async throws(RelayError) -> Answer {
        let end = ContinuousClock.now + Self.patience
        var pause = Duration.milliseconds(5)
        while true {
            do throws(RelayError) {
                return try await body()
            } catch {
                guard error == .incomplete, ContinuousClock.now < end else { throw error }
                // Seldom, if the server really refuses the stream.
                pause = min(pause * 2, .milliseconds(500))
                do { try await Task.sleep(for: pause) } catch { throw .cancelled }
            }
        }
    }

    func withInfo<Answer>(
        of stream: String, _ body: (jsStreamInfo) -> Answer
    ) throws(RelayError) -> Answer {
        var (info, code) = (UnsafeMutablePointer<jsStreamInfo>?.none, jsErrCode(0))
        try RelayError.check(js_GetStreamInfo(&info, handles.context, stream, nil, &code), code)
        defer { jsStreamInfo_Destroy(info) }
        guard let info else { throw .notFound }
        return body(info.pointee)
    }

    /// Deletes a stream with its messages; does nothing if there is none.
    func deleteStream(_ name: String) throws(RelayError) {
        var code = jsErrCode(0)
        let status = js_DeleteStream(handles.context, name, nil, &code)
        do throws(RelayError) { try RelayError.check(status, code) } catch RelayError.noStream {}
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
