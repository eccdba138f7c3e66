/// The columns of the list at a width. Columns without room are nil.
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
    /// Whether columns for the bar, the star, and the unread dot precede the title.
    let hasMarks: Bool

    init(width: Int, hasNumbers: Bool = false) {
        hasMarks = width >= 12
        var start = hasMarks ? 4 : 0
        if hasNumbers, width >= 24 {
            number = Column(start: 4, width: 4)
            start = 9
        }
        var end = max(start, width)
        func column(_ columns: Int, at width: Int, minimum: Int) -> Column? {
            guard width >= minimum else { return nil }
            end -= columns + 1
            return Column(start: end + 1, width: columns)
        }
        if width >= 24 {
            end -= 1
            age = column(6, at: width, minimum: 24)
        }
        author = column(min(12, 9 + width / 60), at: width, minimum: 40)
        tags = column(min(20, width / 7), at: width, minimum: 84)
        site = column(min(26, width / 5), at: width, minimum: 58)
        title = Column(start: start, width: max(0, end - start))
    }
}
