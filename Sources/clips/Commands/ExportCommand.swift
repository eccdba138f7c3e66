import ClipsCore
import ClipsExchange
import PersistentStore
import Platform
import Terminal

extension Command {
    static let export = Command(
        name: "export",
        summary: "Writes all clips, oldest first; 'clips import' reads them again unchanged.",
        operands: "",
        options: [
            Option(
                "--format", value: "NAME", "html (bookmarks), json, markdown or csv",
                choices: ExportFormat.allCases.map(\.rawValue)),
            Option("-o", value: "FILE", "output file, replaced when all is written"),
        ], example: "clips export --format html -o bookmarks.html"
    ) { invocation in
        let arguments = invocation.arguments
        if let operand = arguments.operands.first { throw UsageError("'\(operand)' is not understood.") }
        let name = arguments.value("--format") ?? (invocation.isJSON ? "json" : nil)
        guard let name else {
            throw UsageError("Which format? Give --format \(Self.names(ExportFormat.self)).")
        }
        guard let format = ExportFormat(rawValue: name == "jsonl" ? "json" : name == "md" ? "markdown" : name)
        else {
            throw UsageError("There is no format '\(name)'; there are \(Self.names(ExportFormat.self)).")
        }
        let store = try await invocation.openStoreToRead()
        guard let path = arguments.value("-o"), path != "-" else {
            _ = try await write(format, store, to: invocation.output)
            return .done
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
            let count = try await write(format, store, to: output)
            try output.flush()
            do throws(Errno) { try file.commit() } catch { throw OutputError(error) }
            invocation.remark("clips: wrote \(count == 1 ? "1 clip" : "\(count) clips") to \(path).")
            return .done
        } catch is Interrupted {
            file.discard()
            invocation.remark("clips: interrupted; \(path) is as it was.")
            PendingInterrupt.release()
            return .interrupted
        } catch {
            file.discard()
            throw error
        }
    }

    private struct Interrupted: Error {}

    private static func write(_ format: ExportFormat, _ store: ClipStore, to output: Output) async throws
        -> Int
    {
        var waiting = 0
        // For a file every byte counts; on a terminal none may be obeyed.
        let isSeen = output.isTerminal
        return try await ClipExport(format: format).write(of: store) { text in
            output.write(!isSeen ? text : format == .json ? SafeText.json(text) : SafeText.lines(text))
            waiting += text.utf8.count
            guard waiting > 1 << 15 else { return }
            waiting = 0
            // Not later: a full disk is told when it is full.
            try output.flush()
            if PendingInterrupt.isThere { throw Interrupted() }
        }
    }
}
