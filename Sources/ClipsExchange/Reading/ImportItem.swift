package import ClipsCore

/// What reading a file yields: a clip, or what could not be read and where.
package typealias ImportItem = Result<ClipDraft, ImportProblem>

/// Something in a file that could not be read; the rest of the file was.
package struct ImportProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1; 0 when the problem has no line of its own.
    package let line: Int
    package let reason: String

    package init(line: Int, _ reason: String) {
        self.line = line
        self.reason = reason
    }

    package var description: String { line > 0 ? "line \(line): \(reason)." : "\(reason)." }
}

/// Why a file cannot be read, or not on.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// Whether the file as a whole is of a kind that is not read, and nothing of it was.
    package let isRefusal: Bool

    package init(_ description: String, isRefusal: Bool = false) {
        self.description = description
        self.isRefusal = isRefusal
    }

    static func refused(_ kind: String, _ advice: String) -> ImportError {
        ImportError("\(kind) \(advice)", isRefusal: true)
    }
}

/// Bounds on the memory and time that a file can cost.
package struct ImportLimits: Sendable {
    /// Bytes of a single line, record, or tag.
    package var piece = 256 << 20
    /// Bytes of a line beyond ``piece`` that are skipped in search of its end.
    package var skipped = 1 << 30
    /// Bytes of a document that must be held as a whole.
    package var document = 256 << 20
    /// Values of such a document.
    package var values = 8_000_000

    package init() {}

    static func megabytes(_ bytes: Int) -> String { "\(bytes >> 20) MB" }
}

/// The names of the fields of a file that have no counterpart in a clip, as far as they hold anything.
struct UnreadFields {
    private(set) var names: Set<String> = []

    private static let maxNames = 100
    private static let maxLength = 60

    mutating func insert(_ name: some StringProtocol) {
        guard !name.isEmpty, names.count < Self.maxNames else { return }
        names.insert(String(name.prefix(Self.maxLength)))
    }
}
