import BrowserHost
import Platform

extension Command {
    static let browser = Command(
        name: "browser",
        summary: "Connect browsers with the program, so that the extension can save clips",
        details: """
            install writes a file for each browser that exists (Chromium, Google Chrome, Brave, Vivaldi, \
            Microsoft Edge, Firefox, and LibreWolf), with which the extension starts this program, and prints \
            how to load the extension. status checks the files and the extension. remove deletes the files.
            Exit status: 0 all is well; 1 a problem remains, or there is no browser.
            """,
        operands: "install|status|remove", actions: installingActions,
        options: [
            Option("--system", "for all users; on Debian, also install the extension (requires sudo)")
        ],
        example: "sudo clips browser install --system"
    ) { invocation in
        let arguments = invocation.arguments
        let context = InstallationContext()
        let installation = BrowserInstallation(context, isSystem: arguments.has("--system"))
        return try invocation.perform(
            arguments.operands[0], for: "browser", context, install: installation.install,
            check: installation.check, remove: installation.remove)
    }
}
