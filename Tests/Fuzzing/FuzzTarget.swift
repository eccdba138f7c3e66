import ClipsExchange

/// A part of the program that reads untrusted input. Fuzzers and the suite call the same functions.
package enum FuzzTarget: String, CaseIterable, Sendable {
    case keys, keyNames, text, query, html, json, jsonl, csv, markdown, newsboat, plain, anyFile, line, config
    case ris, bibtex, kindle, plist, script, token, xml, lz4, frames, message, page, record, body, server,
        schema, agent, lines, settings

    /// Returns the invariant that the bytes violate, or nil. A trap is a violation too.
    package func broken(by bytes: [UInt8]) -> String? {
        switch self {
        case .keys: KeyInput.broken(by: bytes)
        case .keyNames: KeyInput.broken(byNames: Self.text(bytes))
        case .text: TextInput.broken(by: Self.text(bytes))
        case .query: QueryInput.broken(by: Self.text(bytes))
        case .html: FileInput.broken(by: bytes, .html)
        case .json: FileInput.broken(by: bytes, .json)
        case .jsonl: FileInput.broken(by: bytes, .jsonl)
        case .csv: FileInput.broken(by: bytes, .csv)
        case .markdown: FileInput.broken(by: bytes, .markdown)
        case .newsboat: FileInput.broken(by: bytes, .newsboat)
        case .ris: FileInput.broken(by: bytes, .ris)
        case .bibtex: FileInput.broken(by: bytes, .bibtex)
        case .kindle: FileInput.broken(by: bytes, .kindle)
        case .plist: FileInput.broken(by: bytes, nil)
        case .plain: FileInput.broken(by: bytes, .text)
        case .anyFile: FileInput.broken(by: bytes, nil)
        case .line: FileInput.broken(byLine: bytes)
        case .config: SettingsInput.broken(byConfig: Self.text(bytes))
        case .script: SettingsInput.broken(byScript: Self.text(bytes))
        case .xml: FileInput.broken(by: bytes, .xml)
        case .lz4: FileInput.broken(byCompressed: bytes)
        case .frames: HostInput.broken(byFrames: bytes)
        case .message: HostInput.broken(byMessage: bytes)
        case .page: FileInput.broken(byPage: bytes)
        case .record: RecordInput.broken(by: bytes)
        case .body: RelayInput.broken(byBody: bytes)
        case .server: RelayInput.broken(byServer: Self.text(bytes))
        case .schema: SchemaInput.broken(by: Self.text(bytes))
        case .agent: AgentInput.broken(byMessage: bytes)
        case .lines: AgentInput.broken(byLines: bytes)
        case .settings: AgentInput.broken(bySettings: Self.text(bytes))
        case .token: SettingsInput.broken(byToken: Self.text(bytes))
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
