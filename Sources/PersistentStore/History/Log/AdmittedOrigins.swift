import SQLite

/// The rows of `history_origin` that a predicate may admit. SQLite skips the transactions of all other rows
/// by the origin number in their first row.
struct AdmittedOrigins {
    /// A JSON array of row IDs, as `json_each` takes it.
    let list: String

    /// Creates nil if the predicate also admits writers that are not in the table, or if it admits every row.
    init?(_ predicate: TransactionPredicate?, on connection: borrowing Connection) throws {
        let unknown = HistoryHeader.Origin()
        guard let predicate, predicate.isTrue(of: unknown, isOurs: false) == false,
            predicate.isTrue(of: unknown, isOurs: true) == false
        else { return nil }
        var ids: [Int64] = []
        var leavesOut = false
        let rows = try connection.prepare("SELECT id, author, context, program FROM history_origin")
        while try rows.step() {
            let origin = HistoryHeader.Origin(
                author: rows.optionalText(1), contextName: rows.optionalText(2), program: rows.optionalText(3)
            )
            if predicate.isTrue(of: origin, isOurs: true) == false {
                leavesOut = true
            } else {
                ids.append(rows.integer(0))
            }
        }
        guard leavesOut else { return nil }
        list = "[\(ids.map(String.init).joined(separator: ","))]"
    }
}

extension TransactionPredicate {
    /// Nil if the time or the process decides.
    fileprivate func isTrue(of origin: HistoryHeader.Origin, isOurs: Bool) -> Bool? {
        switch self {
        case .author(let author): return origin.author == author
        case .contextName(let name): return origin.contextName == name
        case .program(let program): return origin.program == program
        // Only external writers certainly have no process.
        case .process(let process): return isOurs ? nil : process == nil
        case .after, .before: return nil
        case .and(let parts):
            let known = parts.map { $0.isTrue(of: origin, isOurs: isOurs) }
            return known.contains(false) ? false : known.contains(nil) ? nil : true
        case .or(let parts):
            let known = parts.map { $0.isTrue(of: origin, isOurs: isOurs) }
            return known.contains(true) ? true : known.contains(nil) ? nil : false
        case .not(let part): return part.isTrue(of: origin, isOurs: isOurs).map { !$0 }
        }
    }
}
