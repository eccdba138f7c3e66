import ClipsCore
import ClipsExchange
import Testing

/// References, highlights, clippings, and lists of tabs.
struct ReferenceFileTests {
    @Test func `OneTab's titles, and the names and dates of its groups`() throws {
        let text = """
            Reading list
            https://a.org/x | Example Site
            https://b.org/?q=a|b | One | Two

            Created 2024-03-04 05:06:07
            https://c.org | C

            3 tabs
            Created 3/4/2024, 5:06:07 AM
            https://d.org
            """
        let reading = try Reading(text)
        #expect(reading.form == "OneTab" && reading.problems.isEmpty && reading.unread == ["dates of groups"])
        #expect(reading.drafts.map(\.title) == ["Example Site", "One | Two", "C", ""])
        #expect(reading.drafts.map(\.tags) == [["Reading list"], ["Reading list"], [], []])
        #expect(reading.drafts.map(\.created) == [nil, nil, 1_709_528_767_000, nil])
        #expect(try Reading("https://a.org A | B\nwords").form == "plain text")
    }

    @Test func `a clipping of Obsidian is one clip`() throws {
        let text = """
            ---
            title: "A \\"quoted\\" title"
            source: "https://a.org/page"
            author:
              - "[[Some One]]"
            published: 2024-01-01
            created: 2024-02-03
            description: 'It''s short'
            tags:
              - "clippings"
              - two words
            ---
            # Heading

            Words with [a link](https://b.org).
            """
        let reading = try Reading(text, name: "x.md")
        let draft = try #require(reading.drafts.first)
        #expect(reading.drafts.count == 1 && reading.problems.isEmpty && reading.unread == ["published"])
        #expect(draft.url == "https://a.org/page" && draft.title == "A \"quoted\" title")
        #expect(draft.text == "# Heading\n\nWords with [a link](https://b.org).")
        #expect(draft.note == "author: Some One\n\nIt's short" && draft.tags == ["clippings", "two words"])
        #expect(draft.created == 1_706_918_400_000)
        let quoted = """
            ---
            "source": https://a.org
            "title": 'A title
              of two lines'
            description: >-
              one
              text
            tags:
              - two words
            ---
            """
        let other = try Reading(quoted, name: "x.md").drafts
        #expect(other.map(\.title) == ["A title of two lines"] && other.map(\.note) == ["one text"])
        #expect(other.map(\.tags) == [["two words"]])
        let dated = try Reading(
            "---\nsource: https://a.org\ntitle: \"\\U0001F600\"\ncreated: some day\n---\n", name: "x.md")
        #expect(dated.drafts.map(\.title) == ["\u{1F600}"] && dated.problems.map(\.changed) == [1])
        let sharp = "---\nsource: https://a.org\ntags: [C#, '#x']\n---\n"
        #expect(try Reading(sharp, name: "x.md").drafts.map(\.tags) == [["C#", "x"]])
        let notes = "---\ntags: [a, b]\n---\n- [A](https://a.org)\n"
        #expect(try Reading(notes, name: "x.md").drafts.map(\.url) == ["https://a.org"])
        #expect(
            try Reading("---\n- [A](https://a.org)\n", name: "x.md").drafts.map(\.url) == ["https://a.org"])
    }

    @Test func `RIS`() throws {
        let text = """
            TY  - JOUR
            TI  - A title
            AU  - Doe, Jane
            AU  - Roe, R.
            PY  - 2024
            UR  - https://a.org/paper
            AB  - First line
            second line
            KW  - one
            KW  - two words
            ER  -

            TY  - BOOK
            T1  - By DOI
            DO  - 10.1000/182
            ER  -
            TY  - BOOK
            TI  - Nowhere
            ER  -
            """
        let reading = try Reading(text)
        #expect(
            reading.format == .ris
                && reading.drafts.map(\.url) == ["https://a.org/paper", "https://doi.org/10.1000/182"])
        #expect(
            reading.drafts.map(\.title) == ["A title", "By DOI"]
                && reading.drafts[0].tags == ["one", "two words"])
        #expect(
            reading.drafts[0].note == "author: Doe, Jane; Roe, R.\n\nFirst line second line"
                && reading.unread == ["PY"])
        #expect(reading.problems.map(\.reason) == ["a reference has no URL and no DOI"])
    }

    @Test func `BibTeX, with accents, nested braces, and names of strings`() throws {
        let text = """
            @string{home = "https://a.org"}
            @comment{ignored}
            @article{key,
              title = {The {G}r{\\"o}{\\ss}e of \\'etudes \\& more},
              author = "Doe, Jane", year = 2024,
              url = {https://a.org/x\\_y?a=1\\&b=2},
              abstract = "Some {nested} words",
              keywords = {one, two words; three}
            }
            @misc{other, title = "Other", howpublished = {\\url{https://b.org/p}}}
            @misc{third, title = {Third}, url = home # "/z"}
            @book{doi, title = {D}, doi = {10.1000/182}}
            @book{none, title = {Nowhere}}
            """
        let reading = try Reading(text, name: "x.bib")
        #expect(
            reading.drafts.map(\.url) == [
                "https://a.org/x_y?a=1&b=2", "https://b.org/p", "https://a.org/z",
                "https://doi.org/10.1000/182",
            ])
        #expect(
            Array(reading.drafts[0].title.unicodeScalars)
                == Array("The Größe of études & more".unicodeScalars))
        #expect(
            reading.drafts[0].note == "Some nested words\n\nauthor: Doe, Jane"
                && reading.drafts[0].tags == ["one", "two words", "three"])
        #expect(reading.problems.map(\.line) == [13] && reading.unread == ["year"])
        #expect(try Reading(String(text.dropFirst(50))).format == .bibtex)
    }

    @Test func `a Kindle's highlights and notes, in any language`() throws {
        let text = """
            \u{FEFF}The Book (Some One)
            - Your Highlight on page 12 | Location 170-172 | Added on Monday, 2 January 2023 10:00:00

            A sentence.
            ==========
            Das Buch (Jemand)
            - Ihr Lesezeichen auf Seite 3 | Hinzugefügt am Montag, 2. Januar 2023 10:00:00


            ==========
            """
        let reading = try Reading(text)
        #expect(reading.form == "Kindle highlights" && reading.drafts.map(\.text) == ["A sentence."])
        #expect(
            reading.drafts[0].title == "The Book (Some One)" && reading.drafts[0].created == 1_672_653_600_000
        )
        #expect(reading.unread == ["bookmarks", "positions"])
        for (time, hour) in [("12:05:07 AM", 0), ("9:05:07 AM", 9), ("12:05:07 PM", 12), ("9:05:07 PM", 21)] {
            let page = "A\n- Your Highlight | Added on Sunday, March 5, 2023 \(time)\n\nwords\n==========\n"
            let seconds = 1_677_974_400 + 3600 * hour + 307
            #expect(try Reading(page).drafts.map(\.created) == [Int64(seconds * 1000)], "\(time)")
        }
    }
}
