/// A question on the status line that the person is answering.
struct Prompt: Sendable {
    enum Kind: Hashable, Sendable {
        case filter
        case add
        /// Of these clips; with what a single one has now.
        case tags([Int64], of: [String]?)
        case command
        case helpFilter
        case historyFilter
    }

    let kind: Kind
    var editor = LineEditor()
    /// Candidates that Tab goes through.
    var completion: Completion?
    /// The clip that the cursor was on.
    var clip: Int64?
    /// Which of the earlier commands stands in the line, counted from the newest.
    var recalled: Int?

    var label: String {
        switch kind {
        case .filter, .helpFilter, .historyFilter: "/"
        case .add: "Add address or text: "
        case .tags(let ids, of: nil): "Tags of \(StatusLine.grouped(ids.count)) clips: "
        case .tags: "Tags: "
        case .command: ":"
        }
    }

    /// The label where there is little room.
    var shortLabel: String {
        switch kind {
        case .filter, .helpFilter, .historyFilter: "/"
        case .command: ":"
        case .add, .tags: ""
        }
    }

    /// What an empty line does, or may hold.
    var placeholder: String {
        switch kind {
        case .filter: "words in the title, address, tags, text"
        case .add: "Enter alone opens your editor"
        case .tags(_, of: nil): "+swift, -old"
        case .tags: "swift, server side"
        case .command: "a command; Tab completes"
        case .helpFilter: "words of the help"
        case .historyFilter: "author:NAME since:2h before:2026-11-01"
        }
    }
}
