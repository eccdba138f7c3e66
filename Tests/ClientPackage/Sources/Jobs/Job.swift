import PersistentStore

public struct Job: Record {
    public var title: String
    public var isDone = false
    public init(title: String) { self.title = title }

    public static let entity = RecordEntity<Job>("Job") {
        RecordAttribute(\.title)
        RecordAttribute(\.isDone)
    }
    public static let open = RecordRequest<Job>(where: !\.isDone)
}

public func openStore() async throws -> PersistentContainer {
    try await PersistentContainer(path: "jobs.db", model: StoreModel(version: 1, records: Job.self))
}
