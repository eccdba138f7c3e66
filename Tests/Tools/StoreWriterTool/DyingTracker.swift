import Glibc
import HistoryTracking
import PersistentStore
import Synchronization
import TestSupport

/// The step of a pass at which the process kills itself.
enum DyingStep: String {
    case fetched, consumed, observed, hooked, merged, deduplicated, never
}

/// Records the objects that each step of a pass receives, and kills the process at one of the steps.
final class DyingSteps: HistoryConsumer, HistoryDeduplicator {
    let batchLimit = BatchLimit.split(7)
    private let file: LineFile
    private let step: DyingStep
    private let timesLeft: Mutex<Int>

    /// - Parameter time: The number of the call to that step at which the process dies.
    init(file: LineFile, step: DyingStep, time: Int) {
        self.file = file
        self.step = step
        timesLeft = Mutex(time)
    }

    func reach(_ reached: DyingStep, with objects: [ObjectID] = []) {
        for object in objects { file.add("\(reached.rawValue) \(object.key)") }
        guard reached == step else { return }
        let isDue = timesLeft.withLock { left in
            left -= 1
            return left == 0
        }
        if isDue { kill(getpid(), SIGKILL) }
    }

    func refresh(from snapshot: borrowing StoreSnapshot) { file.add("refreshed") }

    func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) {
        reach(.fetched)
        reach(.consumed, with: transactions.objects)
    }

    func deduplicate(_ transactions: [HistoryTransaction]) {
        reach(.deduplicated, with: transactions.objects)
    }

    /// Creates a tracker with a recorder at each step, not yet started.
    func tracker(name: String, container: PersistentContainer) async -> HistoryTracker {
        var parameters = TrackingParameters(name: name)
        parameters.contexts = [container.makeContext(author: "view")]
        parameters.deduplicator = self
        (parameters.cleaning, parameters.logger) = (.none, nil)
        let tracker = HistoryTracker(container: container, parameters: parameters, consumer: self)
        await tracker.registerMergeObserver { merged, _ in
            self.reach(.merged, with: merged.inserted.sorted { $0.key < $1.key })
        }
        await tracker.registerObserver { self.reach(.observed, with: $0.changes.map(\.objectID)) }
        await tracker.registerMergeHook { transactions, _ in
            self.reach(.hooked, with: transactions.objects)
            return .proceed
        }
        return tracker
    }
}

/// Copies each note, in the commit that moves the cursor past it, and kills the process after some commits.
///
/// - Parameters:
///   - name: The name of the tracker.
///   - count: The number of commits after which the process dies.
func copyingTracker(name: String, dyingAfter count: Int, _ container: PersistentContainer) async
    -> HistoryTracker
{
    var parameters = TrackingParameters(name: name)
    (parameters.cleaning, parameters.logger) = (.none, nil)
    // A process that was killed may leave copies after its cursor.
    parameters.predicate = .not(.author("copier"))
    parameters.start = .beginning
    let tracker = HistoryTracker(container: container, parameters: parameters)
    let left = Mutex(count)
    await tracker.registerObserver(entity: "Note", kind: .insert) { group in
        try await container.write(author: "copier") { transaction throws(StoreError) in
            for change in group.changes {
                try transaction.insert("Note", ["title": .text("copy of \(change.objectID.key)")])
            }
            try transaction.moveCursor(of: name, to: group.token)
        }
        let isDue = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isDue { kill(getpid(), SIGKILL) }
    }
    return tracker
}

extension [HistoryTransaction] {
    fileprivate var objects: [ObjectID] { flatMap { $0.changes.map(\.objectID) } }
}

/// Lines that are in the file once added, even if the process is killed right after.
struct LineFile {
    let path: String

    func add(_ line: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let bytes = Array((line + "\n").utf8)
        _ = write(descriptor, bytes, bytes.count)
    }
}
