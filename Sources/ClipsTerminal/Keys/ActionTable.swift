import Terminal

/// The table of actions: names, keys, help, availability, and effect. Help, hints, completion, and the manual
/// page are made from it.
package enum ActionTable {
    package enum Group: String, CaseIterable, Sendable {
        case moving = "Moving"
        case list = "List"
        case clip = "Clip or marked clips"
        case history = "History"
        case program = "Program"
    }

    /// The argument of an action after `:`.
    package enum Argument: String, Sendable {
        case words = "WORDS"
        case content = "TEXT"
        case sortKey = "KEY"
        case tags = "+TAG -TAG"
        case form = "FORM"
        case option = "OPTION VALUE"
        case style = "PART STYLE"
        case program = "PROGRAM {url}"
        case name = "NAME"
        case span = "author:A since:2d"
    }

    /// The clips that an action needs.
    enum Scope: Sendable {
        /// None, on any screen.
        case anywhere
        /// None, on the list screen only.
        case list
        /// The clip under the cursor, or the one being read.
        case clip
        /// The marked clips, or else the same as ``clip``.
        case clips
    }

    /// The handling of a key pressed while the list it was meant for is still loading.
    enum TypeAhead: Sendable {
        case waits
        /// Never waits, since it does not depend on the list.
        case immediate
        /// Does not overtake keys that wait.
        case immediateIfFirst
        /// Discards the keys that wait.
        case cancels
    }

    package struct Entry: Sendable {
        typealias Perform = @Sendable (inout AppState, _ count: Int?) -> Void
        typealias Unavailability = @Sendable (AppState, AppState.Screen) -> String?
        typealias PerformArgument = @Sendable (inout AppState, _ argument: String) throws -> Void

        package let action: Action
        /// Key names, the preferred one first; empty for an action without a key.
        package let keys: [String]
        package let group: Group
        package let help: String
        /// The label in the line of keys. On a narrow screen, the lowest ranks remain.
        package let hint: (label: String, rank: Int)?
        package let argument: Argument?
        let scope: Scope
        /// Other screens where the action is available without a clip.
        let otherScreens: Set<AppState.Screen>
        /// Whether the action writes to the store.
        let saves: Bool
        let typeAhead: TypeAhead
        /// The reason why the action is unavailable on a screen, beyond its scope.
        let unavailabilityReason: Unavailability?
        private(set) var perform: Perform
        /// Performs the action with the text after its name; the description of an error is for the user.
        let performArgument: PerformArgument?
        /// Whether `performArgument` applies to an empty text, too.
        let isArgumentOptional: Bool

        init(
            _ action: Action, _ keys: String, _ group: Group, _ help: String,
            hint: (label: String, rank: Int)? = nil, scope: Scope = .anywhere,
            otherScreens: Set<AppState.Screen> = [], saves: Bool = false, typeAhead: TypeAhead = .waits,
            unless unavailabilityReason: Unavailability? = nil, takes argument: Argument? = nil,
            isArgumentOptional: Bool = false, performArgument: PerformArgument? = nil,
            _ perform: @escaping @Sendable (inout AppState) -> Void
        ) {
            (self.action, self.group, self.help, self.hint) = (action, group, help, hint)
            self.keys = keys.split(separator: " ").map(String.init)
            (self.scope, self.otherScreens, self.saves) = (scope, otherScreens, saves)
            (self.typeAhead, self.unavailabilityReason) = (typeAhead, unavailabilityReason)
            (self.argument, self.isArgumentOptional) = (argument, isArgumentOptional)
            self.performArgument = performArgument
            self.perform = { state, _ in perform(&state) }
        }

        /// Creates the entry of an action that a number before its key affects.
        init(
            _ action: Action, _ keys: String, _ group: Group, _ help: String,
            hint: (label: String, rank: Int)? = nil, scope: Scope = .anywhere,
            otherScreens: Set<AppState.Screen> = [], typeAhead: TypeAhead = .waits,
            unless unavailabilityReason: Unavailability? = nil, counted perform: @escaping Perform
        ) {
            self.init(
                action, keys, group, help, hint: hint, scope: scope, otherScreens: otherScreens,
                typeAhead: typeAhead, unless: unavailabilityReason
            ) { _ in }
            self.perform = perform
        }

        /// The form after `:`.
        package var usage: String { ":\(action.rawValue)" + (argument.map { " \($0.rawValue)" } ?? "") }

        /// The keys in their printed form.
        package var shownKeys: String {
            keys.map { KeyMap.shown(Key(named: $0)) }.joined(separator: " ")
        }

        /// Whether the action needs a clip on the list screen.
        var needsClip: Bool { scope == .clip || scope == .clips }
    }

    package static let entries: [Entry] = Action.allCases.map { entry(of: $0) }

    private static let byAction = Dictionary(uniqueKeysWithValues: entries.map { ($0.action, $0) })

    static subscript(_ action: Action) -> Entry { byAction[action] ?? entry(of: action) }

    /// The actions that the line of keys may show.
    static let hinted: [(entry: Entry, hint: (label: String, rank: Int))] = entries.compactMap { entry in
        entry.hint.map { (entry, $0) }
    }
}
