import Glibc

/// What the kernel counts of a process (proc(5)).
struct ProcessUsage {
    let process: Int32

    /// The most memory it has had at once, in bytes.
    var peakMemory: Double {
        for line in read("status").split(separator: "\n") where line.hasPrefix("VmHWM:") {
            let words = line.split(whereSeparator: \.isWhitespace)
            return words.count > 1 ? (Double(words[1]) ?? 0) * 1024 : 0
        }
        return 0
    }

    /// Processor time of its threads, in seconds; from the scheduler, which counts finer than clock ticks.
    var processorTime: Double {
        var sum = 0.0
        for thread in threads {
            let words = read("task/\(thread)/schedstat").split(separator: " ")
            sum += words.first.flatMap { Double($0) } ?? 0
        }
        return sum / 1_000_000_000
    }

    private var threads: [String] {
        guard let folder = opendir("/proc/\(process)/task") else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.first?.isNumber == true { names.append(name) }
        }
        return names
    }

    private func read(_ name: String) -> String {
        let descriptor = open("/proc/\(process)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
        }
    }
}
