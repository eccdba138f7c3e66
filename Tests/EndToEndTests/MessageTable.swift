import Foundation
import Testing

/// A command line, and all that a person is told on it.
struct MessageCase: Sendable, CustomTestStringConvertible {
    /// What the store is like before.
    enum Situation: Sendable {
        case oneClip, noStore, text, otherProgram, newer, lostTable, damagedPage, deletedClip, twoAlike
    }

    let situation: Situation
    let words: [String]
    let input: String
    let status: Int32
    /// Standard error; `STORE` and `FOLDER` stand for the paths.
    let errors: [String]

    init(
        _ words: String, _ status: Int32, _ errors: String..., in situation: Situation = .oneClip,
        input: String = ""
    ) {
        self.words = words.split(separator: " ").map(String.init)
        self.input = input
        self.status = status
        self.errors = errors
        self.situation = situation
    }

    var testDescription: String { "clips \(words.joined(separator: " ")) (\(situation))" }

    static let all = usage + operands + clips + stores + lines + maintenance

    private static let usage = [
        MessageCase("frobnicate", 2, "There is no command 'frobnicate'. Try 'clips --help'."),
        MessageCase("list --bad", 2, "Unknown option '--bad'. Try 'clips list --help'."),
        MessageCase("--bad", 2, "Unknown option '--bad'. Try 'clips --help'."),
        MessageCase("history clean --bad", 2, "Unknown option '--bad'. Try 'clips history clean --help'."),
        MessageCase(
            "list --limit x", 2, "The option --limit needs a number, not 'x'. Try 'clips list --help'."),
        MessageCase(
            "list --limit -3", 2, "The option --limit needs a number, not '-3'. Try 'clips list --help'."),
        MessageCase(
            "list --limit", 2, "The option --limit needs a value: --limit N. Try 'clips list --help'."),
        MessageCase("list --json=1", 2, "The option --json takes no value. Try 'clips list --help'."),
        MessageCase(
            "list --sort mood", 2,
            "Clips cannot be sorted by 'mood': created, updated, title, url, author, starred, unread. "
                + "Try 'clips list --help'."),
        MessageCase(
            "search --sort mood a", 2,
            "A search cannot be sorted by 'mood': relevance or newest. Try 'clips search --help'."),
        MessageCase(
            "add --title a --duplicates maybe", 2,
            "--duplicates takes keep, merge, replace, skip, not 'maybe'. Try 'clips add --help'."),
        MessageCase(
            "import --format x f", 2,
            "There is no format 'x'; there are html, json, jsonl, csv, xml, markdown, text. "
                + "Try 'clips import --help'."),
        MessageCase(
            "export", 2,
            "Which format? Give --format html, json, markdown, csv. Try 'clips export --help'."),
        MessageCase(
            "export --format pdf", 2,
            "There is no format 'pdf'; there are html, json, markdown, csv. Try 'clips export --help'."),
        MessageCase(
            "history --after soon", 2,
            "'soon' is neither a token, nor a date like 2026-11-21T09:00:00Z, nor days ago like 30d. "
                + "Try 'clips history --help'."),
        MessageCase(
            "history clean --before 2026-13-01", 2,
            "'2026-13-01' is neither a token, nor a date like 2026-11-21T09:00:00Z, nor days ago like 30d. "
                + "Try 'clips history clean --help'."),
        MessageCase(
            "--script FOLDER/none", 2, "The script FOLDER/none cannot be read. Try 'clips --help'."),
        MessageCase(
            "--script /dev/null --size 3", 2,
            "--size takes columns and rows, as 80x24, not '3'. Try 'clips --help'."),
        MessageCase(
            "completions tcsh", 2,
            "There are no completions for 'tcsh': bash, zsh or fish. Try 'clips completions --help'."),
    ]

