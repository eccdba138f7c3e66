import ClipsCore

extension ActionTable {
    /// Returns the entry of an action. A new action does not compile until it has one.
    static func entry(of action: Action) -> Entry {
        switch action {
        // Moving
        case .down:
            motion(
                action, "j <Down>", "Move down one row, or the number typed before", hint: ("down", 16),
                .rows(1))
        case .up:
            motion(
                action, "k <Up>", "Move up one row, or the number typed before", hint: ("up", 17), .rows(-1))
        case .first: motion(action, "g <Home>", "Go to the first row", .start)
        case .last:
            motion(action, "G <End>", "Go to the last row, or to the row of the number typed before", .end)
        case .halfPageDown: motion(action, "<C-d>", "Move down half a page", .halfPages(1))
        case .halfPageUp: motion(action, "<C-u>", "Move up half a page", .halfPages(-1))
        case .pageDown: motion(action, "<C-f> <PgDn>", "Move down a page", .pages(1))
        case .pageUp: motion(action, "<C-b> <PgUp>", "Move up a page", .pages(-1))
        case .open:
            Entry(
                action, "<Enter>", .moving, "Read the clip; in it, the number of a link opens that link",
                hint: ("read", 2), scope: .clip, otherScreens: [.help, .history, .output],
                counted: { state, number in
                    if let number, state.screen == .list, state.reader.hasFocus {
                        state.openLink(number)
                    } else {
                        state.open()
                    }
                })
        case .pick:
            Entry(action, "", .moving, "Print the clip, in 'clips pick' (Enter there)", scope: .clips) {
                $0.choose()
            }
        case .nextUnread:
            Entry(action, ".", .moving, "Go to the next unread clip", scope: .clip) {
                $0.goToUnread(isForward: true)
            }
        case .previousUnread:
            Entry(action, ",", .moving, "Go to the previous unread clip", scope: .clip) {
                $0.goToUnread(isForward: false)
            }
        case .nextClip:
            Entry(
                action, "J", .moving, "Go to the next clip, and read it if a clip is open", scope: .clip,
                counted: { $0.goToClip(by: $1 ?? 1) })
        case .previousClip:
            Entry(
                action, "K", .moving, "Go to the previous clip, and read it if a clip is open", scope: .clip,
                counted: { $0.goToClip(by: -($1 ?? 1)) })
        case .switchPane:
            Entry(
                action, "<Tab>", .moving, "Switch between the list and the clip", scope: .clip,
                otherScreens: [.history], unless: noChanges
            ) { $0.switchPane() }
        case .back:
            Entry(
                action, "<Esc> <C-c>", .moving,
                "Go back: end the range, remove marks, close the clip, or clear the filter",
                typeAhead: .cancels, counted: { if $1 == nil { $0.goBack() } })
        case .left:
            Entry(
                action, "<Left> h", .moving, "Scroll an unwrapped clip to the left", scope: .clip,
                otherScreens: [.output], unless: wrapped
            ) { $0.reader.scrollSideways(by: -8) }
        case .right:
            Entry(
                action, "<Right> l", .moving, "Scroll an unwrapped clip to the right", scope: .clip,
                otherScreens: [.output], unless: wrapped
            ) { $0.reader.scrollSideways(by: 8) }
        case .wrap:
            Entry(
                action, "w", .moving, "Wrap or unwrap the lines of the clip", scope: .list,
                otherScreens: [.output]
            ) { $0.toggleWrapping() }
        case .zoom:
            Entry(
                action, "z", .moving, "Show the list or the clip on the whole screen, or both", scope: .list
            ) { $0.toggleZoom() }

        // List
        case .filter:
            Entry(
                action, "/", .list,
                "Filter by words as you type; in a clip, search its text; in the history, by author and time",
                hint: ("filter", 1), scope: .list, otherScreens: [.help, .history, .output], takes: .words,
                isArgumentOptional: true, performArgument: { $0.filter(byArgument: $1) }
            ) { $0.beginFilter() }
        case .nextMatch:
            Entry(
                action, "n", .list, "Go to the next match: a clip, or words in it", scope: .list,
                otherScreens: [.output], unless: nothingSearched,
                counted: { $0.goToMatch(isForward: true, count: $1 ?? 1) })
        case .previousMatch:
            Entry(
                action, "N", .list, "Go to the previous match", scope: .list, otherScreens: [.output],
                unless: nothingSearched, counted: { $0.goToMatch(isForward: false, count: $1 ?? 1) })
        case .sort:
            Entry(
                action, "s", .list, "Sort the list; the same key again reverses the order",
                hint: ("sort", 13), scope: .list, takes: .sortKey,
                performArgument: { try $0.sort(byArgument: $1) }
            ) { $0.menu = .sort($0.list.query) }
        case .mark:
            Entry(
                action, "<Space>", .list,
                "Mark or unmark the clip, and move down; other filters retain marks; elsewhere, scroll a page",
                hint: ("mark", 10), scope: .clip, otherScreens: [.output, .help, .history],
                counted: { state, count in
                    let isInList = state.screen == .list && !state.reader.hasFocus
                    isInList ? state.mark(count: count ?? 1) : state.move(.pages(1), count: count)
                })
        case .range:
            Entry(action, "v", .list, "Start a range of clips or lines; again, mark it", scope: .clip) {
                if $0.reader.hasFocus { $0.reader.toggleRange() } else { $0.toggleRange() }
            }
        case .quote:
            Entry(
                action, "\"", .clip,
                "Save the selected lines as a quote; without, choose a quote to note or delete",
                scope: .clip, counted: { $0.quote($1) })
        case .invertMarks:
            Entry(
                action, "V", .list, "Mark the unmarked clips of the list, and unmark the others", scope: .clip
            ) { $0.invertMarks() }
        case .save:
            Entry(
                action, "", .list, "Save the filter and the order under a name", scope: .list, takes: .name,
                performArgument: { $0.saveSearch($1) }
            ) { $0.promptForCommand("save ") }
        case .searches:
            Entry(
                action, "S", .list, "Choose a saved search, a tag, or a site", scope: .list, takes: .name,
                performArgument: { $0.showSearch($1) }
            ) { $0.requestSearches() }
        case .nextSearch:
            Entry(
                action, "]", .list, "Go to the next saved search, or from the last one to all clips",
                scope: .list,
                unless: noSearches, counted: { $0.goToSearch(by: $1 ?? 1) })
        case .previousSearch:
            Entry(
                action, "[", .list, "Go to the previous saved search", scope: .list,
                unless: noSearches, counted: { $0.goToSearch(by: -($1 ?? 1)) })
        case .sidebar:
            Entry(
                action, "B", .list, "Show or hide the sidebar: saved searches with unread clips, tags, sites",
                scope: .list
            ) { $0.toggleSidebar() }
        case .unsave:
            Entry(
                action, "", .list, "Remove a saved search", unless: noSearches, takes: .name,
                performArgument: { $0.removeSearch($1) }
            ) { $0.promptForCommand("unsave ") }
        case .follow:
            Entry(action, "F", .list, "Follow new clips at the top, or stop following", scope: .list) {
                $0.toggleFollowing()
            }
        case .pause:
            Entry(action, "p", .list, "Pause or resume live updates", scope: .list) { $0.togglePause() }

        // Clips
        case .add:
            Entry(
                action, "a", .clip, "Add a URL or a text; an empty line opens your editor", hint: ("add", 3),
                scope: .list, saves: true, takes: .content, performArgument: { $0.add($1) }
            ) { $0.prompt = Prompt(kind: .add) }
        case .edit:
            Entry(
                action, "e", .clip, "Edit the clip in your editor", hint: ("edit", 5), scope: .clip,
                saves: true
            ) { $0.loadForEdit() }
        case .note:
            Entry(
                action, "E", .clip, "Write the note of the clip; one of several lines in your editor",
                scope: .clip, saves: true
            ) { $0.loadForNote() }
        case .tag:
            Entry(
                action, "t", .clip, "Add (+NAME) and remove (-NAME) tags; Tab completes them",
                hint: ("tags", 8), scope: .clips,
                saves: true, takes: .tags,
                performArgument: { $0.tag($0.chosen, title: $0.chosenTitle, by: TagChange($1)) }
            ) { $0.promptForTags() }
        case .star:
            Entry(action, "*", .clip, "Toggle star", hint: ("star", 12), scope: .clips, saves: true) {
                $0.toggle(.starred)
            }
        case .toggleUnread:
            Entry(action, "r", .clip, "Toggle read and unread", scope: .clips, saves: true) {
                $0.toggle(.unread)
            }
        case .read:
            Entry(action, "", .clip, "Mark the clip as read", scope: .clips, saves: true) {
                $0.set(.unread, false)
            }
        case .unread:
            Entry(action, "", .clip, "Mark the clip as unread", scope: .clips, saves: true) {
                $0.set(.unread, true)
            }
        case .archive:
            Entry(
                action, "x", .clip, "Archive the clip, which hides it from the list, or unarchive it",
                hint: ("archive", 18), scope: .clips, saves: true
            ) { $0.toggle(.archived) }
        case .markAllRead:
            Entry(
                action, "A", .clip, "Mark all clips of the list as read; undo restores the marks",
                scope: .clip,
                saves: true
            ) { if $0.hasWholeList() { $0.start(.markAllRead($0.list.shownQuery)) } }
        case .delete:
            Entry(
                action, "d <Del>", .clip,
                "Delete the clip, or the number of clips typed before; asks before it deletes more than "
                    + "\(ClipStore.fewClips), or marked clips that are not shown; undo restores them",
                hint: ("delete", 6), scope: .clips, saves: true
            ) { $0.delete() }
        case .undo:
            Entry(
                action, "u", .clip, "Undo the last change; asks before one of another window or run",
                hint: ("undo", 11),
                saves: true
            ) { $0.undo() }
        case .redo:
            Entry(action, "<C-r>", .clip, "Redo the last undone change", saves: true) { $0.redo() }
        case .browse:
            Entry(
                action, "o", .clip,
                "Open the URL in your browser; in a clip, a number opens the link that has it",
                hint: ("browser", 4), scope: .clips, unless: noURLs, counted: { $0.browse(link: $1) })
        case .browseHere:
            Entry(
                action, "O", .clip, "Open the URL in a browser in this terminal", scope: .clips, unless: noURL
            ) { $0.browse(.terminal) }
        case .internetArchive:
            Entry(action, "I", .clip, "Open the page in the Internet Archive", scope: .clips, unless: noURL) {
                $0.browse(.archive)
            }
        case .links:
            Entry(action, "f", .clip, "Choose a link in the clip to open", scope: .clip, unless: noLinks) {
                $0.menu = .links($0.reader.links)
            }
        case .copy:
            Entry(
                action, "y", .clip, "Choose a form to copy to the clipboard", hint: ("copy", 9),
                scope: .clips,
                takes: .form, performArgument: { try $0.copy(byArgument: $1) }
            ) { $0.copy() }

        case .run:
            Entry(
                action, "!", .clip,
                "Run a program with {url}, {title}, or another field, and read its output; & at the end: in the background",
                scope: .clips, takes: .program, performArgument: { try $0.run(program: $1, withInput: false) }
            ) { $0.promptForCommand("run ") }
        case .pipe:
            Entry(
                action, "|", .clip, "Run a program with the text on its standard input", scope: .clips,
                takes: .program, performArgument: { try $0.run(program: $1, withInput: true) }
            ) { $0.promptForCommand("pipe ") }

        // History
        case .history:
            Entry(
                action, "H", .history, "Show commits as they arrive", hint: ("history", 7),
                typeAhead: .immediateIfFirst, takes: .span, performArgument: { $0.filterHistory($1) }
            ) { $0.toggleHistory() }
        case .restore:
            Entry(
                action, "R", .history, "Restore the clips that the change or transaction deleted",
                saves: true,
                unless: { $0.restoreUnavailabilityReason(on: $1) }
            ) { $0.restore() }
        case .consumers:
            Entry(
                action, "C", .history,
                "Show the programs that follow the history, its next cleanup, and the machines of the mirror"
            ) {
                $0.toggleConsumers()
            }
        case .conflicts:
            Entry(
                action, "c", .history, "Compare an edit that lost to another machine's, and restore it",
                saves: true
            ) { $0.loadConflicts() }

        // Program
        case .help:
            Entry(
                action, "?", .program, "Show this help; / searches it, Enter runs an entry", hint: ("help", 0)
            ) { $0.toggleHelp() }
        case .command:
            Entry(
                action, ":", .program, "Run a command by its name; Tab completes, ↑ recalls",
                hint: ("command", 15)
            ) { $0.promptForCommand() }
        case .set:
            Entry(
                action, "", .program, "Set an option for this session; the config file sets it permanently",
                takes: .option, isArgumentOptional: true, performArgument: { try $0.set($1) }
            ) { $0.promptForCommand("set ") }
        case .color:
            Entry(
                action, "", .program, "Set the style of a part of the screen for this session",
                takes: .style, performArgument: { try $0.setColor($1) }
            ) { $0.promptForCommand("color ") }
        case .errors:
            Entry(
                action, "", .program, "Show the errors in the config file",
                unless: noErrors
            ) { $0.toggleErrors() }
        case .toggleMouse:
            Entry(
                action, "M", .program,
                "Toggle the mouse: the app moves the cursor, or the terminal selects text"
            ) { $0.toggleMouse() }
        case .redraw:
            Entry(action, "<C-l>", .program, "Redraw the screen", typeAhead: .immediate) { $0.emit(.redraw) }
        case .suspend:
            Entry(action, "<C-z>", .program, "Suspend the program; fg resumes it", typeAhead: .immediate) {
                $0.emit(.suspend)
            }
        case .quit:
            Entry(
                action, "q", .program, "Leave the screen, or quit from the list", hint: ("quit", 14),
                typeAhead: .immediateIfFirst
            ) { $0.quitOrReturn() }
        }
    }

