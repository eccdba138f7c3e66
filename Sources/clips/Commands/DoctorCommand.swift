import AgentHost
import BrowserHost
import ClipsCore
import Platform
import PersistentStore
import SearchIndex

extension Command {
    static let doctor = Command(
        name: "doctor",
        summary: "Check the store, its history, and its search index, and suggest repairs",
        details: """
            Writes nothing without an option. --repair applies the safe repairs and checks again. \
            --salvage reads a damaged store clip by clip into a new one, and does not change the store.
            Exit status: 0 all is well, repaired, or salvaged; 1 a problem remains, or clips are lost.
            """,
        options: [
            Option("--repair", "apply the repairs that lose nothing"),
            Option("--salvage", value: "NEW", "new store for the readable clips"),
        ],
        example: "clips doctor --repair"
    ) { invocation in
        if let path = invocation.arguments.value("--salvage") {
            guard !invocation.mustRepair else {
                throw UsageError("Options --repair and --salvage exclude each other.")
            }
            return try await invocation.salvage(into: path)
        }
        let store: ClipStore
        // The checks report them.
        var invocation = invocation
        invocation.reportsLoss = false
        do {
            // Opening would restore missing triggers before they are reported.
            var invocation = invocation
            invocation.storeOptions.repairsWhenOpened = false
            store = try await invocation.openExistingStore()
        } catch StoreError.missing(let path) {
            throw StoreError.missing(path: path)
        } catch StoreError.notWritable(let path)
            where FilePath.isOnReadOnlyDisk(path) && !invocation.mustRepair
        {
            return try await Doctor(invocation: invocation, store: invocation.openStoreToRead()).run([
                .readOnlyDisk
            ])
        } catch {
            // The error remains, even if the checks find nothing.
            invocation.fail(error.sentence)
            if let store = try? await invocation.openStoreToRead() {
                _ = try await Doctor(invocation: invocation, store: store).run()
            } else {
                for finding in StoreFiles(path: try invocation.storePath()).findings() {
                    invocation.line(Diagnosis(finding))
                }
            }
            return .failed
        }
        return try await Doctor(invocation: invocation, store: store).run()
    }
}

/// A check of a store, and a second one after a repair.
private struct Doctor {
    let invocation: Invocation
    let store: ClipStore

    /// - Parameter known: What is known before the check.
    func run(_ known: [Diagnosis] = []) async throws -> ExitStatus {
        let (findings, problem) = try await store.check()
        var diagnoses = known + Diagnosis.all(findings, problem)
        if !diagnoses.contains(where: \.isDamage), let lost = try await store.lostCommits() {
            diagnoses.append(Diagnosis(lost))
        }
        let orphans = diagnoses.contains(where: \.isDamage) ? 0 : try await store.orphanCount()
        if orphans > 0 { diagnoses.append(Diagnosis(orphans: orphans)) }
        let isRepairable =
            orphans > 0 || findings.contains(where: \.isRepairable) || problem?.isRepairable == true
        if invocation.mustRepair, isRepairable {
            try await store.repair()
            let (findings, problem) = try await store.check()
            let left = Diagnosis.all(findings, problem)
            for index in diagnoses.indices {
                diagnoses[index].isRepaired = !left.contains(diagnoses[index])
            }
            diagnoses += left.filter { !diagnoses.contains($0) }
        }
        // A browser that is not connected is not a problem of the store.
        diagnoses += BrowserInstallation(InstallationContext(), isSystem: false).check()
            .filter { !$0.isWell && $0.file != nil }.map { Diagnosis(.browser, $0) }
        diagnoses += AgentInstallation(InstallationContext()).check()
            .filter { !$0.isWell && $0.isInstalled }.map { Diagnosis(.agents, $0) }
        diagnoses += [Diagnosis.mirror(store: try invocation.storePath())].compactMap(\.self)
        try await report(diagnoses)
        return diagnoses.contains { $0.isProblem && !$0.isRepaired } ? .failed : .done
    }

    private func report(_ diagnoses: [Diagnosis]) async throws {
        let isDamaged = diagnoses.contains { $0.isDamage && !$0.isRepaired }
        for topic in Diagnosis.Topic.allCases {
            let found = diagnoses.filter { $0.topic == topic }
            let none = Diagnosis.nothingFound(topic, isDamaged: isDamaged)
            for diagnosis in found.isEmpty ? [none].compactMap(\.self) : found {
                invocation.line(diagnosis)
            }
        }
        // A damaged store may not have them.
        guard let space = try? await store.space() else { return }
        var parts = ["\(Self.size(space.file)) in all", "\(Self.size(space.free)) free"]
        if let history = space.history { parts.append("\(Self.size(history)) history") }
        parts.append("\(Self.size(space.journal)) in the log")
        invocation.line(Diagnosis(.space, parts.joined(separator: ", ") + ".", isProblem: false))
    }

    private static func size(_ bytes: Int64) -> String {
        bytes < 10 << 20 ? "\(bytes >> 10) KB" : "\(bytes >> 20) MB"
    }
}

extension Invocation {
    fileprivate var mustRepair: Bool { arguments.has("--repair") }

    fileprivate func line(_ diagnosis: Diagnosis) {
        line(
            diagnosis.text,
            json: [
                "advice": diagnosis.advice.isEmpty ? nil : diagnosis.advice, "found": diagnosis.found,
                "repaired": diagnosis.isRepaired, "topic": diagnosis.topic.rawValue,
                "well": diagnosis.found == nil || !diagnosis.isProblem || diagnosis.isRepaired,
            ])
    }
}
