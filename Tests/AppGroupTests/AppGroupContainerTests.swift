import AppGroup
import Glibc
import TestSupport
import Testing

/// The group's folder, found by the group's name only.
@Suite struct AppGroupContainerTests {
    let home: TemporaryFolder

    init() throws { home = try TemporaryFolder() }

    /// Returns the tool's output in an environment of only these variables.
    private func folder(_ group: String, _ environment: [String]) throws -> String {
        try Shell.run("env", ["-i"] + environment + [TemporaryGroup.tool, group]).output
    }

    @Test func `a group is found by name with only HOME in the environment`() throws {
        let path = home.path + "/.local/share/reading"
        #expect(try folder("reading", ["HOME=\(home.path)"]) == path + "\n")
        for part in ["/.local", "/.local/share", "/.local/share/reading"] {
            var status = stat()
            #expect(stat(home.path + part, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
        }
    }

    @Test func `XDG_DATA_HOME overrides HOME, unless it is relative or empty`() throws {
        let homeWord = "HOME=\(home.path)"
        let other = home.path(of: "data")
        #expect(try folder("a", [homeWord, "XDG_DATA_HOME=\(other)"]) == other + "/a\n")
        for bad in ["", "data", "./data"] {
            #expect(
                try folder("a", [homeWord, "XDG_DATA_HOME=\(bad)"]) == home.path + "/.local/share/a\n")
        }
    }

    @Test func `a path that cannot be a group's folder is reported`() throws {
        #expect(try folder("a", []).contains("No home folder"))
        for name in ["", ".", "..", ".hidden", "a/b", "a b", "ä"] {
            #expect(throws: AppGroupError.self) { try AppGroupContainer(group: name) }
        }
        let file = home.path(of: ".local")
        close(creat(file, 0o600))
        #expect(try folder("a", ["HOME=\(home.path)"]).contains("\(file) is not a folder"))
    }
}
