import HistoryTracking
import PersistentStore

let container = try await PersistentContainer(
    attachingTo: "shop.db", tables: ["orders"], values: .rows, allowsWAL: true)
let start = try await container.registerConsumer("audit").token
print("watching")
var steps = container.follow(HistoryFollower(after: start)).makeAsyncIterator()
while case .transactions(let transactions)? = try await steps.next() {
    for change in transactions.flatMap(\.changes) {
        let order = change.newValues["customer"]?.textValue ?? "an order"
        print(change.kind, order, change.newValues["total"]?.realValue ?? 0)
    }
    try await container.moveCursor(of: "audit", to: steps.follower.token)
}
