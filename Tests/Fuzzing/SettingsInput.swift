import ClipsTerminal
import PersistentStore

/// Small files and words that a user wrote, or copied from an attacker.
enum SettingsInput {
    static func broken(byConfig text: String) -> String? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
        var last = 0
        for error in ConfigFile(text).errors {
            guard error.hasPrefix("config:"),
                let number = Int(error.dropFirst("config:".count).prefix { $0 != ":" }),
                number > last, number <= lines
            else { return "an error is reported without its line: \(error.debugDescription)" }
            last = number
        }
        return nil
    }

    static func broken(byScript text: String) -> String? {
        do {
            _ = try Script(text)
            return nil
        } catch {
            return error.description.hasPrefix("script line ") ? nil : "an error is reported without its line"
        }
    }

    static func broken(byToken text: String) -> String? {
        guard let token = HistoryToken(text) else { return nil }
        return HistoryToken(token.description) == token ? nil : "printed, it is another token"
    }
}