    private static let operands = [
        MessageCase("show", 2, "Which clip? Give its id. Try 'clips show --help'."),
        MessageCase("edit", 2, "Which clip? Give its id. Try 'clips edit --help'."),
        MessageCase("edit 1 2", 2, "One clip at a time: give one id. Try 'clips edit --help'."),
        MessageCase("tag +a", 2, "Which clip? Give its id. Try 'clips tag --help'."),
        MessageCase(
            "tag 1", 2, "Which tag? Give +NAME to add it, -NAME to take it away. Try 'clips tag --help'."),
        MessageCase("star", 2, "Which clip? Give its id. Try 'clips star --help'."),
        MessageCase("delete", 2, "Which clip? Give its id. Try 'clips delete --help'."),
        MessageCase("restore", 2, "Which clip? Give its id. Try 'clips restore --help'."),
        MessageCase(
            "restore ab12", 2, "A deleted clip has a number, not 'ab12'. Try 'clips restore --help'."),
        MessageCase(
            "add stray", 2,
            "'stray' is not understood: name what it is, as in --url or --title. Try 'clips add --help'."),
        MessageCase("search", 2, "What is to be found? Give words. Try 'clips search --help'."),
        MessageCase("import", 2, "Which file? Give its name, or '-'. Try 'clips import --help'."),
        MessageCase("export --format json x", 2, "'x' is not understood. Try 'clips export --help'."),
        MessageCase("history x", 2, "'x' is not understood. Try 'clips history --help'."),
        MessageCase("history clean x", 2, "'x' is not understood. Try 'clips history clean --help'."),
        MessageCase("consumers x", 2, "'x' is not understood. Try 'clips consumers --help'."),
        MessageCase("doctor x", 2, "'x' is not understood. Try 'clips doctor --help'."),
        MessageCase("man x", 2, "'x' is not understood. Try 'clips man --help'."),
        MessageCase("backup", 2, "Where to? Give one file's name. Try 'clips backup --help'."),
        MessageCase("completions", 2, "Which shell? Give bash, zsh or fish. Try 'clips completions --help'."),
    ]

    private static let clips = [
        MessageCase("show 7", 1, "There is no clip 7. 'clips list' shows the ids."),
        MessageCase("show zz", 1, "There is no clip zz. 'clips list' shows the ids."),
        MessageCase(
            "show abcd", 1, "More than one clip begins with abcd. Give more of the id.", in: .twoAlike),
        MessageCase("edit 7", 1, "There is no clip 7. 'clips list' shows the ids."),
        MessageCase(
            "star 7 8", 1, "There is no clip 7. 'clips list' shows the ids.",
            "There is no clip 8. 'clips list' shows the ids."),
        MessageCase("star 1", 0, "starred 1 clip."),
        MessageCase("star --off 1", 0, "nothing was to be changed."),
        MessageCase("tag 1 +a", 0, "tagged 1 clip."),
        MessageCase("tag --quiet 1 +a", 0),
        MessageCase("delete 1", 0, "deleted 1 clip."),
        MessageCase("delete 1 7", 1, "There is no clip 7. 'clips list' shows the ids.", "deleted 1 clip."),
        MessageCase("restore 1", 1, "Clip 1 is not deleted."),
        MessageCase("restore 1", 0, "restored 1 clip.", in: .deletedClip),
        MessageCase(
            "restore 7", 1,
            "The history has no deletion of clip 7. 'clips history' shows what can be restored."),
        MessageCase("add", 1, "There is nothing to save: give a URL, a title or a text."),
        MessageCase(
            "add --url https://a.b", 0, "this address was saved before, as clip 1; both are kept."),
        MessageCase(
            "add --url https://a.b --duplicates skip", 0,
            "this address was saved before; it stays as it is."),
        MessageCase("consumers", 0, "nobody reads the history."),
    ]

    private static let missing = "There is no store at STORE. Check the path; 'clips add' creates a store."

