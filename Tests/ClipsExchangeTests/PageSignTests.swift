import ClipsExchange
import Testing

/// The signs that a text is a page.
struct PageSignTests {
    @Test(arguments: [
        "<body@example.org> wrote\n\n  two  spaces\n", "<a@b.example> wrote:\n> hi",
        "<em@mail.example>: Recipient unknown", "<article> of the law\n  keep   this",
        "<b> hi\n<i> hello\n", "<div className=\"x\">{foo.map(a => <b key={a}>{a}</b>)}</div>",
        "<ul><li key={a}>b</li></ul>",
        "<template>\n<div>a</div>\n</template>\n<script>\nlet a = 1\n</script>",
        "<script>let a = 1</script>", "<?xml version=\"1.0\"?><a>b</a>", "<p> is a letter",
        "<!-- open\n<p>a</p>",
        "<a href=\"x>y", "<header", "<div <b>a</b></div>",
    ])
    func `a text that begins like a tag is not a page`(text: String) {
        #expect(WebPage(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        "<!doctype html>a", "<html>a", "<BODY class=x>a", "\u{FEFF} <!-- a --><?xml version='1.0'?><html/>",
        "<p>a<p>b", "<li>a<br>b", "<meta charset=utf-8>a", "<br/>a", "<div class='a' hidden data-x=1>b</div>",
        "<DL><DT>a</DL>", "<a href=https://a.example/>b</a>", "<style>p {}</style><p>a</p>",
        "<div onclick=\"this.className='={'\">a</div><script>a={}</script>",
    ])
    func `a page or a part of one is a page`(text: String) { #expect(WebPage(Array(text.utf8)) != nil) }
}
