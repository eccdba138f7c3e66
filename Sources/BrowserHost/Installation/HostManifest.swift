import ClipsCore
import Platform

/// The file with which a browser finds the host, and knows the extension that may start it.
struct HostManifest {
    let program: String
    let engine: Browser.Engine

    private var allowed: (key: String, value: String) {
        switch engine {
        case .chromium: ("allowed_origins", BrowserExtension.chromiumOrigin)
        case .firefox: ("allowed_extensions", BrowserExtension.firefoxID)
        }
    }

    private var json: String {
        let object: JSONObject = [
            "name": BrowserExtension.hostName, "description": "Saves pages in clips", "path": program,
            "type": "stdio", allowed.key: [allowed.value],
        ]
        return object.json + "\n"
    }

    /// Writes the file, which every user may read, in one step.
    func write(to path: String) throws(Errno) {
        let file = try ReplacementFile(of: path)
        try DescriptorIO.write(json.utf8, to: file.descriptor)
        FilePermissions.allowReading(file.descriptor)
        try file.commit()
    }

    /// The problem of a file; nil if it is as it must be.
    enum Problem: Hashable {
        case missing
        /// Written by another program.
        case foreign
        case otherExtension
        /// Another program than this one; the path.
        case otherProgram(String)
        case notExecutable(String)

        var description: String {
            switch self {
            case .missing: "is missing"
            case .foreign: "is not a file of this program"
            case .otherExtension: "does not allow the extension"
            case .otherProgram(let path): "names another program, \(path)"
            case .notExecutable(let path): "names \(path), which cannot be executed"
            }
        }
    }

    func problem(of path: String) -> Problem? {
        guard let text = TextFile.read(path) else { return .missing }
        let object = JSONParser.parse(Array(text.utf8)).value
        guard object?["name"]?.string == BrowserExtension.hostName, let named = object?["path"]?.string else {
            return .foreign
        }
        guard object?[allowed.key]?.array?.contains(where: { $0.string == allowed.value }) == true else {
            return .otherExtension
        }
        guard FilePath.isExecutable(named) else { return .notExecutable(named) }
        return FilePath.resolved(named) == FilePath.resolved(program) ? nil : .otherProgram(named)
    }
}
