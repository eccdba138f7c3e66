import Glibc
import Platform

/// The program, which measures the figures and prints each with its goal.
@main
enum Benchmarks {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            if let role = Role(words) { exit(try role.play()) }
            let options = try Options(words)
            if options["--help"] != nil {
                Output.print(Options.help)
            } else if options.presents {
                try present(options)
            } else if let path = options["--order"] {
                let order = try SymbolOrder(Workspace(options))
                try Output.write(order.names.joined(separator: "\n") + "\n", to: path)
            } else {
                try measure(options)
            }
        } catch {
            Output.printError("ClipsBenchmarks: \(error)")
            exit(error is UsageError ? 2 : 1)
        }
    }

    private static func present(_ options: Options) throws {
        let results = try Results(standardInput: ())
        if let path = options["--picture"] { try Output.write(SpeedPicture(results).svg, to: path) }
        if let path = options["--table"] { try SpeedTable(results: results).replace(in: path) }
    }

    private static func measure(_ options: Options) throws {
        let workspace = try Workspace(options)
        var report = try Report(options)
        for figure in Figure.all where options.includes(figure) {
            do {
                for result in try figure.measure(workspace) { try report.add(result, of: figure) }
            } catch {
                Output.printError("\(figure.name) could not be measured: \(error)")
            }
        }
        report.finish()
    }
}
