/// The columns of the list at a width, in their order. Columns without room are left out.
struct ListColumns: Equatable {
    /// The name of a column in the config file.
    enum Name: String, CaseIterable, Sendable {
        case title, site, tags, age, author, saved, url

        /// The title of the column.
        var heading: String { self == .url ? "URL" : rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

        /// The width in a list of a width.
        fileprivate func width(in list: Int) -> Int {
            switch self {
            case .title: 0
            case .site: max(10, min(26, list * 18 / 100))
            case .tags: max(9, min(22, list * 14 / 100))
            case .age: 6
            case .author: list < 100 ? 9 : 12
            case .saved: 16
            case .url: list * 3 / 10
            }
        }

        /// Whether the title needs much of the width before the column is shown.
        fileprivate var isOptional: Bool { [.author, .saved, .url].contains(self) }

        /// The columns that remain the longest in a narrow list come first.
        fileprivate static let byImportance: [Name] = [.age, .site, .tags, .saved, .author, .url]
    }

    struct Column: Equatable {
        let name: Name
        let start: Int
        let width: Int
    }

    static let defaultNames: [Name] = [.title, .site, .tags, .age, .author]

    /// The distance from the cursor.
    private(set) var number: (start: Int, width: Int)?
    private(set) var all: [Column] = []
    /// Whether columns for the bar and the star or unread dot precede the title.
    let hasMarks: Bool

    /// The width of the title below which other columns are left out.
    private static let minTitle = 20

    init(width: Int, names: [Name] = Self.defaultNames, hasNumbers: Bool = false) {
        hasMarks = width >= 12
        var start = hasMarks ? 3 : 0
        if hasNumbers, width >= 24 {
            number = (start, 4)
            start += 5
        }
        var left = max(0, width - start)
        let gap = width < 80 ? 1 : 2
        var shown: Set<Name> = [.title]
        for name in Name.byImportance where names.contains(name) {
            let needed = name.width(in: width) + gap
            guard left - needed >= max(Self.minTitle, name.isOptional ? width * 2 / 5 : 0) else { continue }
            left -= needed
            shown.insert(name)
        }
        for name in (names.contains(.title) ? names : [.title] + names) where shown.contains(name) {
            let width = name == .title ? left : name.width(in: width)
            all.append(Column(name: name, start: start, width: width))
            start += width + gap
        }
    }

    subscript(_ name: Name) -> Column? { all.first { $0.name == name } }

    var title: Column { self[.title] ?? Column(name: .title, start: 0, width: 0) }

    /// Returns the column at a position, with the gap after it.
    func column(at position: Int) -> Column? { all.last { $0.start <= position } }

    static func == (one: ListColumns, other: ListColumns) -> Bool {
        one.all == other.all && one.hasMarks == other.hasMarks && one.number?.start == other.number?.start
    }
}
