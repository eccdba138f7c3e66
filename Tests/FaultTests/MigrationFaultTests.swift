import Foundation
import PersistentStore
import TestSupport
import Testing

/// Migrations in a process that is killed at each system call that changes a file.
@Suite(.serialized) struct MigrationFaultTests {
    private static let notes = 40

    private let template: TemporaryFolder

    init() async throws {
        template = try TemporaryFolder()
        let container = try await Notes.open(template)
        let context = container.makeContext(author: "app")
        for index in 0..<Self.notes {
            try await context.insert("Note", ["title": .text("\(index)"), "rank": .integer(Int64(index))])
        }
        try await context.save()
        await container.close()
    }

    private func copy() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: template.path) {
            try FileManager.default.copyItem(
                atPath: template.path(of: name), toPath: folder.path(of: name))
        }
        return folder
    }

    /// Returns the attribute that only one of the two models has.
    private func state(_ path: String) throws -> String {
        let sql = "SELECT name FROM pragma_table_info('Note') WHERE name IN ('title', 'slug')"
        return try Shell.run("sqlite3", [path, sql]).output
    }

    @Test(arguments: [(Fault(calls: "wst", kind: .kill), 9), (Fault(calls: "w", kind: .torn), 11)])
    func `a migration that is killed leaves the old store or the migrated one`(fault: Fault, stride: Int)
        async throws
    {
        var states: Set<String> = []
        let step = LongProof.isWhole ? 1 : stride
        if step > 1 { LongProof.omits("\(step - 1) of \(step) calls in a migration: \(fault)") }
        for number in Swift.stride(from: 1, to: 10_000, by: step) {
            let folder = try copy()
            let (path, note) = (folder.path(of: "notes.db"), folder.path(of: "fault"))
            let run = try Shell.run(
                StoreWriterProcess.path, [path, "a", "full", "migrated"], input: "quit\n",
                environment: try fault.environment(at: number, path: path, note: note))
            guard FileManager.default.fileExists(atPath: note) else {
                #expect(run.status == 0 && run.output == "ready\nclosed\n", "\(run.output)")
                break
            }
            #expect(run.status == 128 + SIGKILL, "call \(number)")
            states.insert(try state(path))
            try await checkMigrated(folder, "call \(number)")
        }
        #expect(states == ["title\n", "slug\n"])
    }

    /// Opens a store with the new model, and checks that it was migrated once.
    private func checkMigrated(_ folder: TemporaryFolder, _ context: Comment) async throws {
        var options = StoreOptions()
        options.migrationSteps = Notes.migrationSteps
        let container = try await Notes.open(folder, model: Notes.migratedModel(), options: options)
        let objects = try await container.objects()
        #expect(objects.map { $0["slug"] } == (0..<Self.notes).map { .text("\($0 + 1)-\($0)") }, context)
        #expect(objects.allSatisfy { $0.version == 2 }, context)
        #expect(
            try await container.transactions().map(\.author) == ["app", MigrationStep.author], context)
        #expect(try await container.check() == [], context)
        await container.close()
    }
}
