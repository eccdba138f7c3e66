import Foundation
import Testing

/// A command line, and its messages.
struct MessageCase: Sendable, CustomTestStringConvertible {
    /// The store before the command.
    enum Situation: Sendable {
        case oneClip, noStore, text, otherProgram, newer, lostTable, damagedPage, deletedClip, twoAlike,
            tagged, archived, twoOfPage
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
        MessageCase("frobnicate", 2, "Unknown command 'frobnicate'. Run 'clips --help'."),
        MessageCase("ad a", 2, "Unknown command 'ad'. Did you mean 'add'? Run 'clips --help'."),
        MessageCase("ls", 2, "Unknown command 'ls'. Did you mean 'list'? Run 'clips --help'."),
        MessageCase("manual", 2, "Unknown command 'manual'. Did you mean 'man'? Run 'clips --help'."),
        MessageCase(
            "export --output a", 2, "Unknown option '--output'. Did you mean '-o'? Run 'clips export --help'."
        ),
        MessageCase("serch a", 2, "Unknown command 'serch'. Did you mean 'search'? Run 'clips --help'."),
        MessageCase(
            "list --jsn", 2, "Unknown option '--jsn'. Did you mean '--json'? Run 'clips list --help'."),
        MessageCase("list --bad", 2, "Unknown option '--bad'. Run 'clips list --help'."),
        MessageCase("list -n 3", 2, "Unknown option '-n'. Run 'clips list --help'."),
        MessageCase(
            "list -json", 2, "Unknown option '-json'. Did you mean '--json'? Run 'clips list --help'."),
        MessageCase("search -n=3 a", 2, "Unknown option '-n'. Run 'clips search --help'."),
        MessageCase("check -v", 2, "Unknown option '-v'. Run 'clips check --help'."),
        MessageCase("list -- -n", 0),
        MessageCase("list -rust -é -3", 0),
        MessageCase("tag 1 -x", 0, "Clip 1 “a” is unchanged."),
        MessageCase("--bad", 2, "Unknown option '--bad'. Run 'clips --help'."),
        MessageCase("history clean --bad", 2, "Unknown option '--bad'. Run 'clips history clean --help'."),
        MessageCase(
            "list --limit x", 2,
            "Invalid value 'x' for --limit. Use a number from 1. Run 'clips list --help'."),
        MessageCase(
            "list --limit -3", 2,
            "Invalid value '-3' for --limit. Use a number from 1. Run 'clips list --help'."),
        MessageCase(
            "list --limit", 2, "Option --limit requires a value: --limit N. Run 'clips list --help'."),
        MessageCase(
            "list --limit 0", 2,
            "Invalid value '0' for --limit. Use a number from 1. Run 'clips list --help'."),
        MessageCase("add --strict --title a", 2, "Option --strict requires --jsonl. Run 'clips add --help'."),
        MessageCase("list --json=1", 2, "Option --json takes no value. Run 'clips list --help'."),
        MessageCase(
            "add a.org --title b --title c", 2,
            "Option --title has two values. Use one. Run 'clips add --help'."),
        MessageCase(
            "list --sort mood", 2,
            "Invalid value 'mood' for --sort. Use created, updated, title, url, author, tags, starred, or unread. "
                + "Run 'clips list --help'."),
        MessageCase(
            "search --sort mood a", 2,
            "Invalid value 'mood' for --sort. Use relevance or newest. Run 'clips search --help'."),
        MessageCase(
            "add --title a --duplicates maybe", 2,
            "Invalid value 'maybe' for --duplicates. Use keep, merge, replace, or skip. "
                + "Run 'clips add --help'."),
        MessageCase(
            "import --format x f", 2,
            "Invalid value 'x' for --format. Use html, json, jsonl, csv, xml, markdown, newsboat, places, plist, ris, "
                + "bibtex, kindle, or text. "
                + "Run 'clips import --help'."),
        MessageCase("export", 2, "Missing option: --format NAME. Run 'clips export --help'."),
        MessageCase("export -o FOLDER/x", 2, "Missing option: --format NAME. Run 'clips export --help'."),
        MessageCase("export -o FOLDER/x.HTM", 0, "Wrote 1 clip to FOLDER/x.HTM."),
        MessageCase(
            "export --format pdf", 2,
            "Invalid value 'pdf' for --format. Use html, json, jsonl, markdown, or csv. Run 'clips export --help'."
        ),
        MessageCase(
            "export --format jsn", 2,
            "Invalid value 'jsn' for --format. Did you mean 'json'? Run 'clips export --help'."),
        MessageCase(
            "history --after soon", 2,
            "Invalid value 'soon' for --after. Use a token, a transaction number, a date such as "
                + "2026-11-21T09:00:00Z, 'yesterday', or an age such as 30d or '12 hours ago'. Run 'clips history --help'."
        ),
        MessageCase(
            "history clean --before 2026-13-01", 2,
            "Invalid value '2026-13-01' for --before. Use a token, a transaction number, a date such as "
                + "2026-11-21T09:00:00Z, 'yesterday', or an age such as 30d or '12 hours ago'. Run 'clips history clean --help'."
        ),
        MessageCase(
            "--script FOLDER/none", 1,
            "Cannot read the script FOLDER/none. Check the path and its permissions."),
        MessageCase(
            "--script /dev/null --size 3", 2,
            "Invalid value '3' for --size. Use columns and rows, such as 80x24. Run 'clips --help'."),
        MessageCase("--size 80x24", 2, "Option --size requires --script. Run 'clips --help'."),
        MessageCase("help list x", 2, "Unexpected operand 'x'. Run 'clips --help'."),
        MessageCase("help nope", 2, "Unknown command 'nope'. Run 'clips --help'."),
        MessageCase("help arch", 2, "Unknown command 'arch'. Did you mean 'archive'? Run 'clips --help'."),
        MessageCase(
            "--script /dev/null --color blue", 2,
            "Invalid value 'blue' for --color. Use auto, always, or never. Run 'clips --help'."),
        MessageCase(
            "completions tcsh", 2,
            "Unknown shell 'tcsh'. Use bash, zsh, or fish. Run 'clips completions --help'."),
        MessageCase(
            "doctor --repair --salvage new", 2,
            "Options --repair and --salvage exclude each other. Run 'clips doctor --help'."),
    ]

