import PersistentStore

/// The cost of one clip that arrives at the top of the list, where it is shown immediately.
enum ArrivalCost {
    static func measure(_ app: KeyedApp, clips: Int) throws -> [Measurement] {
        let writer = try RoleWriter(.writer(store: app.store, .normal))
        app.program.press("g")
        try app.program.waitUntilIdle(milliseconds: 500)
        let usage = ProcessUsage(process: app.program.process)
        let before = usage.processorTime
        let bytes = try (0..<clips).map { _ in
            let known = app.program.received
            try writer.commit(1)
            _ = try writer.begun()
            try app.program.read(seconds: 0.03)
            return Double(app.program.received - known)
        }
        let each = (usage.processorTime - before) / Double(clips)
        return [
            Measurement("bytes to a terminal of 120x40 for one clip", .count, bytes).headlined(
                "Bytes to the terminal for one clip that arrives"),
            Measurement("the app's processor time for one clip", .time, [each]).headlined(
                "Processor time of the app for one clip that arrives"),
        ]
    }
}
