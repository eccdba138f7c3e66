import HistoryTracking
import PersistentStore

extension Mirror {
    /// Ends mirroring without the relay, so that nothing is lost if this or another mirror of the store joins a zone
    /// later.
    ///
    /// Edits that were not sent get their clocks first. The record map and the conflicts remain, and the history of
    /// later edits is retained within the bounds of the store; beyond them, edits that lost become conflicts, and
    /// deleted objects return.
    ///
    /// - Throws: ``MirrorError/standingBy`` if another process mirrors the store.
    public func detach() async throws(MirrorError) {
        try await exchange { () throws(MirrorError) in
            try await start()
            try await absorbOrRestart()
            // No position is valid in the log of the next relay, whose absences say nothing.
            (zone[.cursor], zone[.cursorStamp], zone[.put], zone[.putStamp]) = (0, 0, 0, 0)
            zone.reconciliation = max(zone.reconciliation, .compare)
            try await save { _ throws(StoreError) in }
            try await register(.withinBounds)
            (position, isConnected) = (nil, false)
        }
    }
}
