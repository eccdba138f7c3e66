import ClipsCore
import Glibc
import PersistentStore
import Platform
import Terminal

/// Retains clips that could not be saved: in a file for `--jsonl`, or on standard error if no file can be
/// written.
final class Retention {
    private let invocation: Invocation
    private let command: String
    private let author: String
    private var file: UnsavedClips?
    private var places: UnsavedClips.Places
    private var isWritable = true
    private var clips = 0
    private var rejectedLines = 0
    private var hasUnread = false
    /// Whether the clips are parts of one text.
    private var isSplit = false
    private var hasPrinted = false

    /// The limit of an endless input.
    private static let longestInput = 1 << 30

    /// - Parameters:
    ///   - command: The name of the command.
    ///   - author: The author of clips without one.
    init(_ invocation: Invocation, command: String, author: String) {
        self.invocation = invocation
        self.command = command
        self.author = invocation.arguments.value("--author") ?? author
        places = UnsavedClips.Places(
            storePath: try? invocation.storePath(), suffix: command == "import" ? "" : ".jsonl")
    }

    func retain(_ drafts: [ClipDraft]) {
        for draft in drafts where !draft.isEmpty {
            var draft = draft
            draft.author = draft.author ?? author
            for part in draft.parts where add(part.jsonLine.utf8, isSafe: true) { clips += 1 }
        }
    }

    /// Retains a line that `--jsonl` could not read, unchanged.
    ///
    /// - Parameter bytes: The line, or a part of it; the last part includes the line end.
    func retain(rejected bytes: some Collection<UInt8>) {
        let endsLine = bytes.reversed().first == UInt8(ascii: "\n")
        if add(bytes, isSafe: false) && endsLine { rejectedLines += 1 }
    }

    /// Retains a text that exceeds the size of a clip, with the rest of standard input, as several clips.
    ///
    /// - Parameters:
    ///   - draft: The clip without its text.
    ///   - bytes: The part of the text that has been read.
    func retain(_ draft: ClipDraft, longText bytes: [UInt8]) {
        var rest = bytes[...]
        var (total, pieces) = (bytes.count, 0)
        while !rest.isEmpty {
            let isLast = rest.count <= ClipDraft.largestText
            let piece = isLast ? rest : Self.wholeScalars(rest.prefix(ClipDraft.largestText))
            pieces += 1
            isSplit = pieces > 1
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

    /// Retains the input of a command that was refused before it read it, unless the input can be read again.
    static func retainInput(of command: Command, _ words: [String]) {
        let savesText = [Command.add.name, Command.extension.name].contains(command.name)
        guard savesText || command.name == Command.import.name && words.contains("-"),
            StandardInput.isPiped, StandardInput.comesOnce,
            let arguments = try? Arguments([], options: Option.global)
        else { return }
        PendingInterrupt.hold()
        let retention = Retention(
            Invocation(arguments: arguments), command: command.name,
            author: command.name == Command.extension.name ? "extension" : "cli")
        var bytes: [UInt8] = []
        try? StandardInput.readAll(into: &bytes, limit: ClipDraft.largestText)
        guard !bytes.isEmpty else { return }
        if savesText && !words.contains("--jsonl") {
            retention.retain(ClipDraft(), longText: bytes)
        } else {
            retention.retain(unread: bytes)
        }
        retention.report()
    }

    /// Retains the input of an unknown command as a clip.
    ///
    /// Only a name close to one that reads input proves that input will come; a standard input without any, such as
    /// that of `ssh`, may stay open.
    static func retainInput(ofUnknown words: [String]) {
        let readers = [Command.add.name, Command.extension.name, Command.import.name]
        let isMeant = words.contains { Suggestion.nearest(to: $0, in: readers) != nil }
        guard isMeant || StandardInput.hasBegun(within: .seconds(1)) else { return }
        retainInput(of: .add, words)
    }

    /// Retains bytes and the rest of standard input, unchanged.
    private func retain(unread bytes: [UInt8]) {
        var (part, total) = (bytes, 0)
        while !part.isEmpty, total < Self.longestInput {
            if add(part, isSafe: false) { hasUnread = true }
            total += part.count
            part = []
            try? StandardInput.readAll(into: &part, limit: ClipDraft.largestText)
        }
    }

    /// Reports the file with the retained clips, if any.
    func report() {
        guard let file else { return }
        file.finish()
        self.file = nil
        defer { (hasUnread, clips, rejectedLines) = (false, 0, 0) }
        let word = FilePath.shellWord(file.path)
        let save = "'clips \(command) \(command == Command.import.name ? word : "--jsonl < \(word)")'"
        if hasUnread { invocation.fail("the input is retained in \(file.path); save it with \(save).") }
        if clips > 0 {
            let subject =
                isSplit
                ? "the input is retained as \(clips) clips"
                : clips == 1 ? "the unsaved clip is retained" : "\(clips) unsaved clips are retained"
            invocation.fail(
                "\(subject) in \(file.path); save \(clips == 1 ? "it" : "them") with \(save).")
        }
        if rejectedLines > 0 {
            let lines =
                rejectedLines == 1
                ? "1 line that cannot be read is" : "\(rejectedLines) lines that cannot be read are"
            invocation.fail(
                "\(lines) retained in \(file.path); correct \(rejectedLines == 1 ? "it" : "them") there.")
        }
    }

    /// Returns whether the bytes are in the file.
    private func add(_ bytes: some Collection<UInt8>, isSafe: Bool) -> Bool {
        while file != nil || isWritable {
            if file == nil { file = UnsavedClips(in: &places) }
            isWritable = file != nil
            if file?.add(bytes) == true { return true }
            // The disk is full; the next folder may be on another one.
            report()
        }
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

    /// Returns the bytes without the last scalar, which may be incomplete.
    private static func wholeScalars(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = bytes.suffix(4).lastIndex { $0 & 0xC0 != 0x80 }
        return bytes[..<(start ?? bytes.endIndex)]
    }
}
