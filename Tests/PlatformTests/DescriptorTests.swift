import Glibc
import Platform
import TestSupport
import Testing

/// Descriptors: ownership, and one policy for interrupted calls and for descriptors that are not ready.
@Suite struct DescriptorTests {
    /// Returns both ends of a pipe: the reader, then the writer.
    private static func pipeEnds(isBlocking: Bool) throws -> [CInt] {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        if !isBlocking { for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) } }
        return ends
    }

    @Test func `a descriptor is open until the end of its scope`() throws {
        // Other tests may open the same number afterwards, so the file is compared, too.
        let folder = try TemporaryFolder()
        func identity(_ number: CInt) -> FileIdentity? { FileStatus(descriptor: number)?.identity }
        let path = folder.path(of: "a")
        var last: CInt = -1
        do {
            let file = try FileDescriptor(path, O_WRONLY | O_CREAT)
            let number = file.number
            for _ in 0..<1000 { #expect(identity(number) == FileIdentity(path: path)) }
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
            last = number
        }
        #expect(identity(last) != FileIdentity(path: path))
    }

    @Test func `a missing file is an error with its code and message`() {
        let error = #expect(throws: Errno.self) { _ = try FileDescriptor("/nonexistent/a", O_RDONLY) }
        #expect(error?.code == ENOENT && error?.description == "No such file or directory")
    }

    @Test(arguments: [true, false])
    func `more bytes than a pipe holds are written and read completely`(isBlocking: Bool) async throws {
        let ends = try Self.pipeEnds(isBlocking: isBlocking)
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let writing = Task.detached {
            defer { close(ends[1]) }
            try DescriptorIO.write(bytes, to: ends[1])
        }
        let received = await Task.detached { () -> [UInt8]? in
            var received: [UInt8] = []
            while let part = try? DescriptorIO.read(ends[0]) { received += part }
            return received
        }.value
        try await writing.value
        #expect(received == bytes)
        close(ends[0])
    }

    @Test func `an empty non-blocking descriptor is not at its end`() throws {
        let ends = try Self.pipeEnds(isBlocking: false)
        defer { close(ends[0]) }
        #expect(try DescriptorIO.readAvailable(ends[0], limit: 8) == nil)
        try DescriptorIO.write([1, 2], to: ends[1])
        #expect(try DescriptorIO.readAvailable(ends[0], limit: 8) == [1, 2])
        close(ends[1])
        #expect(try DescriptorIO.readAvailable(ends[0], limit: 8) == [])
        #expect(try DescriptorIO.read(ends[0]) == nil)
    }

    @Test func `calls that signals interrupt are repeated`() async {
        await #expect(processExitsWith: .success) {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in }
            sigaction(SIGALRM, &action, nil)
            var interval = itimerval()
            interval.it_value.tv_usec = 1000
            interval.it_interval.tv_usec = 1000
            setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &interval, nil)
            var ends: [CInt] = [-1, -1]
            _ = pipe(&ends)
            let child = try #require(DescriptorTests.shell("sleep 0.05; printf a; exit 3", output: ends[1]))
            close(ends[1])
            var received: [UInt8] = []
            while let part = try DescriptorIO.read(ends[0]) { received += part }
            let status = try ChildStatus.wait(for: child)
            guard received == Array("a".utf8), status?.exitStatus == 3 else { exit(1) }
        }
    }

    private static func shell(_ command: String, output: CInt) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var child = pid_t()
        let strings = ["sh", "-c", command]
        let words = strings.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        return posix_spawnp(&child, "sh", &actions, nil, words, environ) == 0 ? child : nil
    }

    @Test func `a read ends when it is interrupted`() throws {
        let ends = try Self.pipeEnds(isBlocking: true)
        defer { for end in ends { close(end) } }
        var checks = 0
        let error = #expect(throws: Errno.self) {
            _ = try DescriptorIO.read(ends[0]) {
                checks += 1
                return checks == 3
            }
        }
        #expect(error?.code == EINTR && checks == 3)
    }

    @Test func `a mailbox delivers all messages of many threads, and is readable while it has any`()
        async throws
    {
        let mailbox = try Mailbox<Int>()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask { for number in 0..<1000 { mailbox.post(thread * 1000 + number) } }
            }
            group.addTask {
                var received: [Int] = []
                while received.count < 4000 {
                    #expect(DescriptorIO.poll([mailbox.descriptor], for: .seconds(10))[0].isReadable)
                    received += mailbox.removeAll()
                }
                #expect(Set(received).count == 4000)
                for thread in 0..<4 {
                    let own = received.filter { $0 / 1000 == thread }
                    #expect(own == own.sorted())
                }
            }
        }
        #expect(mailbox.isEmpty)
        #expect(!DescriptorIO.poll([mailbox.descriptor], for: .zero)[0].hasEvent)
    }

    @Test func `the input of a program is on no disk`() async {
        // A process of its own, which has another environment.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            setenv("TMPDIR", folder.path(of: "missing"), 1)
            let output = folder.path(of: "output")
            let text = String(repeating: "secret ", count: 100_000)
            let child = ChildProcess.detached(["sh", "-c", "cat > \(output)"], input: text)
            #expect(ChildProcess.status(of: child) == 0)
            #expect(TextFile.read(output) == text)
        }
    }
}
