/// The result of an installation, a check, or a removal for one browser, or for one client of the server.
package struct InstallationReport: Hashable, Sendable {
    /// The name of the browser or client.
    package let name: String
    /// The file of the host, nil if there is none; or the file with the settings of the client.
    package var file: String?
    /// Whether nothing is left to do.
    package var isWell = true
    /// Whether the settings of a client have an entry of the server.
    package var isInstalled = true
    package var found: String
    package var advice = ""
    /// Whether the browser has the extension; nil if that is not known, as for a temporary one.
    package var hasExtension: Bool?

    package init(
        name: String, file: String? = nil, isWell: Bool = true, found: String, advice: String = "",
        hasExtension: Bool? = nil
    ) {
        (self.name, self.file, self.isWell) = (name, file, isWell)
        (self.found, self.advice, self.hasExtension) = (found, advice, hasExtension)
    }

    package var sentence: String { "\(name): \(found).\(advice.isEmpty ? "" : " \(advice)")" }
}
