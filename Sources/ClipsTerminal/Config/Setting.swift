import ClipsCore
import PersistentStore
package import Terminal
import Platform

/// An option in the config file and after `:set`.
///
/// The README, the manual page, and completion print this table.
package enum Setting: String, CaseIterable, Sendable {
    case theme, color, columns, split, sort, date
    case sidebar, follow, wrap, relativenumber, mouse
    case readOnOpen = "read-on-open"
    case textWidth = "text-width"
    case relevance, duplicates

    /// The values to choose from; examples, if others are valid.
    package var values: [String] {
        switch self {
        case .sidebar, .follow, .wrap, .relativenumber, .mouse, .readOnOpen, .relevance: ["on", "off"]
        case .theme: Theme.Choice.allCases.map(\.rawValue)
        case .color: ColorCapability.Choice.allCases.map(\.rawValue)
        case .columns: ListColumns.Name.allCases.map(\.rawValue)
        case .split: ["35", "45", "55", "65"]
        case .sort:
            ClipQuery.sortKeys.flatMap { [$0.attribute.rawValue, "\($0.attribute.rawValue) reverse"] }
        case .textWidth: ["off", "60", "80", "100"]
        case .duplicates: ["ask", "merge", "keep"]
        case .date: ["%Y-%m-%d %H:%M", "%d.%m.%Y", "%b %e, %Y"]
        }
    }

    /// The form of the value in the documentation.
    package var form: String {
        switch self {
        case .columns: "NAME,…"
        case .split: "PERCENT"
        case .textWidth: "off|COLUMNS"
        case .sort: "KEY [reverse]"
        case .date: "FORMAT"
        default: values.joined(separator: "|")
        }
    }

    package var help: String {
        switch self {
        case .theme: "Select the theme; auto asks the terminal for its background"
        case .color: "Select the number of colors; auto depends on the terminal and NO_COLOR"
        case .columns: "Select columns and their order: \(values.joined(separator: ", "))"
        case .split: "Set the list's share of the screen next to the clip, 20 to 80"
        case .sort: "Sort the list at the start, as :sort does"
        case .date: "Set the form of dates, in the language of strftime(3)"
        case .sidebar: "Show the saved searches, tags, and sites next to the list"
        case .follow: "Show new clips at the top of the list as they arrive"
        case .wrap: "Wrap the lines of a clip"
        case .relativenumber: "Number the rows by their distance from the selection"
        case .mouse: "Use the mouse; if off, the terminal selects text with it"
        case .textWidth: "Wrap the text of a clip at a width, in columns; off uses the whole pane"
        case .relevance: "Show the best matches of the words of a filter first; off retains the order"
        case .duplicates: "Select the action of the app for a URL whose page is already saved"
        case .readOnOpen: "Mark a clip as read when you open it or its page"
        }
    }

    package var defaultValue: String {
        switch self {
        case .follow, .wrap, .mouse, .readOnOpen, .relevance: "on"
        case .sidebar, .relativenumber, .textWidth: "off"
        case .theme, .color: "auto"
        case .duplicates: "ask"
        case .columns: ListColumns.defaultNames.map(\.rawValue).joined(separator: ",")
        case .split: "55"
        case .sort: "created"
        case .date: DateFormat.standard.pattern
        }
    }

    /// Returns the error in a value; nil if it is valid.
    func error(in value: String) -> String? {
        switch self {
        case .columns:
            let names = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            if let unknown = names.first(where: { ListColumns.Name(rawValue: $0) == nil }) {
                return invalid("column", unknown, values)
            }
            return Set(names).count == names.count ? nil : "Name each column once in '\(value)'."
        case .split:
            let percent = Int(value) ?? 0
            return (20...80).contains(percent) ? nil : "Invalid share '\(value)'. Use 20 to 80."
        case .textWidth:
            return value == "off" || (20...500).contains(Int(value) ?? 0)
                ? nil : "Invalid width '\(value)'. Use off, or 20 to 500."
        case .sort: return values.contains(value) ? nil : invalid("sort key", value, sortNames)
        case .date:
            return (1...64).contains(value.utf8.count) && DateFormat(pattern: value).isValid
                ? nil : "Invalid format '\(value)'. Use one such as \(Self.date.defaultValue)."
        default: return values.contains(value) ? nil : invalid("value", value, values, of: rawValue)
        }
    }

    private var sortNames: [String] { ClipQuery.sortKeys.map(\.attribute.rawValue) }

    private func invalid(_ kind: String, _ value: String, _ names: [String], of: String? = nil) -> String {
        let hint = Suggestion.question(for: value, in: names, else: " Use \(names.listed).")
        return "Unknown \(kind) '\(value)'\(of.map { " of \($0)" } ?? "").\(hint)"
    }
}

extension ConfigFile {
    package var follows: Bool { self[.follow] == "on" }
    package var wraps: Bool { self[.wrap] == "on" }
    var ranksWords: Bool { self[.relevance] == "on" }
    var showsSidebar: Bool { self[.sidebar] == "on" }
    package var usesMouse: Bool { self[.mouse] == "on" }
    package var showsRelativeNumbers: Bool { self[.relativenumber] == "on" }
    /// Whether opening a clip marks it as read.
    package var readsOnOpen: Bool { self[.readOnOpen] == "on" }
    package var colors: ColorCapability.Choice? {
        isSet(.color) ? ColorCapability.Choice(rawValue: self[.color]) : nil
    }
    var theme: Theme.Choice { Theme.Choice(rawValue: self[.theme]) ?? .auto }
    var columns: [ListColumns.Name] {
        self[.columns].split(separator: ",").compactMap { ListColumns.Name(rawValue: String($0)) }
    }
    /// The list's percentage of the screen.
    var split: Int { Int(self[.split]) ?? 55 }
    /// The width of the text of a clip; nil for that of the pane.
    var textWidth: Int? { Int(self[.textWidth]) }
    var dates: DateFormat { DateFormat(pattern: self[.date]) }
    var sort: SortKey {
        let words = self[.sort].split(separator: " ")
        guard let sort = words.first.flatMap({ ClipQuery.sort(named: String($0)) }) else {
            return ClipQuery.newestFirst
        }
        return words.count > 1 ? sort.reversed : sort
    }
}
