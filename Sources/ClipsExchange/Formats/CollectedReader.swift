/// A reader of a file that is in memory as a whole.
struct CollectedReader: FormatReader {
    let form: String
    let unread: UnreadFields
    var items: [ImportItem]

    init(_ form: String, _ items: [ImportItem], _ unread: UnreadFields = UnreadFields()) {
        (self.form, self.items, self.unread) = (form, items, unread)
    }

    func read() -> Bool { false }
}

extension UTF8Source {
    /// Returns the rest of the file.
    func readAll(isRaw: Bool = false, limit: Int? = nil) throws(ImportError) -> [UInt8] {
        let limit = min(limit ?? limits.document, limits.document)
        var bytes: [UInt8] = []
        while let piece = isRaw ? try nextRaw() : try next() {
            bytes += piece
            guard bytes.count <= limit else {
                throw .refused(
                    "This file has more than \(ImportLimits.megabytes(limit)).", "Split it.")
            }
        }
        return bytes
    }
}
