import Jobs
import LiveQuery
import PersistentStore

let container = try await openStore()
for try await snapshot in try await LiveFetch(Job.open, in: container).snapshots {
    for job in snapshot.rows {
        let isMine = try await container.write(author: "worker") { transaction in
            guard try transaction.find(job.id, of: Job.self)?.isDone == false else { return false }
            try transaction.update(job) { $0.isDone = true }
            return true
        }
        if isMine { print("finished \(job.title)") }
    }
}