    private static let operands = [
        MessageCase("show", 2, "Missing operand: ID. Run 'clips show --help'."),
        MessageCase("edit", 2, "Missing operand: ID. Run 'clips edit --help'."),
        MessageCase("edit 1 2", 2, "Unexpected operand '2'. Run 'clips edit --help'."),
        MessageCase("tag +a", 2, "Missing operand: ID. Run 'clips tag --help'."),
        MessageCase("tag 1", 2, "Missing operand: +NAME or -NAME. Run 'clips tag --help'."),
        MessageCase("star", 2, "Missing operand: ID. Run 'clips star --help'."),
        MessageCase("delete", 2, "Missing operand: ID. Run 'clips delete --help'."),
        MessageCase("restore", 2, "Missing operand: ID. Run 'clips restore --help'."),
        MessageCase(
            "add stray", 2, "'stray' is not a URL. Use --text to save a text. Run 'clips add --help'."),
        MessageCase(
            "add http://", 2, "'http://' is not a URL. Use --text to save a text. Run 'clips add --help'."),
        MessageCase("open", 2, "Missing operand: QUERY. Run 'clips open --help'."),
        MessageCase("tags rename", 2, "Missing operand: OLD. Run 'clips tags rename --help'."),
        MessageCase("tags rename a", 2, "Missing operand: NEW. Run 'clips tags rename --help'."),
        MessageCase(
            "backup restor x", 2, "Unexpected operand 'x'. Did you mean 'restore'? Run 'clips backup --help'."
        ),
        MessageCase(
            "history claen --before 1d", 2,
            "Unexpected operand 'claen'. Did you mean 'clean'? Run 'clips history --help'."),
        MessageCase("tags rename a b c", 2, "Unexpected operand 'c'. Run 'clips tags rename --help'."),
        MessageCase("tags merge a", 2, "Missing operand: INTO. Run 'clips tags merge --help'."),
        MessageCase(
            "tags rename a b,c", 2,
            "A tag cannot be empty or contain a comma or a tab. Run 'clips tags rename --help'."),
        MessageCase(
            "delete --query \(String(repeating: "x", count: 1001)) --yes", 2,
            "The query is longer than 1,000 characters, after which it is not read. Run 'clips delete --help'."
        ),
        MessageCase(
            "delete --query after:soonish --yes", 2,
            "Unknown date 'after:soonish'. Use 2026-11-01, 2026-11, yesterday, monday, last-week, or 3d. "
                + "Run 'clips delete --help'."),
        MessageCase("search", 2, "Missing operand: QUERY. Run 'clips search --help'."),
        MessageCase(
            "search OR", 2,
            "The query has no words. Quote OR and NOT to search for them. Run 'clips search --help'."),
        MessageCase("import", 2, "Missing operand: FILE. Run 'clips import --help'."),
        MessageCase("export --format json x", 2, "Unexpected operand 'x'. Run 'clips export --help'."),
        MessageCase(
            "tags renam a", 2, "Unexpected operand 'renam'. Did you mean 'rename'? Run 'clips tags --help'."),
        MessageCase(
            "mirror stats", 2, "Unknown operand 'stats'. Did you mean 'status'? Run 'clips mirror --help'."),
        MessageCase(
            "mirror zzzzzz", 2,
            "Unknown operand 'zzzzzz'. Use add, pair, run, once, keep, enable, status, machines, conflicts, code, "
                + "password, rotate, exclude, purge, remove, or delete-zone. Run 'clips mirror --help'."),
        MessageCase(
            "browser instal", 2,
            "Unknown operand 'instal'. Did you mean 'install'? Run 'clips browser --help'."),
        MessageCase("history x", 2, "Unexpected operand 'x'. Run 'clips history --help'."),
        MessageCase("history clean x", 2, "Unexpected operand 'x'. Run 'clips history clean --help'."),
        MessageCase("consumers x", 2, "Unexpected operand 'x'. Run 'clips consumers --help'."),
        MessageCase("doctor x", 2, "Unexpected operand 'x'. Run 'clips doctor --help'."),
        MessageCase("man x", 2, "Unexpected operand 'x'. Run 'clips man --help'."),
        MessageCase("backup", 2, "Missing operand: FILE. Run 'clips backup --help'."),
        MessageCase("completions", 2, "Missing operand: bash|zsh|fish. Run 'clips completions --help'."),
    ]