    private static func motion(
        _ action: Action, _ keys: String, _ help: String, hint: (label: String, rank: Int)? = nil,
        _ motion: Motion
    ) -> Entry {
        Entry(action, keys, .moving, help, hint: hint, counted: { $0.move(motion, count: $1) })
    }

    @Sendable private static func noChanges(_ state: AppState, screen: AppState.Screen) -> String? {
        guard screen == .history, state.history.selectedRow == nil else { return nil }
        return state.history.isLoaded ? "There are no changes here." : "The history is loading; try again."
    }

    @Sendable private static func noErrors(_ state: AppState, _: AppState.Screen) -> String? {
        state.settings.config.errors.isEmpty ? "The config file has no errors." : nil
    }

    @Sendable private static func noURLs(_ state: AppState, screen: AppState.Screen) -> String? {
        state.reader.hasFocus && !state.reader.links.isEmpty ? nil : noURL(state, screen)
    }

    @Sendable private static func wrapped(_ state: AppState, _: AppState.Screen) -> String? {
        state.reader.isWrapped ? "Lines are wrapped; \(state.keys.name(of: .wrap)) unwraps them." : nil
    }

    @Sendable private static func nothingSearched(_ state: AppState, _: AppState.Screen) -> String? {
        state.textHighlight == nil
            ? "Nothing to search for; \(state.keys.name(of: .filter)) starts a search, "
                + "\(state.keys.name(of: .nextUnread)) goes to the next unread clip." : nil
    }

    @Sendable private static func noSearches(_ state: AppState, _: AppState.Screen) -> String? {
        state.typing.filters.searches.isEmpty
            ? "There are no saved searches; ':save NAME' saves the filter." : nil
    }

    @Sendable private static func noLinks(_ state: AppState, _: AppState.Screen) -> String? {
        guard state.reader.links.isEmpty else { return nil }
        // A clip that no part of the screen shows was not read.
        return state.reader.clip.map { "The text of \(Clip.quoted($0.displayTitle)) has no links." }
            ?? "Open the clip to choose one of its links."
    }

    @Sendable private static func noURL(_ state: AppState, _: AppState.Screen) -> String? {
        state.chosenURL == "" ? "\(Clip.quoted(state.chosenTitle)) has no URL." : nil
    }
}
