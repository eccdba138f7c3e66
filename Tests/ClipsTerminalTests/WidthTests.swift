import LiveQuery
import Terminal
import Testing

@testable import ClipsTerminal

/// A wider screen is never worse.
@Suite struct WidthTests {
    @Test(
        arguments: [12, 24, 60],
        [
            "", "set sidebar on", "set relativenumber on", "set split 35", "set split 70",
            "set columns title", "set columns title,age\nset relativenumber on", "set columns title,tags,age",
            "set columns title,tags,age\nset sidebar on\nset split 35", "set columns saved,title,url",
            "set columns title,site,tags,age,author,saved,url", "set columns title,site,url,age",
        ])
    func `titles never get narrower when the terminal gets wider`(rows: Int, config: String) {
        var widest = 0
        var state = AppState.showing(4, config: config)
        for columns in 20...250 {
            _ = state.handle(.resized(Size(rows: rows, columns: columns)), at: noon)
            let title = state.columns(of: state.layout).title.width
            #expect(title >= widest, "\(columns) columns")
            widest = max(widest, title)
        }
    }

    @Test(arguments: ["saved,url", "url", "url,title", "saved", "age,saved,url"])
    func `columns that the config file adds remain when the terminal gets wider`(names: String) {
        var (most, widest) = (0, 0)
        var state = AppState.showing(4, config: "set columns \(names)")
        for columns in 40...250 {
            _ = state.handle(.resized(Size(rows: 24, columns: columns)), at: noon)
            let shown = state.columns(of: state.layout)
            #expect(shown.all.count >= most && shown.title.width >= widest, "\(columns) columns")
            (most, widest) = (max(most, shown.all.count), max(widest, shown.title.width))
        }
        #expect(
            state.layout.arrangement == .beside && most == Set(names.split(separator: ",") + ["title"]).count)
    }

    @Test(
        arguments: ["", "needle", "tag0", "site0", "tag0 needle"],
        [
            "", "set relativenumber on", "set sidebar on", "set split 20", "set columns title,url",
            "set columns title,age",
        ])
    func `the words of a title never get fewer when the terminal gets wider`(
        filter: String, config: String
    ) throws {
        let long = String(repeating: "long title ", count: 30)
        let titles = ["Short", "A title of usual length", long, "\(long)needle", "\(long)needle \(long)"]
        var state = AppState.showing(3, Size(rows: 8, columns: 20), config: config)
        if !filter.isEmpty { try state.press("/\(filter)<Enter>") }
        let clips = titles.enumerated().map { row(Int64(9 - $0), $1) }
        _ = state.take(
            .window(
                LiveList.Window(
                    rows: clips, lowerIndex: 0, count: clips.count, reachesStart: true, reachesEnd: true),
                generation: state.list.feed.generation))
        let excerpt = "…understanding preceding sentences, the needle of site0 and tag0 is between sentences…"
        var widest = titles.map { _ in 0 }
        for columns in 20...250 {
            for case .loadExcerpts(let request) in state.handle(
                .resized(Size(rows: 8, columns: columns)), at: noon)
            {
                let known = request.words.keys.map { ($0, excerpt) }
                state.answer(.loadExcerpts(request), Dictionary(uniqueKeysWithValues: known))
            }
            guard let list = state.layout.list else { continue }
            let title = state.columns(of: state.layout).title
            for (index, line) in state.lines[list.row...].prefix(titles.count).enumerated() {
                let shown = line.dropFirst(list.column + title.start).prefix(title.width) + "  "
                let width = shown.firstRange(of: "  ").map { shown[..<$0.lowerBound].count } ?? 0
                #expect(width >= widest[index], "\(columns) columns: \(line)")
                widest[index] = max(widest[index], width)
            }
        }
    }

    @Test func `a tag in its own column is not repeated after the title`() throws {
        var state = AppState.showing(1, Size(rows: 8, columns: 40))
        try state.press("/tag0<Enter>")
        let title = String(repeating: "long title ", count: 30)
        _ = state.take(
            .window(
                LiveList.Window(
                    rows: [row(9, title, url: "https://a.example/")], lowerIndex: 0,
                    count: 1, reachesStart: true, reachesEnd: true),
                generation: state.list.feed.generation))
        for columns in Array(40...120) + (40...120).reversed() {
            _ = state.handle(.resized(Size(rows: 8, columns: columns)), at: noon)
            let line = state.lines[1]
            #expect(line.ranges(of: "tag0").count == 1, "\(columns) columns: \(line)")
        }
    }

    @Test func `a short reason leaves the other cells to the title`() throws {
        var state = AppState.showing(1, Size(rows: 8, columns: 110), config: "set columns title,age")
        try state.press("/tag0<Enter>")
        let title = String(repeating: "long title ", count: 30)
        _ = state.take(
            .window(
                LiveList.Window(
                    rows: [row(9, title)], lowerIndex: 0, count: 1, reachesStart: true, reachesEnd: true),
                generation: state.list.feed.generation))
        let end = try #require(state.lines[1].firstRange(of: "…  #tag0"))
        #expect(state.lines[1][..<end.lowerBound].count > 50, "\(state.lines[1])")
    }

    @Test func `columns fit the list, and the author yields first`() {
        for width in 1...240 {
            let columns = ListColumns(width: width)
            #expect(columns.all.last.map { $0.start + $0.width <= width } != false, "\(width)")
            for (one, next) in zip(columns.all, columns.all.dropFirst()) {
                #expect(one.start + one.width < next.start, "\(width)")
            }
            if columns[.author] != nil { #expect(columns[.site] != nil && columns[.tags] != nil) }
        }
        let usual = ListColumns(width: 78)
        #expect(usual[.author] == nil && usual[.tags] != nil && usual.title.width >= 40)
        #expect(ListColumns(width: 100, names: [.age, .title, .author]).all.map(\.name).count == 3)
    }
}
