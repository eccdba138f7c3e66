import CBenchmarkProbes
import Glibc

/// The program, which measures the figures and prints each with its limit.
@main
enum Benchmarks {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            if let role = Role(words) {
                exit(try role.play())
            }
            let options = try Options(words)
            guard !options.wantsHelp else { return TextLine.print(Options.help) }
            if options.presents { return try present(options) }
            try measure(options)
        } catch {
            TextLine.print("ClipsBenchmarks: \(error)", on: STDERR_FILENO)
            exit(error is UsageError ? 2 : 1)
        }
    }

    private static func present(_ options: Options) throws {
        let results = try Results(standardInput: ())
        if let path = options.picture { try TextLine.write(SpeedPicture(results).svg, to: path) }
        if let path = options.readme { try SpeedTable(results).replace(in: path) }
        if options.wantsMarkdown { TextLine.print(SpeedTable(results).markdown) }
    }

    private static func measure(_ options: Options) throws {
        let workspace = try Workspace(options)
        var report = try Report(options)
        for figure in Figure.all where options.asks(for: figure) {
            do {
                for result in try figure.measure(workspace) { try report.add(result, of: figure) }
            } catch {
                TextLine.print("\(figure.name) could not be measured: \(error)", on: STDERR_FILENO)
            }
        }
        report.finish()
    }
}
