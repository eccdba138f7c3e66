import ClipsCore
import Glibc
import PersistentStore

/// Keeps clips that could not be saved in a file of their own, in the form that `--jsonl` reads.
struct UnsavedClips {
    let path: String
    private let descriptor: CInt

    /// Nil when there is no place for them either.
    static func keep(_ drafts: [ClipDraft], storePath: String) -> UnsavedClips? {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        for place in [storePath + "-unsaved-", (folder.isEmpty ? "/tmp" : folder) + "/clips-unsaved-"] {
            // Never over what was kept before.
            guard let (path, descriptor) = UniqueFile.make(place) else { continue }
            let file = UnsavedClips(path: path, descriptor: descriptor)
            if file.add(drafts) { return file }
            file.close()
            unlink(path)
        }
        return nil
    }

    /// False when they could not be written.
    func add(_ drafts: [ClipDraft]) -> Bool {
        let file = Output(descriptor: descriptor)
        for draft in drafts {
            guard let line = try? JSONLine.text(Line(draft)) else { return false }
            file.line(line)
        }
        return (try? file.flush()) != nil
    }

    func close() { _ = Glibc.close(descriptor) }

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
