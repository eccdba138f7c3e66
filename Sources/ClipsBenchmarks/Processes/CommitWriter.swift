import PersistentStore

/// Another process that commits clips on request.
protocol CommitWriter: AnyObject {
    /// Requests commits of clips, one after the other, and returns immediately.
    func commit(_ count: UInt8) throws
    /// Returns the time at which the last commit began.
    func begun() throws -> Moment
}

/// This program, or its C probe, in another process.
final class RoleWriter: CommitWriter {
    private let process: ChildProcess

    init(_ role: Role) throws {
        process = try role.start()
        _ = try begun()
    }

    func commit(_ count: UInt8) throws { try process.send([count]) }

    func begun() throws -> Moment { Moment(nanoseconds: try process.receive()) }
}

/// The `sqlite3` shell, which does not touch the doorbell.
final class ShellWriter: CommitWriter {
    private let process: ChildProcess
    private var lastBegun = Moment.now
    private var number = 0

    init(store: String, _ durability: StoreOptions.Durability) throws {
        process = try ChildProcess(["sqlite3", "-batch", store])
        try process.send(Array(".timeout 5000\nPRAGMA synchronous = \(durability.sql);\n".utf8))
    }

    func commit(_ count: UInt8) throws {
        let text = (1...Int(count)).map { SampleClip.insertion(number + $0) + "\n" }.joined()
        number += Int(count)
        lastBegun = .now
        try process.send(Array(text.utf8))
    }

    func begun() -> Moment { lastBegun }
}
