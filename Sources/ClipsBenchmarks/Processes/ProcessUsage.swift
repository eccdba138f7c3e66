import FoundationEssentials
import Glibc
import Platform

/// The kernel's counts of a process (proc(5)).
struct ProcessUsage {
    let process: Int32

    /// The peak memory in bytes.
    var peakMemory: Double { status("VmHWM:") * 1024 }

    /// The current memory in bytes.
    var memory: Double { status("VmRSS:") * 1024 }

    /// The processor time of all threads, including ended ones, in seconds.
    var processorTime: Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// The number of times that each thread waited and was woken up.
    var wakeUps: [String: Double] {
        var counts: [String: Double] = [:]
        for thread in entries("task") {
            counts[thread] = status("voluntary_ctxt_switches:", in: "task/\(thread)/status")
        }
        return counts
    }

    /// Returns the number of wake-ups of all threads that still run.
    func wakeUps(since earlier: [String: Double]) -> Double {
        wakeUps.reduce(0) { $0 + $1.value - (earlier[$1.key] ?? 0) }
    }

    private func status(_ name: String, in file: String = "status") -> Double {
        let lines = (TextFile.read("/proc/\(process)/\(file)") ?? "").split(separator: "\n")
        let words = lines.first { $0.hasPrefix(name) }?.split(whereSeparator: \.isWhitespace) ?? []
        return words.count > 1 ? Double(words[1]) ?? 0 : 0
    }

    private func entries(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/\(folder)")) ?? []
    }
}
