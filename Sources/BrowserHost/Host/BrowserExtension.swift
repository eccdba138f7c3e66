/// The browser extension that starts the program, known by the arguments that browsers pass to a host.
package enum BrowserExtension: String, Sendable {
    case chromium
    case firefox

    /// The name of the host, and of its manifest.
    package static let hostName = "org.clips.host"

    /// Chromium derives the ID from the key in the extension's manifest.
    package static let chromiumID = "ojgnjidhnielonpdmepdmlikfmjbkfjp"
    package static let firefoxID = "clips@clips.org"
    package static let chromiumOrigin = "chrome-extension://\(chromiumID)/"

    /// The arguments belong to another extension.
    package struct Rejection: Error, CustomStringConvertible {
        package let description =
            "Another browser extension tried to use the program; nothing was done. Only the extension of this program can."
    }

    /// Creates nil for arguments that no browser passes.
    package init?(arguments: [String]) throws(Rejection) {
        if let origin = arguments.first, origin.hasPrefix("chrome-extension://") {
            guard origin == Self.chromiumOrigin else { throw Rejection() }
            self = .chromium
        } else if arguments.count == 2, arguments[0].hasPrefix("/"),
            arguments[0].hasSuffix("/\(Self.hostName).json")
        {
            guard arguments[1] == Self.firefoxID else { throw Rejection() }
            self = .firefox
        } else {
            return nil
        }
    }
}
