import BrowserHost
import ClipsCore

extension AgentTool {
    static let all = [
        AgentTool(
            name: "search",
            summary: """
                Search clips, best matches first, with the part of the text that matches. Words match title, tags, \
                text, note, and URL. Also: "two words", -word, this OR that, tag:swift, site:swift.org, author:mcp, \
                is:unread, is:starred, is:archived, is:dead, after:last-week, before:2026-11.
                """,
            arguments: [
                Argument("query", .text(maxBytes: HostLimits.query), "Words and fields", isRequired: true),
                Argument("limit", .number(most: AgentClips.maxClips), "Maximum number of clips (20)"),
            ]
        ) { clips, fields in
            let query = try fields.required("query") { name throws(HostError) in
                try fields.text(name, limit: HostLimits.query)
            }
            let limit = try fields.integer("limit") == nil ? 20 : try fields.limit(AgentClips.maxClips)
            return try await clips.search(query, limit: limit)
        },
        AgentTool(
            name: "read",
            summary: "Read a clip, its quotes, and a page of its text; 'next' is the next offset.",
            arguments: [
                Argument("id", .number(most: nil), "ID of the clip", isRequired: true),
                Argument("offset", .number(most: nil), "Offset in the text in bytes (0)"),
            ]
        ) { clips, fields in
            try await clips.read(
                try fields.required("id", fields.integer), offset: try fields.integer("offset") ?? 0)
        },
        AgentTool(
            name: "list", summary: "List clips that are not archived, newest first.",
            arguments: [
                Argument("before", .text(maxBytes: HostLimits.tag), "The 'next' of the page before"),
                Argument("limit", .number(most: AgentClips.maxClips), "Maximum number of clips (100)"),
            ]
        ) { clips, fields in
            try await clips.list(
                after: try fields.cursor(limit: HostLimits.tag), limit: try fields.limit(AgentClips.maxClips))
        },
        AgentTool(
            name: "tags", summary: "List tags with the numbers of their clips, most used first.",
            arguments: [
                Argument("prefix", .text(maxBytes: HostLimits.tag), "Beginning of the names"),
                Argument("limit", .number(most: HostLimits.tagNames), "Maximum number of tags"),
            ]
        ) { clips, fields in
            try await clips.tags(
                try fields.text("prefix", limit: HostLimits.tag) ?? "",
                limit: try fields.limit(HostLimits.tagNames))
        },
        AgentTool(
            name: "history", summary: "List changes of all programs, with their authors.",
            arguments: [
                Argument("since", .text(maxBytes: HostLimits.tag), "Date, or age such as '10 minutes ago'"),
                Argument(
                    "author", .text(maxBytes: HostLimits.tag), "Author, such as app, cli, or mcp:CLIENT"),
                Argument(
                    "limit", .number(most: AgentClips.maxTransactions), "Maximum number of transactions"),
            ]
        ) { clips, fields in
            try await clips.history(
                since: try fields.point("since"), author: try fields.text("author", limit: HostLimits.tag),
                limit: try fields.limit(AgentClips.maxTransactions))
        },
        AgentTool(
            name: "add",
            summary: "Save a clip. If its page is already saved, the texts and tags are added to that clip.",
            isReadOnly: false, reachesWeb: true,
            arguments: [
                Argument("url", .text(maxBytes: HostLimits.url), "http, https, or file URL"),
                Argument("title", .text(maxBytes: HostLimits.title), "Title"),
                Argument("text", .text(maxBytes: HostLimits.note), "Text"),
                Argument("note", .text(maxBytes: HostLimits.note), "Note"),
                Argument("tags", .tags, "Tags"),
                Argument("fetch", .flag, "Read title and text from the page"),
                Argument("copy", .flag, "Save a second clip of a page that is already saved"),
                Argument(
                    "key", .text(maxBytes: maxKey), "Key of this call; a repeated call with it saves nothing"),
            ]
        ) { clips, fields in
            let draft = try fields.draft()
            let fetches = try fields.flag("fetch")
            guard !fetches || !draft.url.isEmpty else { throw HostError(.invalid, "'fetch' requires 'url'.") }
            return try await clips.add(
                draft, key: try fields.text("key", limit: maxKey), savesCopy: try fields.flag("copy"),
                fetches: fetches)
        },
        AgentTool(
            name: "update", summary: "Change attributes of a clip; the others remain.", isReadOnly: false,
            isDestructive: true,
            arguments: [
                Argument("id", .number(most: nil), "ID of the clip", isRequired: true),
                Argument("version", .number(most: nil), "Version that you read; a later one is an error"),
                Argument("title", .text(maxBytes: HostLimits.title), "Title"),
                Argument("url", .text(maxBytes: HostLimits.url), "URL"),
                Argument("note", .text(maxBytes: HostLimits.note), "Note"),
                Argument("tags", .tags, "All tags of the clip"),
                Argument("starred", .flag, "Whether it has a star"),
                Argument("unread", .flag, "Whether it is unread"),
                Argument("archived", .flag, "Whether lists hide it"),
            ]
        ) { clips, fields in
            let changes = RequestFields(.object(["changes": fields.without(["id", "version"])]))
            return try await clips.update(
                try fields.required("id", fields.integer), version: try fields.integer("version"),
                try changes.changes())
        },
        AgentTool(
            name: "delete", summary: "Delete clips; 'restore' and 'undo' restore them.", isReadOnly: false,
            isDestructive: true,
            arguments: [
                Argument("ids", .ids, "IDs of the clips", isRequired: true),
                Argument(
                    "confirm", .flag,
                    "The user agreed to delete more than \(AgentClips.maxDeleted) clips, or many in a short time"
                ),
            ]
        ) { clips, fields in
            try await clips.delete(
                try fields.ids("ids", limit: maxIDs), isConfirmed: try fields.flag("confirm"))
        },
        AgentTool(
            name: "restore", summary: "Restore deleted clips under their IDs.", isReadOnly: false,
            arguments: [Argument("ids", .ids, "IDs of the clips", isRequired: true)]
        ) { clips, fields in try await clips.restore(try fields.ids("ids", limit: maxIDs)) },
        AgentTool(
            name: "undo", summary: "Undo your last change, or with an argument others of yours.",
            isReadOnly: false, isDestructive: true,
            arguments: [
                Argument(
                    "since", .text(maxBytes: HostLimits.tag),
                    "Undo all since a date or an age such as '1 hour ago'"),
                Argument("transaction", .number(most: nil), "Number of the change in the history"),
                Argument("confirm", .flag, "The user agreed to undo a change of another author"),
            ]
        ) { clips, fields in
            let (since, number) = (try fields.point("since"), try fields.integer("transaction"))
            guard since == nil || number == nil else {
                throw HostError(.invalid, "'since' and 'transaction' exclude each other.")
            }
            return try await clips.undo(
                since: since, transaction: number.map { max(1, $0) }, ofAll: try fields.flag("confirm"))
        },
    ]
}
