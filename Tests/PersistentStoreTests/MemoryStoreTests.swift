import Foundation
import Glibc
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Stores in memory.
@Suite struct MemoryStoreTests {
    private func open() async throws -> PersistentContainer {
        try await PersistentContainer(inMemory: Notes.model())
    }

    @Test func `a store in memory is read while it is written, and reports commits`() async throws {
        let container = try await open()
        let events = try await container.events()
        let context = container.makeContext(author: "a")
        let id = try await context.save(inserting: ["title": "a"])
        for await event in events {
            #expect(event == .committed(try await container.currentToken()))
            break
        }
        // Another container writes while this one reads.
        let second = try await PersistentContainer(path: container.path, model: Notes.model())
        let writer = second.makeContext(author: "b")
        let isWriting = Atomic(true)
        async let writing: Void = {
            for index in 0..<200 {
                try await writer.update(id, ["rank": .integer(Int64(index))])
                try await writer.save()
            }
            isWriting.store(false, ordering: .releasing)
        }()
        var reads = 0
        while isWriting.load(ordering: .acquiring) {
            #expect(try await container.objects().count == 1)
            reads += 1
        }
        try await writing
        #expect(reads > 0)
        #expect(try await container.objects().map { $0["rank"] } == [199])
    }

    @Test func `two stores in memory share nothing`() async throws {
        let (first, second) = (try await open(), try await open())
        _ = try await first.makeContext(author: "a").save(inserting: ["title": "a"])
        #expect(try await second.objects() == [])
        #expect(first.path != second.path && first.storeID != second.storeID)
    }

    @Test func `closing or releasing the container deletes the files`() async throws {
        let container = try await open()
        let folder = URL(fileURLWithPath: container.path).deletingLastPathComponent().path
        #expect(FileManager.default.fileExists(atPath: container.path))
        await container.close()
        #expect(!FileManager.default.fileExists(atPath: folder))
        await #expect(throws: StoreError.closed) { try await container.objects() }

        var released: PersistentContainer? = try await open()
        let path = try #require(released?.path)
        _ = try await released?.makeContext(author: "a").save(inserting: ["title": "a"])
        released = nil
        #expect(await soon { !FileManager.default.fileExists(atPath: path) })
    }

    @Test func `the store of a killed process is deleted by the next one`() async throws {
        let container = try await open()
        let folder = URL(fileURLWithPath: container.path).deletingLastPathComponent().path
        // As left by a killed process: without a lock.
        let stale = String(folder.dropLast(6)) + "kil1ed"
        try FileManager.default.createDirectory(atPath: stale, withIntermediateDirectories: false)
        _ = FileManager.default.createFile(atPath: stale + "/store-wal", contents: Data([1]))
        _ = try await open()
        #expect(!FileManager.default.fileExists(atPath: stale))
        #expect(FileManager.default.fileExists(atPath: container.path))
    }

    @Test(arguments: [":memory:", "", "a\0b"], [StoreOptions.Access.readWrite, .readOnly])
    func `paths that SQLite reads as another name are refused with advice`(
        path: String, access: StoreOptions.Access
    ) async throws {
        var options = StoreOptions()
        options.access = access
        let error = await #expect(throws: StoreError.notAFilePath(path: path)) {
            try await PersistentContainer(path: path, model: Notes.model(), options: options)
        }
        #expect(error?.description.contains("PersistentContainer(inMemory:)") == true)
    }
}
