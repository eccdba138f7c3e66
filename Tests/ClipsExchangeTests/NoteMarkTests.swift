import ClipsCore
import ClipsExchange
import TestSupport
import Testing

/// The marks of notes, which look different from the numbers of links.
@Suite struct NoteMarkTests {
    private func text(_ body: String) throws -> String {
        let page = "<!DOCTYPE html><html><title>t</title><body><article><p>p</p>\(body)</article></html>"
        let text = try #require(WebPage(Array(page.utf8), address: "https://a.example/page")).text
        return String(text.dropFirst(3).split(separator: "\n\n[1]: ")[0])
    }

    @Test(
        arguments: [
            // MediaWiki, of which older versions have the brackets in the link
            ("a<sup id=cite_ref-1 class=reference><a href='#cite_note-1'>[1]</a></sup>", "a[^1]"),
            ("a<sup><a href='#n'><span>[</span>1<span>]</span></a></sup><sup>[b]</sup>", "a[^1][^b]"),
            ("a<sup><a href='https://a.example/page#cite_note-1'>[1]</a></sup>", "a[^1]"),
            ("a<sup><a href='./page#cite_note-1'>[1]</a></sup>", "a[^1]"),
            // Sphinx and docutils
            ("a <a href='#id3' class=footnote-reference>[1]</a>", "a [^1]"),
            ("a<a class='footnote-reference brackets' href='#id3'>1</a>", "a[^1]"),
            // pandoc, Hugo, and the Markdown of GitHub
            ("a<sup><a href='#fn1'>1</a></sup>, b<sup><a href='#fn2'>†</a></sup>", "a[^1], b[^†]"),
            (
                "a<a href='#fn1'><sup>1</sup></a><sup><a href='#fn2'>*</a>, <a href='#3'>3</a></sup>",
                "a[^1][^*], [^3]"
            ),
            // Asciidoctor, and pages by hand
            ("a<sup class=footnote>[<a class=footnote href='#_footnotedef_1'>1</a>]</sup>", "a[^1]"),
            ("a [<a href='#n1'>1</a>] <b>b<a href='#n2'>[2]</a></b>", "a [^1] **b[^2]**"),
            (
                "<a href=/1>a</a><a href='#n1'>[1]</a>(b) <a href=/2>b<sup>[2]</sup></a>",
                "[a][1]\\[^1](b) [b[^2]][2]"
            ),
        ])
    func `the mark of a note is no number of a link`(part: String, shown: String) throws {
        let found = try text("<p>\(part)</p>")
        #expect(found == shown, "\(found)")
    }

    @Test(
        arguments: [
            (
                "<a href='#c3'>3</a> <a href='#part'>Part</a> <a href='#r'>[RFC]</a>",
                "[3][1] [Part][2] [[RFC]][3]"
            ),
            ("a<a href='#a' aria-label='Permalink'><svg></svg></a>b<a class=x href='#b'>&#8203;</a>", "ab"),
            ("a<a href='#c'></a>b<a href='/c' aria-label=c></a>", "ab [c][1]"),
            ("a<sup><a href='/x#n'>[2]</a></sup> b<sup>2</sup>", "a[[2]][1] b^2"),
            ("<code>a<a href='#n2'>[2]</a></code> [1]", "`a`[[2]][1] \\[1]"),
        ])
    func `other links into the page, and marks of other pages, remain`(part: String, shown: String) throws {
        let found = try text("<p>\(part)</p>")
        #expect(found == shown, "\(found)")
    }

    @Test(
        arguments: [
            (
                "<ol class=references><li><span class=mw-cite-backlink><b><a href='#cite_ref-1'>^</a></b></span> One.</li></ol>",
                "1. One."
            ),
            (
                "<ol><li><span class=mw-cite-backlink>^ <a href='#r1'><sup>a</sup></a> <a href='#r2'>b</a></span> One.</ol>",
                "1. One."
            ),
            (
                "<ol><li>One.&nbsp;<a href='#fnref1'>&#x21a9;&#xfe0e;</a> <a href='#f'>↩<sup>2</sup></a></ol>",
                "1. One."
            ),
            ("<ol><li><a href='#r'>↑</a> One. <a href='/x#r'>↑</a></ol>", "1. One. [↑][1]"),
            (
                "<aside class='footnote brackets'><span class=label>[<a role=doc-backlink href='#id1'>1</a>]</span><p>One.</aside>",
                "[^1]\n\nOne."
            ),
            (
                "<aside class=footnote><span class=label>[1]</span> <span class=backrefs>(<a href='#a'>1</a>)</span> One.</aside>",
                "[^1] One."
            ),
            (
                "<table class=footnote><tr><td class=label>[1]</td><td>One.<tr><td class=label><a href='#r2'>[2]</a><td>Two.</table>",
                "| | |\n--- | ---\n[^1] | One.\n[^2] | Two."
            ),
            (
                "<dl class=footnote><dt class=label><span class=brackets><a href='#r'>1</a></span></dt><dd>One.</dl>",
                "[^1]\n: One."
            ),
            ("<p>a<a href='#n1'>[1]</a></p><p id=n1>[1] One [1].<p>[2] b", "a[^1]\n\n[^1] One [1].\n\n[2] b"),
        ])
    func `a note has its mark, and no link to where it is referred to`(part: String, shown: String) throws {
        let found = try text(part)
        #expect(found == shown, "\(found)")
    }

    @Test(arguments: ExportFormat.allCases)
    func `an export with marks of notes is imported unchanged`(format: ExportFormat) async throws {
        let folder = try TemporaryFolder()
        let store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
        let page = """
            <article><p>See<sup><a href='#n1'>[1]</a></sup><a href=/1>one</a><sup><a href='#n2'>[2]</a></sup>(b).</p>
            <p><a href='#r1'>[1]</a> The note.</p><p><a href='#r2'>[2]</a>: Another.</p></article>
            """
        let text = try #require(WebPage(Array(page.utf8), address: "https://a.example/")).text
        let shown =
            "See[^1][one][1]\\[^2](b).\n\n[^1] The note.\n\n\\[^2]: Another.\n\n[1]: https://a.example/1"
        #expect(text == shown, "\(text)")
        var draft = ClipDraft()
        (draft.url, draft.text, draft.note) = ("https://a.example/", text, "a[^1]")
        var other = draft
        (other.url, other.text) = ("https://a.example/2", "[^1] and [^x][^1]\n\n[^x]: A note.")
        _ = try await store.add([draft, other])
        var file = ""
        _ = try await ClipExport(format: format).write(of: store) { file += $0 }
        let drafts = try Reading(file, name: "f.\(format)").drafts
        if format != .html { #expect(Set(drafts.map(\.text)) == [draft.text, other.text], "\(file)") }
        #expect(drafts.map(\.note) == ["a[^1]", "a[^1]"], "\(file)")
    }
}