    private static let noMatch = "No clip matches; 'clips help search' describes queries."

    private static let clips = [
        MessageCase("show 7", 1, "There is no clip 7. 'clips list' shows the IDs."),
        MessageCase("show zz", 1, "There is no clip zz. 'clips list' shows the IDs."),
        MessageCase(
            "show abcd", 1, "More than one clip begins with abcd. Give more of the id.", in: .twoAlike),
        MessageCase("edit 7", 1, "There is no clip 7. 'clips list' shows the IDs."),
        MessageCase(
            "star 7 8", 1, "There is no clip 7. 'clips list' shows the IDs.",
            "There is no clip 8. 'clips list' shows the IDs."),
        MessageCase("star 1", 0, "Starred clip 1 “a”."),
        MessageCase("star --off 1", 0, "Clip 1 “a” is unchanged."),
        MessageCase("tag 1 +a", 0, "Tagged clip 1 “a” +a."),
        MessageCase("tag --quiet 1 +a", 0),
        MessageCase("delete 1", 0, "Deleted clip 1 “a”."),
        MessageCase(
            "delete 1 7", 1, "There is no clip 7. 'clips list' shows the IDs.", "Deleted clip 1 “a”."),
        MessageCase("restore 1", 1, "Clip 1 is not deleted."),
        MessageCase("restore 1", 0, "Restored clip 1 “a”.", in: .deletedClip),
        MessageCase(
            "restore 7", 1,
            "The history has no deletion of clip 7. 'clips history' shows what can be restored."),
        MessageCase(
            "add --url stray", 2, "'stray' is not a URL. Use --text to save a text. Run 'clips add --help'."),
        MessageCase(
            "add http://www.a.b/#x", 0,
            "This page is already saved as clip 1 “a”; both clips are retained."),
        MessageCase("add", 1, "There is nothing to save: give a URL, a title, or a text."),
        MessageCase(
            "add --url https://a.b", 0, "This page is already saved as clip 1 “a”; both clips are retained."),
        MessageCase(
            "add --url https://a.b --duplicates skip", 0,
            "This page is already saved as clip 1 “a”; its clip is unchanged."),
        MessageCase(
            "add --url https://a.b --note x --duplicates merge", 0,
            "This page is already saved as clip 1 “a”; the clips are merged."),
        MessageCase(
            "add --url https://a.b --title b --duplicates merge", 0,
            "This page is already saved as clip 1 “a”; the clips are merged."),
        MessageCase(
            "add --url https://a.b --note x --duplicates merge", 0,
            "This page is already saved as clip 1 “a”; the clips are merged. "
                + "Clip 2 of this page remains separate; 'clips dedupe' merges it too.", in: .twoOfPage),
        MessageCase(
            "add --url https://a.b --duplicates merge", 0,
            "This page is already saved as clip 1 “a”; the clips are merged and no longer archived.",
            in: .archived),
        MessageCase(
            "extension --url http://www.a.b/#top", 0,
            "This page is already saved as clip 1 “a”; the clip adds nothing new."),
        MessageCase(
            "extension --url http://www.a.b/#x", 0,
            "This page is already saved as clip 1 “a”; the clips are merged."),
        MessageCase("read 1", 0, "Marked clip 1 “a” as read."),
        MessageCase("unread 1", 0, "Clip 1 “a” is unchanged."),
        MessageCase("archive 1", 0, "Archived clip 1 “a”."),
        MessageCase("unarchive 1", 0, "Clip 1 “a” is unchanged."),
        MessageCase("star --query a", 0, "Starred clip 1 “a”."),
        MessageCase("star --query zzz", 1, Self.noMatch),
        MessageCase("list zzz", 1, Self.noMatch),
        MessageCase(
            "list \"zzz", 1, "A quotation mark is not closed; all words after it are one phrase.",
            Self.noMatch),
        MessageCase("export --format csv --query zzz", 1, Self.noMatch),
        MessageCase("export --format csv --query zzz -o FOLDER/x", 1, Self.noMatch),
        MessageCase(
            "restore ab12 1", 1,
            "There is no deleted clip ab12. 'clips history' shows the IDs of deleted clips.",
            "Restored clip 1 “a”.", in: .deletedClip),
        MessageCase(
            "random", 1, "The list has no clips.", in: .deletedClip),
        MessageCase(
            "random", 1, "The list has no clips; those in the archive match is:archived.", in: .archived),
        MessageCase("random zzz", 1, Self.noMatch),
        MessageCase("open zzz", 1, Self.noMatch),
        MessageCase("open 1", 0, "Opening clip 1: a"),
        MessageCase("open 7", 1, "There is no clip 7. 'clips list' shows the IDs."),
        MessageCase("tags", 0, "No clip has a tag."),
        MessageCase("tags delete x", 1, "No clip has the tag 'x'. 'clips tags' prints the tags."),
        MessageCase(
            "tags delete rust x", 1, "No clip has the tag 'x'. 'clips tags' prints the tags.",
            "Removed the tag 'rust' from clip 1 “a”.", in: .tagged),
        MessageCase(
            "tags rename rust rust", 1,
            "The old and the new name are the same: 'rust'. Nothing was changed; give another name.",
            in: .tagged),
        MessageCase("tags merge rust rust", 0, "Nothing was changed.", in: .tagged),
        MessageCase("list rsut", 1, "No clip matches; did you mean 'rust'?", in: .tagged),
        MessageCase("random rsut", 1, "No clip matches; did you mean 'rust'?", in: .tagged),
        MessageCase("star --query rsut", 1, "No clip matches; did you mean 'rust'?", in: .tagged),
        MessageCase("history --after 999999", 1, "There is no transaction 999999; the newest one is 4."),
        MessageCase("history --author x", 1, "No transaction matches."),
        MessageCase("dedupe", 0, "There are no duplicates."),
        MessageCase("undo", 0, "Undid: saved “a”."),
        MessageCase(
            "undo --redo", 1,
            "There is nothing to redo; --author NAME redoes changes of another author."),
        MessageCase("consumers", 0, "No program follows the history."),
    ]

