import Platform

/// A request of the protocol.
struct AgentMethod: Sendable {
    var revisions = AgentMessage.Revision.allCases
    var needsSession = true
    var isCacheable = false
    let run: @Sendable (isolated AgentHost, AgentMessage) async throws(AgentError) -> JSONObject?

    static let all: [String: AgentMethod] = [
        "initialize": AgentMethod(revisions: [.previous], needsSession: false) {
            host, message throws(AgentError) in try host.initialize(message)
        },
        "ping": AgentMethod(revisions: [.previous], needsSession: false) { _, _ in [:] },
        "server/discover": AgentMethod(revisions: [.current], isCacheable: true) { host, _ in host.discover()
        },
        "tools/list": AgentMethod(isCacheable: true) { host, _ in
            list("tools", host.tools.map(\.json))
        },
        "tools/call": AgentMethod { host, message throws(AgentError) in try await host.call(message) },
        "resources/list": AgentMethod(isCacheable: true) { host, _ in
            list("resources", await host.clips.resources())
        },
        "resources/templates/list": AgentMethod(isCacheable: true) { _, _ in
            list("resourceTemplates", AgentClips.templates)
        },
        "resources/read": AgentMethod(isCacheable: true) { host, message throws(AgentError) in
            try await host.resource(message)
        },
        "resources/subscribe": AgentMethod(revisions: [.previous]) { host, message throws(AgentError) in
            try await host.subscribe(message)
        },
        "resources/unsubscribe": AgentMethod(revisions: [.previous]) { host, message throws(AgentError) in
            try host.unsubscribe(message)
        },
        "subscriptions/listen": AgentMethod(revisions: [.current]) { host, message throws(AgentError) in
            try await host.subscribe(message)
        },
    ]

    private static func list(_ name: String, _ values: [JSONObject]) -> JSONObject { [name: values] }
}
