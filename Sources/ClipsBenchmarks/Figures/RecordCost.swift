import FoundationEssentials
import PersistentStore

extension Figure {
    static let recordCost = Figure(name: "RECORDS", title: "typed records and the same as untyped objects") {
        workspace in
        let (fetched, inserted) = (workspace.count(100_000, quick: 20_000), 10_000)
        let rounds = workspace.count(9, quick: 5)
        let work = try RecordWork(workspace.newPath("records.db"), count: fetched)
        return [
            Measurement(
                "fetch of \(Quantity.grouped(fetched))", .time,
                try Comparison(
                    rounds: rounds, warmsUp: true, ours: work.fetchRecords, reference: work.fetchObjects),
                reference: "objects, not converted"),
            Measurement(
                "fetch of \(Quantity.grouped(fetched)), the same structures", .time,
                try Comparison(
                    rounds: rounds, warmsUp: true, ours: work.fetchRecords, reference: work.fetchPages),
                reference: "objects converted by hand", goal: .atMost(1.2)),
            Measurement(
                "save of \(Quantity.grouped(inserted)), one transaction", .time,
                try Comparison(
                    rounds: rounds, warmsUp: true, ours: { try work.saveRecords(inserted) },
                    reference: { try work.saveObjects(inserted) }),
                reference: "objects", goal: .atMost(1.2)),
            Measurement(
                "batch of \(Quantity.grouped(inserted))", .time,
                try Comparison(
                    rounds: rounds, warmsUp: true, ours: { try work.insertRecords(inserted) },
                    reference: { try work.insertObjects(inserted) }),
                reference: "objects", goal: .atMost(1.2)),
        ]
    }
}

private struct Page: Record {
    var title: String
    var url: URL?
    var uuid: UUID
    var visits: Int
    var score: Double
    var isRead: Bool
    var visited: Date

    static let entity = RecordEntity<Page>("Page") {
        RecordAttribute(\.title)
        RecordAttribute(\.url)
        RecordAttribute(\.uuid)
        RecordAttribute(\.visits)
        RecordAttribute(\.score)
        RecordAttribute(\.isRead)
        RecordAttribute(\.visited)
    }

    init(_ number: Int) {
        title = "Page \(number), with a title of the usual length"
        url = URL(string: "https://example.org/pages/\(number)")
        uuid = UUID()
        (visits, score, isRead) = (number % 10, Double(number) / 2, number.isMultiple(of: 2))
        visited = Date(timeIntervalSince1970: Double(number))
    }

    /// The page of an object, as a program without records reads it.
    init?(_ object: StoredObject) {
        guard let uuid = object["uuid"].textValue.flatMap(UUID.init(uuidString:)) else { return nil }
        title = object["title"].textValue ?? ""
        url = object["url"].textValue.flatMap { URL(string: $0) }
        self.uuid = uuid
        visits = Int(object["visits"].integerValue ?? 0)
        score = object["score"].realValue ?? 0
        isRead = object["isRead"].booleanValue
        visited = Date(timeIntervalSince1970: Double(object["visited"].integerValue ?? 0) / 1000)
    }

    /// The same values, as a program without records writes them.
    var values: [String: AttributeValue] {
        [
            "title": .text(title), "url": .optionalText(url?.absoluteString), "uuid": .text(uuid.uuidString),
            "visits": .integer(Int64(visits)), "score": .real(score), "isRead": .boolean(isRead),
            "visited": .integer(Int64(visited.timeIntervalSince1970 * 1000)),
        ]
    }
}

/// A store of pages, read and written in both ways.
private struct RecordWork: Sendable {
    private let container: PersistentContainer

    init(_ path: String, count: Int) throws {
        container = try blocking {
            var options = StoreOptions()
            options.durability = .normal
            let container = try await PersistentContainer(
                path: path, model: StoreModel(version: 1, records: Page.self), options: options)
            try await container.execute(
                BatchInsertRequest(total: count) { (0..<count).lazy.map(Page.init) }, author: nil)
            return container
        }
    }

    func fetchRecords() throws -> [Double] {
        try time { try await container.fetch(RecordRequest<Page>(limit: 100_000)).count }
    }

    func fetchObjects() throws -> [Double] {
        try time { try await container.fetch(FetchRequest("Page", limit: 100_000)).count }
    }

    func fetchPages() throws -> [Double] {
        try time {
            try await container.fetch(FetchRequest("Page", limit: 100_000)).compactMap(Page.init).count
        }
    }

    func saveRecords(_ count: Int) throws -> [Double] {
        let (pages, context) = ((0..<count).map(Page.init), container.makeContext(author: "records"))
        return try time {
            try await context.insert(pages)
            return try await context.save().insertedIDs.count
        }
    }

    func saveObjects(_ count: Int) throws -> [Double] {
        let (pages, context) = ((0..<count).map(Page.init), container.makeContext(author: "objects"))
        return try time {
            for page in pages { try await context.insert("Page", page.values) }
            return try await context.save().insertedIDs.count
        }
    }

    func insertRecords(_ count: Int) throws -> [Double] {
        let pages = (0..<count).map(Page.init)
        return try time { try await container.execute(BatchInsertRequest(pages), author: nil).rows }
    }

    func insertObjects(_ count: Int) throws -> [Double] {
        let pages = (0..<count).map(Page.init)
        return try time {
            let request = BatchInsertRequest("Page", total: count) { pages.lazy.map(\.values) }
            return try await container.execute(request, author: nil).rows
        }
    }

    private func time(_ work: @escaping @Sendable () async throws -> Int) throws -> [Double] {
        try blocking {
            let began = Moment.now
            guard try await work() > 0 else { throw BenchmarkError("no page was read or written") }
            return [began.secondsSince]
        }
    }
}
