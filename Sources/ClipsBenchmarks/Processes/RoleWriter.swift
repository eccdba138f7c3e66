/// This program, or its C probe, in another process that commits clips on request.
final class RoleWriter {
    private let process: ChildProcess

    init(_ role: Role) throws {
        process = try role.start()
        _ = try begun()
    }

    /// Requests commits of clips, one after the other, and returns immediately.
    func commit(_ count: UInt8) throws { try process.send([count]) }

    /// Returns the time at which the last commit began.
    func begun() throws -> Moment { Moment(nanoseconds: try process.receive()) }
}
