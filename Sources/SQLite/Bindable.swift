/// A value that can be bound to a parameter.
package protocol Bindable {
    func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError)
}

extension Int64: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension Int: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(Int64(self), at: index)
    }
}

extension Double: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension String: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        guard let value = self else { return try statement.bindNull(at: index) }
        try value.bind(to: statement, at: index)
    }
}
