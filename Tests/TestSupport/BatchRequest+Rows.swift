package import PersistentStore

extension BatchRequest {
    package static func insert(_ entity: String, rows: [[String: AttributeValue]]) -> BatchRequest {
        insert(entity, total: rows.count) { rows }
    }

    package static func insert<R: Record>(_ records: [R]) -> BatchRequest {
        insert(total: records.count) { records }
    }
}
