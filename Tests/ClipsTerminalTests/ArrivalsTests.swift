import ClipsCore
import LiveQuery
import PersistentStore
import Platform
import TestSupport
import Testing

@testable import ClipsTerminal

@Suite struct ArrivalsTests {
    @Test func `the maximum of a heap is first after any insertions and removals`() {
        var random = SeededRandom(seed: 5)
        var heap = Heap<Int>()
        var reference: [Int] = []
        for _ in 0..<2_000 {
            if Int.random(in: 0..<3, using: &random) > 0 {
                let number = Int.random(in: 0..<500, using: &random)
                heap.insert(number)
                reference.append(number)
            } else if let index = reference.indices.max(by: { reference[$0] < reference[$1] }) {
                heap.removeMax()
                reference.remove(at: index)
            }
            #expect(heap.max == reference.max())
        }
    }

    /// Compares the count with a plain dictionary, through arrivals, moves, deletions, and scrolling.
    @Test func `the count of clips above the screen equals that of a reference`() {
        for seed in UInt64(1)...20 {
            var random = SeededRandom(seed: seed)
            var arrivals = Arrivals()
            var reference: [Int64: SortPosition] = [:]
            func place() -> SortPosition {
                newestFirst.position(of: 1, ["created": .integer(.random(in: 0..<1000, using: &random))])
            }
            for number in Int64(1)...400 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<6:
                    let position = place()
                    arrivals.apply([.init(id: number, old: nil, new: row(number, at: position))])
                    arrivals.mark([transaction(number, inserting: [number])], at: noon)
                    reference[number] = position
                case 6:
                    guard let id = reference.keys.randomElement(using: &random) else { continue }
                    let position = place()
                    arrivals.apply([
                        .init(id: id, old: reference[id], new: row(id, at: position))
                    ])
                    reference[id] = position
                case 7:
                    guard let id = reference.keys.randomElement(using: &random) else { continue }
                    arrivals.apply([.init(id: id, old: reference[id], new: nil)])
                    reference[id] = nil
                default:
                    let top = place()
                    arrivals.scrolled(toTop: top, index: .max, isStart: false)
                    reference = reference.filter { $0.value < top }
                }
                #expect(arrivals.aboveCount == reference.count, "seed \(seed), step \(number)")
            }
        }
    }

    @Test func `a large number of clips that arrive together is counted exactly`() {
        var arrivals = Arrivals()
        let ids = (Int64(1)...15_754).map { $0 }
        arrivals.apply(ids.map { .init(id: $0, old: nil, new: row($0)) })
        arrivals.mark([transaction(1, inserting: ids)], at: noon)
        #expect(arrivals.aboveCount == 15_754 && !arrivals.isAboveCut)
        #expect(arrivals.isMarked(15_754) && arrivals.isMarked(1))
    }

    @Test func `the count continues after changes that are too many to be reported, as an approximate one`()
        throws
    {
        var state = AppState.showing(60)
        try state.press("30j")
        state.take(arrival([60, 61]), .transactions([transaction(1, inserting: [60, 61])]))
        #expect(state.statusLine.contains("↑ 2 new"))
        state.take(window((0..<62).reversed()))
        #expect(state.statusLine.contains("↑ ~2 new"), "\(state.statusLine)")
        // A list whose first rows lack the clip under the cursor is at its start only until that is found.
        let first = (62..<162).reversed().map { row($0) }
        state.take(
            .window(
                LiveList.Window(
                    rows: first, lowerIndex: 0, count: 162, reachesStart: true, reachesEnd: false),
                generation: 0))
        let effects = state.take(window((0..<162).reversed()))
        let reading = try #require(effects.first { if case .loadNewest = $0 { true } else { false } })
        state.answer(reading, ([transaction(9, inserting: [161])], isWhole: true))
        #expect(state.statusLine.contains("↑ ~102 new"), "\(state.statusLine)")
        try state.press("gg")
        #expect(!state.statusLine.contains("new"))
        state.take(arrival([162]), .transactions([transaction(10, inserting: [162])]))
        try state.press("30j")
        state.take(arrival([163]), .transactions([transaction(11, inserting: [163])]))
        #expect(state.statusLine.contains("↑ 1 new"), "\(state.statusLine)")
    }

    @Test(arguments: [false, true])
    func
        `clips that are too many to be reported are counted by the rows above the cursor, except for own ones`(
            isOwn: Bool
        ) throws
    {
        var state = AppState.showing(60)
        try state.press("30j")
        let effects = state.take(window((0..<2160).reversed()))
        let reading = try #require(effects.first { if case .loadNewest = $0 { true } else { false } })
        let newest = transaction(9, inserting: [2159], isOwn: isOwn)
        state.answer(reading, ([newest], isWhole: true))
        #expect(state.statusLine.contains("↑ ~2,100 new") != isOwn, "\(state.statusLine)")
        try state.press("gg")
        #expect(!state.statusLine.contains("new"), "\(state.statusLine)")
    }

    @Test func `rows that arrive before changes that are too many to be reported are counted with them`()
        throws
    {
        var state = AppState.showing(60)
        try state.press("30j")
        state.take(arrival([60, 61, 62]))
        let effects = state.take(window((0..<70).reversed()))
        let reading = try #require(effects.first { if case .loadNewest = $0 { true } else { false } })
        state.answer(reading, ([transaction(9, inserting: [69])], isWhole: true))
        #expect(state.statusLine.contains("↑ ~10 new"), "\(state.statusLine)")
    }

    @Test func `a deletion of many clips that changes the order brings no new ones`() throws {
        var state = AppState.showing(60)
        try state.press("/clip<Enter>")
        let generation = state.list.feed.generation
        state.take(window((0..<60).reversed(), generation: generation))
        try state.press("10j")
        // The clip under the cursor was the eleventh, and becomes the thirtieth.
        let effects = state.take(
            window([Int64](0..<29) + [49] + [Int64](50..<55), generation: generation))
        let reading = try #require(effects.first { if case .loadNewest = $0 { true } else { false } })
        state.answer(reading, ([transaction(9, deleting: [29])], isWhole: false))
        #expect(state.list.clips.selectedIndex == 29)
        #expect(!state.statusLine.contains("new"), "\(state.statusLine)")
    }

    @Test func `there are no more new clips above the screen than rows`() throws {
        var state = AppState.showing(60)
        try state.press("30j")
        let new = (Int64(60)...1059).map { $0 }
        state.take(arrival(new), .transactions([transaction(1, inserting: new)]))
        #expect(state.statusLine.contains("↑ 1,000 new"), "\(state.statusLine)")
        // A deletion that is too large to be reported leaves 40 of them.
        let effects = state.take(window([Int64](1020...1059).reversed() + [Int64](0..<60).reversed()))
        let reading = try #require(effects.first { if case .loadNewest = $0 { true } else { false } })
        state.answer(reading, ([transaction(9, deleting: [70])], isWhole: false))
        let above = state.list.clips.top
        guard
            case .findArrivals(let ids, let query)? = effects.first(where: {
                if case .findArrivals = $0 { true } else { false }
            })
        else { Issue.record("nothing is counted"); return }
        #expect(above < 70 && state.statusLine.contains("↑ ~\(above) new"), "\(state.statusLine)")
        state.take(arrival([1060]), .transactions([transaction(10, inserting: [1060])]))
        #expect(state.statusLine.contains("↑ ~\(above + 1) new"), "\(state.statusLine)")
        let deleted = ids.filter { $0 < 1020 }
        state.answer(.findArrivals(ids, query), (hidden: Set<Int64>(), deleted: deleted))
        #expect(state.statusLine.contains("↑ 41 new"), "\(state.statusLine)")
    }

    @Test(
        arguments: ["", "/clip<Enter>\n:wait idle\n:wait text=by relevance\n"],
        [
            (1500, "starred = 1"), (1500, "starred = 1, note = 'words'"),
            (31, "starred = 1, title = 'clip and more ' || (id % 1000)"),
        ])
    func `the cursor stays where it is while a commit is too large to be reported change by change`(
        filter: String, place: (row: Int, change: String)
    ) async throws {
        try await RunningApp.open(clips: 2500) { app in
            try app.run(":wait count=2500\n\(filter)\(place.row)G\n:wait idle")
            let clip = try #require(app.state.list.clips.selectedRow)
            _ = try Shell.run("sqlite3", [app.path, "UPDATE Clip SET \(place.change)"])
            var others: Set<Int> = []
            #expect(
                app.wait { state in
                    let (index, id) = (state.list.clips.selectedIndex, state.list.clips.selectedID)
                    let isOther = filter.isEmpty ? index != place.row - 1 : id != nil && id != clip.id
                    if isOther { others.insert(index) }
                    return state.list.clips.selectedRow?.isStarred == true
                })
            #expect(app.state.list.clips.selectedID == clip.id && others.isEmpty, "\(others)")
        }
    }

    @Test(arguments: ["j", "Vx"])
    func `after all clips of a large list have left, the cursor is at the top of those that arrive`(
        keys: String
    ) async throws {
        try await RunningApp.open(clips: 2500) { app in
            try app.run(":wait count=2500\n:wait idle\n\(keys)")
            if keys == "j" {
                #expect(try Shell.run("sqlite3", [app.path, "DELETE FROM Clip"]).errors == "")
            }
            #expect(app.wait { $0.list.isSettled && $0.list.clips.count == 0 })
            for number in 1...3 {
                _ = try app.other { try await $0.add([RunningApp.draft("New \(number)")]) }
                #expect(app.wait { $0.list.clips.count == number })
            }
            #expect(app.state.list.clips.selectedIndex == 0)
            #expect(app.state.list.clips.selectedRow?.title == "New 3")
        }
    }
}
