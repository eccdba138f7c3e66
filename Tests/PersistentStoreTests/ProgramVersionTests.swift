import PersistentStore
import TestSupport
import Testing

/// Programs of different versions on one store.
@Suite(.serialized) struct ProgramVersionTests {
    @Test func `an older program is refused once a newer one has opened the store, and no commit is lost`()
        async throws
    {
        for round in 0..<4 {
            let folder = try TemporaryFolder()
            let path = folder.path(of: "notes.db")
            if round.isMultiple(of: 2) { await (try Notes.open(folder)).close() }
            let programs = try (0..<8).map { index in
                let version = index.isMultiple(of: 2) ? "1" : "migrated"
                return (
                    process: try LineProcess(StoreWriterProcess.path, [path, "a", "normal", version]),
                    isOld: index.isMultiple(of: 2)
                )
            }
            var saved = 0
            for program in programs {
                let answer = try program.process.answer()
                guard answer == "ready" else {
                    #expect(program.isOld && answer.contains("newer version"), "\(answer)")
                    continue
                }
                // Between the opening and this save, any other may have migrated the store.
                program.process.send(program.isOld ? "insert 1" : "count")
                let result = try program.process.answer()
                if program.isOld {
                    if Int(result) != nil {
                        saved += 1
                    } else {
                        #expect(result.contains("newer version"), "\(result)")
                    }
                } else {
                    #expect(result.contains("objects"), "\(result)")
                }
            }
            // All old programs that still run are refused now.
            for program in programs where program.isOld {
                program.process.send("count")
                if let answer = try? program.process.answer() {
                    #expect(answer.contains("newer version"), "\(answer)")
                }
            }
            var options = StoreOptions()
            options.migrationSteps = Notes.migrationSteps
            let container = try await Notes.open(folder, model: Notes.migratedModel(), options: options)
            let objects = try await container.objects()
            #expect(objects.count == saved)
            #expect(objects.allSatisfy { $0["slug"] == .text("\($0.id.key)-0") })
            #expect(try await container.check() == [])
        }
    }
}
