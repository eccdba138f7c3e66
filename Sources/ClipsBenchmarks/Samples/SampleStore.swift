import ClipsCore
import FoundationEssentials
import Glibc
import PersistentStore
import SQLite

/// Functions that create, open, and copy stores.
enum SampleStore {
    /// Creates a store like the app; if `isTracked` is false, the same tables without history.
    static func make(_ path: String, clips: Int = 100, isTracked: Bool = true) throws {
        let container = try open(path, isTracked: isTracked)
        try blocking {
            let context = container.makeContext(author: "sample")
            for number in 0..<clips {
                try await context.insert(ClipModel.entity, SampleClip.values(number))
            }
            try await context.save()
        }
        try container.closeBlocking()
    }

    static func open(
        _ path: String, isTracked: Bool = true, _ configure: (inout StoreOptions) -> Void = { _ in }
    ) throws -> PersistentContainer {
        var model = try ClipModel.make()
        if !isTracked {
            let entities = model.entities.map {
                EntityDescription($0.name, attributes: $0.attributes, tracksHistory: false)
            }
            model = try StoreModel(version: model.version, entities: entities)
        }
        var options = StoreOptions()
        configure(&options)
        return try blocking { [model, options] in
            try await PersistentContainer(path: path, model: model, options: options)
        }
    }

    /// Returns a connection for generating data: fast, and not safe at a power failure.
    static func generator(_ path: String) throws -> Connection {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")
        return connection
    }

    /// Moves the WAL into the file.
    static func checkpoint(_ path: String) throws {
        try Connection(path: path, access: .readWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Returns the path of a store in the data folder; generates it for the first use.
    static func reused(_ workspace: Workspace, _ name: String, generate: (String) throws -> Void) throws
        -> String
    {
        let path = try "\(workspace.dataFolder())/\(name).db"
        guard access(path, F_OK) != 0 else { return path }
        let unfinished = path + ".unfinished-\(getpid())"
        try generate(unfinished)
        try checkpoint(unfinished)
        guard rename(unfinished, path) == 0 else { throw BenchmarkError("cannot create \(path)") }
        for end in ["-wal", "-shm", "-doorbell"] { unlink(unfinished + end) }
        return path
    }

    /// Returns the path of a writable copy.
    static func copy(_ path: String, _ workspace: Workspace) throws -> String {
        let copy = workspace.newPath("copy")
        do {
            try FileManager.default.copyItem(atPath: path, toPath: copy)
        } catch {
            throw BenchmarkError("cannot copy \(path): \(error)")
        }
        return copy
    }

    /// Saves clips like an external writer, as many in each transaction as an import.
    static func insert(_ clips: Int, into store: String) throws {
        try make(store, clips: 0)
        let connection = try Connection(path: store, access: .readWrite)
        for start in stride(from: 0, to: clips, by: 500) {
            try connection.execute("BEGIN IMMEDIATE")
            for number in start..<min(clips, start + 500) {
                try connection.run(
                    "INSERT INTO Clip (url, title, text, tags, author) VALUES (?1, ?2, ?3, ?4, 'sample')",
                    SampleClip.url(number), SampleClip.title(number), SampleClip.text(number),
                    SampleClip.tags(number))
            }
            try connection.execute("COMMIT")
        }
    }

    /// Returns the size of a store with its WAL.
    static func size(_ path: String) -> Double { fileSize(path) + fileSize(path + "-wal") }

    static func fileSize(_ path: String) -> Double {
        var status = stat()
        return stat(path, &status) == 0 ? Double(status.st_size) : 0
    }
}
