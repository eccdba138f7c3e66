import BrowserHost
import ClipsCore
import Foundation
import Testing

/// Messages as values: their types and limits.
@Suite struct HostRequestTests {
    private static func error(_ text: String) -> HostError? {
        if case .failure(let error) = HostRequest(Array(text.utf8)).action { error } else { nil }
    }

    private static func save(_ clip: String) -> String {
        #"{"id":1,"type":"save","clips":[{"uuid":"00000000-0000-4000-8000-00000000000A",\#(clip)}]}"#
    }

    @Test(arguments: [
        "", "x", "[]", "null", "\u{0}", #"{"type":"hello"}"#, #"{"id":-1,"type":"hello","version":1}"#,
        #"{"id":1.5,"type":"hello"}"#, #"{"id":"1","type":"hello"}"#,
        #"{"id":9007199254740993,"type":"hello"}"#, #"{"id":true,"type":"hello"}"#,
    ])
    func `a message without a valid ID is an error without an ID`(text: String) {
        #expect(HostRequest(Array(text.utf8)).id == nil)
        #expect(Self.error(text)?.code == .protocol)
    }

    @Test func `IDs range from 0 to 2^53`() {
        for id in [0, 1 << 53] {
            #expect(HostRequest(Array(#"{"id":\#(id),"type":"watch"}"#.utf8)).id == Int64(id))
        }
    }

    @Test(arguments: [
        (#"{"id":1}"#, HostError.Code.protocol),
        (#"{"id":1,"type":"run","command":"rm"}"#, .protocol),
        (#"{"id":1,"type":"hello","version":2}"#, .protocol),
        (#"{"id":1,"type":"hello"}"#, .protocol),
        (#"{"id":1,"type":"watch""#, .protocol),
        (#"{"id":1,"type":7}"#, .invalid),
        (#"{"id":1,"type":"save"}"#, .invalid),
        (#"{"id":1,"type":"save","clips":[]}"#, .invalid),
        (#"{"id":1,"type":"save","clips":[7]}"#, .invalid),
        (#"{"id":1,"type":"save","clips":[{"url":"https://a.org"}]}"#, .invalid),
        (#"{"id":1,"type":"save","clips":[{"uuid":"x","url":"https://a.org"}]}"#, .invalid),
        (#"{"id":1,"type":"update","changes":{"title":"a"}}"#, .invalid),
        (#"{"id":1,"type":"update","clip":1}"#, .invalid),
        (#"{"id":1,"type":"update","clip":1,"changes":{}}"#, .invalid),
        (#"{"id":1,"type":"update","clip":1,"changes":{"author":"x"}}"#, .invalid),
        (#"{"id":1,"type":"update","clip":1,"changes":{"uuid":"x"}}"#, .invalid),
        (#"{"id":1,"type":"update","clip":1,"changes":{"url":"javascript:1"}}"#, .invalid),
        (#"{"id":1,"type":"delete","clips":["1"]}"#, .invalid),
        (#"{"id":1,"type":"delete","clips":[1.5]}"#, .invalid),
        (#"{"id":1,"type":"has","urls":[1]}"#, .invalid),
        (#"{"id":1,"type":"list","limit":0}"#, .invalid),
        (#"{"id":1,"type":"list","limit":-1}"#, .invalid),
        (#"{"id":1,"type":"list","before":"x"}"#, .invalid),
        (#"{"id":1,"type":"search","query":7}"#, .invalid),
        (#"{"id":1,"type":"search","query":"is:nothing"}"#, .invalid),
        (save(#""url":7"#), .invalid), (save(#""url":"about:blank""#), .invalid),
        (save(#""url":"javascript:alert(1)""#), .invalid), (save(#""url":" https://a.org""#), .invalid),
        (save(#""url":"httpsx://a.org""#), .invalid), (save(#""created":"yesterday""#), .invalid),
        (save(#""tags":[1]"#), .invalid), (save(#""note":"""#), .invalid),
        (save(#""url":"https://a.org","ifAbsent":1"#), .invalid),
    ])
    func `a request that is not valid is an error with its ID`(text: String, code: HostError.Code) {
        #expect(HostRequest(Array(text.utf8)).id == 1)
        let error = Self.error(text)
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.message.hasSuffix(".") == true)
    }

    @Test(arguments: [
        #""url":"https://a.org""#, #""url":"HTTP://a.org""#, #""url":"file:///tmp/a""#, #""text":"a""#,
        #""title":"\ud800""#, #""url":"https://a.org","unknown":{"a":[1]}"#, #""note":"n","url":null"#,
        #""url":"https://a.org","created":"2026-11-22T04:45:48.123Z""#,
    ])
    func `a clip that is valid has no error`(clip: String) throws {
        let request = HostRequest(Array(Self.save(clip).utf8))
        guard case .save(let drafts, let ifAbsent) = try request.action.get() else {
            Issue.record("another action")
            return
        }
        #expect(drafts.count == 1 && ifAbsent.isEmpty)
        #expect(drafts[0].uuid == "00000000-0000-4000-8000-00000000000a")
    }

    @Test func `the host sets the author and the time of the last change`() throws {
        let text = Self.save(#""url":"https://a.org","author":"app","updated":"2001-01-01T00:00:00Z""#)
        guard case .save(let drafts, _) = try HostRequest(Array(text.utf8)).action.get() else { return }
        #expect(drafts[0].author == nil && drafts[0].updated == nil)
    }

    @Test func `every value is bounded`() {
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        let uuid = "00000000-0000-4000-8000-000000000000"
        let clip = #"{"uuid":"\#(uuid)","text":"a"}"#
        let list = Array(repeating: clip, count: 1001).joined(separator: ",")
        let numbers = Array(repeating: "1", count: 1001).joined(separator: ",")
        let tags = Array(repeating: "\"a\"", count: 101).joined(separator: ",")
        for message in [
            Self.save(#""url":"https://\#(text(70_000))""#), Self.save(#""title":"\#(text(10_001))""#),
            Self.save(#""note":"\#(text(1_100_000))""#), Self.save(#""tags":["\#(text(201))"]"#),
            Self.save(#""tags":[\#(tags)]"#), #"{"id":1,"type":"save","clips":[\#(list)]}"#,
            #"{"id":1,"type":"delete","clips":[\#(numbers)]}"#,
            #"{"id":1,"type":"search","query":"\#(text(10_001))"}"#,
        ] {
            #expect(Self.error(message)?.code == .tooBig, "\(message.prefix(60))")
        }
        let many = Array(repeating: "0", count: 300_000).joined(separator: ",")
        #expect(Self.error(#"{"id":1,"a":[\#(many)]}"#) != nil)
    }
}
