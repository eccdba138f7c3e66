import HistoryTracking
import PersistentStore

/// A ledger shared by several processes: `ledger PATH follow`, and concurrently `ledger PATH add AMOUNT…`.
@main struct Ledger {
    static let model = Result<StoreModel, StoreError> { () throws(StoreError) in
        try StoreModel(
            version: 1,
            entities: [
                EntityDescription(
                    "Booking",
                    attributes: [
                        AttributeDescription(
                            "amount", .integer, history: [.preservesValueOnDeletion, .recordsOldValue]),
                        AttributeDescription("purpose", .text, isOptional: true),
                        AttributeDescription("booked", .integer, defaultValue: .now, isIndexed: true),
                    ])
            ])
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.first, let command = arguments.dropFirst().first else {
            print("usage: ledger PATH follow | add AMOUNT… | correct KEY AMOUNT | strike KEY")
            print("       | unstrike KEY | sum | history | tidy FILE")
            return
        }
        let container = try await PersistentContainer(path: path, model: model.get())
        let numbers = arguments.dropFirst(2).compactMap { Int64($0) }
        switch command {
        case "follow": try await follow(container)
        case "add": try await add(numbers, container)
        case "correct": try await correct(key: numbers[0], amount: numbers[1], container)
        case "strike": try await strike(key: numbers[0], container)
        case "unstrike": try await unstrike(key: numbers[0], container)
        case "tidy": try await tidy(backup: arguments.last ?? "", container)
        case "sum":
            let amounts = try await container.read { try $0.fetch(FetchRequest("Booking")) }
            print(amounts.reduce(0) { $0 + ($1["amount"].integerValue ?? 0) })
        case "history": try await printHistory(container)
        default: print("unknown command")
        }
        await container.close()
    }

    static func add(_ amounts: [Int64], _ container: PersistentContainer) async throws {
        let context = container.makeContext(author: "clerk", name: "add")
        for amount in amounts { try await context.insert("Booking", ["amount": .integer(amount)]) }
        try await context.save()
        print("booked \(amounts.count)")
    }

    static func correct(key: Int64, amount: Int64, _ container: PersistentContainer) async throws {
        let context = container.makeContext(author: "auditor")
        let id = ObjectID(entity: "Booking", key: key)
        guard try await context.object(id) != nil else { return print("no such booking") }
        try await context.update(id, ["amount": .integer(amount)])
        do {
            try await context.save()
            print("corrected")
        } catch {
            print(error)
        }
    }

    static func strike(key: Int64, _ container: PersistentContainer) async throws {
        let context = container.makeContext(author: "auditor")
        try await context.delete(ObjectID(entity: "Booking", key: key))
        try await context.save()
        print("struck")
    }

    static func unstrike(key: Int64, _ container: PersistentContainer) async throws {
        let context = container.makeContext(author: "auditor")
        let id = ObjectID(entity: "Booking", key: key)
        let request = HistoryFetchRequest(.newest, changes: .and([.objects([id]), .kind(.delete)]), limit: 1)
        let deletions = try await container.read { try $0.changes(request) }
        guard let deletion = deletions.last else { return print("not deleted") }
        try await context.restore(deletion)
        try await context.save()
        print("restored")
    }

    /// Checks and backs up the ledger, and reports the history that a cleaning would delete.
    static func tidy(backup: String, _ container: PersistentContainer) async throws {
        try await container.expectConsumer("archive")
        let problems = try await container.check().filter { !$0.isRepairable }
        try await container.backUp(to: backup)
        let preview = try await container.previewPurge(HistoryBounds(maximumAge: .zero))
        print("\(problems.count) problems, \(preview.transactions) transactions to purge")
    }

    static func printHistory(_ container: PersistentContainer) async throws {
        try await container.read { snapshot in
            try snapshot.forEachTransaction(HistoryFetchRequest()) { transaction in
                print(transaction.number, transaction.author ?? "unknown", transaction.changes.count)
                return true
            }
        }
    }
}
