import ClipsCore
import PersistentStore
import Testing

@testable import ClipsTerminal

/// The texts whose stars, number signs, and backslashes are shown, and those in which they are marks.
@Suite struct ProgramSignTests {
    private static func clip(_ text: String, url: String = "") -> Clip {
        let layout = StoredObject.Layout(names: ["text", "url"])
        return Clip(
            StoredObject(
                id: ClipModel.objectID(2), version: 1, layout: layout, values: [.text(text), .text(url)]))
    }

    @Test(arguments: [
        "# Only *md*\n\n**bold** and `code`", "a **c**", "x `https://a.ex/code`",
        "Buy milk\n\n- [ ] eggs\n- [x] *bread*", "# Groceries\neggs and *milk*\nbread",
        "# Title\n\nSome words: with a colon.\n\n## Next\n\n> a quote of *him*",
        "Notes of Monday\n===============\n\nWe met at 10:30.\n\n* one\n* two",
        "## Install\n\n```sh\napt-get install -y x\nx=$(date)\necho $x\nexit 1\n```\n\nThen run `x --help`.",
        "A | B\n--- | ---\n**1** | two   words\n3 | 4\n\nEnd of the *table*.",
        "\\*not bold\\* and \\_not\\_ this_one_too, \\*\\*b\\*\\*", "\\# no\n1\\. one\n2\\) b\n\\- two",
        "1. *First* do this;\n2. then that\n3. and **this**, too.",
        "#swift #ios\nA tip: use `let` for *constants*.", "**Note:** the value is `x = 2` by default.",
        "Dear Ann,\n\nthank you *very* much for the letter. If you can come,\nwrite to me\nfor the plan.\n\nBest, Ben",
        "The book (2019) has *three* parts; the first one is long;\nthe second is short.\n\n— Ann",
        "# 标题\n\n这是**重要**的。\n\n- 一\n- 二", "> **Warning**\n> This *deletes* all files.",
        "# API\n\n## `GET /items`\n\nReturns *all* items.\n\n    curl -s https://a.ex/items\n\nErrors: 404.",
        "# Recipe\n\n- 200 g flour\n- 2 eggs\n\nMix **well**. Bake for 20 min.\n\n---\n\nSource: my aunt",
        "## 2024-03-01\n\nSlept *well*. Went out at 12:00.\n\n## 2024-03-02\n\nRain.",
        "See [the manual](https://a.ex/m).\n\nx = 1\ny = 2",
        "Text with **two**\nlines and a [link][1].\n\n[1]: https://a.ex/",
        "*Emphasis* -- a dash -- and more.", "~~done~~ **open**\n\n+ a\n+ b",
    ])
    func `a text with marks is Markdown`(text: String) {
        #expect(Self.clip(text, url: "https://a.ex/").hasMarkdown)
        let isMarked = ["**", "](", "```", "~~~", "]: ", "<http"].contains(where: text.contains)
        if isMarked || text.hasPrefix("# ") || text.hasPrefix("## ") { #expect(Self.clip(text).hasMarkdown) }
    }

    @Test(arguments: [
        "Match a literal star with \\* and a dot with \\. in grep", "\\\\nas\\_old\\x",
        "Use \\_ for an underscore, \\[ x^2 \\] for display math.", "x = 2*3*4 and a *b* c",
        "   _____ _ _\n  / ____| (_)\n | |____| | | |_) \\__ \\\n  \\_____|_|_| .__/|___/",
    ])
    func `a text without headings, links, or bold words is shown as it is, unless it is that of a page`(
        text: String
    ) {
        #expect(!Self.clip(text).hasMarkdown)
    }

    @Test(arguments: [
        "x = 2*3*4; int *p, *q; f(*a, *b); path C:\\_tmp\\*.txt",
        "#!/bin/sh\n# all *files*\nls *.c *.h",
        "# Install\napt-get install -y foo bar\n# Start it\nsystemctl start foo",
        "set -e\nfor f in *.c *.h; do\n  cp \"$f\" out/\ndone\nx=`date`",
        "# This is the configuration of sshd.\n# See sshd_config(5) for more.\n\n#Port 22\nPermitRootLogin no\n# Logging\n#SyslogFacility AUTH",
        "[core]\n\teditor = vim\n[alias]\n\tst = status -sb\n# *comment*",
        "# Compose\nservices:\n  web:\n    image: \"x:*\"\n    ports:\n      - \"80:80\"\n",
        "DEBUG=1\n# the *key*\nKEY=abc**def**\nURL=https://a.ex/",
        "2024-01-02 10:00:01 INFO *** start ***\n2024-01-02 10:00:02 WARN a*b*c\n2024-01-02 10:00:03 ERROR `x`",
        "Jan  2 10:00:01 host kernel: [1.0] *x*\nJan  2 10:00:02 host kernel: [2.0] y",
        "#include <stdio.h>\n\nint main(int argc, char **argv) {\n    printf(\"%s\\n\", *argv);\n    return 0;\n}",
        "/**\n * Adds *two* numbers.\n * @param a one\n */\nstatic int add(int *a, int *b)\n{\n    return *a + *b;\n}",
        "def f(*args, **kwargs):\n    # call it\n    return g(*args, **kwargs)\n\nprint(f(1))",
        "import os\n\n\n# Settings\nROOT = os.path.dirname(__file__)\nNAMES = [x * 2 for x in range(3)]",
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-# old *x*\n+# new *y*\n same",
        "-int *a = b*c;\n+int *a = d*c;\n int x;",
        "total 8\n-rw-r--r-- 1 root root  10 Jan  1 10:00 *a*\ndrwxr-xr-x 2 root root 40 Jan  1 10:00 b",
        "$ git branch\n* main\n  dev\n$ grep -r '*x*' .",
        "PID   USER   COMMAND\n1     root   /sbin/init *\n2     root   kthreadd *",
        "SELECT *\nFROM t\nWHERE a * b > 2 AND c LIKE '*x*'",
        "{\n  \"a\": \"*x*\",\n  \"b\": [1, 2]\n}", "<?xml version=\"1.0\"?>\n<a>\n  <b>*x* y*</b>\n</a>",
        "all: main.o util.o\n\tcc -o $@ $^\n\nclean:\n\trm -f *.o *.d",
        ".a > * {\n  margin: 0 *;\n}\n\n* { color: red; }",
        "\\documentclass{article}\n\\begin{document}\n% *x*\n$a*b*c$\n\\end{document}",
        "FROM alpine:3\n# *tools*\nRUN apk add x && rm -rf /var/*\nCOPY . /app/*",
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    return *x*\nTypeError: unsupported operand",
        "Usage: x [OPTION]... FILE\n\n  -a, --all    show *all* files\n  -b, --big    only *big* ones",
        "func f() -> Int {\n    let x = a*b*c\n    return x\n}",
        "location ~* \\.(gif|png)$ {\n    expires 30d;\n}",
        "0 5 * * * /usr/bin/backup --all\n*/5 * * * * /usr/bin/poll -q *",
        "grep -E '\\*x\\*' *.txt | sort -u", "ffmpeg -i a.mkv -c copy *.mp4 *",
    ])
    func `a text of a program is no Markdown`(text: String) {
        #expect(!Self.clip(text).hasMarkdown)
        #expect(!Self.clip(text, url: "https://a.ex/").hasMarkdown || text.hasPrefix("#!"))
    }
}
