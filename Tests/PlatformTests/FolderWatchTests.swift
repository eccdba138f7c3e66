import Glibc
import Platform
import TestSupport
import Testing

/// Events of a watched folder.
@Suite struct FolderWatchTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String) {
        let descriptor = open(folder.path(of: name), O_WRONLY | O_CREAT, 0o600)
        _ = Glibc.write(descriptor, "x", 1)
        close(descriptor)
    }

    @Test func `created, changed, moved, and deleted files are reported`() throws {
        let watch = try FolderWatch(path: folder.path)
        write("a")
        #expect(
            watch.drain() == [
                FolderEvent(kind: .appeared, name: "a"), FolderEvent(kind: .modified, name: "a"),
            ])
        rename(folder.path(of: "a"), folder.path(of: "b"))
        #expect(
            watch.drain() == [
                FolderEvent(kind: .vanished, name: "a"), FolderEvent(kind: .appeared, name: "b"),
            ])
        unlink(folder.path(of: "b"))
        #expect(watch.drain() == [FolderEvent(kind: .vanished, name: "b")])
        #expect(watch.drain().isEmpty)
    }

    @Test func `a name is reported unchanged, regardless of its characters or length`() throws {
        let watch = try FolderWatch(path: folder.path)
        for name in ["spaced name", "\u{1F600}", String(repeating: "n", count: 255)] {
            write(name)
            #expect(watch.drain().first == FolderEvent(kind: .appeared, name: name))
        }
    }

    @Test func `a folder that disappears is reported`() throws {
        let inner = folder.path(of: "inner")
        mkdir(inner, 0o700)
        let watch = try FolderWatch(path: inner)
        rename(inner, folder.path(of: "moved"))
        #expect(watch.drain().contains { $0.kind == .folderVanished })
    }

    @Test func `more events than the kernel's queue holds end in an overflow`() throws {
        let watch = try FolderWatch(path: folder.path)
        let output = try Shell.run("cat", ["/proc/sys/fs/inotify/max_queued_events"]).output
        let count = try #require(Int(output.filter(\.isNumber)))
        try #require(count <= 200_000)
        write("a")
        write("b")
        for _ in 0...(count / 2) {
            rename(folder.path(of: "a"), folder.path(of: "c"))
            rename(folder.path(of: "c"), folder.path(of: "a"))
        }
        #expect(watch.drain().contains { $0.kind == .overflow })
        write("c")
        #expect(watch.drain().contains(FolderEvent(kind: .appeared, name: "c")))
    }

    @Test func `a watch without contents reports names, and the contents of one file`() throws {
        let watch = try FolderWatch(path: folder.path, includesContents: false)
        #expect(!watch.watchContents(of: "bell"))
        write("bell")
        #expect(watch.drain() == [FolderEvent(kind: .appeared, name: "bell")])
        #expect(watch.watchContents(of: "bell"))
        write("busy")
        write("bell")
        let rung = FolderEvent(kind: .modified, name: "bell")
        #expect(watch.drain() == [FolderEvent(kind: .appeared, name: "busy"), rung])
        write("busy")
        #expect(watch.drain().isEmpty)
        let old = open(folder.path(of: "bell"), O_WRONLY)
        unlink(folder.path(of: "bell"))
        _ = Glibc.write(old, "x", 1)
        #expect(watch.drain() == [FolderEvent(kind: .vanished, name: "bell"), rung])
        close(old)
        #expect(watch.drain().isEmpty)
    }

    @Test func `a watch of files reports changes of their contents until it is drained`() throws {
        let watch = try FileWatch()
        #expect(throws: SystemError.self) { try watch.watch(folder.path(of: "a")) }
        write("a")
        try watch.watch(folder.path(of: "a"))
        #expect(!watch.drain())
        write("a")
        write("b")
        #expect(watch.drain())
        #expect(!watch.drain())
    }

    @Test func `a missing folder is an error with the call's name`() {
        let error = #expect(throws: SystemError.self) {
            _ = try FolderWatch(path: folder.path(of: "none"))
        }
        #expect(error?.call == "inotify_add_watch" && error?.reason == Errno(ENOENT))
    }

    @Test func `a folder that cannot be watched closes no descriptor of another thread`() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<20_000 { _ = try? FolderWatch(path: "/nonexistent") }
            }
            group.addTask {
                var failures = 0
                for _ in 0..<40_000 {
                    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                    if close(descriptor) != 0 { failures += 1 }
                }
                #expect(failures == 0)
            }
        }
    }
}
