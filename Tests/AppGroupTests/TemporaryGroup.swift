import AppGroup
import Foundation
import Glibc
import TestSupport

/// A group for one test, in the real folder for groups; deinit removes it.
final class TemporaryGroup: Sendable {
    let container: AppGroupContainer

    init() throws { container = try AppGroupContainer(group: "clips-test-" + UUID().uuidString) }

    deinit { try? FileManager.default.removeItem(atPath: container.path) }

    /// Starts another process of the group.
    func member() throws -> LineProcess {
        let process = try LineProcess(Self.tool, [container.name])
        guard try process.answer() == container.path else {
            throw ShellError(description: "the member process does not answer")
        }
        return process
    }

    /// In the folder of the running test bundle.
    static let tool: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(
            "GroupMemberTool"
        )
        .path
    }()
}
