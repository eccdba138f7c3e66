import ClipsCore
import ClipsExchange
import Glibc
import Platform
import Terminal

/// Imports files one by one, and reports the result of each.
struct FileImport {
    let invocation: Invocation
    let importer: ClipImporter
    let format: ImportFormat?
    /// The store; nil for a dry run, or if it could not be opened.
    let store: ClipStore?
    /// The reason why the store could not be opened. Then only piped input is read, and retained.
    var rejection: String?

    private var isDry: Bool { store == nil && rejection == nil }

    func run() async -> ExitStatus {
        let retention =
            isDry || !StandardInput.comesOnce
            ? nil : Retention(invocation, command: "add", author: "import")
        var total = ImportReport()
        let names = invocation.arguments.operands.filter { rejection == nil || $0 == "-" }
        for name in names where !total.isInterrupted {
            let report = await run(name, retention)
            print(report, name)
            total += report
        }
        retention?.report()
        if let remark = invocation.remark(on: total.outcome, "one page", author: "import") {
            invocation.remark(remark)
        }
        invocation.remark(Self.summary(total, isDry: isDry))
        if total.isInterrupted {
            PendingInterrupt.release()
            return .interrupted
        }
        return total.problemCount > 0 || total.failure != nil ? .failed : .done
    }

    private func run(_ name: String, _ retention: Retention?) async -> ImportReport {
        guard name != "-" else { return await run(name, STDIN_FILENO, retention) }
        var failed = ImportReport()
        guard store?.hasFile(at: name) != true else {
            failed.failure = "This is a file of the store itself. Use another file."
            return failed
        }
        do {
            let file = try FileDescriptor(name)
            return await run(name, file.number, nil)
        } catch {
            failed.failure = "The file cannot be opened: \(error)."
            return failed
        }
    }

    private func run(_ name: String, _ descriptor: CInt, _ retention: Retention?) async -> ImportReport {
        var failed = ImportReport()
        var importer = importer
        importer.isInterrupted = { PendingInterrupt.isThere }
        if let retention { importer.retain = retention.retain }
        let progress = Progress(invocation)
        importer.progress = { progress.show("read \($0.read.counted("clip")) of \(name)") }
        defer { progress.clear() }
        do {
            let source = ByteSource(
                descriptor: descriptor, name: name == "-" ? "Standard input" : "The file",
                isInterrupted: { PendingInterrupt.isThere })
            return await importer.run(
                try ClipImport(source, fileName: name, format: format), into: store, rejection: rejection)
        } catch {
            failed.isInterrupted = PendingInterrupt.isThere
            if !failed.isInterrupted {
                failed.failure = error.description
                failed.isRefused = error.isRefusal
            }
            return failed
        }
    }

    private func print(_ report: ImportReport, _ name: String) {
        let name = SafeText.line(name)
        if let form = report.form {
            // '--json' prints all.
            let unread = UnreadFields.list(report.unreadFields)
            invocation.remark(
                "read as \(form)"
                    + (report.guessedEncoding.map { " in \($0), which its letters suggest" } ?? "")
                    + (unread.isEmpty ? "." : "; not read: \(unread)."), about: name)
        }
        for problem in report.problems { invocation.fail("\(problem)", about: name) }
        let more = report.problemCount - report.problems.count
        if more > 0 { invocation.fail("\(more) more could not be read.", about: name) }
        if let failure = report.failure { invocation.fail(failure, about: name) }
        guard invocation.isJSON else { return }
        let outcome = report.outcome
        let object: JSONObject = [
            "duplicates": outcome.addedAsDuplicate, "failure": report.failure, "file": name,
            "format": report.form, "interrupted": report.isInterrupted, "merged": outcome.merged,
            "problems": report.problemCount, "read": report.read, "replaced": outcome.replaced,
            "saved": outcome.saved, "skipped": outcome.skipped, "unchanged": outcome.unchanged,
            "unread": report.unreadFields,
        ]
        invocation.output.line(JSONLine.shown(object.json))
    }

    static func summary(_ report: ImportReport, isDry: Bool) -> String {
        let outcome = report.outcome
        var parts = ["read \(report.read.counted("clip"))"]
        if isDry {
            parts.append("dry run, saved none")
        } else {
            parts.append("saved \(outcome.saved.grouped)")
        }
        func part(_ count: Int, _ words: String) {
            if count > 0 { parts.append("\(count.grouped) \(words)") }
        }
        part(outcome.addedAsDuplicate, "of these of an existing page")
        part(outcome.merged, "merged")
        part(outcome.replaced, "replaced")
        part(outcome.skipped, "skipped")
        part(outcome.unchanged, "unchanged")
        part(report.changedCount, "with a changed value")
        part(report.unreadableCount, "not readable")
        return (report.isInterrupted ? "interrupted; until then " : "") + parts.joined(separator: ", ") + "."
    }
}
