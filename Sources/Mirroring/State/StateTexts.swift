/// The texts of states without values, each encoded and read once: those of many records are the same, since one commit
/// gave them their clocks.
struct StateTexts {
    private struct Text: Hashable {
        let bytes: ArraySlice<UInt8>

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    /// The greatest number of texts, and their size in bytes.
    private static let (maxCount, maxSize) = (256, 4096)

    private var states: [Text: RecordState] = [:]
    /// By the elements, in which states of one commit differ.
    private var texts: [[String: [String: RecordState.Element]]: (state: RecordState, text: [UInt8])] = [:]

    /// Returns the bytes of a record.
    mutating func bytes(of form: RecordForm) -> [UInt8] {
        if let (state, text) = texts[form.state.elements], state == form.state { return form.head + text }
        let text = form.state.text
        if texts.count == Self.maxCount { texts.removeAll() }
        if text.count <= Self.maxSize { texts[form.state.elements] = (form.state, text) }
        return form.head + text
    }

    /// Returns the state of a record; nil if its bytes are damaged.
    mutating func state(of form: RecordForm, in bytes: [UInt8]) -> RecordState? {
        let head = form.head
        guard bytes.starts(with: head) else { return (try? RecordForm(bytes))?.state }
        let text = Text(bytes: bytes[head.count...])
        if let state = states[text] { return state }
        guard let state = (try? RecordForm(bytes))?.state else { return nil }
        if states.count == Self.maxCount { states.removeAll() }
        if text.bytes.count <= Self.maxSize { states[text] = state }
        return state
    }
}