    private static let stores = [
        MessageCase("show 1", 2, missing, in: .noStore),
        MessageCase("star 1", 2, missing, in: .noStore),
        MessageCase("backup FOLDER/b", 2, missing, in: .noStore),
        MessageCase("doctor", 2, missing, in: .noStore),
        MessageCase(
            "add --title a --store FOLDER/new.db", 0, "there was no store at FOLDER/new.db; this made one."),
        MessageCase("add --title a --store FOLDER/new.db --quiet", 0),
        MessageCase("add --title a", 0, in: .noStore),
        MessageCase(
            "list --store=", 2, "The option --store needs a path, not an empty word. Try 'clips list --help'."
        ),
        MessageCase(
            "list", 1,
            "STORE is not a store of this program. Nothing was changed; use another file.", in: .text),
        MessageCase(
            "list", 1,
            "STORE is not a store of this program. Nothing was changed; use another file.",
            in: .otherProgram),
        MessageCase(
            "list", 1,
            "The store STORE was written by a newer version. Update this program; nothing was changed.",
            in: .newer),
        MessageCase(
            "list", 1,
            "The store STORE is corrupt (a table of the history is missing). "
                + "Restore a backup with 'clips backup restore FILE', or run 'clips doctor --salvage NEW'.",
            in: .lostTable),
        MessageCase(
            "list", 1,
            "The store STORE is corrupt (database disk image is malformed). "
                + "Restore a backup with 'clips backup restore FILE', or run 'clips doctor --salvage NEW'.",
            in: .damagedPage),
        MessageCase(
            "list --store FOLDER", 1,
            "Cannot open store FOLDER: unable to open database file. "
                + "Check the path and its permissions."),
        MessageCase(
            "list --store /proc/none/clips.db", 2,
            "There is no store at /proc/none/clips.db. Check the path; 'clips add' creates a store."),
        MessageCase(
            "import --store /proc/none/clips.db FOLDER/none", 1,
            "Cannot create folder /proc/none: No such file or directory. "
                + "Create it, or name another store with --store."),
        MessageCase(
            "import --store STORE/clips.db FOLDER/none", 1,
            "STORE is not a folder. Move it, or name a store with --store."),
        MessageCase(
            "list --group a/b", 1,
            "The group name 'a/b' is not valid. Use up to 128 letters, digits, '.', '_', or '-'."),
        MessageCase(
            "history --after 00000000-0000-4000-8000-000000000000.1.1", 1,
            "The token belongs to another store. Do a full refresh."),
    ]

    private static let lines = [
        MessageCase(
            "add --jsonl", 1, "line 1: it is not JSON.", "line 2: 'url' has a value of the wrong type.",
            "line 3: it is not a JSON object.", "line 4: it has no url, title, text or note.",
            "saved 0 clips, left out 4 lines.", input: "{\n{\"url\":5}\n[]\n{}\n"),
        MessageCase("add --jsonl", 0, "saved 1 clip.", input: "{\"title\":\"a\"}"),
        MessageCase("add --jsonl --quiet", 0, input: "{\"title\":\"a\"}"),
        MessageCase(
            "add --jsonl --strict", 1, "line 2: it is not JSON.",
            "1 line cannot be read, so with --strict nothing was saved.", input: "{\"title\":\"a\"}\nx\n"),
        MessageCase(
            "import FOLDER/none", 1,
            "FOLDER/none: The file cannot be opened: No such file or directory.", "read 0 clips, saved 0."),
        MessageCase(
            "export --format json -o FOLDER/none/x", 1,
            "The output cannot be written: No such file or directory."),
        MessageCase("export --format json -o FOLDER/x", 0, "wrote 1 clip to FOLDER/x."),
    ]

    private static let maintenance = [
        MessageCase("backup FOLDER/b", 0, "copied the store to FOLDER/b."),
        MessageCase("backup STORE", 1, "STORE is there already. Give --force to replace it."),
        MessageCase("backup --force STORE", 1, "No backup was made at STORE: it is the store itself."),
        MessageCase(
            "backup --force FOLDER", 1, "No backup was made at FOLDER: it is not a regular file."),
        MessageCase(
            "backup FOLDER/none/b", 1,
            "No backup was made at FOLDER/none/b: No such file or directory; "
                + "check the folder and the disk, or use another path."),
        MessageCase("history clean --before 0d", 0),
        MessageCase("doctor", 0),
    ]
}
