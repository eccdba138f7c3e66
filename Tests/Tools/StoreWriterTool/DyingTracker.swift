import Glibc
import HistoryTracking
import PersistentStore
import Synchronization
import TestSupport

/// Where in a pass the process ends itself.
enum DyingStep: String {
    case fetched, consumed, observed, hooked, merged, deduplicated, never
}

/// Writes down, for each step of a pass, which objects it was given, and ends the process at one of the steps.
final class DyingSteps: HistoryConsumer, HistoryDeduplicator {
    let batchLimit = BatchLimit.split(7)
    private let file: LineFile
    private let step: DyingStep
    private let timesLeft: Mutex<Int>

    /// - Parameter time: at the how manieth time that step is reached.
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

    func refresh(from snapshot: StoreSnapshot) { file.add("refreshed") }

    func consume(_ transactions: [HistoryTransaction], in snapshot: StoreSnapshot) {
        reach(.fetched)
        reach(.consumed, with: transactions.objects)
    }

    func deduplicate(_ transactions: [HistoryTransaction]) {
        reach(.deduplicated, with: transactions.objects)
    }

    /// A tracker with something at each step, not yet started.
    func tracker(name: String, container: PersistentContainer) async -> HistoryTracker {
        var parameters = TrackingParameters(
            name: name, contexts: [container.makeContext(author: "view")], cleaning: .none,
            logger: SilentLogger())
        parameters.deduplicator = self
        let tracker = HistoryTracker(container: container, parameters: parameters, consumer: self) {
            merged, _ in self.reach(.merged, with: merged.inserted.sorted { $0.key < $1.key })
        }
        await tracker.registerObserver { self.reach(.observed, with: $0.changes.map(\.objectID)) }
        await tracker.registerMergeHook { transactions, _ in
            self.reach(.hooked, with: transactions.objects)
            return .goOn
        }
        return tracker
    }
}

extension [HistoryTransaction] {
    fileprivate var objects: [ObjectID] { flatMap { $0.changes.map(\.objectID) } }
}

/// Lines that are in the file once they are added, also when the process is killed right after.
struct LineFile {
    let path: String

    func add(_ line: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let bytes = Array((line + "\n").utf8)
        _ = write(descriptor, bytes, bytes.count)
    }
}
