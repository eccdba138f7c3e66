package import ClipsCore

/// What reading a file yields: a clip, or what could not be read and where.
package typealias ImportItem = Result<ClipDraft, ImportProblem>

/// Something in a file that could not be read; the rest of the file was.
package struct ImportProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1.
    package let line: Int
    package let reason: String

    package init(line: Int, _ reason: String) {
        self.line = line
        self.reason = reason
    }

    package var description: String { "line \(line): \(reason)." }
}

/// Why a file cannot be read, or not on.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

enum ImportLimits {
    /// What a single line, cell or other piece of a file may have.
    static let piece = 256 << 20
    /// What a file may have that must be read as a whole.
    static let document = 512 << 20

    static func megabytes(_ bytes: Int) -> String { "\(bytes >> 20) MB" }
}
