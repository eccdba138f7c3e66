import Glibc
import Platform

/// A file of clips that could not be saved, as JSON lines for `clips add --jsonl`.
package final class UnsavedClips: Sendable {
    private let file: TemporaryFile

    /// The folders to try, in this order, with the beginnings of the names: next to the store, and those for temporary
    /// files, which may be on other disks.
    package struct Places {
        fileprivate var prefixes: [String]
        fileprivate let suffix: String

        /// - Parameters:
        ///   - storePath: The path of the store; nil if it is unknown, as without HOME.
        ///   - suffix: The end of the name, for input in another format.
        package init(storePath: String?, suffix: String = ".jsonl") {
            prefixes =
                [Environment.temporaryFolder, "/tmp"].map { $0 + "/clips-unsaved-" }
            if let storePath { prefixes.insert(storePath + "-unsaved-", at: 0) }
            self.suffix = suffix
        }
    }

    /// Creates the file, accessible only to its owner, in the first place that is writable, and removes the places up
    /// to it.
    ///
    /// - Returns: nil if none is writable.
    package init?(in places: inout Places) {
        while let prefix = places.prefixes.first {
            places.prefixes.removeFirst()
            if let file = Self.makeFile(prefix, places.suffix) {
                self.file = file
                return
            }
        }
        return nil
    }

    private static func makeFile(_ prefix: String, _ suffix: String) -> TemporaryFile? {
        guard let file = try? TemporaryFile(prefix, suffix: suffix) else { return nil }
        // On a full disk, a file can be created but not written.
        let descriptor = file.descriptor.number
        guard posix_fallocate(descriptor, 0, 1) == 0, ftruncate(descriptor, 0) == 0 else {
            unlink(file.path)
            return nil
        }
        return file
    }

    package var path: String { file.path }

    /// Appends bytes. Returns false, with the file as before, if they cannot be written.
    package func add(_ bytes: some Collection<UInt8>) -> Bool {
        let descriptor = file.descriptor.number
        let length = lseek(descriptor, 0, SEEK_END)
        do throws(Errno) {
            try file.descriptor.write(bytes)
            guard fsync(descriptor) == 0 || Errno.last.code == EINVAL else { throw .last }
            return true
        } catch {
            ftruncate(descriptor, length)
            lseek(descriptor, length, SEEK_SET)
            return false
        }
    }

    /// Removes the file if it is empty.
    package func finish() {
        if lseek(file.descriptor.number, 0, SEEK_END) == 0 { unlink(path) }
    }

    /// Writes clips to a new file.
    ///
    /// - Returns: the path of the file; nil if it cannot be written.
    package static func retain(_ drafts: [ClipDraft], storePath: String?) -> String? {
        let lines = drafts.flatMap(\.parts).map(\.jsonLine).joined()
        var places = Places(storePath: storePath)
        while let file = UnsavedClips(in: &places) {
            defer { file.finish() }
            if file.add(lines.utf8) { return file.path }
        }
        return nil
    }
}

extension ClipDraft {
    /// The draft, split into several if its text exceeds the size of a clip.
    package var parts: [ClipDraft] {
        guard text.utf8.count > Self.largestText else { return [self] }
        var parts: [ClipDraft] = []
        var rest = text[...]
        while !rest.isEmpty {
            var part = self
            let end = rest.utf8.index(rest.startIndex, offsetBy: Self.largestText, limitedBy: rest.endIndex)
            // A scalar is not split.
            var cut = end ?? rest.endIndex
            while cut.samePosition(in: text.unicodeScalars) == nil { cut = rest.utf8.index(before: cut) }
            part.text = String(rest[..<cut])
            part.title = title.isEmpty ? "" : "\(title) (part \(parts.count + 1))"
            parts.append(part)
            rest = rest[cut...]
        }
        return parts
    }
}
