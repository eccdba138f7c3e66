import BrowserHost
import Testing

@Suite struct MessageFramingTests {
    private static let limit = 10

    private static func framed(_ text: String) -> [UInt8] { MessageFraming.framed(text) }

    @Test func `a message has its length in front, in the byte order of the machine`() {
        #expect(Self.framed("é!") == [3, 0, 0, 0, 0xC3, 0xA9, 0x21])
    }

    @Test(arguments: 1...12)
    func `messages arrive whole, however their bytes are split`(size: Int) {
        let input = Self.framed("one") + Self.framed("") + Self.framed("12345678901") + Self.framed("last")
        var framing = MessageFraming(limit: Self.limit)
        var frames: [MessageFraming.Frame] = []
        for start in stride(from: 0, to: input.count, by: size) {
            frames += framing.frames(adding: Array(input[start..<min(input.count, start + size)]))
        }
        #expect(
            frames == [
                .message(Array("one".utf8)), .message([]), .tooLong(11), .message(Array("last".utf8)),
            ])
        #expect(!framing.isIncomplete)
    }

    @Test func `a length of 4 GB takes no memory, and what follows is discarded`() {
        var framing = MessageFraming(limit: Self.limit)
        #expect(framing.frames(adding: [0xFF, 0xFF, 0xFF, 0xFF]).isEmpty)
        for _ in 0..<100 {
            #expect(framing.frames(adding: [UInt8](repeating: 0, count: 1000)).isEmpty)
        }
        #expect(framing.isIncomplete)
    }
}
