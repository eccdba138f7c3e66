import Glibc
import PersistentStore
import Platform

/// The number of a window among the open ones of its author: the lowest that no other has.
///
/// A window has the lock of a byte of the doorbell, so that its number is free once its process has ended, however that
/// ends. From 2 on, the context names of its transactions begin with it: the history says `app 2`.
struct WindowNumber: ~Copyable {
    let value: Int
    private let file: FileDescriptor?

    private static let maxCount = 64
    /// The numbers before it are those of processes, and of SQLite's locks.
    private static let firstByte = 1 << 40

    /// Takes a number; 1 if the file has no locks.
    init(store path: String, author: String) {
        // FNV-1a, which is the same in every process.
        let hash = author.utf8.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let first = Self.firstByte + Int(hash) * Self.maxCount
        let opened = try? FileDescriptor(Doorbell.path(store: path), O_RDWR | O_NOFOLLOW | O_NONBLOCK)
        guard let opened, let free = (1...Self.maxCount).first(where: { opened.takeByte(first + $0) }) else {
            value = 1
            file = nil
            return
        }
        value = free
        file = consume opened
    }

    /// The first word of the context names of a window's transactions.
    static func word(_ number: Int) -> String { number < 2 ? "window" : "window-\(number)" }

    /// Returns the number in a word of a context name; nil if it is not that of a window.
    static func number(_ word: Substring) -> Int? {
        guard word.hasPrefix("window") else { return nil }
        return word.count == 6 ? 1 : word.dropFirst(6).first == "-" ? Int(word.dropFirst(7)) : nil
    }
}
