import Jobs
import LiveQuery
import PersistentStore

let container = try await openStore()
let context = container.makeContext(author: "worker")
await context.setMergePolicy(.byPropertyStoreTrumps)
for try await snapshot in try await LiveQuery(Job.open, in: container).snapshots {
    for job in snapshot.rows { try await context.update(job) { $0.isDone = true } }
    try await context.save()
    for job in snapshot.rows { print("finished \(job.title)") }
}
