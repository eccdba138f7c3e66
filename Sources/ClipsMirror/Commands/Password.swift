import ClipsCore
import Glibc
import MirrorRelay
import Mirroring

extension Invocation {
    /// Changes the user, the password, or the certificates in the settings, after the server has accepted them.
    func password() async throws -> Int32 {
        let path = try storePath()
        var settings = try MirrorSettings(store: path)
        settings.server.password = nil
        try complete(&settings.server)
        if settings.server.credentials == nil, settings.server.password == nil {
            settings.server.password = try Console.secret("Password: ")
        }
        switch await Self.state(of: try settings.engine(store: path)) {
        case .success: break
        case .failure(.unauthorized):
            throw Sentence(
                "The server rejected the user or the new password; the settings remain as they were.")
        case .failure(let error):
            throw Sentence("\(Program.sentence(error)) The settings remain as they were.")
        }
        try settings.write(store: path)
        if let report = MirrorReport(store: path), report.isCurrent { kill(report.process, Runner.wakeUp) }
        remark("the password was changed.")
        return 0
    }
}
