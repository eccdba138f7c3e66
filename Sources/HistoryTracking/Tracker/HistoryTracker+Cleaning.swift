import PersistentStore

/// Cleaning, concurrently with later passes.
extension HistoryTracker {
    /// Starts the cleaning that is due, unless one runs; a running one continues with jobs that have become
    /// due.
    func cleanIfDue(_ broughtSomething: Bool) {
        schedule.passEnded(broughtSomething: broughtSomething)
        guard cleaning == nil, let first = schedule.nextJob() else { return }
        cleaning = Task { await clean(first) }
    }

    /// Ends the cleaning after its current batch, and waits for the end.
    func stopCleaning() async {
        cleaning?.cancel()
        await cleaning?.value
    }

    private func clean(_ first: CleaningSchedule.Job) async {
        var job: CleaningSchedule.Job? = first
        while let due = job, !Task.isCancelled {
            await carryOut(due)
            // Counted passes may have become due; a duration was checked just now.
            job = due == .clean ? schedule.nextJob() : nil
        }
        cleaning = nil
    }

    private func carryOut(_ job: CleaningSchedule.Job) async {
        do throws(StoreError) {
            if case .cleanIfUnclaimed(let interval) = job, try await !cleaner.claim(every: interval) {
                return
            }
            let result = try await cleaner.clean()
            log(.info, .detail, "cleaned \(result.transactions) transactions, \(result.changes) changes")
        } catch .openedReadOnly {
            // Read-only processes do not clean.
        } catch .cancelled {
            log(.info, .detail, "cleaning was interrupted; the next one continues")
        } catch {
            log(.error, .important, "cleaning failed: \(error)")
        }
    }
}
