import Glibc
import Platform

/// The kernel's counts of a process (proc(5)).
struct ProcessUsage {
    let process: Int32

    /// The peak memory in bytes.
    var peakMemory: Double { status("VmHWM:") }

    /// The current memory in bytes.
    var memory: Double { status("VmRSS:") }

    /// The number of open descriptors.
    var descriptors: Int {
        guard let folder = opendir("/proc/\(process)/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Two entries are . and ..
        return max(0, count - 2)
    }

    /// The processor time of all threads, including ended ones, in seconds.
    var processorTime: Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private func status(_ name: String) -> Double {
        let lines = (TextFile.read("/proc/\(process)/status") ?? "").split(separator: "\n")
        let words = lines.first { $0.hasPrefix(name) }?.split(whereSeparator: \.isWhitespace) ?? []
        return words.count > 1 ? (Double(words[1]) ?? 0) * 1024 : 0
    }
}
