import ClipsCore
import Glibc
import PersistentStore

/// Keeps a clip that could not be saved in a file of its own, in the form that `--jsonl` reads.
struct UnsavedClip {
    let draft: ClipDraft
    let storePath: String

    /// The file's path; nil when there is no place for it either.
    func keep() -> String? {
        guard let line = try? JSONLine.text(Line(draft)) + "\n" else { return nil }
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        for place in [storePath + "-unsaved-", (folder.isEmpty ? "/tmp" : folder) + "/clips-unsaved-"] {
            // Never over what was kept before.
            guard let (path, descriptor) = UniqueFile.make(place) else { continue }
            let file = Output(descriptor: descriptor)
            file.write(line)
            let isWritten = (try? file.flush()) != nil
            close(descriptor)
            if isWritten { return path }
            unlink(path)
        }
        return nil
    }

    private struct Line: Encodable {
        let url: String
        let title: String
        let text: String
        let note: String
        let tags: [String]

        init(_ draft: ClipDraft) {
            url = draft.url
            title = draft.title
            text = draft.text
            note = draft.note
            tags = draft.tags
        }
    }
}
