import Glibc
import Platform
import TestSupport
import Testing

/// Temporary and replaced files, locks, and paths.
@Suite struct FileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func names() throws -> String { try Shell.run("ls", ["-A", folder.path]).output }

    @Test func `a replacement has no name until it is committed, and none if it is not`() throws {
        let path = folder.path(of: "a")
        #expect(TextFile.write("old", to: path))
        do {
            let file = try ReplacementFile(of: path)
            #expect(TextFile.write("lost", on: file.descriptor))
            #expect(try names() == "a\n")
        }
        for text in ["new", "newer"] {
            let file = try ReplacementFile(of: path)
            #expect(TextFile.write(text, on: file.descriptor))
            try file.commit()
            #expect(TextFile.read(path) == text)
        }
        #expect(try names() == "a\n")
        #expect(FileStatus(path: path)?.permissions == 0o600)
    }

    @Test func `an output replaces the file that a symbolic link leads to; a replacement replaces the link`()
        throws
    {
        let (target, link) = (folder.path(of: "target"), folder.path(of: "link"))
        symlink("target", link)
        let output = try ReplacementFile(output: link)
        #expect(TextFile.write("text", on: output.descriptor))
        try output.commit()
        #expect(TextFile.read(target) == "text" && FilePath.resolved(link) == FilePath.resolved(target))
        try ReplacementFile(of: link).commit()
        #expect(TextFile.read(link) == "" && TextFile.read(target) == "text")
    }

    @Test func `an output that is a device is written directly`() throws {
        let output = try ReplacementFile(output: "/dev/null")
        #expect(TextFile.write("text", on: output.descriptor))
        try output.commit()
        #expect(FileStatus(path: "/dev/null")?.isRegular == false)
    }

    @Test func `a file is moved over another one only if it may replace that`() throws {
        let file = try TemporaryFile(folder.path(of: "a-"), suffix: ".txt")
        let path = folder.path(of: "b")
        #expect(
            file.path.hasSuffix(".txt") && FileIdentity(path: file.path) == file.descriptor.status?.identity)
        #expect(TextFile.write("", to: path))
        do throws(Errno) {
            try TemporaryFile.move(file.path, to: path, replaces: false)
            Issue.record("a file was replaced")
        } catch {
            #expect(error.code == EEXIST)
        }
        let identity = FileIdentity(path: file.path)
        try TemporaryFile.move(file.path, to: path, replaces: true)
        #expect(FileIdentity(path: path) == identity && !FilePath.exists(file.path))
    }

    @Test func `a lock excludes another one of the same process, until its end`() throws {
        let path = folder.path(of: "lock")
        do {
            let lock = try FileLock(path: path, timeout: .zero)
            lock.hold {
                do throws(FileLock.Failure) {
                    _ = try FileLock(path: path, timeout: .milliseconds(2))
                    Issue.record("a second lock was taken")
                } catch {
                    if case .system = error { Issue.record("\(error)") }
                }
            }
        }
        _ = try FileLock(path: path, timeout: .zero)
    }

    @Test func `metadata differs after a change`() throws {
        let path = folder.path(of: "a")
        #expect(FileStatus(path: path) == nil && FileStatus.isMissingOrEmpty(path))
        #expect(TextFile.write("", to: path))
        let before = FileStatus(path: path)
        #expect(before == FileStatus(path: path) && FileStatus.isMissingOrEmpty(path))
        #expect(TextFile.write("x", to: path))
        #expect(before != FileStatus(path: path) && !FileStatus.isMissingOrEmpty(path))
    }

    @Test(arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b", "a")])
    func `the folder of a path`(path: String, folder: String) {
        #expect(FilePath.folder(of: path) == folder)
    }
}
