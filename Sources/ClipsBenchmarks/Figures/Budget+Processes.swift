import ClipsCore

/// Programs that save clips and exit.
extension Budget {
    func pageFaults() throws -> Measurement {
        let faults = try oneShotProcesses { try ChildProcess.run($0).pageFaults }
        return row("'clips extension', page faults", faults.ours, 270).next(to: "sqlite3", faults.reference)
    }

    func instructionsOfProcesses() throws -> [Measurement] {
        let extensions = try oneShotProcesses(instructions)
        return try [
            row("'clips extension', instructions", extensions.ours, 5_500_000)
                .next(to: "sqlite3", extensions.reference),
            browserHost(), importedLine(),
        ]
    }

    /// Compares processes that save a clip in a store that is open in this process.
    private func oneShotProcesses(_ cost: ([String]) throws -> Double) throws -> Comparison {
        try OneShot.compare(
            workspace, clips, OneShot.shellProgram(), isOpen: true, rounds: 5, warmsUp: true, cost)
    }

    private func browserHost() throws -> Measurement {
        let hosts = try HostCommands(workspace, clips, own: ownProgram())
        defer { hosts.end() }
        func cost(_ command: [String]) throws -> [Double] {
            try difference(count) { saves in
                let output = workspace.newPath("counts")
                let host = try HostClient(CountingTool.valgrind.command(command, output: output))
                _ = try host.times(of: saves)
                host.close()
                return try CountingTool.valgrind.counts(output).reduce(0, +)
            }
        }
        let comparison = try Comparison(ours: cost(hosts.ours), reference: cost(hosts.probe))
        return row("Browser host, instructions per save", comparison, "C host", 1.5)
    }

    private func importedLine() throws -> Measurement {
        func cost(_ command: (Int, String) throws -> [String]) throws -> [Double] {
            try difference(20 * count) { try instructions(command($0, workspace.newPath("import.db"))) }
        }
        let comparison = try Comparison(
            ours: cost { lines, store in
                let file = workspace.newPath("lines.jsonl")
                try Output.write((0..<lines).map { SampleClip.draft($0).jsonLine }.joined(), to: file)
                return [clips, "import", "--quiet", "--store", store, file]
            },
            reference: cost { try Role.insert(store: $1, clips: $0).commandLine(of: ownProgram()) })
        return row("Import, instructions per JSON line", comparison, "INSERT", 1.5)
    }

    /// Returns the cost of one of `count` units of work.
    private func difference(_ count: Int, _ run: (Int) throws -> Double) throws -> [Double] {
        [(try run(2 * count) - run(count)) / Double(count)]
    }

    private func ownProgram() throws -> String {
        try workspace.once("own program") {
            try workspace.withoutDebugInformation(workspace.neighbor("ClipsBenchmarks"))
        }
    }

    /// Returns the instructions of a whole process.
    private func instructions(_ command: [String]) throws -> Double {
        let output = workspace.newPath("counts")
        try ChildProcess.run(CountingTool.valgrind.command(command, output: output))
        return try CountingTool.valgrind.counts(output).reduce(0, +)
    }
}
