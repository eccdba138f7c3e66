import CHTMLTags

/// What an HTML document consists of, in order.
enum HTMLTag {
    case start(String, [String: String])
    case end(String)
    case text(String)
}

/// Reads HTML with libxml2 as it comes, so that a document's size costs time and no memory.
final class HTMLTags {
    private let parser: OpaquePointer?
    private let collected: Collected
    private var isBroken: Bool

    /// What the parser's callbacks write to.
    private final class Collected {
        var tags: [(tag: HTMLTag, line: Int)] = []
        var parser: OpaquePointer?

        func add(_ tag: HTMLTag) {
            tags.append((tag, parser.map { html_tags_line($0) } ?? 1))
        }
    }

    init() {
        let collected = Collected()
        self.collected = collected
        parser = html_tags_open(
            html_tags_handler(
                owner: Unmanaged.passUnretained(collected).toOpaque(),
                start: { owner, name, attributes in
                    guard let name else { return }
                    HTMLTags.collected(owner)?.add(
                        .start(String(cString: name), HTMLTags.attributes(attributes)))
                },
                end: { owner, name in
                    guard let name else { return }
                    HTMLTags.collected(owner)?.add(.end(String(cString: name)))
                },
                text: { owner, bytes, count in
                    let text = UnsafeRawBufferPointer(start: bytes, count: count)
                    HTMLTags.collected(owner)?.add(.text(String(decoding: text, as: UTF8.self)))
                }))
        collected.parser = parser
        isBroken = parser == nil
    }

    deinit {
        if let parser { html_tags_close(parser) }
    }

    /// Takes a piece of UTF-8 without NUL, nil for the end, and returns the tags that it completes; nil when there is
    /// no going on.
    func feed(_ bytes: [UInt8]?) -> [(tag: HTMLTag, line: Int)]? {
        guard !isBroken, let parser else { return nil }
        let code = (bytes ?? []).withUnsafeBytes { buffer in
            html_tags_feed(
                parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(buffer.count),
                bytes == nil ? 1 : 0)
        }
        isBroken = code != 0
        defer { collected.tags.removeAll(keepingCapacity: true) }
        return collected.tags.isEmpty && isBroken ? nil : collected.tags
    }

    private static func collected(_ owner: UnsafeMutableRawPointer?) -> Collected? {
        owner.map { Unmanaged<Collected>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func attributes(_ pairs: UnsafePointer<UnsafePointer<CChar>?>?) -> [String: String] {
        guard var pair = pairs else { return [:] }
        var attributes: [String: String] = [:]
        while let name = pair[0] {
            attributes[String(cString: name)] = pair[1].map { String(cString: $0) } ?? ""
            pair += 2
        }
        return attributes
    }
}
