package import ClipsCore

/// A line of JSON lines: an object with the keys of a ``ClipRecord``, or those of services. `clips import` and
/// `clips add --jsonl` read lines by it.
package struct ClipLine: Sendable {
    package let draft: ClipDraft
    /// The values that were read with a change, or not at all.
    package let problems: [ImportProblem]

    /// The keys whose values are the clip; services have no others by these names.
    private static let texts = ["url", "title", "text", "note"]

    /// - Parameters:
    ///   - number: The number of the line.
    ///   - unread: Gets the keys that have no counterpart in a clip.
    /// - Throws: ``ImportProblem`` if the line is not a clip.
    package init(
        _ bytes: [UInt8], number: Int, _ unread: inout UnreadFields
    ) throws(ImportProblem) {
        // Editors begin a file with a byte order mark.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let parsed = JSONParser.parse(bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes)
        if let reason = parsed.problem?.reason {
            throw ImportProblem(
                line: number, reason.hasPrefix("it is") ? reason : "it is not JSON: \(reason)")
        }
        guard let object = parsed.value, case .object(let members) = object else {
            throw ImportProblem(line: number, "it is not a JSON object")
        }
        let isOwn = members["uuid"] != nil
        let (record, known) = try Self.record(members, number, isOwn: isOwn)
        var fielded = FieldedDraft(record)
        fielded.read(members, except: known, &unread)
        if !isOwn { fielded.checkURL() }
        var draft = fielded.draft
        guard !record.isEmpty || draft.hasSource else {
            throw ImportProblem(line: number, "it has no url, title, text or note")
        }
        if let name = draft.tooLongText {
            throw ImportProblem(
                line: number, "a \(name) has more than \(ImportLimits.megabytes(ClipDraft.largestText))")
        }
        var complaints = fielded.complaints
        if Tags.hasComma(draft.tags) {
            draft.tags = Tags(draft.tags).names
            complaints.append("a tag has a comma, which is saved as a space")
        }
        if parsed.hasReplacement { complaints.append("half a surrogate pair is saved as U+FFFD") }
        self.draft = draft
        problems =
            complaints.map { ImportProblem(line: number, $0, changed: 1) }
            + fielded.doubts.map { ImportProblem(line: number, $0, changed: 0) }
    }

    /// Returns the clip with the members that are those of a record, and their keys. Services use some keys for other
    /// kinds of values.
    private static func record(
        _ members: [String: JSONValue], _ number: Int, isOwn: Bool
    ) throws(ImportProblem) -> (draft: ClipDraft, keys: Set<String>) {
        var (rest, keys) = (members, ClipRecord.keys)
        while true {
            var draft = ClipDraft()
            do {
                try ClipRecord.apply(.object(rest), to: &draft)
                return (draft, keys)
            } catch {
                let key = error.key.flatMap { rest[$0] == nil ? nil : $0 } ?? "quotes"
                guard !isOwn, !texts.contains(key), rest.removeValue(forKey: key) != nil else {
                    throw ImportProblem(line: number, "\(error)")
                }
                keys.remove(key)
            }
        }
    }
}
