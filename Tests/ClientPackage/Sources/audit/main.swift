import HistoryTracking
import PersistentStore

let container = try await PersistentContainer(
    attachingTo: "shop.db", tables: ["orders"], values: .rows, allowsWAL: true)
let start = try await container.registerConsumer("audit").token
print("watching")
for try await step in container.follow(after: start) {
    guard case .transactions(let transactions) = step, let last = transactions.last else { continue }
    for change in transactions.flatMap(\.changes) {
        let order = change.newValues["customer"]?.textValue ?? "an order"
        print(change.kind, order, change.newValues["total"]?.realValue ?? 0)
    }
    if last.isComplete { try await container.moveCursor(of: "audit", to: last.token) }
}
