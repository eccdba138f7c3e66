import ClipsCore
import PersistentStore

extension Command {
    static let browse = Command(
        name: "browse",
        summary: "Shows the clips in a live list that changes as other processes write.\n"
            + "Without a terminal it prints the list.",
        operands: "[COMMAND]",
        options: [], example: "clips --author work"
    ) { invocation in
        try await Command.list.run(invocation)
    }
}
