import ClipsCore
import Platform

extension InstallationContext {
    /// Whether the user has started the browser, or it is installed.
    func exists(_ browser: Browser) -> Bool {
        browser.profiles.contains(where: exists) || hasProgram(browser.programs)
    }

    /// Whether a profile of the browser has the extension, or all users have it.
    func hasExtension(_ browser: Browser) -> Bool {
        if let path = browser.systemExtension.flatMap(path), FilePath.exists(path + "/manifest.json") {
            return true
        }
        return browser.profiles.compactMap(path).contains { folder in
            Folder.names(in: folder).contains { name in
                switch browser.engine {
                case .chromium: isInChromium("\(folder)/\(name)")
                case .firefox: isInFirefox("\(folder)/\(name)")
                }
            }
        }
    }

    private func isInChromium(_ profile: String) -> Bool {
        ["Preferences", "Secure Preferences"].contains { file in
            object("\(profile)/\(file)")?["extensions"]?["settings"]?[BrowserExtension.chromiumID] != nil
        }
    }

    private func isInFirefox(_ profile: String) -> Bool {
        object("\(profile)/extensions.json")?["addons"]?.array?.contains {
            $0["id"]?.string == BrowserExtension.firefoxID && $0["active"]?.isEmpty == false
        } ?? false
    }

    private func object(_ path: String) -> JSONValue? {
        TextFile.read(path).flatMap { JSONParser.parse(Array($0.utf8)).value }
    }
}
