import ClipsCore
import Glibc
import Platform

extension Command {
    static let mirror = Command(
        name: "mirror",
        summary: "Exchange clips with other machines, encrypted, by a server or a folder",
        details: "ACTION: \(mirrorActions.joined(separator: ", "))",
        operands: "ACTION [tls://HOST[:PORT]|folder:PATH|MACHINE…]",
        actions: mirrorActions,
        options: Option.mirror,
        example: "clips mirror add tls://nats.example.org --user ann"
    ) { invocation in
        let arguments = invocation.arguments
        let action = arguments.operands[0]
        guard mirrorActions.contains(action) else { throw unknownAction(action, mirrorActions) }
        guard let program = MirrorProgram.path else {
            return invocation.fail(
                "Cannot find \(MirrorProgram.name), a program of its own. \(MirrorProgram.advice)")
        }
        if let problem = startProblem(program) {
            return invocation.fail(problem)
        }
        try invocation.output.flush()
        var words = [program] + arguments.operands
        for option in Option.mirror + Option.global {
            if option.value == nil {
                if arguments.has(option.name) { words.append(option.name) }
            } else if let value = arguments.value(option.name) {
                words += [option.name, value]
            }
        }
        ChildProcess.become(words)
        return invocation.fail("Cannot start \(program). Check its permissions.")
    }

    private static let mirrorActions = [
        "add", "pair", "run", "once", "keep", "enable", "status", "machines", "conflicts", "code", "password",
        "rotate", "exclude", "purge", "remove", "delete-zone",
    ]

    /// Returns the reason that the program cannot start: the dynamic linker lacks a library.
    private static func startProblem(_ program: String) -> String? {
        guard let output = TextFile.inMemory() else { return nil }
        let child = ChildProcess.start(
            [program, "--version"], streams: [1: output.number, 2: output.number])
        let status = ChildProcess.status(of: child)
        guard status != 0, lseek(output.number, 0, SEEK_SET) == 0, let errors = TextFile.read(output.number)
        else { return nil }
        guard let package = MirrorProgram.missingPackage(errors) else {
            return "Cannot start \(program) (status \(status ?? -1)). Install it again."
        }
        return
            "Cannot start \(MirrorProgram.name): a library is missing. Run 'sudo apt-get install \(package)'."
    }
}
