import ClipsCore
import SQLite

extension Figure {
    static let importCost = Figure(
        name: "IMPORT", title: "'clips import' as a whole process, and plain tracked inserts"
    ) { workspace in
        let clips = try workspace.clipsProgram()
        let rows = workspace.count(100_000, quick: 10_000)
        let lines = workspace.newPath("lines.jsonl")
        try Output.write((0..<rows).map { SampleClip.draft($0).jsonLine }.joined(), to: lines)
        let speed = try Comparison(rounds: workspace.count(5, quick: 3)) {
            [
                try ChildProcess.run([
                    clips, "import", "--quiet", "--store", workspace.newPath("import.db"), lines,
                ]).seconds
            ]
        } reference: {
            [try insert(rows, into: workspace.newPath("inserts.db"))]
        }
        // A document of 100 MB, which must not be in memory as a whole.
        let document = workspace.newPath("document.json")
        let record = SampleClip.draft(0).jsonLine
        let count = workspace.count(100_000_000, quick: 10_000_000) / record.utf8.count
        try Output.write(
            "[" + Array(repeating: record, count: count).joined(separator: ",") + "]", to: document)
        let memory = try ChildProcess.run(
            [clips, "import", "--quiet", "--dry-run", "--store", workspace.newPath("document.db"), document]
        ).peakMemory
        return [
            Measurement(
                "import of \(rows) JSON lines", .time, speed, reference: "inserts", goal: .atMost(1.5)),
            Measurement(
                "peak memory of one JSON document", .memory, [memory], goal: .atMost(40 * 1024 * 1024)),
        ]
    }

    /// Returns the time of an external writer that saves as many clips in each transaction as an import.
    private static func insert(_ rows: Int, into store: String) throws -> Double {
        try SampleStore.make(store, clips: 0)
        let connection = try Connection(path: store, access: .readWrite)
        let began = Moment.now
        for start in stride(from: 0, to: rows, by: 500) {
            try connection.execute("BEGIN IMMEDIATE")
            for number in start..<min(rows, start + 500) {
                try connection.run(
                    "INSERT INTO Clip (url, title, text, tags, author) VALUES (?1, ?2, ?3, ?4, 'sample')",
                    SampleClip.url(number), SampleClip.title(number), SampleClip.text(number),
                    SampleClip.tags(number))
            }
            try connection.execute("COMMIT")
        }
        return began.secondsSince
    }
}
