import Foundation
import PersistentStore
import SearchIndex
import Synchronization
import TestSupport
import Testing

@testable import ClipsCore
@testable import LiveQuery

/// The list with the best matches first, step by step.
@Suite struct RankedSelectionTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let index: SearchIndex
    let context: StoreContext
    let query: ClipQuery

    init() async throws {
        folder = try TemporaryFolder()
        container = try await PersistentContainer(
            path: folder.path(of: "clips.db"), model: try ClipModel.make())
        context = container.makeContext(author: "test")
        for number in 0..<1600 {
            let title = ["swift \(number)", "swiftly \(number)", "notes \(number)", "aswift \(number)"][
                number % 4]
            try await context.insert(
                "Clip",
                [
                    "title": .text(title), "text": .text(number % 4 == 2 ? "a swift text" : ""),
                    "created": .integer(Int64(number)),
                ])
        }
        try await context.save()
        index = SearchIndex(container, ClipModel.searched)
        try await index.bringUpToDate()
        var query = ClipQuery(filter: "swift")
        query.ranksWords = true
        self.query = query
    }

    /// Extends a selection until a condition holds.
    private func extend(
        _ selection: RankedSelection, wanted: Int? = nil, until isEnough: @Sendable (RankedSelection) -> Bool
    ) async throws -> RankedSelection {
        try await container.read { snapshot in
            var selection = selection
            repeat { try selection.extend(wanted: wanted, in: snapshot) } while !isEnough(selection)
            return selection
        }
    }

    private func ranked() async throws -> [Int64] {
        try await container.read { [query, index] snapshot in
            var ranking = SearchRanking(
                query.search, limit: 1000, effort: .typing, includesRelated: false)
            while !ranking.isComplete { try ranking.extend(with: index, in: snapshot) }
            return ranking.hits.map(\.id)
        }
    }

    @Test func `the first rows are shown before the others are ranked, and remain`() async throws {
        let first = try await extend(RankedSelection(query, index, maxRanked: 1000), wanted: 100) {
            $0.isSorted
        }
        #expect(!first.isComplete)
        #expect(first.count >= 100)
        #expect(first.count < 1000)
        let all = try await extend(first) { $0.isComplete }
        #expect(all.keys(0..<first.count) == first.keys(0..<first.count))
        #expect(all.count == 1600)
        #expect(Set(all.keys(0..<1600)).count == 1600)
        let ranked = try await ranked()
        #expect(ranked.count == 1000)
        #expect(all.keys(0..<1000) == ranked)
    }

    @Test func `the first rows are those of a command, also with thousands of matches`() async throws {
        for number in 0..<2300 {
            try await context.insert(
                "Clip",
                [
                    "title": .text("one more of many longer titles with swift \(number)"),
                    "text": .text("some words"), "created": .integer(Int64(2000 + number)),
                ])
        }
        try await context.save()
        try await index.bringUpToDate()
        let list = try await extend(RankedSelection(query, index), wanted: 100) { $0.isSorted }
        let found = try await container.read { [query, index] snapshot in
            var ranking = SearchRanking(query.search, limit: 100)
            while !ranking.isComplete { try ranking.extend(with: index, in: snapshot) }
            return ranking.hits.map(\.id)
        }
        #expect(list.keys(0..<100) == found)
    }

    @Test func `an old title precedes thousands of tags`() async throws {
        try await context.insert("Clip", ["title": .text("Vim"), "created": .integer(-1)])
        for number in 0..<5500 {
            try await context.insert(
                "Clip",
                [
                    "title": .text(number == 3 ? "More of Vim" : "Editor \(number)"), "tags": .text("vim"),
                    "created": .integer(Int64(number)),
                ])
        }
        try await context.save()
        try await index.bringUpToDate()
        var query = ClipQuery(filter: "vim")
        query.ranksWords = true
        let list = try await extend(RankedSelection(query, index), wanted: 100) { $0.isComplete }
        let keys = list.keys(0..<2)
        let titles = try await container.fetch(FetchRequest("Clip", where: .keys(keys)))
            .reduce(into: [:]) { $0[$1.id.key] = $1["title"].textValue }
        #expect(keys.map { titles[$0] } == ["Vim", "More of Vim"])
        #expect(list.count == 5501 && Set(list.keys(0..<5501)).count == 5501)
        let found = try await container.read { [query, index] snapshot in
            var ranking = SearchRanking(query.search, limit: 2)
            while !ranking.isComplete { try ranking.extend(with: index, in: snapshot) }
            return ranking.hits.map(\.id)
        }
        #expect(found == keys)
    }

    @Test func `matches without a rank are reported`() async throws {
        let reported = Mutex<[SearchDeviation]>([])
        let list = RankedSelection(query, index) { deviation in reported.withLock { $0.append(deviation) } }
        _ = try await extend(list) { $0.isComplete }
        #expect(reported.withLock { $0 } == [])
        try FileManager.default.removeItem(atPath: index.path)
        let without = SearchIndex(container, ClipModel.searched)
        let unranked = RankedSelection(query, without, unindexedTime: .zero) { deviation in
            reported.withLock { $0.append(deviation) }
        }
        _ = try await extend(unranked) { $0.isComplete }
        #expect(reported.withLock { $0 } == [SearchDeviation(isUnranked: true)])
    }

    @Test func `a list around a clip is shown when the clip has its rank`() async throws {
        let last = try #require(try await ranked().last)
        let position = SortPosition([.integer(0)], key: last, in: SortOrder([SortKey("created")], of: nil))
        let selection = try await container.read { [query, index] snapshot in
            var selection = RankedSelection(query, index)
            _ = try selection.seek(position, in: snapshot)
            return selection
        }
        let shown = try await extend(selection, wanted: 100) { $0.isSorted }
        #expect(shown.keys(0..<shown.count).contains(last))
    }

    @Test func `changes while others are ranked arrive once and in order`() async throws {
        var selection = try await extend(RankedSelection(query, index), wanted: 100) { $0.isSorted }
        let shown = selection.keys(0..<selection.count)
        let unshown = try #require(try await ranked().last { !shown.contains($0) })
        try await context.update(ClipModel.objectID(shown[3]), ["title": .text("other")])
        try await context.update(ClipModel.objectID(unshown), ["title": .text("swift")])
        try await context.insert("Clip", ["title": .text("swift"), "created": .integer(5000)])
        try await context.save()
        let added = FetchRequest("Clip", where: .equal("created", .integer(5000)))
        let new = try #require(try await container.fetch(added).first).id.key
        let keys = [shown[3], unshown, new]
        selection = try await container.read { [selection] snapshot in
            var selection = selection
            let objects = try snapshot.fetch(FetchRequest("Clip", where: .keys(keys)))
            let changes = keys.map { key in
                ListCandidate(key: key, earlier: nil, object: objects.first { $0.id.key == key })
            }
            let positions = try selection.apply(changes, in: snapshot)
            #expect(positions.map { $0.old != nil } == [true, false, false])
            #expect(positions.map { $0.new != nil } == [false, true, true])
            return selection
        }
        selection = try await extend(selection) { $0.isComplete }
        let all = selection.keys(0..<selection.count)
        #expect(all.count == 1600)
        #expect(Set(all).count == 1600)
        #expect(!all.contains(shown[3]))
        // Their titles are the query.
        #expect(Array(all.prefix(4)) == [new, unshown] + shown.prefix(2))
        let positions = all.indices.compactMap { selection.position(at: $0) }
        #expect(positions == positions.sorted())
    }

    @Test(arguments: ["swift", "the swift one", "swiftly and more words", "aswift", "nothing"])
    func `a new match is where a new search ranks it`(title: String) async throws {
        var selection = try await extend(RankedSelection(query, index)) { $0.isComplete }
        let text = title == "nothing" ? "a text about swift" : ""
        try await context.insert(
            "Clip", ["title": .text(title), "text": .text(text), "created": .integer(5000)])
        try await context.save()
        try await index.bringUpToDate()
        let object = try #require(
            try await container.fetch(FetchRequest("Clip", where: .equal("created", .integer(5000)))).first)
        selection = try await container.read { [selection] snapshot in
            var selection = selection
            let change = ListCandidate(key: object.id.key, earlier: nil, object: object)
            _ = try selection.apply([change], in: snapshot)
            return selection
        }
        let again = try await extend(RankedSelection(query, index)) { $0.isComplete }
        let (all, expected) = (selection.keys(0..<selection.count), again.keys(0..<again.count))
        #expect(all.firstIndex(of: object.id.key) == expected.firstIndex(of: object.id.key))
        #expect(all == expected)
    }

    @Test(arguments: ["swift", "zz"])
    func `matches that arrive one by one are in the order of a new search`(word: String) async throws {
        var query = ClipQuery(filter: word)
        query.ranksWords = true
        var selection = try await extend(RankedSelection(query, index)) { $0.isComplete }
        let forms = ["\(word)1", "\(word)", "the \(word) one of many", "a\(word)", "\(word) and more"]
        for number in 0..<40 {
            let created = AttributeValue.integer(Int64(5000 + number))
            try await context.insert("Clip", ["title": .text(forms[number * 7 % 5]), "created": created])
            try await context.save()
            let object = try #require(
                try await container.fetch(FetchRequest("Clip", where: .equal("created", created))).first)
            selection = try await container.read { [selection] snapshot in
                var selection = selection
                let change = ListCandidate(key: object.id.key, earlier: nil, object: object)
                _ = try selection.apply([change], in: snapshot)
                return selection
            }
        }
        try await index.bringUpToDate()
        let again = try await extend(RankedSelection(query, index)) { $0.isComplete }
        let (all, expected) = (selection.keys(0..<selection.count), again.keys(0..<again.count))
        #expect(all == expected)
        let positions = all.indices.compactMap { selection.position(at: $0) }
        #expect(positions == positions.sorted())
    }

    @Test func `an edited clip is among those whose titles match, or no longer`()
        async throws
    {
        var selection = try await extend(RankedSelection(query, index)) { $0.isComplete }
        let keys = [selection.keys(0..<1)[0], selection.keys(selection.count - 1..<selection.count)[0]]
        try await context.update(
            ClipModel.objectID(keys[0]), ["title": .text("other"), "text": .text("about swift")])
        try await context.update(ClipModel.objectID(keys[1]), ["title": .text("swift")])
        try await context.save()
        try await index.bringUpToDate()
        selection = try await container.read { [selection] snapshot in
            var selection = selection
            for object in try snapshot.fetch(FetchRequest("Clip", where: .keys(keys))) {
                let change = ListCandidate(key: object.id.key, earlier: nil, object: object)
                let positions = try selection.apply([change], in: snapshot)
                #expect(positions[0].old != nil && positions[0].new != positions[0].old)
                let again = try selection.apply([change], in: snapshot)
                #expect(again[0].new == positions[0].new)
            }
            return selection
        }
        let again = try await extend(RankedSelection(query, index)) { $0.isComplete }
        let (all, expected) = (selection.keys(0..<selection.count), again.keys(0..<again.count))
        // Among the whole words in texts, which follow those in titles.
        for order in [all, expected] {
            #expect((400..<800).contains(try #require(order.firstIndex(of: keys[0]))))
        }
        #expect(all.firstIndex(of: keys[1]) == expected.firstIndex(of: keys[1]))
        #expect(Set(all) == Set(expected) && all.count == expected.count)
    }

    /// Applies the present state of clips, as after commits that changed them.
    private func apply(_ keys: [Int64], to selection: RankedSelection) async throws -> RankedSelection {
        try await container.read { snapshot in
            var selection = selection
            let objects = try snapshot.fetch(FetchRequest("Clip", where: .keys(keys)))
            let changes = keys.map { key in
                ListCandidate(key: key, earlier: nil, object: objects.first { $0.id.key == key })
            }
            _ = try selection.apply(changes, in: snapshot)
            return selection
        }
    }

    @Test(arguments: [false, true])
    func `edited clips are where a new search ranks them`(whileRanked: Bool) async throws {
        var random = SystemRandomNumberGenerator()
        // After the best ones, in whose long texts words count.
        for key in stride(from: Int64(3), to: 1600, by: 8) {
            let uuid = "00000000-0000-4000-8000-00000000\(1000 + key)"
            try await context.update(ClipModel.objectID(key), ["uuid": .text(uuid)])
            try await context.insert("Quote", ["clip": .text(uuid), "text": .text("swift and swift")])
        }
        try await context.save()
        try await index.bringUpToDate()
        var selection = try await extend(RankedSelection(query, index), wanted: 20) {
            whileRanked ? $0.isSorted : $0.isComplete
        }
        #expect(selection.isComplete != whileRanked)
        let forms = [
            "swift", "swift and swift", "the swift one", "swiftly", "aswift", "of swift and many", "other",
        ]
        for _ in 0..<20 {
            let keys = (0..<5).map { _ in Int64.random(in: 1...1600, using: &random) }
            for key in keys {
                let form = forms.randomElement(using: &random) ?? ""
                let text = String(repeating: "swift texts ", count: Int.random(in: 0...5, using: &random))
                try await context.update(
                    ClipModel.objectID(key), ["title": .text(form), "text": .text(text)])
            }
            try await context.save()
            selection = try await apply(Array(Set(keys)), to: selection)
        }
        // Many with one rank, the newest first and then the others.
        for created in stride(from: 2700, to: 2000, by: -1) {
            let attributes: [String: AttributeValue] = [
                "title": .text("many of swift"), "created": .integer(Int64(created * 37 % 701)),
            ]
            try await context.insert("Clip", attributes)
        }
        try await context.save()
        let many = FetchRequest("Clip", where: .equal("title", .text("many of swift")))
        selection = try await apply(try await container.fetch(many).map(\.id.key), to: selection)
        selection = try await extend(selection) { $0.isComplete }
        selection = try await apply(selection.takeUnmoved(), to: selection)
        try await index.bringUpToDate()
        let again = try await extend(RankedSelection(query, index)) { $0.isComplete }
        let (all, expected) = (selection.keys(0..<selection.count), again.keys(0..<again.count))
        #expect(Set(all).subtracting(expected) == [] && Set(expected).subtracting(all) == [])
        #expect(all.count == expected.count)
        #expect(zip(all, expected).filter { $0 != $1 }.map { [$0, $1] } == [])
        let positions = all.indices.compactMap { selection.position(at: $0) }
        #expect(positions == positions.sorted())
        // Marks move nothing.
        let marked = stride(from: 0, to: all.count, by: 5).map { all[$0] }
        for key in marked { try await context.update(ClipModel.objectID(key), ["starred": .boolean(true)]) }
        try await context.save()
        selection = try await apply(marked, to: selection)
        #expect(selection.keys(0..<selection.count) == all)
    }

    @Test func `a match of the typed words joins those of similar ones`() async throws {
        var query = ClipQuery(filter: "swfit")
        query.ranksWords = true
        let reported = Mutex<[SearchDeviation]>([])
        let list = RankedSelection(query, index) { deviation in reported.withLock { $0.append(deviation) } }
        var selection = try await extend(list) { $0.isComplete }
        #expect(reported.withLock { $0.map(\.correction) } == ["swift"])
        let count = selection.count
        try await context.insert("Clip", ["title": .text("one of swfit"), "created": .integer(9000)])
        try await context.save()
        let request = FetchRequest("Clip", where: .equal("created", .integer(9000)))
        let key = try #require(try await container.fetch(request).first).id.key
        selection = try await apply([key], to: selection)
        #expect(selection.count == count + 1 && selection.keys(0..<count + 1).contains(key))
        selection = try await apply([key], to: selection)
        #expect(selection.count == count + 1)
    }

    @Test func `a clip that a quote alone matches remains after a change`() async throws {
        let uuid = "00000000-0000-4000-8000-000000000001"
        try await context.insert(
            "Clip", ["title": .text("quoted"), "uuid": .text(uuid), "created": .integer(9000)])
        try await context.insert("Quote", ["clip": .text(uuid), "text": .text("words of swift")])
        try await context.save()
        try await index.bringUpToDate()
        let selection = try await extend(RankedSelection(query, index)) { $0.isComplete }
        let request = FetchRequest("Clip", where: .equal("created", .integer(9000)))
        let object = try #require(try await container.fetch(request).first)
        let positions = try await container.read { [selection] snapshot in
            var selection = selection
            let change = ListCandidate(key: object.id.key, earlier: nil, object: object)
            return try selection.apply([change], in: snapshot)[0]
        }
        #expect(positions.old != nil && positions.new == positions.old)
    }
}
