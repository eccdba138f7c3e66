public import FoundationEssentials

/// A condition on the author, origin, and time of a transaction.
///
/// Every condition is true or false, even for a transaction of which only the time is known: its author,
/// context name, program, and process are nil. Nil equals only nil, so `.not(.author("x"))` admits it.
@nonexhaustive
public indirect enum TransactionPredicate: Hashable, Sendable {
    /// The author; nil stands for writers without an author.
    case author(String?)
    case contextName(String?)
    /// The context name begins with the text, byte by byte.
    case contextNamePrefix(String)
    case program(String?)
    /// The process; nil stands for external writers, such as the `sqlite3` shell.
    case process(Int32?)
    /// The timestamp is strictly later.
    case after(Date)
    /// The timestamp is strictly earlier.
    case before(Date)
    /// True if all conditions are true; `.and([])` is true.
    case and([TransactionPredicate])
    /// True if one condition is true; `.or([])` is false.
    case or([TransactionPredicate])
    case not(TransactionPredicate)

    /// Returns a condition that is true for any of these authors; an empty set admits none. Nil in the set
    /// stands for writers without an author.
    public static func authors(_ authors: Set<String?>) -> TransactionPredicate {
        .or(authors.map(TransactionPredicate.author))
    }
}

extension TransactionPredicate: NestedPredicate {
    var parts: [TransactionPredicate] {
        switch self {
        case .and(let parts), .or(let parts): parts
        case .not(let part): [part]
        case .author, .contextName, .contextNamePrefix, .program, .process, .after, .before: []
        }
    }

    func admits(_ header: HistoryHeader) -> Bool {
        switch self {
        case .author(let author): header.origin.author == author
        case .contextName(let name): header.origin.contextName == name
        case .contextNamePrefix(let start): header.origin.hasContextName(from: start)
        case .program(let program): header.origin.program == program
        case .process(let process): header.process == process
        case .after(let date): header.milliseconds > date.lastMillisecond
        case .before(let date): header.milliseconds <= date.millisecondBefore
        case .and(let parts): parts.allSatisfy { $0.admits(header) }
        case .or(let parts): parts.contains { $0.admits(header) }
        case .not(let part): !part.admits(header)
        }
    }

    /// The range of timestamps outside of which no transaction is admitted, so that it need not be read.
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
