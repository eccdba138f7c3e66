import ClipsCore
import Platform

extension Figure {
    static let importCost = Figure(
        name: "IMPORT", title: "'clips import' as a whole process, and plain tracked inserts"
    ) { workspace in
        let clips = try workspace.clipsProgram()
        let rows = workspace.count(300_000, quick: 10_000)
        let lines = workspace.newPath("lines.jsonl")
        try Output.write((0..<rows).map { SampleClip.draft($0).jsonLine }.joined(), to: lines)
        let speed = try Comparison(rounds: workspace.count(5, quick: 3)) {
            [
                try ChildProcess.run([
                    clips, "import", "--quiet", "--store", workspace.newPath("import.db"), lines,
                ]).seconds
            ]
        } reference: {
            let began = Moment.now
            try SampleStore.insert(rows, into: workspace.newPath("inserts.db"))
            return [began.secondsSince]
        }
        // A document of 100 MB, which must not be in memory as a whole.
        let document = workspace.newPath("document.json")
        let record = SampleClip.draft(0).jsonLine
        let size = workspace.count(100, quick: 10) * 1_048_576
        let count = size / record.utf8.count
        try Output.write(
            "[" + Array(repeating: record, count: count).joined(separator: ",") + "]", to: document)
        let memory = try ChildProcess.run(
            [clips, "import", "--quiet", "--dry-run", "--store", workspace.newPath("document.db"), document],
            measuringMemory: true
        ).peakMemory
        return [
            Measurement(
                "import of \(rows.grouped) JSON lines", .time, speed, reference: "INSERT",
                goal: .atMost(1.5), headline: "Import of \(rows.grouped) JSON lines"),
            Measurement(
                "peak memory of one JSON document", .memory, [memory], goal: .atMost(40 * 1_048_576),
                headline:
                    "Peak memory, import of one JSON document of \(Quantity(Double(size), .memory).text)"),
        ]
    }
}
