import Platform

/// The names of a mirror on a server, and its cipher.
struct Zone: Sendable {
    let name: String
    let cipher: RecordCipher

    /// The subjects below `clips.<zone>`: `.m` is the metadata, `.r.<key>` the records, `.b.<key>.<hash>.<n>` the
    /// chunks of large records, and `.k.<name>` the records of keys.
    private var prefix: String { "clips.\(name)" }
    var stream: String { Self.stream(name) }
    var subjects: String { prefix }
    var metadata: String { "\(prefix).m" }
    var records: String { "\(prefix).r.*" }
    func record(_ key: String) -> String { "\(prefix).r.\(key)" }
    func chunk(_ key: String, _ hash: String, _ number: Int) -> String {
        "\(prefix).b.\(key).\(hash).\(number)"
    }
    /// The chunks of one revision.
    func chunk(_ key: String, _ hash: String) -> String { "\(prefix).b.\(key).\(hash).*" }
    func chunks(_ key: String) -> String { "\(prefix).b.\(key).>" }

    /// Returns the key of a record's subject.
    func key(of subject: String) -> String? {
        let start = "\(prefix).r."
        return subject.hasPrefix(start) ? String(subject.dropFirst(start.count)) : nil
    }

    /// Whether a name can be part of a subject and of a stream's name.
    static func isValid(_ name: String) -> Bool { name.isPlainName }
}
