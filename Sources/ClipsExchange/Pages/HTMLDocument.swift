import CLibXML2
import ClipsCore
import Glibc

/// The tree of a page, by libxml2, which repairs any markup.
final class HTMLDocument {
    typealias Node = UnsafeMutablePointer<xmlNode>

    private let document: htmlDocPtr?

    /// The number of open elements at which the next ones end at once, and their contents follow them. The time to close
    /// an element grows with it, and libxml2 reads no more of a page with 256.
    private static let maxDepth = 250

    /// - Parameter text: UTF-8, regardless of the encoding that the page declares.
    init(_ text: [UInt8]) {
        guard let parser = htmlNewParserCtxt() else {
            document = nil
            return
        }
        let options = [
            HTML_PARSE_RECOVER, HTML_PARSE_NOERROR, HTML_PARSE_NOWARNING, HTML_PARSE_NONET,
            HTML_PARSE_IGNORE_ENC, HTML_PARSE_COMPACT,
        ]
        parser.pointee.sax.pointee.startElement = { context, name, attributes in
            xmlSAX2StartElement(context, name, attributes)
            let parser = context?.assumingMemoryBound(to: xmlParserCtxt.self)
            guard let parser, let name else { return }
            let tag = String(cString: name)
            // Links have their words in any depth, and none in each other.
            let isDeep =
                parser.pointee.nameNr >= HTMLDocument.maxDepth && tag != "a"
                && htmlTagLookup(name)?.pointee.empty != 1
            if isDeep || HTMLDocument.void.contains(tag) { HTMLDocument.end(in: parser) }
        }
        // As a whole: between two parts, libxml2 loses the end of a script that contains tags.
        document = text.withUnsafeBytes {
            let bytes = $0.bindMemory(to: CChar.self)
            let all = CInt(options.reduce(0) { $0 | $1.rawValue })
            return htmlCtxtReadMemory(parser, bytes.baseAddress, CInt(bytes.count), nil, "UTF-8", all)
        }
        htmlFreeParserCtxt(parser)
    }

    /// The void elements that libxml2 does not know. They would contain the rest of the page.
    private static let void: Set = ["command", "embed", "keygen", "source", "track", "wbr"]

    /// Makes the parser end an element at its start tag, by the name of a void element that it knows.
    private static func end(in parser: xmlParserCtxtPtr) {
        guard parser.pointee.nameNr > 0,
            let known = xmlDictLookup(parser.pointee.dict, "br", 2)
        else { return }
        parser.pointee.nameTab[Int(parser.pointee.nameNr) - 1] = known
        parser.pointee.name = known
    }

    deinit { if let document { xmlFreeDoc(document) } }

    var root: Node? { document.flatMap { xmlDocGetRootElement($0) } }
}

extension HTMLDocument.Node {
    var isElement: Bool { pointee.type == XML_ELEMENT_NODE }
    var isText: Bool { pointee.type == XML_TEXT_NODE || pointee.type == XML_CDATA_SECTION_NODE }

    /// The name of an element, in lower case.
    var name: String { pointee.name.map { String(cString: $0) } ?? "" }

    /// The bytes of a text.
    var content: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: pointee.content, count: pointee.content.map { Int(xmlStrlen($0)) } ?? 0)
    }

    var children: some Sequence<HTMLDocument.Node> {
        sequence(state: firstChild) { node in
            defer { node = node?.next }
            return node
        }
    }

    var firstChild: HTMLDocument.Node? { pointee.children }
    var next: HTMLDocument.Node? { pointee.next }
    var previous: HTMLDocument.Node? { pointee.prev }
    /// The last element before the node, with text between them or without.
    var previousElement: HTMLDocument.Node? {
        var found = previous
        while let node = found, !node.isElement { found = node.previous }
        return found
    }
    var parent: HTMLDocument.Node? { pointee.parent }

    /// Returns the next node of a tree, parents first; nil after the last one.
    func following(in root: HTMLDocument.Node) -> HTMLDocument.Node? {
        if isElement, let child = firstChild { return child }
        var node = self
        while node != root, node.next == nil, let parent = node.parent { node = parent }
        return node == root ? nil : node.next
    }

    var hasAttributes: Bool { pointee.properties != nil }

    /// Returns the text in an element without the white space around it; nil if it has more than a number of bytes, or
    /// hundreds of nodes.
    func text(upTo limit: Int) -> String? {
        var (bytes, next): ([UInt8], HTMLDocument.Node?) = ([], self)
        var nodes = 0
        while let found = next {
            nodes += 1
            if found.isText { bytes += found.content.prefix(limit + 1) }
            guard bytes.count <= limit, nodes <= 500 else { return nil }
            next = found.following(in: self)
        }
        return String(decoding: bytes, as: UTF8.self).trimmed
    }

    /// Returns the words of attributes, in lower case.
    func words(of attributes: String...) -> [String] {
        let values = hasAttributes ? attributes.compactMap { self[$0] } : []
        guard !values.isEmpty else { return [] }
        return values.joined(separator: " ").lowercased().split { !$0.isLetter }.map { String($0) }
    }

    /// Whether the classes or the role have one of the words.
    func hasName(in names: Set<String>) -> Bool { words(of: "class", "role").contains(where: names.contains) }

    /// The value of an attribute; nil if there is none.
    subscript(_ attribute: String) -> String? {
        var next = pointee.properties
        while let found = next, strcmp(found.pointee.name, attribute) != 0 { next = found.pointee.next }
        return next.map { $0.pointee.children?.pointee.content.map { String(cString: $0) } ?? "" }
    }
}
