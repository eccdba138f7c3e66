import TestSupport
import Testing

@testable import LiveQuery

struct LiveListPropertyTests {
    @Test
    func `after every message and move, the list is correct in random runs`() {
        var seen: [RandomRun.Sight: Int] = [:]
        let runs = LongProof.count(500, of: 2500, "random runs of a list")
        for seed in 1...UInt64(runs) {
            var run = RandomRun(seed: seed)
            do {
                try run.run(steps: 60)
                seen.merge(run.seen, uniquingKeysWith: +)
            } catch {
                Issue.record("seed \(seed), step \(run.step) (\(run.doing)): \(error.sentence)")
                return
            }
        }
        for sight in RandomRun.Sight.allCases {
            #expect(seen[sight, default: 0] > runs * 3 / 25, "the runs hardly meet \(sight)")
        }
    }
}

struct Violation: Error {
    var sentence: String
}

/// One random interleaving of a store, its delayed messages, and a user.
struct RandomRun {
    var random: SeededRandom
    var store: SimulatedStore
    var list: TestList
    var requests: [TestList.Request] = []
    var delivered: [TestRow] = []
    var lostID: Int?
    var step = 0
    var doing = "start"
    var seen: [Sight: Int] = [:]
    let bound: Int
    let maximumHeight: Int

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        let isLarge = seed.isMultiple(of: 25)
        store = SimulatedStore(count: random.below(isLarge ? 900 : 130), using: &random)
        let margin = isLarge ? 50 : 1 + random.below(5)
        maximumHeight = isLarge ? 60 : 12
        bound = 8 * max(margin, maximumHeight)
        list = TestList(height: 1 + random.below(maximumHeight), minimumMargin: margin)
        list.follows = random.chance(0.3)
        list.scrollMargin = random.below(4)
    }

    /// The situations that the runs must cover.
    enum Sight: CaseIterable {
        case partialWindow, jump, superseded, anchored, clampedAtStart, vanished, returned, sought, found
        case followed, keptInOtherQuery, lostInOtherQuery, uncounted
    }

    private mutating func saw(_ sight: Sight) { seen[sight, default: 0] += 1 }

    var heldID: Int? { list.sought?.id ?? list.selectedID }

    mutating func run(steps: Int) throws(Violation) {
        for step in 1...steps {
            self.step = step
            switch random.below(20) {
            case 0...6:
                doing = "change"
                let favourite = heldID
                store.changeItems(operations: 1 + random.below(6), favourite: favourite, using: &random)
            case 7: if let lostID { store.restore(id: lostID, using: &random) }
            case 8: if random.chance(0.5) { store.changeQuery(around: heldID, using: &random) }
            case 9: if random.chance(0.5) { store.sendCount() }
            case 10:
                list.follows.toggle()
                if list.follows {
                    list.stayAtStart()
                    lostID = nil
                }
            case 11: try resize()
            case 12: try drain()
            default: try move()
            }
            try checkState()
            if random.chance(0.7) { try ask() }
            while random.chance(0.6), !requests.isEmpty { answerOne() }
            while random.chance(0.7), !store.outbox.isEmpty { try deliver() }
        }
        try drain()
    }

    private mutating func ask() throws(Violation) {
        doing = "ask"
        for _ in 0..<4 {
            guard let request = list.nextRequest() else { return }
            requests.append(request)
        }
        throw Violation(sentence: "asks without end")
    }

    private mutating func answerOne() {
        let request = requests.remove(at: random.below(requests.count))
        if random.chance(0.05) {
            list.requestFailed(number: request.number)
        } else {
            store.answer(request, counted: random.chance(0.3))
        }
    }

    private mutating func drain() throws(Violation) {
        for _ in 0..<40 {
            while !store.outbox.isEmpty { try deliver() }
            try ask()
            if requests.isEmpty { break }
            while !requests.isEmpty { answerOne() }
        }
        doing = "drain"
        try check(requests.isEmpty && store.outbox.isEmpty, "requests never end")
        try check(delivered == store.rows, "the reference is out of step")
        for index in list.top..<max(list.top, min(list.top + list.height, delivered.count)) {
            try check(list.row(at: index) == delivered[index], "visible row \(index) is not loaded")
        }
        try check(list.sought?.id == nil && list.pendingIndex == nil, "still waits for a place")
        try check(delivered.isEmpty == (list.selectedID == nil), "nothing is selected")
    }

    private mutating func deliver() throws(Violation) {
        let message = store.outbox.removeFirst()
        let before = list
        let held = heldID
        list.receive(message)
        if !list.isCounted { saw(.uncounted) }
        if !list.reachesStart || !list.reachesEnd { saw(.partialWindow) }
        let previous = delivered
        delivered = message.snapshot
        switch message.content {
        case .changes:
            doing = "changes"
            try checkState()
            if before.pendingIndex == nil, before.isLoaded {
                try checkAnchor(before: before, held: held, previous: previous)
            } else if before.isLoaded {
                lostID = list.lostID
            }
        case .window(let window):
            if let number = window.requestNumber {
                saw(number == before.inFlight.window?.number ? .jump : .superseded)
            }
            doing = "window of \(window.requestNumber.map { "request \($0)" } ?? "another query")"
            try checkState()
            try checkReplaced(by: window, before: before, held: held)
        case .more, .count:
            doing = "extension or count"
            try checkState()
            if held != nil, before.pendingIndex == nil {
                if before.sought?.id != nil, list.sought?.id == nil { saw(.found) }
                try check(heldID == held, "another item is selected")
                try checkScreenRow(before: before)
            }
        }
    }

    private mutating func checkAnchor(
        before: TestList, held: Int?, previous: [TestRow]
    ) throws(Violation) {
        if before.staysAtStart {
            return try check(list.selectedIndex == 0 && list.top == 0, "leaves the top before the first move")
        }
        var expected = held
        let lost = lostID
        if let lost, delivered.contains(where: { $0.id == lost }),
            !previous.contains(where: { $0.id == lost })
        {
            expected = lost
            lostID = nil
            saw(.returned)
        } else if let held, !delivered.contains(where: { $0.id == held }) {
            lostID = lost ?? held
            saw(.vanished)
            guard before.sought?.id == nil, let old = before.selectedRow?.position else { return }
            let follower = delivered.first { $0.position >= old } ?? delivered.last
            let isBeyond =
                !before.isCounted && (before.rows.last?.id == held || list.selectedIndex >= list.count - 1)
            guard !isBeyond else { return }
            expected = follower?.id
        }
        guard let expected else { return }
        guard let index = delivered.firstIndex(where: { $0.id == expected }) else {
            return try check(delivered.isEmpty, "the reference has no expected item")
        }
        if isFollowing(since: before), list.sought?.id == nil, index < list.height {
            try check(list.top == 0 && list.selectedIndex == index, "does not follow at the top")
            if index > before.selectedIndex { saw(.followed) }
            return
        }
        if let now = heldID, !(isFollowing(since: before) && before.sought?.id != nil) {
            try check(now == expected, "selects \(now), not \(expected)")
        } else if heldID == nil {
            try check(list.selectedIndex == index, "the cursor is at \(list.selectedIndex), not \(index)")
        }
        if list.sought?.id != nil { saw(.sought) } else if before.sought?.id != nil { saw(.found) }
        guard !isFollowing(since: before) else { return }
        try checkScreenRow(before: before)
        if list.selectedIndex != before.selectedIndex { saw(list.top > 0 ? .anchored : .clampedAtStart) }
    }

    private mutating func checkReplaced(
        by window: TestList.Window, before: TestList, held: Int?
    ) throws(Violation) {
        defer { lostID = list.lostID }
        guard before.pendingIndex == nil else { return }
        if window.requestNumber != nil {
            if let sought = before.sought?.id { try check(heldID == sought, "loses the item it seeks") }
            if before.sought?.id != nil, list.sought?.id == nil { saw(.found) }
            return
        }
        let hasReturned = window.rows.contains { $0.id == lostID }
        guard !before.staysAtStart || hasReturned else {
            return try check(list.selectedIndex == 0 && list.top == 0, "leaves the top before the first move")
        }
        for id in [lostID, held] {
            guard let id, window.rows.contains(where: { $0.id == id }) else { continue }
            try check(list.selectedID == id, "does not keep the item in a new window")
            saw(.keptInOtherQuery)
            try checkScreenRow(before: before)
            return
        }
        guard held != nil, lostID == nil else { return }
        try check(list.lostID == held, "forgets the item that was filtered")
        saw(.lostInOtherQuery)
    }

    /// Whether new rows since `before` become visible: for a user at the first row, or if all rows fit.
    private func isFollowing(since before: TestList) -> Bool {
        before.follows && before.top == 0 && (before.staysAtTop || list.count <= list.height)
    }

    /// Whether the last rows fill the screen.
    private var isAtEnd: Bool { list.isCounted && list.top == max(0, list.count - list.height) }

    private func checkScreenRow(before: TestList) throws(Violation) {
        let was = before.selectedIndex - before.top
        let now = list.selectedIndex - list.top
        if isFollowing(since: before), list.top == 0 { return }
        try check(
            now == was || (list.top == 0 && now < was) || (isAtEnd && now > was),
            "screen row \(was) became \(now)")
    }

    private func checkState() throws(Violation) {
        let end = list.lowerIndex + list.rows.count
        try check(end <= delivered.count, "more rows than the list has")
        try check(list.rows == Array(delivered[list.lowerIndex..<end]), "rows differ from the reference")
        try check(list.rows.count <= bound, "\(list.rows.count) rows are held")
        try check(
            list.isCounted ? list.count == delivered.count : list.count <= delivered.count,
            "counts \(list.count) of \(delivered.count)")
        try check(list.count >= end, "counts less than is loaded")
        if list.isLoaded {
            try check(list.lowerBound == nil ? list.lowerIndex == 0 : true, "does not reach the start")
            try check(list.upperBound == nil ? end == delivered.count : true, "does not reach the end")
            if let bound = list.lowerBound, list.lowerIndex > 0 {
                try check(delivered[list.lowerIndex - 1].position < bound, "a covered row is missing above")
            }
            if let bound = list.upperBound, end < delivered.count {
                try check(delivered[end].position > bound, "a covered row is missing below")
            }
        }
        if let sought = list.sought { try check(delivered.contains(sought), "seeks a missing row") }
        try check(
            list.selectedIndex >= 0 && list.selectedIndex < max(1, list.count), "cursor outside the list")
        try check(Set(list.rows.map(\.id)).count == list.rows.count, "an item is there twice")
        try check(
            !list.isCounted || list.top <= max(0, list.count - list.height), "blank rows below the last row")
        try check(list.top >= 0 && list.top <= list.selectedIndex, "cursor above the screen")
        try check(list.selectedIndex < list.top + list.height, "cursor below the screen")
    }

    private mutating func move() throws(Violation) {
        let old = list
        var expected: Int?
        let last = max(0, list.count - 1)
        switch random.below(9) {
        case 0, 1, 2:
            let rows = random.below(9) - 4
            list.move(by: rows)
            let index = old.selectedIndex + rows
            // The cursor moves beyond the known rows once there are more.
            expected = old.isCounted || index <= last ? max(0, min(index, last)) : nil
        case 3:
            list.moveToStart()
            expected = 0
        case 4:
            list.moveToEnd()
            expected = old.isCounted ? last : nil
        case 5:
            let index = random.below(delivered.count + 10)
            list.moveTo(index: index)
            expected = old.isCounted || index <= last ? min(index, last) : nil
        case 6: list.page(by: random.below(5) - 2, half: random.chance(0.5))
        case 7: list.scroll(by: random.below(41) - 20)
        default:
            guard let row = list.rows.randomElement(using: &random) else { return }
            try check(list.select(id: row.id) && list.selectedID == row.id, "does not select a loaded row")
        }
        doing = "move"
        lostID = nil
        if let expected, expected <= last {
            try check(list.selectedIndex == expected, "moves to \(list.selectedIndex), not \(expected)")
        }
    }

    private mutating func resize() throws(Violation) {
        doing = "resize"
        let row = list.selectedIndex - list.top
        let height = 1 + random.below(maximumHeight)
        list.resize(height: height)
        let now = list.selectedIndex - list.top
        try check(
            now == min(row, height - 1) || (isAtEnd && now > min(row, height - 1)),
            "screen row \(row) became \(now) of \(height)")
    }

    private func check(_ isRight: Bool, _ sentence: @autoclosure () -> String) throws(Violation) {
        if !isRight { throw Violation(sentence: sentence()) }
    }
}
