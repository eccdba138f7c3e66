/// The columns of the list at a width, in their order. Columns without room are left out.
package struct ListColumns: Hashable, Sendable {
    /// The name of a column in the config file.
    package enum Name: String, CaseIterable, Sendable {
        case title, site, tags, age, author, saved, url

        /// The title of the column.
        var heading: String { self == .url ? "URL" : rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

        /// The widths with which the column is shown at all, preferred in a list of a width, and useful at most.
        fileprivate func widths(in list: Int) -> (least: Int, preferred: Int, most: Int) {
            switch self {
            case .title: (0, 0, 0)
            case .site: (10, max(10, min(26, list * 18 / 100)), 26)
            case .tags: (6, max(9, min(22, list * 14 / 100)), 22)
            case .age: (6, 6, 6)
            case .author: (9, 9, 15)
            case .saved: (16, 16, 16)
            case .url: (20, 20, 60)
            }
        }

        /// The columns that remain the longest in a narrow list come first.
        fileprivate static let byImportance: [Name] = [.age, .site, .tags, .saved, .author, .url]
    }

    package struct Column: Hashable, Sendable {
        package let name: Name
        package let start: Int
        package let width: Int
    }

    struct Number: Hashable, Sendable {
        let start: Int
        let width: Int
    }

    package static let defaultNames: [Name] = [.title, .site, .tags, .age, .author]

    /// The distance from the cursor.
    private(set) var number: Number?
    package private(set) var all: [Column] = []
    /// Whether columns for the bar and the star or unread dot precede the title.
    let hasMarks: Bool
    /// The blank cells after the title, which are too few for one more column.
    private(set) var slack = 0

    /// The width to which a title is cut for the reason why its clip matches, or more.
    let minTitleWithReason: Int

    /// The width of the title below which other columns are left out.
    package static let minTitle = 20
    /// The width of the title next to the clip, which is the most that it has in a list without the clip at its side
    /// until that list is as wide.
    private static func wideTitle(_ names: [Name]) -> Int {
        names.allSatisfy { $0 == .title || $0 == .age } ? 64 : 50
    }

    /// Returns the narrowest list next to the clip, in which the title has its width next to the numbers, the age, and the
    /// columns that only a config file adds.
    static func minWidthBeside(_ names: [Name]) -> Int {
        let others = [.age, .saved, .url].filter(names.contains).map { $0.widths(in: 0).least + 1 }
        return 3 + wideTitle(names) + max(reason, 5 + max(minReason, others.reduce(0, +)))
    }

    /// Two spaces and a word, at the least, that show why a clip matches.
    private static let minReason = 2 + ListLine.minMatch
    private static let reason = 2 + ListLine.minExcerpt
    private static let usualTitle = 40

    /// Returns the width of the title before the site and the tags are shown.
    private static func goodTitle(in list: Int, _ wide: Int) -> Int {
        min(wide, usualTitle + max(0, list - 78) * 2 / 5)
    }

    /// Divides a width among the columns.
    ///
    /// The title never gets narrower as the screen gets wider: its width remains the same until the other columns have
    /// theirs, and grows with the list from then on.
    ///
    /// - Parameters:
    ///   - hasSidebar: Whether the sidebar is next to the list.
    ///   - hasReasons: Whether a row shows why its clip matches. Next to the clip or the sidebar, other columns make room
    ///     for that, because titles have no fewer words than on a narrower screen, whose columns show more reasons.
    package init(
        width: Int, names: [Name] = Self.defaultNames, hasNumbers: Bool = false, isBeside: Bool = false,
        hasSidebar: Bool = false, hasReasons: Bool = false
    ) {
        hasMarks = width >= 12
        var start = hasMarks ? 3 : 0
        let isRoomy = width >= start + 5 + Self.minTitle
        if hasNumbers, isRoomy {
            number = Number(start: start, width: 4)
            start += 5
        }
        let available = min(max(0, width - start), hasNumbers && !isRoomy ? Self.minTitle : .max)
        let age = names.contains(.age) ? 7 : 0
        let wide = Self.wideTitle(names)
        minTitleWithReason = isBeside ? wide : hasSidebar ? Self.usualTitle : Self.minTitle
        let good =
            hasReasons && (isBeside || hasSidebar)
            ? min(isBeside ? wide + Self.reason : min(wide, Self.usualTitle + Self.reason), available)
            : isBeside
                ? wide
                : max(
                    min(Self.goodTitle(in: width, wide), available - age),
                    hasReasons ? min(Self.minTitle + Self.reason, available) : 0)
        var title = max(min(Self.minTitle, available), good, width / 3)
        var left = available - title
        // With the space before the column.
        var shown: [Name: Int] = [:]
        for name in Name.byImportance where names.contains(name) {
            let widths = name.widths(in: width)
            // A less important column would disappear once the list has room for this one.
            guard left > widths.least else { break }
            let taken = min(left, widths.preferred + 1)
            shown[name] = taken
            left -= taken
        }
        // The rest widens the columns, and the title once there is no other to show.
        for name in Name.byImportance where left > 0 {
            guard let taken = shown[name] else { continue }
            let added = max(0, min(left, name.widths(in: width).most + 2 - taken))
            shown[name] = taken + added
            left -= added
        }
        let isWhole = names.allSatisfy { $0 == .title || shown[$0] != nil }
        // Where no column has room, the title has the width that it has next to the first one; and before the clip is at
        // the side of the list, the width that it has then.
        let isLimited = !isBeside && width < Layout.minColumnsBeside(names) - 2
        let added = !isWhole ? 0 : isLimited ? min(left, max(0, wide - title)) : left
        (title, slack) = (title + added, left - added)
        let ordered = names.contains(.title) ? names : [.title] + names
        let titleIndex = ordered.firstIndex(of: .title) ?? 0
        for (index, name) in ordered.enumerated() {
            guard name != .title else {
                all.append(Column(name: name, start: start, width: title))
                start += title + slack
                continue
            }
            guard let taken = shown[name] else { continue }
            let gap = taken > name.widths(in: width).preferred + 1 ? 2 : 1
            // The space is between the column and the title.
            let space = index > titleIndex ? gap : 0
            all.append(Column(name: name, start: start + space, width: taken - gap))
            start += taken
        }
    }

    package subscript(_ name: Name) -> Column? { all.first { $0.name == name } }

    package var title: Column { self[.title] ?? Column(name: .title, start: 0, width: 0) }

    /// Returns the column at a position, with the gap after it.
    func column(at position: Int) -> Column? { all.last { $0.start <= position } }
}
