import Jobs
import LiveQuery
import PersistentStore

let container = try await openStore()
let jobs = CommandLine.arguments.dropFirst().map { Job(title: $0) }
try await container.write(author: "submit") { for job in jobs { try $0.insert(job) } }
print("submitted \(jobs.count) jobs")
for try await snapshot in try await LiveFetch(Job.open, in: container).snapshots where snapshot.count == 0 {
    print("all jobs are finished")
    break
}
