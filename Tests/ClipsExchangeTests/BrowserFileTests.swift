import ClipsCore
import ClipsExchange
import Foundation
import TestSupport
import Testing

/// The files in which Firefox and Safari store bookmarks, written by SQLite and Python.
struct BrowserFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func python(_ script: String) throws {
        let run = try Shell.run("python3", ["-c", script, folder.path])
        #expect(run.status == 0, "\(run)")
    }

    private func reading(_ name: String) throws -> Reading {
        let path = folder.path(of: name)
        return try Reading(
            ByteSource([UInt8](Data(contentsOf: URL(filePath: path)))), name: path, format: nil,
            limits: ImportLimits())
    }

    @Test func `places.sqlite, with changes that are only in its log`() throws {
        try python(
            """
            import sqlite3, sys, os, shutil
            path = sys.argv[1] + '/live.sqlite'
            d = sqlite3.connect(path, isolation_level=None)
            d.executescript('''PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
            CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT, title TEXT);
            CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER, parent INTEGER,
              position INTEGER, title TEXT, dateAdded INTEGER, lastModified INTEGER, guid TEXT);
            CREATE TABLE moz_keywords (id INTEGER PRIMARY KEY, keyword TEXT, place_id INTEGER);
            INSERT INTO moz_places VALUES (1,'https://a.org/',''), (2,'https://b.org/',''), (3,'place:sort=8','');
            INSERT INTO moz_keywords VALUES (1,'k',1);
            INSERT INTO moz_bookmarks VALUES
             (1,2,NULL,0,0,'',0,0,'root________'), (2,2,NULL,1,0,'menu',0,0,'menu________'),
             (3,2,NULL,1,1,'toolbar',0,0,'toolbar_____'), (4,2,NULL,1,2,'tags',0,0,'tags________'),
             (5,2,NULL,2,0,'Work',0,0,'a'), (6,1,1,5,0,'A',1466009029123456,1466009030000000,'b'),
             (7,3,NULL,2,1,NULL,0,0,'c'), (8,1,3,2,2,'Recent',0,0,'d'), (9,2,NULL,4,0,'x',0,0,'e'),
             (10,1,1,9,0,NULL,0,0,'f');
            PRAGMA wal_checkpoint(TRUNCATE);
            INSERT INTO moz_bookmarks VALUES (11,1,2,3,0,'B',1466009029000000,1466009029000000,'g');''')
            for end in ['', '-wal']:
                shutil.copy(path + end, sys.argv[1] + '/places.sqlite' + end)
            os.mkdir(sys.argv[1] + '/other'); sqlite3.connect(sys.argv[1] + '/other/x.sqlite').execute('CREATE TABLE t (a)')
            """)
        let reading = try reading("places.sqlite")
        #expect(reading.form == "Firefox places.sqlite" && reading.problems.isEmpty)
        #expect(reading.drafts.map(\.url) == ["https://a.org/", "https://b.org/"])
        #expect(
            reading.drafts.map(\.title) == ["A", "B"] && reading.drafts.map(\.tags) == [["Work", "x"], []])
        #expect(reading.drafts[0].created == 1_466_009_029_123 && reading.drafts[0].note == "keyword: k")
        #expect(reading.drafts.allSatisfy { !$0.isUnread } && reading.unread == ["place: queries"])
        #expect(reading.fields == Reading.fields(of: "Firefox", .places))
        #expect(throws: ImportError.self) { try self.reading("other/x.sqlite") }
        let left = try FileManager.default.contentsOfDirectory(atPath: NSTemporaryDirectory())
        #expect(!left.contains { $0.hasPrefix("clips-places-") })
    }

    @Test(arguments: ["BINARY", "XML"]) func `Safari's property list`(form: String) throws {
        try python(
            """
            import plistlib, sys, datetime
            leaf = lambda url, title, **more: dict(WebBookmarkType='WebBookmarkTypeLeaf', URLString=url,
                WebBookmarkUUID='u', URIDictionary=dict(title=title), **more)
            folder = lambda title, *children: dict(WebBookmarkType='WebBookmarkTypeList', Title=title, Children=list(children))
            when = datetime.datetime(2024, 3, 4, 5, 6, 7)
            root = folder('', dict(WebBookmarkType='WebBookmarkTypeProxy', Title='History'),
                folder('BookmarksBar', leaf('https://a.org/', 'Größe 😀'), folder('Work', leaf('https://b.org/?a=1&b=2', 'B'))),
                folder('com.apple.ReadingList',
                    leaf('https://c.org/', 'C', ReadingList=dict(DateAdded=when, PreviewText='About C')),
                    leaf('https://d.org/', 'D', ReadingList=dict(DateAdded=when, DateLastViewed=when), imageURL='x')))
            root['WebBookmarkFileVersion'] = 1
            open(sys.argv[1] + '/Bookmarks.plist', 'wb').write(plistlib.dumps(root, fmt=plistlib.FMT_\(form)))
            """)
        let reading = try reading("Bookmarks.plist")
        #expect(
            reading.form == "Safari bookmarks" && reading.format == .plist && reading.unread == ["imageURL"])
        #expect(
            reading.drafts.map(\.url) == [
                "https://a.org/", "https://b.org/?a=1&b=2", "https://c.org/", "https://d.org/",
            ])
        #expect(reading.drafts.map(\.title) == ["Größe 😀", "B", "C", "D"])
        #expect(reading.drafts.map(\.tags) == [[], ["Work"], [], []])
        #expect(reading.drafts.map(\.isUnread) == [false, false, true, false])
        #expect(reading.fields == Reading.fields(of: "Safari", .plist))
        #expect(reading.drafts[2].note == "About C" && reading.drafts[2].created == 1_709_528_767_000)
    }

    @Test func `a damaged property list is refused or read in part`() throws {
        try python(
            "import plistlib, sys; open(sys.argv[1] + '/x', 'wb').write(plistlib.dumps(dict(WebBookmarkType='WebBookmarkTypeList', Children=[dict(WebBookmarkType='WebBookmarkTypeLeaf', URLString='https://a.org')]), fmt=plistlib.FMT_BINARY))"
        )
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: folder.path(of: "x"))))
        var random = SeededRandom(seed: 29)
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: 8..<changed.count, using: &random)] = .random(
                    in: 0 ... .max, using: &random)
            }
            _ = try? Reading(changed)
        }
        for end in 8..<bytes.count { _ = try? Reading(Array(bytes[..<end])) }
    }
}
