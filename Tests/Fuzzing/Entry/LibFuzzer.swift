import Fuzzing
import Glibc

/// libFuzzer's main calls this with each input; `CLIPS_FUZZING` says who gets it.
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
