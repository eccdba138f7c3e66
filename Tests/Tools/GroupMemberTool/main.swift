import AppGroup
import Glibc

/// Opens the group by its name, then executes each line and answers it with one line.
func run() throws {
    let container = try AppGroupContainer(group: CommandLine.arguments[1])
    let defaults = try container.defaults()
    answer(container.path)
    while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "set":
            try defaults.set(words[2], forKey: words[1])
            answer("done")
        case "get": answer(try defaults.value(String.self, forKey: words[1]) ?? "nothing")
        case "count":
            // Counts up by one, N times, under a shared key and under the tool's own key.
            for index in 1...(Int(words[2]) ?? 1) {
                try defaults.update { (contents) throws(AppGroupError) in
                    let count = try contents.value(Int.self, forKey: "all") ?? 0
                    try contents.set(count + 1, forKey: "all")
                }
                try defaults.set(index, forKey: words[1])
            }
            answer("done")
        case "storm":
            // Both keys always have the same value.
            answer("storming")
            var round = 0
            while true {
                round += 1
                try defaults.update { (contents) throws(AppGroupError) in
                    let text = String(repeating: "\(round),", count: 2000)
                    try contents.set(text, forKey: "one")
                    try contents.set(text, forKey: "other")
                }
            }
        case "hold":
            try defaults.update { _ in
                answer("holding")
                _ = readLine()
            }
            answer("released")
        default: answer("unknown")
        }
    }
}

func answer(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

do {
    try run()
} catch {
    answer("error: \(error)")
    exit(1)
}
