import ClipsCore
import PersistentStore
import SearchIndex

extension Command {
    static let doctor = Command(
        name: "doctor",
        summary: """
            Checks the store, its history, and its search index, and says what to do. \
            Writes nothing without an option.
            --repair applies the safe repairs and checks again.
            --salvage reads a damaged store clip by clip and saves what is readable into NEW. \
            The store itself is not changed.
            Exit status: 0 all is well, or repaired, or salvaged; 1 something is left to do, or lost.
            """,
        operands: "",
        options: [
            Option("--repair", "repair what can be repaired without losing anything"),
            Option("--salvage", value: "NEW", "save the readable clips into a new store"),
        ],
        example: "clips doctor --repair"
    ) { invocation in
        try invocation.refuseOperands()
        if let path = invocation.arguments.value("--salvage") {
            guard !invocation.arguments.has("--repair") else {
                throw UsageError("Give --repair or --salvage, not both.")
            }
            return try await Salvage(invocation: invocation, path: path).run()
        }
        let store: ClipStore
        do {
            // Opening would restore missing triggers before they are reported.
            var invocation = invocation
            invocation.storeOptions.repairsWhenOpened = false
            store = try await invocation.openStore(author: "cli", mayCreate: false)
        } catch StoreError.missing(let path) {
            throw StoreError.missing(path: path)
        } catch {
            invocation.fail("\(error)")
            let findings = StoreFiles(path: try invocation.storePath()).findings()
            guard let readable = try? await invocation.openStoreToRead() else {
                for finding in findings { invocation.output.line(Diagnosis(finding).text) }
                return .failed
            }
            // Told already that it cannot be written, so something is left to be done.
            _ = try await Doctor(invocation: invocation, store: readable).run()
            return .failed
        }
        return try await Doctor(invocation: invocation, store: store).run()
    }
}

/// One look at a store, and one more after the repair.
private struct Doctor {
    let invocation: Invocation
    let store: ClipStore

    func run() async throws -> ExitStatus {
        var diagnoses = try await look()
        if invocation.arguments.has("--repair"), diagnoses.contains(where: \.isProblem) {
            try await repair()
            let left = try await look()
            for index in diagnoses.indices {
                diagnoses[index].isRepaired = !left.contains(diagnoses[index])
            }
            diagnoses += left.filter { !diagnoses.contains($0) }
        }
        try await tell(diagnoses)
        return diagnoses.contains { $0.isProblem && !$0.isRepaired } ? .failed : .done
    }

    private func look() async throws -> [Diagnosis] {
        let index = SearchIndex(store.container, ClipModel.searched)
        var diagnoses = try await store.container.check().map { Diagnosis($0) }
        if let problem = await index.problem() { diagnoses.append(Diagnosis(problem)) }
        return diagnoses
    }

    private func repair() async throws {
        let index = SearchIndex(store.container, ClipModel.searched)
        try await store.container.repair(try await store.container.check())
        if await index.problem()?.isRepairable == true { try await index.rebuild() }
    }

    private func tell(_ diagnoses: [Diagnosis]) async throws {
        let isDamaged = diagnoses.contains { $0.isDamage && !$0.isRepaired }
        for topic in Diagnosis.Topic.allCases {
            let found = diagnoses.filter { $0.topic == topic }
            let none = Diagnosis.nothingFound(topic, isDamaged: isDamaged)
            for diagnosis in found.isEmpty ? [none].compactMap(\.self) : found {
                try tell(diagnosis)
            }
        }
        // A damaged store may not say.
        guard let space = try? await store.container.space() else { return }
        var words = ["\(Self.size(space.file)) in all", "\(Self.size(space.free)) free"]
        if let history = space.history { words.append("\(Self.size(history)) history") }
        words.append("\(Self.size(space.journal)) not yet moved into it")
        var diagnosis = Diagnosis(.space, words.joined(separator: ", ") + ".")
        diagnosis.isProblem = false
        try tell(diagnosis)
    }

    private func tell(_ diagnosis: Diagnosis) throws {
        invocation.output.line(
            try invocation.isJSON ? JSONLine.text(DiagnosisObject(diagnosis)) : diagnosis.text)
    }

    private static func size(_ bytes: Int64) -> String {
        bytes < 10 << 20 ? "\(bytes >> 10) KB" : "\(bytes >> 20) MB"
    }
}
