import ClipsCore
import FoundationEssentials
import Platform
import SearchIndex

/// The addresses of the links in a page, numbered in the order of their first occurrence.
struct PageLinks {
    private let base: URL?
    /// Whether links are relative to the page itself, so that a fragment leads to a part of it.
    private let isOwn: Bool
    /// The address of the page without a fragment.
    private let page: Substring
    private var addresses: [String] = []
    private var numbers: [String: Int] = [:]
    private var size = 0
    private var ownCount = 0
    /// The hashes of the addresses without a number.
    private var omitted: Set<Int> = []

    /// A page may have a long address in a million links.
    private static let maxSize = 3 << 20
    private static let maxAddress = 4096
    /// Links into the page leave room for those that lead away.
    private static let maxOwn = 10_000
    /// The schemes of scripts and of contents, to which a page does not lead.
    private static let refused: Set = ["javascript", "vbscript", "data", "blob", "about"]

    /// - Parameters:
    ///   - base: The address to which links are relative; empty if only absolute links have an address.
    ///   - page: The address of the page, if it is another one.
    init(base: String, page: String? = nil) {
        self.base = URL(string: Self.reference(base))
        self.page = Self.document(page ?? base)
        isOwn = self.page == Self.document(base)
    }

    private static func document(_ address: String) -> Substring { address.prefix { $0 != "#" } }

    /// Whether a link leads to a part of the page.
    func isInPage(_ node: HTMLDocument.Node) -> Bool {
        guard let text = node["href"], text.contains("#") else { return false }
        if HTMLText.address(text).first == "#" { return isOwn }
        return address(text).map { Self.document($0) == page } ?? false
    }

    /// Returns the address of a link; nil if it has none that a browser opens.
    func address(of node: HTMLDocument.Node) -> String? {
        (node["href"] ?? node["xlink:href"]).flatMap(address)
    }

    /// Whether a link leads to another site, and does not share the page there.
    func isExternal(_ node: HTMLDocument.Node) -> Bool {
        guard let address = address(of: node), let url = URL(string: address), let host = url.host else {
            return false
        }
        return host != base?.host && !Self.sharing.contains { address.lowercased().contains($0) }
    }

    /// Whether a link leads to another site than that of the page, if that is known.
    func leadsElsewhere(_ node: HTMLDocument.Node) -> Bool {
        func site(_ address: some StringProtocol) -> String { ClipRow.site(of: address.lowercased()) }
        let own = [base?.absoluteString ?? "", String(page)].map(site).filter { !$0.isEmpty }
        return !own.isEmpty && address(of: node).map { !own.contains(site($0)) } == true
    }

    private static let sharing = ["share", "/intent/", "/submit", "pin/create", "addtoany", "wa.me/"]

    func address(_ text: String) -> String? {
        let link = HTMLText.address(text)
        guard !link.isEmpty, link != "#", link.utf8.count <= Self.maxAddress,
            let url = URL(string: Self.reference(withoutScheme(link)), relativeTo: base)?.absoluteURL,
            let scheme = url.scheme?.lowercased(), !Self.refused.contains(scheme),
            // Only a file of the reader leads to others.
            scheme != "file" || page.hasPrefix("file:///")
        else { return nil }
        let address = Self.withASCIIHost(url.absoluteString)
        let isSafe = address.utf8.count <= Self.maxAddress && address.allSatisfy { !$0.isWhitespace }
        return isSafe ? address : nil
    }

    /// Returns a link without the scheme of the page, after which only two slashes begin a host.
    private func withoutScheme(_ link: String) -> String {
        guard let scheme = base?.scheme?.lowercased(), ["http", "https"].contains(scheme),
            link.lowercased().hasPrefix("\(scheme):")
        else { return link }
        let path = link.dropFirst(scheme.count + 1)
        guard let first = path.first,
            path.prefix(2).contains(where: { !"/\\".contains($0) }) || path.count < 2
        else { return link }
        return ("/\\?#".contains(first) ? "" : "./") + path
    }

    /// Returns a link as a URL has it, from one as browsers read it.
    private static func reference(_ link: String) -> String {
        var path = String(link.prefix { !"?#".contains($0) })
        let rest = link.dropFirst(path.count)
        let colon = path.firstIndex { ":/\\".contains($0) }
        let scheme = colon.flatMap { path[$0] == ":" ? path[..<$0].lowercased() : nil }
        let isScheme = scheme.map { $0.first?.isLetter == true && $0.utf8.allSatisfy(isOfScheme) }
        // A path whose first part has a colon is no scheme.
        if isScheme == false { path = "./" + path }
        if isScheme != true || ["http", "https"].contains(scheme) {
            path = path.replacing("\\", with: "/")
            // More slashes before the host are as two.
            let start = path.firstIndex(of: "/") ?? path.endIndex
            let slashes = path[start...].prefix { $0 == "/" }
            if slashes.count > 2, start == path.startIndex || path[..<start].last == ":" {
                path.removeSubrange(slashes.dropFirst(2).startIndex..<slashes.endIndex)
            }
        }
        return PercentEncoding.encodedReference(path + rest)
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "+-.".utf8.contains(byte)
    }

    /// Returns an address with the ASCII form of a host that is percent-encoded, as a URL of Foundation has it.
    private static func withASCIIHost(_ address: String) -> String {
        guard let start = address.firstRange(of: "://")?.upperBound else { return address }
        let authority = address[start...].prefix { !"/?#".contains($0) }
        let host = authority.prefix { $0 != ":" }
        guard host.contains("%"), !authority.contains("@") else { return address }
        let ascii = Punycode.host(host)
        let isHost = ascii.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@:[]%\\".utf8.contains($0) }
        return isHost ? address[..<start] + ascii + address[host.endIndex...] : address
    }

    /// Returns the number of an address; nil if there are too many.
    mutating func number(of address: String) -> Int? {
        if let known = numbers[address] { return known }
        let isOwn = !page.isEmpty && address.hasPrefix(page) && address.dropFirst(page.count).first == "#"
        guard addresses.count < LinkDefinition.maxCount, size + address.utf8.count <= Self.maxSize,
            !isOwn || ownCount < Self.maxOwn
        else {
            omitted.insert(address.hashValue)
            return nil
        }
        if isOwn { ownCount += 1 }
        size += address.utf8.count
        addresses.append(address)
        numbers[address] = addresses.count
        return addresses.count
    }

    /// Whether an address has a number.
    func contains(_ address: String) -> Bool { numbers[address] != nil }

    var count: Int { addresses.count }

    /// The addresses as lines after a text: `[1]: https://example.org`.
    var definitions: String {
        guard !addresses.isEmpty else { return "" }
        let count = omitted.count.counted("more link")
        let verb = omitted.count == 1 ? "has" : "have"
        let note = omitted.isEmpty ? "" : "\n\n(\(count) of the page \(verb) no number.)"
        let lines = addresses.enumerated().map { index, address in
            "[\(index + 1)]: \(String(decoding: LinkAddress.target(Array(address.utf8)), as: UTF8.self))"
        }
        return note + "\n\n" + lines.joined(separator: "\n")
    }
}