    private static let salvage =
        "Restore a backup, or salvage the store. "
        + "Run 'clips backup restore FILE' or 'clips doctor --salvage NEW'."
    private static let missing = "There is no store at STORE. Check the path; 'clips add' creates a store."

    private static let stores = [
        MessageCase("show 1", 1, missing, in: .noStore),
        MessageCase("star 1", 1, missing, in: .noStore),
        MessageCase("backup FOLDER/b", 1, missing, in: .noStore),
        MessageCase("doctor", 1, missing, in: .noStore),
        MessageCase(
            "add --title a --store FOLDER/new.db", 0, "Created the store FOLDER/new.db."),
        MessageCase("add --title a --store FOLDER/new.db --quiet", 0),
        MessageCase("add --title a", 0, in: .noStore),
        MessageCase(
            "list --store=", 2, "Option --store requires a value: --store PATH. Run 'clips list --help'."
        ),
        MessageCase(
            "list", 1,
            "The file STORE is not a store of this program. Nothing was changed; use another file.", in: .text
        ),
        MessageCase(
            "list", 1,
            "The file STORE is not a store of this program. Nothing was changed; use another file.",
            in: .otherProgram),
        MessageCase(
            "list", 1,
            "The store STORE was written by a newer version. Update this program; nothing was changed.",
            in: .newer),
        MessageCase(
            "list", 1,
            "The store STORE is corrupt (a table of the history is missing). " + salvage,
            in: .lostTable),
        MessageCase(
            "list", 1,
            "The store STORE is corrupt (database disk image is malformed). " + salvage,
            in: .damagedPage),
        MessageCase(
            "list --store FOLDER", 1,
            "FOLDER is a folder, not a store. Name a file in it, such as FOLDER/clips.db."),
        MessageCase(
            "list --store /proc/none/clips.db", 1,
            "There is no store at /proc/none/clips.db. Check the path; 'clips add' creates a store."),
        MessageCase(
            "import --store /proc/none/clips.db FOLDER/none", 1,
            "Cannot create folder /proc/none: No such file or directory. "
                + "Create it, or use another folder. The option --store names another store."),
        MessageCase(
            "import --store STORE/clips.db FOLDER/none", 1,
            "STORE is not a folder. Move it, or use another folder. The option --store names another store."),
        MessageCase(
            "list --group a/b", 2,
            "The group name 'a/b' is not valid. Use up to 128 letters, digits, '.', '_', or '-'."),
        MessageCase(
            "history --after 00000000-0000-4000-8000-000000000000.1.1", 1,
            "The token belongs to another store. Do a full refresh."),
    ]

