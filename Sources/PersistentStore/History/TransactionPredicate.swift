public import FoundationEssentials

/// A condition on who made a transaction, and when.
///
/// Every condition is true or false, also of a transaction of which nothing is known but its time: its author,
/// context name, program and process are nil, nil equals only nil, and so `.not(.author("x"))` admits it.
public indirect enum TransactionPredicate: Hashable, Sendable {
    /// Nil stands for writers without an author.
    case author(String?)
    case contextName(String?)
    case program(String?)
    /// Nil stands for writers that know nothing of the history, as the `sqlite3` shell.
    case process(Int32?)
    /// The timestamp is strictly later.
    case after(Date)
    /// The timestamp is strictly earlier.
    case before(Date)
    /// True when all are; so `.and([])` is true.
    case and([TransactionPredicate])
    /// True when one is; so `.or([])` is false.
    case or([TransactionPredicate])
    case not(TransactionPredicate)

    /// One of these authors; nobody is one of none.
    public static func authors(_ authors: Set<String?>) -> TransactionPredicate {
        .or(authors.map(TransactionPredicate.author))
    }
}

extension TransactionPredicate {
    func admits(_ header: HistoryHeader) -> Bool {
        switch self {
        case .author(let author): header.origin.author == author
        case .contextName(let name): header.origin.contextName == name
        case .program(let program): header.origin.program == program
        case .process(let process): header.process == process
        case .after(let date): header.milliseconds > date.lastMillisecond
        case .before(let date): header.milliseconds <= date.millisecondBefore
        case .and(let parts): parts.allSatisfy { $0.admits(header) }
        case .or(let parts): parts.contains { $0.admits(header) }
        case .not(let part): !part.admits(header)
        }
    }

    /// Timestamps outside of which nothing is admitted: what need not be looked at.
    var timestamps: TimestampRange {
        switch self {
        case .after(let date): TimestampRange(after: date.lastMillisecond)
        case .before(let date): TimestampRange(upTo: date.millisecondBefore)
        case .and(let parts):
            parts.map(\.timestamps).reduce(TimestampRange()) {
                TimestampRange(after: max($0.after, $1.after), upTo: min($0.upTo, $1.upTo))
            }
        case .or(let parts):
            parts.map(\.timestamps).reduce(.none) {
                TimestampRange(after: min($0.after, $1.after), upTo: max($0.upTo, $1.upTo))
            }
        default: TimestampRange()
        }
    }
}

/// In milliseconds since 1970.
struct TimestampRange: Equatable {
    var after = Int64.min
    var upTo = Int64.max

    static let none = TimestampRange(after: .max, upTo: .min)
}
