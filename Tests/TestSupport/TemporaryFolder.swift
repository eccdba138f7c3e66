import FoundationEssentials
import Glibc

/// A folder for one test; deinit removes it with its contents.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        // Short, since the path of a socket, such as Chromium's in this folder, has at most 107 bytes.
        path = FileManager.default.temporaryDirectory.path + "/clips-test-" + UUID().uuidString.prefix(13)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func path(of name: String) -> String { path + "/" + name }
}
