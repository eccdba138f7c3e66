import ClipsCore
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

/// The keys for everyday tasks are at most those of the best other program.
@Suite(.serialized) struct KeystrokeTests {
    /// A task, its keys here, and its keys in the best other program, from the list or, for a link, from the open clip.
    struct Task: CustomTestStringConvertible, Sendable {
        let name: String
        let keys: String
        /// The keys of newsboat 2.21, or of the named program; nil if none of newsboat, tig, and fzf has the task.
        let best: String?
        /// The text on the screen afterward.
        let result: String

        var testDescription: String { name }
    }

    static let tasks = [
        Task(name: "next unread", keys: ".", best: "n", result: "3/5"),
        Task(name: "mark all read", keys: "A", best: "A", result: "Marked 4 clips as read"),
        Task(name: "filter by tag", keys: "S1", best: "t<Enter>", result: "1/3 · /tag:red"),
        // In newsboat, a flag is set for each article: ^E, a letter, Enter, and one key to the next.
        Task(
            name: "tag five", keys: "5t+x<Enter>",
            best: "<C-e>a<Enter>j<C-e>a<Enter>j<C-e>a<Enter>j<C-e>a<Enter>j<C-e>a<Enter>",
            result: "Tagged 5 clips +x"),
        Task(name: "open", keys: "o", best: "o", result: "Opened https://clip4.example/"),
        Task(name: "open link 2 of the open clip", keys: "2", best: "2", result: "Opened https://b.example/"),
        // With fzf, the words are typed immediately, and Enter ends it.
        Task(name: "find one", keys: "/needle", best: "needle<Enter>", result: "1/1"),
        Task(name: "delete and undo", keys: "du", best: "DD", result: "Undone: deleted “Clip 4”"),
        Task(name: "copy the URL", keys: "yu", best: nil, result: "Copied URL"),
        Task(name: "write a note", keys: "e", best: nil, result: "Edited “Clip 4”"),
    ]

    @Test(arguments: tasks) func `a task takes at most the keys of the best other program`(task: Task)
        async throws
    {
        #expect(try task.best.map { try Self.count(task.keys) <= Self.count($0) } != false)
        try await RunningApp.open(clips: 5) { app in
            try app.use(editor: "sed -i 's/^note: .*/note: written/' \"$1\"")
            _ = try app.other { store in
                let ids = try await store.ids(matching: ClipQuery())
                _ = try await store.tag(Array(ids[1...3]), adding: ["red"], removing: [])
                try await store.set(.unread, false, of: [ids[1]])
                try await store.update(ids[4], [.title: .text("a needle")])
                try await store.update(ids[0], [.text: .text("https://a.example/ and https://b.example/")])
            }
            try app.run(":wait text=needle\n:wait idle")
            if task.name.contains("open clip") { try app.run("<Enter>\n:wait text=b.example/ [2]") }
            try app.run("\(task.keys)\n:wait text=\(task.result)")
        }
    }

    private static func count(_ keys: String) throws -> Int { try KeyParser.keys(in: keys).count }
}