    private static let lines = [
        MessageCase(
            "add --jsonl", 1, "Line 1: it is not JSON: it ends in the middle.",
            "Line 2: 'url' has a value of the wrong type.", "Line 3: it is not a JSON object.",
            "Line 4: it has no url, title, text or note.",
            "Saved 0 clips, left out 4 lines.", input: "{\n{\"url\":5}\n[]\n{}\n"),
        MessageCase("add --jsonl", 0, "Saved 1 clip.", input: "{\"title\":\"a\"}"),
        MessageCase("add --jsonl --quiet", 0, input: "{\"title\":\"a\"}"),
        MessageCase(
            "add --jsonl --strict", 1, "Line 2: it is not JSON.",
            "1 line cannot be read, so with --strict nothing was saved.", input: "{\"title\":\"a\"}\nx\n"),
        MessageCase(
            "import FOLDER/none", 1,
            "FOLDER/none: The file cannot be opened: No such file or directory.", "Read 0 clips, saved 0."),
        MessageCase(
            "export --format json -o FOLDER/none/x", 1,
            "The output cannot be written: No such file or directory."),
        MessageCase("export --format json -o FOLDER/x", 0, "Wrote 1 clip to FOLDER/x."),
    ]

    private static let maintenance = [
        MessageCase("backup FOLDER/b", 0, "Copied the store to FOLDER/b."),
        MessageCase("backup STORE", 1, "The file STORE already exists. Use --force to replace it."),
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
