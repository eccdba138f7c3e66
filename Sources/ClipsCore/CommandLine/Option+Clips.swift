package import Platform

extension Option {
    /// The options of every command, before or after its name. Those of a shell's alias yield to later ones.
    package static let global = [
        Option("--store", value: "PATH", "store file (default: $CLIPS_STORE or the group's)", repeats: true),
        Option("--group", value: "NAME", "app group of the store (default: clips)", repeats: true),
        Option("--author", value: "NAME", "author of the changes", repeats: true),
        Option("--json", "print one JSON object per line"),
        Option(
            "--color", value: "WHEN", "auto, always, or never (NO_COLOR applies too)",
            choices: ["auto", "always", "never"], repeats: true),
        Option("--quiet", "print results only, no remarks"),
        Option("--help", "print this help"),
        Option("--version", "print the version"),
    ]

    /// The options of `clips mirror`, which passes them to its program.
    package static let mirror = [
        Option("--user", value: "USER", "user of the server; the password is prompted"),
        Option("--password-file", value: "FILE", "file of mode 600 with the password"),
        Option("--credentials", value: "FILE", "credentials file of NATS, of mode 600"),
        Option("--ca", value: "FILE", "certificate that signs the server's"),
        Option("--zone", value: "ZONE", "name of the mirror on the server (default: clips)"),
        Option("--restore", value: "N", "with conflicts: restore the lost value"),
        Option("--dismiss", value: "N", "with conflicts: discard the lost value"),
        Option("--discard", "with remove: discard what was not sent, too"),
        Option("--yes", "answer questions with yes"),
    ]
}
