import ClipsCore

/// A reader of Safari's `Bookmarks.plist`, binary or XML.
enum PlistReader {
    static let magic = Array("bplist00".utf8)

    static func reader(_ bytes: [UInt8], limits: ImportLimits) throws(ImportError) -> CollectedReader {
        var binary = BinaryPlist(bytes, maxValues: limits.values)
        guard let root = bytes.starts(with: magic) ? binary.root() : XMLPlist.root(bytes, limits: limits)
        else {
            throw .refused(
                "This property list is damaged.", "In Safari, File > Export > Bookmarks… writes HTML.")
        }
        guard root["WebBookmarkType"]?.string == "WebBookmarkTypeList" else {
            throw .refused(
                "This property list does not contain Safari's bookmarks.", "Import Bookmarks.plist, or HTML.")
        }
        var tree = SafariTree()
        tree.add(root, tags: [], depth: 0)
        return CollectedReader("Safari bookmarks", tree.items, tree.unread)
    }
}

private struct SafariTree {
    private(set) var items: [ImportItem] = []
    private(set) var unread = UnreadFields()

    /// The outermost folders, whose names are Safari's.
    private static let places: Set<String> = ["BookmarksBar", "BookmarksMenu", "com.apple.ReadingList"]
    private static let structure: Set<String> = [
        "Title", "Children", "URIDictionary", "URLString", "WebBookmarkType", "WebBookmarkUUID", "Sync",
        "ReadingList", "ReadingListNonSync", "previewText", "WebBookmarkFileVersion",
        "WebBookmarkAutoTab", "ShouldOmitFromUI",
    ]

    mutating func add(_ node: JSONValue, tags: [String], depth: Int) {
        let name = node["Title"]?.string ?? ""
        switch node["WebBookmarkType"]?.string {
        case "WebBookmarkTypeList":
            let isPlace = depth == 0 || depth == 1 && Self.places.contains(name)
            for child in node["Children"]?.array ?? [] {
                add(child, tags: isPlace || name.isEmpty ? tags : tags + [name], depth: depth + 1)
            }
        case "WebBookmarkTypeLeaf": addLeaf(node, tags)
        default: break
        }
    }

    private mutating func addLeaf(_ node: JSONValue, _ tags: [String]) {
        guard let url = node["URLString"]?.string, !url.isEmpty else {
            return items.append(.problem("a bookmark has no URL"))
        }
        let list = node["ReadingList"]
        var fielded = FieldedDraft()
        fielded.set(.url, url)
        fielded.set(.title, node["URIDictionary"]?["title"]?.string ?? "")
        fielded.set(.note, (list?["PreviewText"] ?? node["previewText"])?.string ?? "")
        fielded.set(.created, list?["DateAdded"]?.word ?? "")
        if let list {
            fielded.set(.unread, list["DateLastViewed"] == nil ? "yes" : "no")
        } else {
            fielded.assumeRead()
        }
        fielded.addTags(tags)
        items.append(.success(fielded.draft))
        if case .object(let members) = node {
            for (name, value) in members where !Self.structure.contains(name) && !value.isEmpty {
                unread.insert(name)
            }
        }
    }
}

/// A binary property list: objects at offsets of a table, which refer to each other by their numbers.
private struct BinaryPlist {
    private let bytes: [UInt8]
    private var offsets: [Int] = []
    private var referenceSize = 0
    private var top = 0
    /// The number of values that may still be read. An object that many refer to is read many times.
    private var left: Int

    private static let maxDepth = 100
    /// The seconds from 1970 to 2001, where Apple's times begin.
    static let from1970 = 978_307_200.0

    init(_ bytes: [UInt8], maxValues: Int) {
        (self.bytes, left) = (bytes, maxValues)
        guard bytes.count >= 40 else { return }
        let trailer = bytes.count - 32
        referenceSize = Int(bytes[trailer + 7])
        guard let count = number(trailer + 8, 8), let top = number(trailer + 16, 8),
            let table = number(trailer + 24, 8), count <= bytes.count
        else { return }
        let size = Int(bytes[trailer + 6])
        offsets = (0..<count).compactMap { number(table + $0 * size, size) }
        self.top = top
    }

    mutating func root() -> JSONValue? { value(top, depth: 0) }

