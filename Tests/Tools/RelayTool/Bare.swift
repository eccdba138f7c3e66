import CNATS
import Glibc

/// The same work by libnats alone.
struct Bare {
    private let context: OpaquePointer?
    private let zone: String

    struct Failed: Error {
        let status: String
    }

    init(_ url: String, _ zone: String) throws {
        self.zone = zone
        var (connection, context) = (OpaquePointer?.none, OpaquePointer?.none)
        let status = natsConnection_ConnectTo(&connection, url)
        guard status == NATS_OK else { throw Failed(status: String(cString: natsStatus_GetText(status))) }
        var options = jsOptions()
        jsOptions_Init(&options)
        options.PublishAsync.MaxPending = 1000
        natsConnection_JetStream(&context, connection, &options)
        self.context = context
        var config = jsStreamConfig()
        jsStreamConfig_Init(&config)
        let (name, subject) = (strdup(zone), strdup("\(zone).>"))
        config.Name = UnsafePointer(name)
        var subjects: [UnsafePointer<CChar>?] = [UnsafePointer(subject)]
        subjects.withUnsafeMutableBufferPointer { subjects in
            (config.Subjects, config.SubjectsLen) = (subjects.baseAddress, 1)
            _ = js_AddStream(nil, context, &config, nil, nil)
        }
        free(name)
        free(subject)
    }

    func put(_ count: Int, _ body: [UInt8]) {
        for number in 0..<count {
            var message: OpaquePointer?
            body.withUnsafeBytes { bytes in
                _ = natsMsg_Create(
                    &message, "\(zone).r.\(number)", nil,
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(bytes.count))
            }
            var options = jsPubOptions()
            jsPubOptions_Init(&options)
            options.ExpectNoMessage = true
            js_PublishMsgAsync(context, &message, &options)
        }
        var options = jsPubOptions()
        jsPubOptions_Init(&options)
        options.MaxWait = 60_000
        js_PublishAsyncComplete(context, &options)
    }

    func read(_ count: Int) {
        var options = jsSubOptions()
        jsSubOptions_Init(&options)
        options.Ordered = true
        var subscription: OpaquePointer?
        js_SubscribeSync(&subscription, context, "\(zone).>", nil, &options, nil)
        for _ in 0..<count {
            var message: OpaquePointer?
            guard natsSubscription_NextMsg(&message, subscription, 10_000) == NATS_OK else { return }
            natsMsg_Destroy(message)
        }
        natsSubscription_Destroy(subscription)
    }
}
