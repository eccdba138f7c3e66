import Glibc
import PersistentStore

/// A file of clips that could not be saved, as JSON lines for `clips add --jsonl`.
package struct UnsavedClips: Sendable {
    package let path: String
    private let descriptor: CInt

    /// Creates the file, accessible only to its owner, next to the store or in the folder for temporary
    /// files.
    ///
    /// - Parameter storePath: The path of the store; nil if it is unknown, as without HOME.
    /// - Returns: nil if none of the folders is writable.
    package init?(storePath: String?) {
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let prefixes =
            (storePath.map { [$0 + "-unsaved-"] } ?? [])
            + [temporary, "/tmp"].filter { !$0.isEmpty }.map { $0 + "/clips-unsaved-" }
        for prefix in prefixes {
            // Never replaces the file of another process.
            guard let (path, descriptor) = UniqueFile.make(prefix, suffix: ".jsonl") else { continue }
            // On a full disk, a file can be created but not written.
            guard posix_fallocate(descriptor, 0, 1) == 0, ftruncate(descriptor, 0) == 0 else {
                close(descriptor)
                unlink(path)
                continue
            }
            (self.path, self.descriptor) = (path, descriptor)
            return
        }
        return nil
    }

    /// Appends bytes. Returns false, with the file as before, if they cannot be written.
    package func add(_ bytes: some Collection<UInt8>) -> Bool {
        let length = lseek(descriptor, 0, SEEK_END)
        do throws(DescriptorIO.Failure) {
            try DescriptorIO.write(bytes, to: descriptor)
            guard fsync(descriptor) == 0 || errno == EINVAL else { throw DescriptorIO.Failure(code: errno) }
            return true
        } catch {
            ftruncate(descriptor, length)
            lseek(descriptor, length, SEEK_SET)
            return false
        }
    }

    /// Closes the file, and removes it if it is empty.
    package func finish() {
        if lseek(descriptor, 0, SEEK_END) == 0 { unlink(path) }
        close(descriptor)
    }

    /// Writes clips to a new file.
    ///
    /// - Returns: the path of the file; nil if it cannot be written.
    package static func retain(_ drafts: [ClipDraft], storePath: String?) -> String? {
        guard let file = UnsavedClips(storePath: storePath) else { return nil }
        defer { file.finish() }
        return file.add(drafts.flatMap(\.parts).map(\.jsonLine).joined().utf8) ? file.path : nil
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
