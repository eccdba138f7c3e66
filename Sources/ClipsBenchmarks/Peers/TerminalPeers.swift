import FoundationEssentials
import Glibc
import SQLite

/// A list program of another project.
enum TerminalPeer: String, CaseIterable {
    case less, fzf, tig, newsboat
}

/// The list programs on terminals of the same size, and their input: a number of lines, commits, or articles, created
/// once and reused.
struct TerminalPeers {
    let rows: Int
    let folder: String

    private var lines: String { "\(folder)/lines-\(rows).txt" }
    private var repository: String { "\(folder)/commits-\(rows)" }
    private var articles: String { "\(folder)/articles-\(rows)" }
    private var newsboat: [String] {
        ["newsboat", "-C", articles + "/config", "-u", articles + "/urls", "-c", articles + "/cache.db"]
    }

    /// Returns the time from the start of a program until its first screenful was painted.
    func start(_ peer: TerminalPeer) throws -> Double {
        let program = try TerminalProgram(command(peer))
        let time = try program.wait(for: [firstText(peer)], seconds: 120) - program.began
        guard peer == .newsboat else { return time }
        try program.readUntilIdle()
        let opened = Moment.now
        program.press("\r")
        return try time + (program.wait(for: [row(30)], seconds: 300) - opened)
    }

    private func command(_ peer: TerminalPeer) -> [String] {
        switch peer {
        case .less: ["less", lines]
        case .fzf: ["sh", "-c", "exec fzf < \"$1\"", "sh", lines]
        // Without any user's settings.
        case .tig: ["sh", "-c", "cd \"$1\" && HOME=\"$1\" TIGRC_USER=/dev/null exec tig", "sh", repository]
        case .newsboat: newsboat
        }
    }

    /// Returns a text that is painted with the first screenful; newsboat shows its feeds first.
    private func firstText(_ peer: TerminalPeer) -> String {
        switch peer {
        case .less: "\(row(39)) "
        case .fzf, .tig: "\(row(30)) "
        case .newsboat: "Clip feed"
        }
    }

    /// Returns the text of the nth row from the start of the list.
    private func row(_ number: Int) -> String {
        let digits = String(number)
        return "Row " + String(repeating: "0", count: max(0, 7 - digits.count)) + digits
    }

    func make(_ peer: TerminalPeer) throws {
        switch peer {
        case .less, .fzf: try makeLines()
        case .tig: try makeRepository()
        case .newsboat: try makeArticles()
        }
    }

    private func makeLines() throws {
        guard access(lines, R_OK) != 0 else { return }
        var text = ""
        for number in 1...rows {
            text += "\(row(number)) \(SampleClip.title(number)) \(SampleClip.url(number))\n"
        }
        try Output.write(text, to: lines)
    }

    /// The newest commit is the first row.
    private func makeRepository() throws {
        guard access(repository, R_OK) != 0 else { return }
        var stream = ""
        for number in 1...rows {
            let message = "\(row(rows + 1 - number)) \(SampleClip.title(number))"
            stream += """
                commit refs/heads/main
                committer A U Thor <a@example.org> \(1_600_000_000 + number * 60) +0000
                data \(message.utf8.count)
                \(message)


                """
        }
        let file = "\(folder)/commits.txt"
        try Output.write(stream, to: file)
        let script =
            "git init -q -b main \"$1\" && git -C \"$1\" fast-import --quiet < \"$2\" && mv \"$1\" \"$3\""
        try ChildProcess.run(["sh", "-c", script, "sh", repository + ".unfinished", file, repository])
        unlink(file)
    }

    /// newsboat creates its tables; then they are filled.
    private func makeArticles() throws {
        guard access(articles + "/complete", R_OK) != 0 else { return }
        try FileManager.default.createDirectory(atPath: articles, withIntermediateDirectories: true)
        let feed = "http://127.0.0.1:9/feed.xml"
        try Output.write(feed + "\n", to: articles + "/urls")
        let settings = "auto-reload no\nrefresh-on-startup no\nbind-key j down\nshow-read-feeds yes\n"
        try Output.write(settings, to: articles + "/config")
        let program = try TerminalProgram(newsboat)
        _ = try program.wait(for: ["127.0.0.1"])
        program.press("q")
        try? program.readUntilIdle(milliseconds: 1000)
        let connection = try SampleStore.generator(articles + "/cache.db")
        try connection.execute("BEGIN")
        try connection.run(
            "INSERT OR REPLACE INTO rss_feed (rssurl, url, title) VALUES (?1, 'http://127.0.0.1:9/', 'Clip feed')",
            feed)
        for number in 1...rows {
            try connection.run(
                """
                INSERT INTO rss_item (guid, title, author, url, feedurl, pubDate, content, unread, deleted, flags, base)
                VALUES (?1, ?2, '', ?3, ?4, ?5, ?6, 1, 0, '', '')
                """, "\(number)", "\(row(number)) \(SampleClip.title(number))", SampleClip.url(number), feed,
                1_700_000_000 - number * 60, SampleClip.text(number))
        }
        try connection.execute("COMMIT")
        try Output.write("", to: articles + "/complete")
    }
}
