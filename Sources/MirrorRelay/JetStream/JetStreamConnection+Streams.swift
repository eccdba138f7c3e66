import CNATS

extension JetStreamConnection {
    /// Returns a name of the stream that differs after it was deleted and created again.
    func identity(of stream: String) throws(RelayError) -> String {
        try withInfo(of: stream) { "\(stream) \($0.Created)" }
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
