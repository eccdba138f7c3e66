import Fuzzing
import Glibc

/// Processes one input; libFuzzer's main calls this, and `CLIPS_FUZZING` names the target.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let sentence = Fuzzed.target?.broken(by: bytes) else { return 0 }
    let line = Array("\(sentence)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    abort()
}

enum Fuzzed {
    static let target = getenv("CLIPS_FUZZING").flatMap { FuzzTarget(rawValue: String(cString: $0)) }
}
