import ClipsCore
import FoundationEssentials
import Glibc
import MirrorRelay
import PersistentStore
import Platform
import Terminal

/// One call of the program, as `clips mirror` passes it: a word, its operands, and options.
struct Invocation {
    let word: String
    let operands: [String]
    private let arguments: Arguments

    init(_ words: [String]) throws(UsageError) {
        arguments = try Arguments(words, options: Option.mirror + Option.global + [Option("--attached")])
        word = arguments.operands.first ?? ""
        operands = Array(arguments.operands.dropFirst())
    }

    func has(_ name: String) -> Bool { arguments.has(name) }
    func value(_ name: String) -> String? { arguments.value(name) }

    func storePath() throws -> String {
        let location = try ClipsLocation(path: value("--store"), group: value("--group"))
        try location.check()
        return location.path
    }

    func openStore(durability: StoreOptions.Durability = .full) async throws -> ClipStore {
        let path = try storePath()
        let location = ClipsLocation(path: path)
        if !location.exists { try location.makeFolder() }
        var options = StoreOptions()
        options.durability = durability
        // The identifiers of a hundred thousand records are random.
        options.cacheSize = 4 << 20
        // Each import changes hundreds of pages, mostly the same ones, and each of its statements few.
        options.checkpointPages = 3000
        options.storesFormerPagesInMemory = true
        return try await ClipStore(path: path, author: value("--author") ?? "cli", options: options)
    }

    /// The address of the operand and the options.
    func address() throws -> ServerAddress {
        guard let url = operands.first else {
            throw UsageError("Missing operand: URL. Use tls://HOST[:PORT], or folder:PATH.")
        }
        var address = try ServerAddress(Self.withAbsolutePath(url))
        try complete(&address)
        return address
    }

    /// Completes the path of a folder: the shell expands no `~` after the colon.
    private static func withAbsolutePath(_ url: String) throws -> String {
        let scheme = ServerAddress.folderScheme
        guard url.hasPrefix(scheme) else { return url }
        var path = String(url.dropFirst(scheme.count))
        if path == "~" || path.hasPrefix("~/"), let home = Environment.variable("HOME") {
            path = home + path.dropFirst()
        }
        guard FileStatus(path: path)?.isFolder == true else {
            throw Sentence("The folder \(path) is missing. Create it, mount it, or check its path.")
        }
        return scheme + FilePath.resolved(path)
    }

    /// Reads the options of an address, and a password that is prompted or read from a file.
    func complete(_ address: inout ServerAddress) throws {
        if let user = value("--user") { address.user = user }
        if let path = value("--credentials") { address.credentials = FilePath.resolved(path) }
        if let path = value("--ca") {
            address.authority = FilePath.resolved(path)
            guard access(path, R_OK) == 0 else {
                throw Sentence("Cannot read the certificate \(path). Check the path and its permissions.")
            }
        }
        if let path = address.credentials { try MirrorSettings.checkPrivacy(path) }
        if let file = value("--password-file") {
            try MirrorSettings.checkPrivacy(file)
            address.password = TextFile.read(file)?.split(whereSeparator: \.isNewline).first.map(String.init)
        } else if let user = address.user {
            address.password = try Console.secret("Password of \(SafeText.line(user)): ")
        }
    }

    func line(_ text: String) { Console.write(SafeText.line(text) + "\n", to: STDOUT_FILENO) }

    func line(json object: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        line(String(decoding: try encoder.encode(object), as: UTF8.self))
    }

    func remark(_ text: String) {
        if !has("--quiet") { Console.write("clips: \(SafeText.line(text))\n", to: STDERR_FILENO) }
    }

    /// Asks a question, answered by `--yes`.
    ///
    /// - Throws: ``Sentence`` without a terminal.
    func confirms(_ question: String) throws -> Bool {
        if has("--yes") { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Sentence("\(question) Nothing was changed; repeat the command with --yes to confirm.")
        }
        Console.write("\(SafeText.line(question)) [y/N] ", to: STDERR_FILENO)
        return ["y", "yes"].contains((readLine() ?? "").lowercased())
    }
}

/// The terminal.
enum Console {
    static func write(_ text: String, to descriptor: CInt) { _ = TextFile.write(text, on: descriptor) }

    /// Reads a line from the terminal, or from piped input.
    static func answer(_ prompt: String) throws -> String {
        if isatty(STDIN_FILENO) == 1 { write(prompt, to: STDERR_FILENO) }
        guard let line = readLine(), !line.isEmpty else {
            throw Sentence("Nothing was entered; nothing was done.")
        }
        return line
    }

    /// Reads a line without showing it.
    static func secret(_ prompt: String) throws -> String {
        var mode = termios()
        let isTerminal = tcgetattr(STDIN_FILENO, &mode) == 0
        if isTerminal {
            var hidden = mode
            hidden.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        }
        defer {
            if isTerminal {
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
                write("\n", to: STDERR_FILENO)
            }
        }
        return try answer(prompt)
    }
}
