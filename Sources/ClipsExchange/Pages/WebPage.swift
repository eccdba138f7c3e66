package import ClipsCore

/// The parts of an HTML page that a clip stores, without markup, scripts, and navigation.
package struct WebPage: Hashable, Sendable {
    /// The address that the page gives for itself; empty if it gives none.
    package private(set) var url = ""
    package private(set) var title = ""
    package private(set) var description = ""
    package private(set) var text = ""
    /// Whether links are left out since they are relative and the address of the page is unknown.
    package private(set) var lacksLinks = false

    /// The size after which a page is not read.
    package static let maxBytes = 16 << 20

    /// - Parameters:
    ///   - bytes: A page in the encoding that its mark, the header, or a `meta` element declares, or that its letters
    ///     show.
    ///   - contentType: The header of the response, if known.
    ///   - address: The address of the page, if known.
    /// - Returns: nil if the bytes are not HTML, of which a part that the header declares need not be complete.
    package init?(_ bytes: [UInt8], contentType: String? = nil, address: String = "") {
        guard let text = Self.decoded(bytes, contentType: contentType),
            PageSigns.areIn(text) || contentType?.lowercased().contains("html") == true && Self.begins(text)
        else { return nil }
        let document = HTMLDocument(text.map { $0 == 0 ? 0x20 : $0 })
        guard let root = document.root else { return }
        let base = readHead(root)
        let own = address.isEmpty ? url : address
        let address = PageLinks(base: own).address(base) ?? own
        // An item of a feed has no parts that belong to a page.
        self.text =
            Self.isWhole(text)
            ? ReadableText.text(of: root, links: PageLinks(base: address, page: own))
            : ReadableText.text(ofPart: root, at: address)
        lacksLinks = address.isEmpty && Self.hasRelativeLinks(root)
    }

    private static func begins(_ text: [UInt8]) -> Bool {
        ImportFormat.isPage(String(decoding: text.prefix(1 << 16), as: UTF8.self))
    }

    private static func hasRelativeLinks(_ root: HTMLDocument.Node) -> Bool {
        var isFound = false
        let base = PageLinks(base: "https://a.example/")
        let none = PageLinks(base: "")
        ReadableText.forEachElement(in: root) { node in
            guard !isFound, node.name == "a", !base.isInPage(node) else { return }
            isFound = none.address(of: node) == nil && base.address(of: node) != nil
        }
        return isFound
    }

    /// Fills the empty parts of a clip: the description becomes its note.
    package func fill(_ draft: inout ClipDraft) {
        if draft.url.isEmpty { draft.url = url }
        if draft.title.isEmpty { draft.title = title }
        if draft.note.isEmpty { draft.note = description }
        if draft.text.isEmpty { draft.text = text }
    }

    /// Returns the bytes as UTF-8; nil if the tables of encodings are missing.
    private static func isWhole(_ text: [UInt8]) -> Bool {
        let start = String(decoding: text.prefix(1 << 16), as: UTF8.self).lowercased()
        // Not "header", which a part may have.
        let signs = ["!doctype", "html", "head>", "title", "meta", "link", "body"]
        return signs.contains { start.contains("<" + $0) }
    }

    private static func decoded(_ bytes: [UInt8], contentType: String?) -> [UInt8]? {
        let header = contentType.flatMap(TextEncoding.label(contentType:))
        guard let source = try? UTF8Source(ByteSource(Array(bytes.prefix(maxBytes))), limits: ImportLimits()),
            (try? source.open(header: header, isPage: true)) != nil
        else { return nil }
        var text: [UInt8] = []
        while let piece = try? source.next() { text += piece }
        return text
    }

    /// Returns the text of a response that is not a page; nil if it is not text either.
    package static func plainText(_ bytes: [UInt8], contentType: String?) -> String? {
        let isText = contentType?.lowercased().hasPrefix("text/") == true || UTF8Check.isValid(bytes[...])
        guard isText, let text = decoded(bytes, contentType: contentType), !text.contains(0) else {
            return nil
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the text of a part of a page; nil if it has no markup.
    ///
    /// - Parameter address: The address of the page, to which links are relative.
    static func text(ofMarkup markup: String, at address: String = "") -> String? {
        guard markup.contains("</") || PageSigns.areIn(Array(markup.utf8)) else { return nil }
        let document = HTMLDocument(Array(markup.utf8).map { $0 == 0 ? 0x20 : $0 })
        return document.root.map { ReadableText.text(ofPart: $0, at: address) }
    }

    /// Returns the address to which the links are relative, if the page gives one.
    private mutating func readHead(_ root: HTMLDocument.Node) -> String {
        var values: [String: String] = [:]
        func add(_ name: String, _ value: String?) {
            let value = HTMLText.oneLine(HTMLText.repaired(value ?? ""))
            if values[name] == nil, !value.isEmpty { values[name] = value }
        }
        ReadableText.forEachElement(in: root) { node in
            switch node.name {
            case "title" where node.parent?.name != "svg": add("title", ReadableText.line(of: node))
            case "h1": add("h1", ReadableText.line(of: node))
            case "meta": add((node["name"] ?? node["property"] ?? "").lowercased(), node["content"])
            case "base": add("base", node["href"])
            case "link" where node["rel"]?.lowercased() == "canonical": add("canonical", node["href"])
            default: break
            }
        }
        func first(_ names: String...) -> String { names.lazy.compactMap { values[$0] }.first ?? "" }
        title = first("title", "og:title", "twitter:title", "h1")
        description = first("description", "og:description", "twitter:description")
        let address = first("canonical", "og:url")
        if ["https://", "http://"].contains(where: address.lowercased().hasPrefix) { url = address }
        return first("base")
    }
}
