import Jobs
import LiveQuery
import PersistentStore

let container = try await openStore()
let context = container.makeContext(author: "submit")
try await context.insert(CommandLine.arguments.dropFirst().map { Job(title: $0) })
try await context.save()
for try await snapshot in try await LiveQuery(Job.open, in: container).snapshots {
    print("\(snapshot.count) open")
    if snapshot.count == 0 { break }
}
