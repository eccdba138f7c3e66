import Glibc
import Terminal
import Testing

struct TerminalInputTests {
    private func pipe() throws -> (read: CInt, write: CInt) {
        var ends: [CInt] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    private func send(_ text: String, to descriptor: CInt) {
        #expect(
            Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                == text.utf8.count)
    }

    @Test func `all waiting bytes are read in one call`() throws {
        let (read, write) = try pipe()
        var input = TerminalInput(terminal: read)
        send("jk\u{1B}[A", to: write)
        #expect(input.next(timeout: 5_000) == [.key(.character("j")), .key(.character("k")), .key(.up)])
        #expect(input.next(timeout: 0) == [.timedOut])
        close(write)
        close(read)
    }

    @Test func `a flood of keys arrives in parts, with the signals between them`() throws {
        let (read, write) = try pipe()
        let (signalRead, signalWrite) = try pipe()
        _ = fcntl(signalRead, F_SETFL, O_NONBLOCK)
        var input = TerminalInput(terminal: read, signals: signalRead)
        send(String(repeating: "j", count: 20_000), to: write)
        let first = input.next(timeout: 5_000)
        #expect((1...4_000).contains(first.count))
        send(String(Unicode.Scalar(UInt8(SIGTERM))), to: signalWrite)
        #expect(input.next(timeout: 5_000).first == .signal(.terminate))
        for descriptor in [read, write, signalRead, signalWrite] { close(descriptor) }
    }

    @Test func `a paste without brackets is text, whose lines are no commands`() throws {
        let (read, write) = try pipe()
        var input = TerminalInput(terminal: read)
        let lines = String(repeating: "delete\tthis line\r", count: 40)
        send(lines + "\u{1B}[Aj", to: write)
        let text = lines.replacing("\r", with: "\n")
        #expect(input.next(timeout: 5_000) == [.key(.paste(text)), .key(.up), .key(.paste("j"))])
        send("\rx", to: write)
        #expect(input.next(timeout: 5_000) == [.key(.paste("\nx"))])
        close(write)
        close(read)
    }

    @Test func `much text without line ends is a paste, too`() throws {
        let (read, write) = try pipe()
        var input = TerminalInput(terminal: read)
        let text = String(repeating: "The text of a page. ", count: 40)
        send(text + "\u{1B}", to: write)
        #expect(input.next(timeout: 5_000) == [.key(.paste(text))])
        #expect(input.next(timeout: 5_000) == [.key(.escape)])
        close(write)
        close(read)
    }

    @Test func `many keys without line ends are keys, as a script types them`() throws {
        let (read, write) = try pipe()
        var input = TerminalInput(terminal: read)
        send(String(repeating: "j", count: 500), to: write)
        #expect(input.next(timeout: 5_000) == Array(repeating: .key(.character("j")), count: 500))
        close(write)
        close(read)
    }

    @Test func `a lone escape soon becomes the key`() throws {
        let (read, write) = try pipe()
        var input = TerminalInput(terminal: read)
        send("\u{1B}", to: write)
        let took = ContinuousClock().measure { #expect(input.next(timeout: nil) == [.key(.escape)]) }
        #expect(took >= .milliseconds(25))
        close(write)
        close(read)
    }

    @Test func `the caller's descriptors end the wait`() throws {
        let (read, write) = try pipe()
        let (wakeRead, wakeWrite) = try pipe()
        var input = TerminalInput(terminal: read)
        send("!", to: wakeWrite)
        #expect(input.next(timeout: nil, alsoWaitingFor: [wakeRead]) == [.readable(wakeRead)])
        for descriptor in [read, write, wakeRead, wakeWrite] { close(descriptor) }
    }

    @Test func `a lost terminal is reported once and does not spin`() throws {
        let (read, write) = try pipe()
        var input = TerminalInput(terminal: read)
        send("q", to: write)
        close(write)
        #expect(input.next(timeout: nil) == [.key(.character("q")), .hangup])
        #expect(input.next(timeout: 1) == [.timedOut])
        close(read)
    }
}
