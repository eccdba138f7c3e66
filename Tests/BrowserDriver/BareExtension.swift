import Foundation
import Glibc
import Synchronization
import TestSupport

/// An extension whose button only starts a host, and a host that only reports its start: the part of a click that is the
/// browser's own.
package final class BareExtension: Sendable {
    private static let host = "org.clips.bare"
    private let folder: TemporaryFolder
    private let id: String
    private let starts: LineProcess

    /// Installs the extension in a browser.
    package init(in browser: any Browser, home: String) throws {
        folder = try TemporaryFolder()
        let pipe = folder.path(of: "starts")
        guard mkfifo(pipe, 0o600) == 0 else { throw BrowserError("\(pipe) cannot be created") }
        // Reads and writes, so that the pipe has no end.
        starts = try LineProcess("sh", ["-c", "exec cat <>\"$1\"", "sh", pipe])
        let program = folder.path(of: "host")
        try "#!/bin/sh\necho started >'\(pipe)'\n".write(toFile: program, atomically: true, encoding: .utf8)
        chmod(program, 0o700)
        let manifest = """
            {"manifest_version": 3, "name": "Bare", "version": "1", "permissions": ["nativeMessaging"], "action": {},
             "browser_specific_settings": {"gecko": {"id": "bare@clips.org"}},
             "background": {"service_worker": "background.js", "scripts": ["background.js"]}}
            """
        let script = """
            const api = globalThis.browser ?? globalThis.chrome;
            api.action.onClicked.addListener(() => { api.runtime.connectNative("\(Self.host)"); });
            """
        for (name, text) in ["manifest.json": manifest, "background.js": script] {
            try text.write(toFile: folder.path(of: name), atomically: true, encoding: .utf8)
        }
        id = try browser.install(folder.path)
        try browser.kind.installHost(program, home: home, name: Self.host, for: id)
    }

    /// Clicks until the extension listens, which it does some time after it was installed.
    package func start(in browser: any Browser) throws {
        let hasStarted = try eventually {
            _ = try browser.clickButton(of: id)
            return (try? starts.answer(within: 1)) != nil
        }
        guard hasStarted else { throw BrowserError("The bare extension does not start its host.") }
        // Of the clicks before, which were answered late.
        while (try? starts.answer(within: 1)) != nil {}
    }

    /// Clicks the button, and returns the milliseconds until the host has started.
    package func click(in browser: any Browser) throws -> Double {
        let start = try browser.clickButton(of: id)
        _ = try starts.answer(within: 20)
        return Date().timeIntervalSince(start) * 1000
    }
}
