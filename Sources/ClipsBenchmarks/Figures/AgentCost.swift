import PersistentStore

extension Figure {
    static let agent = Figure(
        name: "AGENT", title: "a call of an agent until its clip is in the open list of another process"
    ) { workspace in
        let store = workspace.newPath("agent.db")
        try SampleStore.make(store, clips: 1000)
        let window = try ListeningWindow(store: store)
        let agent = try AgentClient([try workspace.clipsProgram(), "mcp", "--store", store])
        let writer = try RoleWriter(.writer(store: store, .full))
        let comparison = try Comparison(
            rounds: workspace.count(20, quick: 6), warmsUp: true,
            ours: { try (0..<20).map { _ in try agent.timeOfArrival(in: window) } },
            reference: { try (0..<20).map { _ in try window.timeOfArrival(from: writer) } })
        try window.close()
        return [
            Measurement(
                "call until the clip is in the list", .time, comparison, reference: "a commit of our writer",
                headline: "An agent's call to another process's list")
        ]
    }
}

/// The client's end of `clips mcp`.
private final class AgentClient {
    private let process: ChildProcess
    private var number = 0

    init(_ command: [String]) throws {
        process = try ChildProcess(command)
        try send(
            "initialize",
            #"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"benchmark","version":"1"}}"#
        )
        try receive()
    }

    func timeOfArrival(in window: ListeningWindow) throws -> Double {
        let wanted = window.newestID + 1
        let arguments =
            #"{"url":"\#(SampleClip.url(1_000_000 + number))","title":"\#(SampleClip.title(number))"}"#
        let began = Moment.now
        try send("tools/call", #"{"name":"add","arguments":\#(arguments)}"#)
        guard let seen = window.wait(for: wanted) else { throw BenchmarkError("a call was lost") }
        try receive()
        return seen - began
    }

    private func send(_ method: String, _ parameters: String) throws {
        number += 1
        let message = #"{"jsonrpc":"2.0","id":\#(number),"method":"\#(method)","params":\#(parameters)}"#
        try process.send(Array((message + "\n").utf8))
    }

    private func receive() throws {
        let line = try process.receiveLine()
        guard line.contains("\"result\"") else { throw BenchmarkError("the server answered \(line)") }
    }
}
