package import SQLite

extension Value: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        switch self {
        case .null: try statement.bindNull(at: index)
        case .integer(let value): try statement.bind(value, at: index)
        case .real(let value): try statement.bind(value, at: index)
        case .text(let value): try statement.bind(value, at: index)
        case .blob(let value): try statement.bind(value, at: index)
        }
    }
}

extension Statement {
    func value(_ column: Int) -> Value {
        switch type(column) {
        case .null: .null
        case .integer: .integer(integer(column))
        case .real: .real(real(column))
        case .text: .text(text(column))
        case .blob: .blob(blob(column))
        }
    }

    func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }
}
