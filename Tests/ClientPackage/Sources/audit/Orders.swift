import LiveQuery
import PersistentStore

struct Order: Record {
    var customer = ""
    var total = 0.0

    static let entity = RecordEntity<Order>("orders") {
        RecordAttribute(\.customer)
        RecordAttribute(\.total)
    }
}

/// The rows of another program as objects, as in the article "An existing database".
func largeOrders(in container: PersistentContainer) async throws -> LiveFetch<StoredRecord<Order>> {
    try await LiveFetch(
        RecordRequest<Order>(where: \.total > 100, sort: [.ascending(\.customer)]), in: container)
}

func raise(in container: PersistentContainer) async throws -> Bool {
    try await container.write(author: "audit") { transaction in
        guard let order = try transaction.row(of: "orders", ["id": .integer(1)]) else { return false }
        let total = order["total"]?.realValue ?? 0
        return try transaction.updateRow(of: "orders", ["id": .integer(1)], ["total": .real(total + 1)])
    }
}
