import Terminal

/// A script: lines of keys (`::` for keys that begin with a colon), commands (`:`), and comments (`#`).
package struct Script: Sendable {
    enum Step: Hashable, Sendable {
        case keys([Key])
        case dump(path: String)
        case wait(Condition, seconds: Double)
        case resize(Size)
        case shell(String)
    }

    enum Condition: Hashable, Sendable {
        case idle
        case count(Int)
        case text(String)
    }

    private(set) var steps: [(line: Int, step: Step)] = []

    package init(_ text: String) throws(ClipsAppError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.hasSuffix("\r") ? line.dropLast() : line
            if line.isEmpty || line.hasPrefix("#") { continue }
            do {
                steps.append((index + 1, try Self.step(line)))
            } catch {
                throw ClipsAppError("script line \(index + 1): \(error)")
            }
        }
    }

    private static func step(_ line: Substring) throws -> Step {
        let keys = line.hasPrefix("::") ? line.dropFirst() : line
        guard line.hasPrefix(":"), keys == line else { return .keys(try KeyParser.keys(in: String(keys))) }
        let words = line.dropFirst().split(separator: " ", maxSplits: 1)
        let argument = words.count > 1 ? String(words[1]) : ""
        switch words.first {
        case "dump" where !argument.isEmpty: return .dump(path: argument)
        case "wait" where !argument.isEmpty: return try wait(argument)
        case "resize":
            guard let size = Size(argument) else {
                throw ClipsAppError("Invalid size '\(argument)'. Use COLUMNSxROWS, such as 80x24.")
            }
            return .resize(size)
        case "sh" where !argument.isEmpty: return .shell(argument)
        default:
            throw ClipsAppError(
                "Unknown command '\(line)'. Use :dump FILE, :wait CONDITION, :resize 80x24, or :sh COMMAND.")
        }
    }

    /// Parses `idle`, `count=N`, or `text=WORDS`, after an optional time limit: `30s text=done`.
    private static func wait(_ argument: String) throws -> Step {
        var condition = argument[...]
        var seconds = ScriptRunner.patience
        let first = argument.prefix { $0 != " " }
        if first.hasSuffix("s"), let bound = Double(first.dropLast()), bound >= 0,
            first.count < argument.count
        {
            seconds = bound
            condition = argument.dropFirst(first.count + 1)
        }
        if condition == "idle" { return .wait(.idle, seconds: seconds) }
        if condition.hasPrefix("count="), let count = Int(condition.dropFirst(6)) {
            return .wait(.count(count), seconds: seconds)
        }
        if condition.hasPrefix("text="), condition.count > 5 {
            return .wait(.text(String(condition.dropFirst(5))), seconds: seconds)
        }
        throw ClipsAppError("Unknown condition '\(condition)'. Use idle, count=N, or text=WORDS.")
    }
}
