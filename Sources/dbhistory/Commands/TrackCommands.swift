import PersistentStore
import Platform

extension Command {
    static let track = Command(
        name: "track", summary: "Record the changes of tables from now on, for every writer",
        details: """
            Prints what it does first. Without TABLE, records all tables that can be recorded.
            The values are those of updates and deletions (old), in addition whole rows (rows),
            or only keys and names of changed columns (none).
            """,
        operands: "DATABASE [TABLE…]",
        options: [
            Option(
                "--values", value: "VALUES", "none, old (default), or rows", choices: ["none", "old", "rows"]),
            Option("--keep", value: "DURATION", "age beyond which followers delete history, such as 7d"),
            Option("--wal", "switch the database to WAL mode, in which it remains"),
            Option("--dry-run", "only print what would be done"),
        ], example: "dbhistory track app.db orders customers --values rows --keep 7d"
    ) { arguments in
        let values: RecordedValues =
            switch arguments.value("--values") {
            case "none": .names
            case "rows": .rows
            default: .oldValues
            }
        let retention = try arguments.duration("--keep")
        let (path, known) = (arguments.path, try PersistentContainer.attachableTables(in: arguments.path))
        let tables = arguments.rest.isEmpty ? known.filter { $0.refusal == nil }.map(\.table) : arguments.rest
        for (table, refusal) in known {
            guard let refusal else { continue }
            let isNamed = tables.contains { $0.lowercased() == table.lowercased() }
            if isNamed { throw StoreError.cannotAttach(path: path, reason: refusal) }
            // The parts of a virtual table are no tables of the user.
            if arguments.rest.isEmpty, !refusal.hasSuffix("is a part of a virtual table") {
                Program.fail("skipped: \(refusal).")
            }
        }
        guard !tables.isEmpty else { throw Failure("\(path) has no table that can be recorded.") }
        if let table = tables.first(where: { name in
            !known.contains { $0.table.lowercased() == name.lowercased() }
        }) {
            throw Failure(
                "\(path) has no table '\(table)'. A view cannot be recorded; record the tables that it reads."
            )
        }
        let isInWALMode = try PersistentContainer.isInWALMode(path)
        guard isInWALMode || arguments.has("--wal") || arguments.has("--dry-run") else {
            throw StoreError.needsWAL(path: path)
        }
        let output = Output()
        for table in tables {
            try output.line(
                ChangeText.plain(
                    "record '\(table)': triggers history_N_… on it, and a table history_replaced_\(table)"))
        }
        try output.line(
            "add tables history, history_…, and store_metadata to the same file, unless they exist")
        if !isInWALMode { try output.line("switch to WAL mode, in which the database remains") }
        guard !arguments.has("--dry-run") else { return 0 }
        let container = try await PersistentContainer(
            attachingTo: arguments.path, tables: tables, values: values, allowsWAL: arguments.has("--wal"),
            options: Arguments.options)
        if let retention { try await container.setRetention(retention) }
        await container.close()
        return 0
    }

    static let untrack = Command(
        name: "untrack", summary: "Stop recording tables; without TABLE, remove the history and all triggers",
        details: """
            Without TABLE, the schema is then as it was before 'track'; the database remains in
            WAL mode.
            """,
        operands: "DATABASE [TABLE…]", example: "dbhistory untrack app.db"
    ) { arguments in
        let container = try await arguments.open()
        if arguments.rest.isEmpty {
            try await container.detach()
        } else {
            try await container.detach(tables: arguments.rest)
            await container.close()
        }
        return 0
    }

    static let restore = Command(
        name: "restore", summary: "Undo changes as a new transaction, the newest first",
        details: """
            An inserted row is deleted, a deleted row is inserted, and changed columns get their
            old values. Nothing is done if a row was changed later, or if its values were not
            recorded.
            """,
        operands: "DATABASE CHANGE…", example: "dbhistory restore app.db 4711"
    ) { arguments in
        let changes = try arguments.rest.map { word in
            guard let number = Int64(word), number > 0 else {
                throw UsageError("Invalid change '\(word)'. Use a number that 'dbhistory log' prints.")
            }
            return number
        }
        let container = try await arguments.open()
        try await container.revert(changes: Set(changes), author: "dbhistory")
        try Output().line("undid \(Set(changes).count) change\(Set(changes).count == 1 ? "" : "s")")
        return 0
    }
}
