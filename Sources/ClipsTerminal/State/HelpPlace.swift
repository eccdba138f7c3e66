/// Which line of the help is the first on the screen.
struct HelpPlace: Movable, Sendable {
    private(set) var top = 0
    private var count = 0
    private var height = 1

    mutating func layOut(count: Int, height: Int) {
        self.count = count
        self.height = max(1, height)
        moveTo(index: top)
    }

    mutating func move(by lines: Int) { moveTo(index: top + max(-count, min(lines, count))) }

    mutating func moveToStart() { top = 0 }

    mutating func moveToEnd() { moveTo(index: count) }

    mutating func moveTo(index: Int) { top = max(0, min(index, count - height)) }

    mutating func page(by pages: Int, half: Bool) {
        move(by: max(-count, min(pages, count)) * (half ? max(1, height / 2) : max(1, height - 2)))
    }
}
