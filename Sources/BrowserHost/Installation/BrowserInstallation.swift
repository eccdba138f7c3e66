import Platform

/// The native host in the browsers of the user, or of all users.
package struct BrowserInstallation: Sendable {
    private let context: InstallationContext
    private let isSystem: Bool

    /// - Parameter isSystem: Whether for all users, which requires the superuser.
    package init(_ context: InstallationContext, isSystem: Bool) {
        self.context = context
        self.isSystem = isSystem
    }

    /// Writes the host's file for each browser that exists, and with `isSystem` installs the extension where
    /// Debian allows that.
    package func install() -> [InstallationReport] {
        Browser.all.flatMap { browser in
            context.exists(browser) ? [install(in: browser)] : []
        } + sandboxed()
    }

    /// Checks what ``install()`` writes, for the user and for all users.
    package func check() -> [InstallationReport] {
        Browser.all.flatMap { browser in
            let files = [browser.hosts, browser.systemHosts].compactMap { $0.flatMap(file) }
            let present = files.filter(FilePath.exists)
            guard !present.isEmpty else { return context.exists(browser) ? [missing(browser)] : [] }
            return present.map { check($0, of: browser) }
        } + sandboxed()
    }

    /// Deletes what ``install()`` wrote.
    package func remove() -> [InstallationReport] {
        Browser.all.compactMap { remove(from: $0) }
    }

    private func file(in folder: String) -> String? {
        context.path(folder).map { $0 + "/\(BrowserExtension.hostName).json" }
    }

    private func manifest(_ browser: Browser) -> HostManifest {
        HostManifest(program: context.program, engine: browser.engine)
    }

    private func missing(_ browser: Browser) -> InstallationReport {
        InstallationReport(
            name: browser.name, isWell: false, found: "the host is not installed",
            advice: "Run 'clips browser install'.", hasExtension: context.hasExtension(browser))
    }

    private func sandboxed() -> [InstallationReport] {
        Browser.all.flatMap { browser in
            browser.sandboxes.filter { context.exists($0.folder) }.map { sandbox in
                InstallationReport(
                    name: "\(browser.name) (\(sandbox.kind))",
                    found: "runs in a sandbox, which cannot start other programs",
                    advice: "Install \(browser.name) as a package of the system to use it with clips.")
            }
        }
    }
}

extension BrowserInstallation {
    private func install(in browser: Browser) -> InstallationReport {
        let folder = isSystem ? browser.systemHosts : browser.hosts
        guard let folder, let path = context.path(folder), let file = file(in: folder) else {
            return InstallationReport(
                name: browser.name, isWell: false,
                found: isSystem ? "has no folder for all users" : "HOME is not set",
                advice: isSystem ? "Run 'clips browser install' as its user." : "Set HOME.")
        }
        var report = InstallationReport(name: browser.name, file: file, found: "installed \(file)")
        do throws(Errno) {
            try Folder.make(path, mode: isSystem ? 0o755 : 0o700)
            try manifest(browser).write(to: file)
            if isSystem { try link(browser) }
        } catch {
            report.isWell = false
            report.found = "cannot write \(file): \(error)"
            report.advice =
                isSystem ? "Run the command with sudo." : "Check the permissions of the folder."
            return report
        }
        report.hasExtension = context.hasExtension(browser)
        if report.hasExtension != true { report.advice = loadingAdvice(browser) }
        return report
    }

    private func link(_ browser: Browser) throws(Errno) {
        guard context.isDebian, let extensions = context.extensionFolder,
            let path = browser.systemExtension.flatMap(context.path)
        else { return }
        try Folder.make(FilePath.folder(of: path), mode: 0o755)
        try FilePath.link(path, to: extensions)
    }

    private func loadingAdvice(_ browser: Browser) -> String {
        guard let folder = context.extensionFolder else {
            return "The extension's folder is missing. Install the package, or build from the sources."
        }
        let steps = "\(browser.loadingSteps) \(folder)."
        return context.isDebian && !isSystem && browser.systemExtension != nil
            ? "Run 'sudo clips browser install --system', or load the extension: \(steps)" : steps
    }

    private func check(_ file: String, of browser: Browser) -> InstallationReport {
        var report = InstallationReport(name: browser.name, file: file, found: "the host is \(file)")
        report.hasExtension = context.hasExtension(browser)
        let isForAll = context.path(browser.hosts).map { !file.hasPrefix($0 + "/") } ?? true
        let problem = manifest(browser).problem(of: file)
        if isForAll, case .otherProgram? = problem, let problem {
            // Such as the installed one next to a build: the file of a user, if there is one, precedes it.
            report.found = "\(file), for all users, \(problem.description)"
        } else if let problem {
            report.isWell = false
            report.found = "\(file) \(problem.description)"
            report.advice =
                problem == .foreign
                ? "Move it away, then install again."
                : "Run '\(isForAll ? "sudo clips browser install --system" : "clips browser install")'."
        } else if report.hasExtension != true {
            report.found += "; the extension was not found"
            report.advice = loadingAdvice(browser)
        } else {
            report.found += "; the extension is installed"
        }
        return report
    }

    private func remove(from browser: Browser) -> InstallationReport? {
        guard let folder = isSystem ? browser.systemHosts : browser.hosts,
            let path = context.path(folder), let file = file(in: folder)
        else { return nil }
        var removed: [String] = []
        do throws(Errno) {
            if FilePath.exists(file), manifest(browser).problem(of: file) != .foreign {
                try FilePath.remove(file)
                removed.append(file)
                Folder.removeIfEmpty(path)
            }
            if isSystem, let link = browser.systemExtension.flatMap(context.path),
                FilePath.linkDestination(link) != nil
            {
                try FilePath.remove(link)
                removed.append(link)
            }
        } catch {
            return InstallationReport(
                name: browser.name, file: file, isWell: false, found: "cannot delete \(file): \(error)",
                advice: isSystem ? "Run the command with sudo." : "Check the permissions of the folder.")
        }
        guard !removed.isEmpty else { return nil }
        return InstallationReport(
            name: browser.name, file: file, found: "removed \(removed.joined(separator: " and "))")
    }
}
