import Glibc
import Platform

/// One running request for a saved address, by curl(1) as for ``PageFetch``.
struct LinkProbe {
    let url: String
    let isHead: Bool
    let child: pid_t
    let descriptor: CInt
    private var output: [UInt8] = []

    private static let maxBody = 1 << 20
    /// Many heads of redirects; an answer with more is none.
    private static let maxHeads = 1 << 18

    /// Starts a request; nil if curl could not be started.
    ///
    /// - Parameter timeout: The time that a request may take; a connection may take half of it.
    init?(_ url: String, isHead: Bool, timeout: Duration) {
        guard let ends = try? Pipe.makeEnds() else { return nil }
        let child = ChildProcess.start(
            Self.words(url, isHead: isHead, timeout.components.seconds),
            streams: [0: nil, 1: ends.writer, 2: nil], isSession: true)
        close(ends.writer)
        guard let child else {
            close(ends.reader)
            return nil
        }
        (self.url, self.isHead, self.child, descriptor) = (url, isHead, child, ends.reader)
    }

    /// The range asks for little; most servers ignore it, so the size and the time are limited, too.
    private static func words(_ url: String, isHead: Bool, _ seconds: Int64) -> [String] {
        PageFetch.curl
            + (isHead
                ? ["--head"]
                : [
                    "--range", "0-1023", "--output", "/dev/null", "--dump-header", "-", "--max-filesize",
                    "\(maxBody)",
                ])
            + [
                // A proxy's answer to CONNECT is none of the host.
                "--suppress-connect-headers", "--connect-timeout", "\(max(1, seconds / 2))", "--max-time",
                "\(seconds)", "--write-out",
                LinkResponse.summary, "--", url,
            ]
    }

    /// Reads what has arrived; returns the response at its end.
    mutating func read() -> LinkResponse? {
        guard let piece = try? DescriptorIO.readAvailable(descriptor, limit: 1 << 16), !piece.isEmpty,
            output.count < Self.maxHeads
        else { return LinkResponse(output, exit: end()) }
        output += piece
        return nil
    }

    /// Ends the request. Returns the exit status.
    @discardableResult
    func end() -> CInt {
        close(descriptor)
        // A program that has closed its output ends by itself, except one that was stopped here.
        if output.count >= Self.maxHeads { kill(-child, SIGKILL) }
        return (try? ChildStatus.wait(for: child))?.exitStatus ?? 0
    }

    func cancel() {
        kill(-child, SIGKILL)
        end()
    }
}
