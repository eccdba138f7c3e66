import ClipsCore
import Glibc
import PersistentStore
import Terminal

/// Retains what could not be saved: in a file that `--jsonl` reads back, or printed where no file takes it.
final class Retention {
    private let invocation: Invocation
    private let command: String
    private let author: String
    private var file: UnsavedClips?
    private var isWritable = true
    private var clips = 0
    private var rejectedLines = 0
    private var hasPrinted = false

    /// Where an endless input ends.
    private static let longestInput = 1 << 30

    /// - Parameters:
    ///   - command: the name under which the program was called.
    ///   - author: the author of a clip that names none.
    init(_ invocation: Invocation, command: String, author: String) {
        self.invocation = invocation
        self.command = command
        self.author = invocation.arguments.value("--author") ?? author
    }

    func retain(_ drafts: [ClipDraft]) {
        for draft in drafts where !draft.isEmpty {
            var draft = draft
            draft.author = draft.author ?? author
            for part in draft.parts where add(part.jsonLine.utf8, isSafe: true) { clips += 1 }
        }
    }

    /// A line that `--jsonl` could not read, as it came.
    ///
    /// - Parameter bytes: the line, or a part of it; the last part ends with the line's end.
    func retain(rejected bytes: some Collection<UInt8>) {
        let endsLine = bytes.reversed().first == UInt8(ascii: "\n")
        if add(bytes, isSafe: false) && endsLine { rejectedLines += 1 }
    }

    /// A text that is longer than a clip takes, and the rest of standard input with it, as several clips.
    ///
    /// - Parameters:
    ///   - draft: the clip without its text.
    ///   - bytes: the text as far as it was read.
    func retain(_ draft: ClipDraft, longText bytes: [UInt8]) {
        var rest = bytes[...]
        var (total, pieces) = (bytes.count, 0)
        while !rest.isEmpty {
            let isLast = rest.count <= ClipDraft.largestText
            let piece = isLast ? rest : Self.wholeScalars(rest.prefix(ClipDraft.largestText))
            pieces += 1
            var part = draft
            part.text = String(decoding: piece, as: UTF8.self)
            part.title += part.title.isEmpty ? "" : " (part \(pieces))"
            retain([part])
            rest = rest[piece.endIndex...]
            guard !isLast else { return }
            guard total < Self.longestInput else { break }
            var more = Array(rest)
            try? StandardInput.readAll(into: &more, limit: ClipDraft.largestText)
            total += more.count - rest.count
            rest = more[...]
        }
        invocation.fail("the input is longer than \(Self.longestInput >> 30) GB; the rest of it is lost.")
    }

    /// Says where everything is; silent when nothing was retained in a file.
    func report() {
        guard let file else { return }
        file.finish()
        self.file = nil
        if clips > 0 {
            let (are, them) = clips == 1 ? ("the clip is", "it") : ("\(clips) clips are", "them")
            invocation.fail(
                "\(are) kept in \(file.path); 'clips \(command) --jsonl' takes \(them) from there.")
        }
        if rejectedLines > 0 {
            let lines =
                rejectedLines == 1
                ? "1 line that cannot be read is" : "\(rejectedLines) lines that cannot be read are"
            invocation.fail(
                "\(lines) kept in \(file.path); correct \(rejectedLines == 1 ? "it" : "them") there.")
        }
    }

    /// Returns whether the bytes are in the file.
    private func add(_ bytes: some Collection<UInt8>, isSafe: Bool) -> Bool {
        if file == nil && isWritable {
            file = UnsavedClips(storePath: try? invocation.storePath())
            isWritable = file != nil
        }
        if file?.add(bytes) == true { return true }
        print(bytes, isSafe: isSafe)
        return false
    }

    private func print(_ bytes: some Collection<UInt8>, isSafe: Bool) {
        if !hasPrinted {
            hasPrinted = true
            invocation.fail(
                "no file could be written; each line that follows is for 'clips \(command) --jsonl':")
        }
        func write(to output: Output) -> Bool {
            if isSafe || !output.isTerminal {
                output.write(bytes)
            } else {
                output.write(SafeText.lines(String(decoding: bytes, as: UTF8.self)))
            }
            return (try? output.flush()) != nil
        }
        if !write(to: Output(descriptor: STDERR_FILENO)) {
            _ = write(to: Output(descriptor: STDOUT_FILENO))
        }
    }

    /// Without the scalar at the end, which may be cut off.
    private static func wholeScalars(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = bytes.suffix(4).lastIndex { $0 & 0xC0 != 0x80 }
        return bytes[..<(start ?? bytes.endIndex)]
    }
}
