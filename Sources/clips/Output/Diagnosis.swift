import BrowserHost
import ClipsCore
import PersistentStore
import Platform
import SearchIndex
import Terminal

/// A finding of the doctor, with advice.
struct Diagnosis: Equatable {
    enum Topic: String, CaseIterable {
        case file, history, consumers, permissions, events, index, browser, agents, mirror, space
    }

    let topic: Topic
    /// Nil if all is well.
    let found: String?
    let advice: String
    var isRepaired = false
    /// Whether the contents of the store were not checked because of it.
    private(set) var isDamage = false
    /// Whether it requires an action.
    private(set) var isProblem: Bool

    init(_ topic: Topic, _ found: String?, _ advice: String = "", isProblem: Bool = true) {
        self.topic = topic
        self.isProblem = isProblem
        self.found = found
        self.advice = advice
    }

    static let readOnlyDisk = Diagnosis(
        .permissions, "The disk is mounted for reading only: nothing can be saved.", isProblem: false)

    private static let retrack =
        "--repair corrects this; programs that follow the history then read all clips."

    init(_ finding: StoreFinding) {
        defer { isDamage = finding.isDamage }
        switch finding {
        case .damaged(let reason):
            self.init(.file, "The store is damaged: \(reason).", StoreError.repairCommands)
        case .damagedIndexes(let reason):
            self.init(
                .file, "An index of the store is damaged; all clips are readable: \(reason).",
                "--repair rebuilds it from the clips.")
        case .danglingReferences(let table, let count):
            self.init(
                .file, "\(count.counted("row")) of \(table) refer to missing rows.",
                "Correct them in the program that wrote them.")
        case .wrongTriggers(let entity):
            self.init(
                .history,
                "The triggers of \(entity) are missing or changed; the history may lack changes.",
                Self.retrack)
        case .historyUnlikeData(let entity, let count):
            self.init(
                .history, "The history contradicts the table \(entity) in \(count.counted("row")).",
                Self.retrack)
        case .versionsBehind(let entity, let count):
            self.init(
                .history,
                "The table \(entity) has too low a version in \(count.counted("row")).", Self.retrack)
        case .fewIDsLeft(let entity):
            self.init(
                .history,
                "The table \(entity) has the greatest possible ID, after which no row can be added.",
                "--repair gives such rows other IDs.")
        case .strayValues(_, let count):
            self.init(
                .history, "The history has values without a change in \(count.counted("row")).",
                "--repair deletes them.")
        case .staleConsumer(let name):
            self.init(
                .consumers, "'\(AuthorName.shown(consumer: name))' exited without unregistering.",
                "--repair unregisters it.")
        case .expiredConsumer(let name):
            self.init(
                .consumers,
                "'\(AuthorName.shown(consumer: name))' did not read history that is now deleted.",
                "It reads all clips when it runs.", isProblem: false)
        case .laggingConsumer(let name, let transactions, let days):
            self.init(
                .consumers,
                "'\(AuthorName.shown(consumer: name))' has not read \(transactions.counted("transaction")) for \(days) days.",
                "Run it, or it reads all clips once they are deleted.")
        case .insecurePermissions(let path, let mode):
            self.init(
                .permissions, "Other users can open \(path) (mode \(String(mode, radix: 8))).",
                "--repair restricts it to its owner.")
        case .noFileEvents(let reason):
            self.init(
                .events, "The system provides no file events (\(reason)).",
                "The store is polled 20 times per second; raise fs.inotify.max_user_instances.")
        }
    }

    private static let rebuild = "--repair rebuilds it from the clips."

    init(_ problem: SearchIndexProblem) {
        switch problem {
        case .damaged(let reason):
            self.init(.index, "The search index is damaged (\(reason)).", Self.rebuild)
        case .unlikeStore(let missing, let extra, let stale):
            let parts = [(missing, "missing"), (extra, "deleted"), (stale, "outdated")].filter { $0.0 > 0 }
            let counts = parts.map { "\($0.counted("\($1) clip"))" }.joined(separator: ", ")
            self.init(.index, "The search index differs from the store: \(counts).", Self.rebuild)
        case .busy(let milliseconds):
            self.init(
                .index,
                "Not checked: another process wrote the search index for \(milliseconds) ms.",
                "Run 'clips doctor' again.")
        case .readOnlyDisk:
            self.init(
                .index, "Not checked, because the disk is mounted for reading only.", isProblem: false)
        case .unchecked(let reason):
            self.init(
                .index, "Cannot check the search index (\(reason)).",
                "Check the permissions of the file and its folder.")
        }
    }

    init(orphans: Int) {
        self.init(
            .file,
            "\(orphans.counted("quote or link check")) left by clips that another program deleted.",
            "--repair deletes them.", isProblem: false)
    }

    init(_ lost: LostCommits) {
        self.init(
            .history, lost.sentence, "Compare the clips with a backup; the next search rebuilds its index.")
    }

    /// Creates the problem of a browser's host, or of an agent's settings.
    init(_ topic: Topic, _ report: InstallationReport) {
        self.init(topic, "\(report.name): \(report.found).", report.advice)
    }

    /// Creates the state of a mirror; nil for a store without one.
    static func mirror(store path: String) -> Diagnosis? {
        guard MirrorFiles(store: path).isConfigured else { return nil }
        guard MirrorProgram.path != nil else {
            return Diagnosis(.mirror, "\(MirrorProgram.name) is not installed.", MirrorProgram.advice)
        }
        guard let report = MirrorReport(store: path), report.isCurrent else {
            return Diagnosis(
                .mirror, "The mirror is not running; the app runs it while it is open.",
                "Run 'clips mirror enable' to exchange changes from each login on.", isProblem: false)
        }
        if report.summary().isEmpty, report.conflicts > 0 {
            let found = "\(report.conflicts.counted("edit")) lost to another machine's."
            return Diagnosis(.mirror, found, "Run 'clips mirror conflicts'.")
        }
        let summary = report.summary()
        return Diagnosis(.mirror, summary.isEmpty ? nil : "\(summary).", "Run 'clips mirror status'.")
    }

    static func all(_ findings: [StoreFinding], _ problem: SearchIndexProblem?) -> [Diagnosis] {
        findings.map { Diagnosis($0) } + [problem].compactMap(\.self).map { Diagnosis($0) }
    }

    /// Returns the line for a topic without findings.
    static func nothingFound(_ topic: Topic, isDamaged: Bool) -> Diagnosis? {
        guard topic != .space, topic != .agents, topic != .mirror else { return nil }
        guard isDamaged, [.history, .consumers, .index].contains(topic) else { return Diagnosis(topic, nil) }
        return Diagnosis(topic, "Not checked, because the store is damaged.")
    }

    var text: String {
        let word = topic == .consumers ? "programs" : topic.rawValue
        let name = word + String(repeating: " ", count: 13 - word.count)
        guard let found else { return SafeText.line("\(name)well") }
        let rest = isRepaired ? "Repaired." : advice
        return SafeText.line("\(name)\(found)\(rest.isEmpty ? "" : " \(rest)")")
    }
}
