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
        for columns in 26...240 {
            _ = state.handle(.resized(Size(rows: rows, columns: columns)), at: noon)
            let title = state.columns(of: state.layout).title.width
            #expect(title >= widest, "\(columns) columns")
            widest = max(widest, title)
        }
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
