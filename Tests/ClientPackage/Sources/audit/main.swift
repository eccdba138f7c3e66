import HistoryTracking
import PersistentStore

let container = try await PersistentContainer(
    attachingTo: "shop.db", tables: ["orders"], values: .rows, allowsWAL: true)
let events = try await container.events()
var position = try await HistoryPosition(container.registerConsumer("audit").token)
print("watching")
for await _ in events {
    let reader = HistoryReader()
    while let batch = try await container.read({ [position] snapshot in
        try reader.next(after: position, limit: 100, in: snapshot)
    }) {
        for change in batch.transactions.flatMap(\.changes) {
            let order = change.newValues["customer"]?.textValue ?? "an order"
            print(change.kind, order, change.newValues["total"]?.realValue ?? 0)
        }
        position = batch.end
        try await container.moveCursor(of: "audit", to: position.token)
    }
}
