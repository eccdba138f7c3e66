/// The columns of the list that there is room for.
struct ListColumns: Equatable {
    struct Column: Equatable {
        var start = 0
        var width = 0
    }

    /// The distance from the cursor.
    private(set) var number: Column?
    private(set) var title = Column()
    private(set) var site: Column?
    private(set) var tags: Column?
    private(set) var author: Column?
    private(set) var age: Column?
    /// The columns of the bar, the star and the unread dot stand before the title.
    let hasMarks: Bool

    init(width: Int, tellsNumbers: Bool = false) {
        hasMarks = width >= 12
        var start = hasMarks ? 4 : 0
        if tellsNumbers, width >= 24 {
            number = Column(start: 4, width: 4)
            start = 9
        }
        var end = max(start, width)
        func take(_ columns: Int, from width: Int, _ least: Int) -> Column? {
            guard width >= least else { return nil }
            end -= columns + 1
            return Column(start: end + 1, width: columns)
        }
        if width >= 24 {
            end -= 1
            age = take(6, from: width, 24)
        }
        author = take(min(12, 9 + width / 60), from: width, 40)
        tags = take(min(20, width / 7), from: width, 84)
        site = take(min(26, width / 5), from: width, 58)
        title = Column(start: start, width: max(0, end - start))
    }
}
