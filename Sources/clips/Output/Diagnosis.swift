import PersistentStore
import SearchIndex
import Terminal

/// One thing that the doctor looked at: what was found, and what to do.
struct Diagnosis: Equatable {
    enum Topic: String, CaseIterable {
        case file, history, consumers, permissions, events, index, space
    }

    let topic: Topic
    /// Nil when all is well.
    let found: String?
    let advice: String
    var isRepaired = false
    /// Whether the topics of the store's contents were not checked because of it.
    private(set) var isDamage = false
    /// Whether something is to be done about it.
    var isProblem = true

    init(_ topic: Topic, _ found: String?, _ advice: String = "") {
        self.topic = topic
        self.found = found
        self.advice = advice
    }

    init(_ finding: StoreFinding) {
        defer { isDamage = finding.isDamage }
        switch finding {
        case .damaged(let reason):
            self.init(
                .file, "The store is damaged: \(reason).",
                StoreError.repairAdvice)
        case .damagedIndexes(let reason):
            self.init(
                .file, "An index of the store is damaged, and all clips are readable: \(reason).",
                "--repair makes it from the clips.")
        case .danglingReferences(let table, let count):
            self.init(
                .file, "\(Self.rows(count)) of \(table) refer to rows that are not there.",
                "Whoever wrote them has to set them right.")
        case .wrongTriggers(let entity):
            self.init(
                .history,
                "What records the history of \(entity) is missing or changed; changes may be missing there.",
                "--repair makes it anew; all consumers then read everything anew.")
        case .historyUnlikeData(let entity, let count):
            self.init(
                .history, "The history tells otherwise than the store of \(Self.rows(count)) of \(entity).",
                "--repair makes all consumers read everything anew.")
        case .versionsBehind(let entity, let count):
            self.init(
                .history, "The versions of \(Self.rows(count)) of \(entity) are lower than their updates.",
                "--repair raises them; all consumers then do a full refresh.")
        case .strayValues(_, let count):
            self.init(
                .history, "The history keeps \(Self.rows(count)) that belong to no change.",
                "--repair removes them.")
        case .staleConsumer(let name):
            self.init(.consumers, "'\(name)' has ended without saying so.", "--repair forgets it.")
        case .expiredConsumer(let name):
            self.init(
                .consumers, "'\(name)' has lost its place in the history.",
                "It reads everything anew when it runs; nothing is to be done.")
            isProblem = false
        case .laggingConsumer(let name, let transactions, let days):
            self.init(
                .consumers,
                "'\(name)' has not come for \(days) days; \(transactions) transactions wait for it.",
                "Run it; else it reads everything anew once its history is too old.")
        case .insecurePermissions(let path, let mode):
            self.init(
                .permissions, "Others may open \(path) (mode \(String(mode, radix: 8))).",
                "--repair leaves it to its owner alone.")
        case .noFileEvents(let reason):
            self.init(
                .events, "The system gives no file events (\(reason)).",
                "Commits are looked for 20 times a second instead; raise fs.inotify.max_user_instances.")
        }
    }

    private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }

    init(_ problem: SearchIndexProblem) {
        switch problem {
        case .damaged(let reason):
            self.init(
                .index, "The search index is damaged (\(reason)).", "--repair makes it from the clips.")
        case .unlikeStore(let missing, let extra, let stale):
            self.init(
                .index,
                "The search index lacks \(missing) clips, has \(extra) deleted ones, and \(stale) are out of date.",
                "--repair makes it from the clips.")
        case .busy(let milliseconds):
            self.init(
                .index,
                "Not checked: the search index was busy for \(milliseconds) ms, written by another process.",
                "Run 'clips doctor' again.")
        case .unchecked(let reason):
            self.init(
                .index, "The search index cannot be checked (\(reason)).",
                "Check the permissions of the file and its folder.")
        }
    }

    /// The sentence for a topic about which nothing was found.
    static func nothingFound(_ topic: Topic, isDamaged: Bool) -> Diagnosis? {
        guard topic != .space else { return nil }
        guard isDamaged, [.history, .consumers, .index].contains(topic) else { return Diagnosis(topic, nil) }
        return Diagnosis(topic, "Not checked, because the store is damaged.")
    }

    var text: String {
        let name = topic.rawValue + String(repeating: " ", count: 13 - topic.rawValue.count)
        guard let found else { return SafeText.line("\(name)well") }
        let rest = isRepaired ? "Repaired." : advice
        return SafeText.line("\(name)\(found)\(rest.isEmpty ? "" : " \(rest)")")
    }
}

/// One line of `clips doctor --json`.
struct DiagnosisObject: Encodable {
    let topic: String
    let well: Bool
    @ExplicitNull var found: String?
    @ExplicitNull var advice: String?
    let repaired: Bool

    init(_ diagnosis: Diagnosis) {
        topic = diagnosis.topic.rawValue
        well = diagnosis.found == nil || !diagnosis.isProblem || diagnosis.isRepaired
        found = diagnosis.found
        advice = diagnosis.advice.isEmpty ? nil : diagnosis.advice
        repaired = diagnosis.isRepaired
    }
}
