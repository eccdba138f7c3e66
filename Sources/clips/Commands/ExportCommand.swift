import ClipsCore
import ClipsExchange
import Platform
import SearchIndex
import Terminal

extension Command {
    static let export = Command(
        name: "export",
        summary: "Export all clips, oldest first; 'clips import' reads them back unchanged",
        details: "Clips from HTML and Markdown get new UUIDs.",
        options: [
            Option("--query", value: "QUERY", "only the clips that match, as in 'search'"),
            Option(
                "--format", value: "NAME",
                "html (for browsers, buku, and services), json, jsonl, markdown, or csv",
                choices: ExportFormat.allCases.map(\.rawValue)),
            Option(
                "-o", value: "FILE",
                "output file, replaced when it is complete; its extension names the format"),
        ], example: "clips export -o bookmarks.html"
    ) { invocation in
        let arguments = invocation.arguments
        let chosen = try arguments.value("--format") { ExportFormat(name: $0) }
        let named = arguments.value("-o").flatMap { ExportFormat(fileName: $0) }
        guard let format = chosen ?? (invocation.isJSON ? .jsonl : named) else {
            throw UsageError("Missing option: --format NAME.")
        }
        var query = ClipExport.oldestFirst
        query.filter = try invocation.checkedQuery()?.filter ?? ""
        let store = try await invocation.openStoreToRead()
        if query.search.needsIndex { try await invocation.prepareSearch(store) }
        guard let path = arguments.value("-o"), path != "-" else {
            let count = try await write(query, format, store, to: invocation.output)
            return count == 0 && !query.admitsAll
                ? try await invocation.nothingMatches(query.search, in: store) : .done
        }
        guard !store.hasFile(at: path) else {
            return invocation.fail("\(path) is a file of the store itself. Use another file.")
        }
        PendingInterrupt.hold()
        let file: ReplacementFile
        do throws(Errno) {
            file = try ReplacementFile(output: path)
        } catch {
            throw OutputError(error)
        }
        do {
            let output = Output(descriptor: file.descriptor)
            let count = try await write(query, format, store, to: output)
            guard count > 0 || query.admitsAll else {
                file.discard()
                return try await invocation.nothingMatches(query.search, in: store)
            }
            try output.flush()
            do throws(Errno) { try file.commit() } catch { throw OutputError(error) }
            invocation.remark("wrote \(count.counted("clip")) to \(path).")
            return .done
        } catch is Interrupted {
            file.discard()
            invocation.remark("interrupted; \(path) was not changed.")
            PendingInterrupt.release()
            return .interrupted
        } catch {
            file.discard()
            throw error
        }
    }

    private struct Interrupted: Error {}

    private static func write(
        _ query: ClipQuery, _ format: ExportFormat, _ store: ClipStore, to output: Output
    ) async throws
        -> Int
    {
        var waiting = 0
        // A file receives every byte; a terminal would interpret some.
        let isSeen = output.isTerminal
        return try await ClipExport(format: format).write(query, of: store) { text in
            output.write(
                !isSeen
                    ? text : format == .json || format == .jsonl ? SafeText.json(text) : SafeText.lines(text))
            waiting += text.utf8.count
            guard waiting > 1 << 15 else { return }
            waiting = 0
            // A full disk is reported as soon as it is full.
            try output.flush()
            if PendingInterrupt.isThere { throw Interrupted() }
        }
    }
}
