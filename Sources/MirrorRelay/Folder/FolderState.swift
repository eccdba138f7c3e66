import Platform

/// The numbers that this machine gave to revisions, in a file next to its store. Without it, the mirror compares all
/// records.
struct FolderState {
    var machine = UInt64.random(in: 1 ... .max)
    /// The identity of the numbers, with a count of losses.
    var identity = UInt64.random(in: 0 ... .max)
    var losses = 0
    var next = Int64.random(in: 1...1 << 32)
    var latest: [UInt64: FolderLog.Latest] = [:]
    /// The superseded segments of this machine, and the times since which they are.
    var retired: [SegmentName: Int64] = [:]
    var segments: [SegmentName: (mark: String, numbers: [Int64])] = [:]

    private static let firstLine = "clips folder 1"

    init() {}

    /// Reads the state of a zone; nil if the file is missing, damaged, or copied from another machine.
    ///
    /// Numbers continue after a random gap: those that a crash took from the file are not given again, so that the mirror
    /// notices their absence.
    init?(_ path: String, zone: String) {
        guard let text = TextFile.read(path) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 4, lines[0] == Self.firstLine, lines.last == "",
            lines[1] == "zone \(zone) \(Self.binding(path))"
        else { return nil }
        for line in lines.dropFirst(2).dropLast() {
            let words = line.split(separator: " ").map(String.init)
            switch (words.first, words.count) {
            case ("log", 5):
                guard let identity = UInt64(words[1]), let losses = Int(words[2]),
                    let machine = UInt64(words[3]), let next = Int64(words[4]), next > 0, next < 1 << 62
                else { return nil }
                (self.identity, self.losses, self.machine) = (identity, losses, machine)
                self.next = next + Int64.random(in: 1...1 << 32)
            case ("latest", 4...):
                guard let machine = UInt64(words[1]), let sequence = UInt32(words[2]) else { return nil }
                let live = words[3...].compactMap(Self.range)
                latest[machine] = FolderLog.Latest(sequence: sequence, live: live)
            case ("retired", 3):
                guard let name = SegmentName(words[1]), let time = Int64(words[2]) else { return nil }
                retired[name] = time
            case ("segment", 3...):
                guard let name = SegmentName(words[1]) else { return nil }
                segments[name] = (words[2], Self.numbers(words[3...]))
            default: return nil
            }
        }
    }

    /// Writes the state. It may be lost: it is not written to the disk.
    func write(_ path: String, zone: String, log: FolderLog) throws(Errno) {
        var text = "\(Self.firstLine)\nzone \(zone) \(Self.binding(path))\n"
        text += "log \(identity) \(losses) \(machine) \(log.next)\n"
        for (machine, latest) in log.latest {
            let live = latest.live.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: " ")
            text += "latest \(machine) \(latest.sequence) \(live)\n"
        }
        for (name, time) in retired { text += "retired \(name.text) \(time)\n" }
        for segment in log.segments.values {
            text += "segment \(segment.name.text) \(segment.mark) \(Self.text(segment.numbers))\n"
        }
        let file = try TemporaryFile(path + ".")
        do throws(Errno) {
            try file.descriptor.write(text.utf8)
            try TemporaryFile.move(file.path, to: path, replaces: true)
        } catch {
            try? FilePath.remove(file.path)
            throw error
        }
    }

    /// The system and the folder of the file: a copy of it is another machine's.
    private static func binding(_ path: String) -> String {
        let system = (TextFile.read("/etc/machine-id") ?? "").prefix { !$0.isWhitespace }
        let folder = FileIdentity(path: FilePath.folder(of: path))
        return "\(system) \(folder.map { "\($0.device) \($0.inode)" } ?? "")"
    }

    /// Runs of rising numbers; a segment has few.
    private static func text(_ numbers: [Int64]) -> String {
        var runs: [(first: Int64, count: Int64)] = []
        for number in numbers {
            if let last = runs.last, number == last.first + (last.first == 0 ? 0 : last.count) {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((number, 1))
            }
        }
        return runs.map { "\($0.first)+\($0.count)" }.joined(separator: " ")
    }

    private static func numbers(_ words: ArraySlice<String>) -> [Int64] {
        var numbers: [Int64] = []
        for word in words {
            let parts = word.split(separator: "+").compactMap { Int64($0) }
            guard parts.count == 2, parts[0] >= 0, (1...1 << 20).contains(parts[1]), parts[0] < 1 << 62 else {
                return []
            }
            for index in 0..<parts[1] { numbers.append(parts[0] == 0 ? 0 : parts[0] + index) }
        }
        return numbers
    }

    private static func range(_ word: String) -> ClosedRange<UInt32>? {
        let bounds = word.split(separator: "-").compactMap { UInt32($0) }
        return bounds.count == 2 && bounds[0] <= bounds[1] ? bounds[0]...bounds[1] : nil
    }
}
