import ClipsCore
import FoundationEssentials
import Glibc
import MirrorRelay
import Mirroring
import PersistentStore

/// Measures a relay for `ClipsBenchmarks F15`, which does not link libnats: `RelayTool ROLE URL ZONE COUNT`
/// prints seconds, one number per line.
let words = CommandLine.arguments
guard words.count == 5, let count = Int(words[4]) else {
    print("RelayTool put|read|bare-put|bare-read|machines URL ZONE COUNT")
    exit(2)
}
let (role, url, zone) = (words[1], words[2], words[3])

func seconds(_ body: () async throws -> Void) async rethrows {
    let began = ContinuousClock.now
    try await body()
    let time = (ContinuousClock.now - began).components
    print(Double(time.seconds) + Double(time.attoseconds) / 1e18)
}

/// The same for all processes of a run: `read` opens the records of `put`.
let secret = MirrorSecret(bytes: [UInt8](repeating: 1, count: 16))
func engine() throws -> JetStreamEngine {
    JetStreamEngine(try ServerAddress(url), zone: zone, secret: secret)
}

let body = [UInt8](repeating: UInt8(ascii: "x"), count: 550)
switch role {
case "put":
    let engine = try engine()
    _ = try await engine.identity()
    try await seconds {
        for first in stride(from: 0, to: count, by: 1000) {
            let puts = (first..<min(first + 1000, count)).map {
                MirrorPut(key: engine.key(entity: "Clip", uuid: "\($0)"), expected: 0, stamp: 1, body: body)
            }
            _ = try await engine.put(puts)
        }
    }
case "read":
    let engine = try engine()
    _ = try await engine.identity()
    try await seconds {
        var (read, last) = (0, Int64(0))
        while read < count {
            let entries = try await engine.changes(after: last, limit: 500)
            guard let newest = entries.last else { break }
            (read, last) = (read + entries.count, newest.revision.number)
        }
    }
case "bare-put":
    let bare = try Bare(url, zone)
    await seconds { bare.put(count, body) }
case "bare-read":
    let bare = try Bare(url, zone)
    await seconds { bare.read(count) }
case "machines": try await Machines(url: url, zone: zone, secret: secret).measure(count)
default: exit(2)
}
