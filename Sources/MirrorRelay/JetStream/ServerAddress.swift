/// A NATS server and the credentials for it, or a folder that another program synchronizes.
///
/// The password is part of the encoded form: a file with it should be readable for its owner only.
public struct ServerAddress: Hashable, Sendable, Codable {
    /// Without credentials: `tls://host:4222`, or `folder:/path`.
    public let url: String
    public var user: String?
    public var password: String?
    /// The path of a credentials file, as `nsc` creates it.
    public var credentials: String?
    /// The path of the certificates that sign the server's, if the system does not trust them.
    public var authority: String?

    /// The reason that an address is not accepted, as a sentence.
    @nonexhaustive
    public enum Rejection: Error, Hashable, Sendable, CustomStringConvertible {
        case invalid
        /// The path of a folder is not absolute.
        case folder
        case plain(host: String)
        case password

        public var description: String {
            switch self {
            case .invalid: "The URL of the server is not valid. Use tls://HOST[:PORT], or folder:/PATH."
            case .folder: "The path of the folder is not absolute. Use folder:/PATH."
            case .plain(let host):
                "nats://\(host) would be reached without encryption of the transport. Use tls://\(host); nats:// is for this machine only."
            case .password:
                "A URL with a password would be visible to other users. Omit it; the password is prompted, or read with --password-file."
            }
        }
    }

    /// Parses `nats://[USER@]HOST[:PORT]`, `tls://…`, or `folder:PATH`. A plain `nats://` is for this machine only.
    public init(_ text: String) throws(Rejection) {
        if text.hasPrefix(Self.folderScheme) {
            let path = text.dropFirst(Self.folderScheme.count)
            guard path.hasPrefix("/"), !path.contains("\0") else { throw .folder }
            url = text
            return
        }
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["nats", "tls"].contains(parts[0]), text.utf8.count <= 512,
            parts[1].utf8.allSatisfy({ $0 > 32 && $0 < 127 })
        else { throw .invalid }
        var place = parts[1]
        while place.last == "/" { place.removeLast() }
        if let at = place.lastIndex(of: "@") {
            let name = place[..<at]
            guard !name.contains(":") else { throw .password }
            user = name.isEmpty ? nil : String(name)
            place = place[place.index(after: at)...]
        }
        let host = Self.host(of: place)
        guard !host.isEmpty, !place.contains("/"), !place.contains(",") else { throw .invalid }
        guard parts[0] == "tls" || Self.isLoopback(host) else { throw .plain(host: String(place)) }
        url = "\(parts[0])://\(place)"
    }

    /// Reads an address from the settings, under the same rules as one that is typed.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(values.decode(String.self, forKey: .url))
        user = try values.decodeIfPresent(String.self, forKey: .user)
        password = try values.decodeIfPresent(String.self, forKey: .password)
        credentials = try values.decodeIfPresent(String.self, forKey: .credentials)
        authority = try values.decodeIfPresent(String.self, forKey: .authority)
    }

    package static let folderScheme = "folder:"

    /// The path of a folder; nil for a server.
    package var folder: String? {
        url.hasPrefix(Self.folderScheme) ? String(url.dropFirst(Self.folderScheme.count)) : nil
    }

    package var isSecure: Bool { url.hasPrefix("tls:") }

    /// The host in the URL, without the brackets of an IPv6 address.
    var host: String { String(Self.host(of: url.drop { $0 != "/" }.dropFirst(2))) }

    private static func host(of place: Substring) -> Substring {
        if place.hasPrefix("["), let end = place.firstIndex(of: "]") {
            return place[place.index(after: place.startIndex)..<end]
        }
        return place.split(separator: ":", omittingEmptySubsequences: false).first ?? ""
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
        return host == "localhost" || host == "::1"
            || bytes.count == 4 && bytes[0] == "127" && bytes.allSatisfy { UInt8($0) != nil }
    }
}
