import ClipsCore
import Testing

@testable import ClipsTerminal

@Suite struct LinkResponseTests {
    private func verdict(
        _ heads: String..., exit: CInt = 0, on url: String = "https://a.org/page", to target: String = "",
        connected: String = "0.012345", isHead: Bool = false
    ) -> LinkResponse.Verdict {
        let output =
            heads.map { $0 + "\r\n\r\n" }.joined() + "\n\(connected) \(target.isEmpty ? url : target)"
        return LinkResponse(Array(output.utf8), exit: exit).verdict(on: url, isHead: isHead)
    }

    private static let moved = "HTTP/1.1 301 Moved\r\nLocation: x"

    @Test(arguments: [
        ("https://a.org/page", "https://b.org/page", "https://b.org/page"),
        ("http://a.org/page", "https://a.org/page", "https://a.org/page"),
        ("http://a.org", "https://a.org/", "https://a.org/"),
        ("http://a.org/x#part", "http://a.org/y", "http://a.org/y#part"),
        ("http://a.org/x#part", "http://a.org/y#other", "http://a.org/y#other"),
        // To the front page, without encryption, nowhere, and to no URL.
        ("https://a.org/page", "https://b.org/", nil), ("https://a.org/?p=1", "https://b.org", nil),
        ("https://a.org/page", "http://b.org/page", nil), ("https://a.org/page", "https://a.org/page", nil),
        ("https://a.org/page", "https://b.org/a b", nil),
        ("https://a.org/page", "https://b.org/" + String(repeating: "x", count: 9000), nil),
    ])
    func `only permanent redirects to another page are moves`(url: String, target: String, moved: String?) {
        let answer = moved.map { LinkAnswer.moved(to: $0) } ?? .live
        #expect(verdict(Self.moved, "HTTP/2 200", on: url, to: target) == .answer(answer))
        #expect(
            verdict(Self.moved, "HTTP/1.1 302 Found\r\nLocation: x", "HTTP/2 200", on: url, to: target)
                == .answer(.live))
    }

    @Test func `only missing pages and hosts are failures`() {
        for status in [400, 401, 403, 405, 406, 418, 451, 500, 502, 503, 520, 999] {
            #expect(verdict("HTTP/1.1 \(status) x", isHead: true) == .get)
            #expect(verdict("HTTP/1.1 \(status) x") == .answer(.unclear("HTTP status \(status)")))
        }
        for status in [404, 410] {
            #expect(verdict("HTTP/1.1 \(status) x", isHead: true) == .get)
            #expect(verdict("HTTP/1.1 \(status) x") == .answer(.failed("HTTP status \(status)")))
        }
        for (exit, reason) in [
            (6, "the host does not exist"), (7, "the host refuses connections"), (28, "no answer in time"),
        ] as [(CInt, String)] {
            let answer = LinkResponse.Verdict.answer(.failed(reason), isOfNetwork: true)
            #expect(verdict(exit: exit, connected: "0.000000", isHead: true) == answer)
        }
        #expect(verdict(exit: 28) == .answer(.unclear("no answer in time")))
        #expect(verdict(exit: 60) == .answer(.unclear("the certificate is not valid")))
        #expect(verdict("HTTP/1.1 200 OK", exit: 28) == .answer(.live))
        #expect(verdict("HTTP/1.1 416 x", exit: 22) == .answer(.live))
        #expect(verdict("HTTP/1.1 100 Continue", "HTTP/1.1 204 x") == .answer(.live))
    }

    @Test func `the last Retry-After counts`() {
        #expect(verdict("HTTP/1.1 429 x\r\nretry-after: 7") == .wait("7", status: 429))
        #expect(
            verdict("HTTP/1.1 503 x\r\nRetry-After: Fri, 31 Dec 2027")
                == .wait("Fri, 31 Dec 2027", status: 503))
        #expect(verdict("HTTP/1.1 301 x\r\nRetry-After: 9", "HTTP/1.1 429 x") == .wait("60", status: 429))
        #expect(verdict("HTTP/1.1 301 x\r\nRetry-After: 9", "HTTP/1.1 200 x") == .answer(.live))
    }
}
