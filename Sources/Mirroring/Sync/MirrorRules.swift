/// The rules of the merge, as a set from which tests omit one.
package struct MirrorRules: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The revision at the highest known number must be the one that was there.
    package static let checksLineage = MirrorRules(rawValue: 1)
    /// The check includes the highest acknowledged put.
    package static let checksOwnPut = MirrorRules(rawValue: 2)
    /// A reconciliation that was interrupted begins again.
    package static let storesReconciling = MirrorRules(rawValue: 4)
    /// An import joins with the local state.
    package static let joins = MirrorRules(rawValue: 8)
    /// A record that the relay lacks is put again.
    package static let absenceIsNoDeletion = MirrorRules(rawValue: 16)
    /// An import gives clocks to local edits first.
    package static let absorbsFirst = MirrorRules(rawValue: 32)
    /// The import cursor is saved with the objects, not before them.
    package static let savesCursorWithObjects = MirrorRules(rawValue: 64)
    /// An import that would delete many objects asks first.
    package static let asksBeforeRemovals = MirrorRules(rawValue: 128)
    package static let all = MirrorRules(rawValue: 255)
}
