import Platform

/// An error of the protocol, with its code in JSON-RPC (jsonrpc.org/specification) or in the protocol itself.
package struct AgentError: Error, Hashable, Sendable {
    package enum Code: Int, Sendable {
        case unreadable = -32700
        case invalidMessage = -32600
        case unknownMethod = -32601
        case invalidValue = -32602
        case failed = -32603
        /// A resource that does not exist, in the previous revision.
        case missingResource = -32002
        case unsupportedRevision = -32022
    }

    package let code: Code
    /// A sentence without content of the message.
    package let message: String
    /// The revision that the client requested.
    var requested: String?

    init(_ code: Code, _ message: String, requested: String? = nil) {
        (self.code, self.message, self.requested) = (code, message, requested)
    }

    var json: JSONObject {
        var object: JSONObject = ["code": code.rawValue, "message": message]
        if let requested {
            let supported = AgentMessage.Revision.allCases.map(\.rawValue)
            object.add("data", ["supported": supported, "requested": requested] as JSONObject)
        }
        return object
    }
}