    private func number(_ offset: Int, _ size: Int) -> Int? {
        guard (1...8).contains(size), offset >= 0, offset <= bytes.count - size else { return nil }
        return Int(exactly: bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            .flatMap { $0 < 1 << 40 ? $0 : nil }
    }

    private mutating func value(_ index: Int, depth: Int) -> JSONValue? {
        left -= 1
        guard left > 0, depth < Self.maxDepth, offsets.indices.contains(index),
            bytes.indices.contains(offsets[index])
        else { return nil }
        var offset = offsets[index] + 1
        let (kind, low) = (bytes[offset - 1] >> 4, Int(bytes[offset - 1] & 15))
        switch kind {
        case 0: return low == 8 ? .bool(false) : low == 9 ? .bool(true) : .null
        case 1: return number(offset, min(8, 1 << low)).map { .integer(Int64($0)) } ?? .null
        case 2, 3:
            guard low == 3, offset <= bytes.count - 8 else { return .null }
            let bits = bytes[offset..<offset + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let number = Double(bitPattern: bits)
            guard kind == 3, abs(number) < 1e11 else { return .number(number.isFinite ? number : 0) }
            return .string(FileDate.text(Int64(((number + Self.from1970) * 1000).rounded())))
        default: break
        }
        var count = low
        if low == 15 {
            guard offset < bytes.count, let long = number(offset + 1, 1 << Int(bytes[offset] & 3)) else {
                return nil
            }
            offset += 1 + 1 << Int(bytes[offset] & 3)
            count = long
        }
        let size = kind == 6 ? 2 : kind == 10 ? referenceSize : kind == 13 ? 2 * referenceSize : 1
        guard count <= bytes.count, offset + count * size <= bytes.count else { return nil }
        switch kind {
        case 5: return .string(String(decoding: bytes[offset..<offset + count], as: UTF8.self))
        case 6:
            let units = (0..<count).map {
                UInt16(bytes[offset + 2 * $0]) << 8 | UInt16(bytes[offset + 2 * $0 + 1])
            }
            return .string(String(decoding: units, as: UTF16.self))
        case 10: return .array((0..<count).compactMap { referred(offset, $0, depth) })
        case 13:
            var members: [String: JSONValue] = [:]
            for index in 0..<count {
                guard let key = referred(offset, index, depth)?.string else { return nil }
                members[key] = referred(offset, count + index, depth)
            }
            return .object(members)
        default: return .null
        }
    }

    private mutating func referred(_ offset: Int, _ index: Int, _ depth: Int) -> JSONValue? {
        number(offset + index * referenceSize, referenceSize).flatMap { value($0, depth: depth + 1) }
    }
}

/// A property list as XML.
private struct XMLPlist {
    private enum Open {
        case list([JSONValue])
        case dictionary([String: JSONValue], key: String?)
    }

    private var open: [Open] = []
    private var text = ""
    private var root: JSONValue?

    private static let maxDepth = 100

    /// Returns nil if the document has no value, or declares entities.
    static func root(_ bytes: [UInt8], limits: ImportLimits) -> JSONValue? {
        var tokenizer = MarkupTokenizer(.xml, limits: limits)
        tokenizer.feed(bytes)
        tokenizer.finish()
        guard !tokenizer.hasDeclarations else { return nil }
        var list = XMLPlist()
        for (token, _) in tokenizer.tokens { list.handle(token) }
        return list.root
    }

    private mutating func handle(_ token: MarkupToken) {
        switch token {
        case .start(let name, _, _):
            text = ""
            guard open.count < Self.maxDepth else { return }
            if name == "array" { open.append(.list([])) }
            if name == "dict" { open.append(.dictionary([:], key: nil)) }
        case .text(let words): text += words
        case .end(let name):
            switch name {
            case "key":
                if case .dictionary(let members, _)? = open.popLast() {
                    open.append(.dictionary(members, key: text))
                }
            case "string", "date": add(.string(text))
            case "integer", "real": add(JSONParser.parse(Array(text.utf8)).value ?? .null)
            case "true", "false": add(.bool(name == "true"))
            case "data": add(.null)
            case "array": if case .list(let values)? = open.popLast() { add(.array(values)) }
            case "dict": if case .dictionary(let members, _)? = open.popLast() { add(.object(members)) }
            default: break
            }
            text = ""
        }
    }

    private mutating func add(_ value: JSONValue) {
        switch open.popLast() {
        case nil: root = root ?? value
        case .list(var values)?:
            values.append(value)
            open.append(.list(values))
        case .dictionary(var members, let key)?:
            if let key { members[key] = value }
            open.append(.dictionary(members, key: nil))
        }
    }
}
