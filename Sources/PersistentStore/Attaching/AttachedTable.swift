/// The values that the history retains of an attached table's rows, in addition to their keys.
public enum RecordedValues: Int, Hashable, Sendable, CaseIterable {
    /// None: an update names the changed columns.
    case names = 0
    /// The values before an update of each changed column, and the whole row before a deletion.
    case oldValues = 1
    /// In addition, the whole row after an insertion or an update.
    case rows = 2
}

/// A table of another program's database, whose changes the history records.
package struct AttachedTable: Hashable, Sendable {
    package let name: String
    /// The columns that the history records, in the order of the table; generated columns are omitted.
    package let columns: [String]
    /// The columns of the primary key, in its order; the name of the row number for a table without one.
    package let key: [String]
    /// Whether the table has a primary key. Without one, rows are named by their number, which VACUUM may change: all
    /// tokens expire then.
    package let hasPrimaryKey: Bool
    package let values: RecordedValues
    /// The reason for which the table is no longer recorded, as the end of a sentence; nil for a recorded one.
    package let refusal: String?
}

/// The parts of a table's schema on which its recording depends.
struct AttachedSchema {
    struct Column {
        let name: String
        /// Whether the column stores each value unchanged, so that 1 and 1.0 differ there.
        let isUntyped: Bool
        /// The kind of values that the column prefers.
        let kind: AttributeDescription.Kind
        let isOptional: Bool
        let defaultValue: String?
        let isGenerated: Bool
        /// The position in the primary key, from 1; 0 outside of it.
        let keyPosition: Int
    }

    /// A condition under which REPLACE evicts a row.
    struct UniqueIndex {
        let columns: [(name: String, collation: String)]
        let condition: String?
    }

    let name: String
    let columns: [Column]
    let indexes: [UniqueIndex]
    /// A name of the row number; nil for a table without one.
    let rowName: String?
    /// The column that is another name of the row number.
    let rowKey: String?

    var recorded: [Column] { columns.filter { !$0.isGenerated && $0.name != rowKey } }
    var keyColumns: [Column] {
        columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
    }
    var isWithoutRowID: Bool { rowName == nil }
    /// Whether the row number is the key: an INTEGER PRIMARY KEY, or no key at all.
    var isKeyedByRow: Bool { rowKey != nil || keyColumns.isEmpty }
    /// Whether VACUUM may change what names a row.
    var isVolatile: Bool { rowKey == nil && !isWithoutRowID && (keyColumns.isEmpty || hasOptionalKey) }
    var hasOptionalKey: Bool { !isKeyedByRow && keyColumns.contains(where: \.isOptional) }
}

/// A table that cannot be recorded, with the reason as the end of a sentence.
struct AttachmentRefusal: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
