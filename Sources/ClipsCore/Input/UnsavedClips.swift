import Glibc
import PersistentStore

/// A file of clips that could not be saved, as JSON lines, which `clips add --jsonl` reads completely.
package struct UnsavedClips: Sendable {
    package let path: String
    private let descriptor: CInt

    /// Makes the file, for its owner alone: next to the store, or in the folder for temporary files.
    ///
    /// - Parameter storePath: nil where the store has no path, as without HOME.
    /// - Returns: nil when none of the folders can be written.
    package init?(storePath: String?) {
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let prefixes =
            (storePath.map { [$0 + "-unsaved-"] } ?? [])
            + [temporary, "/tmp"].filter { !$0.isEmpty }.map { $0 + "/clips-unsaved-" }
        for prefix in prefixes {
            // Never over what another process retained.
            guard let (path, descriptor) = UniqueFile.make(prefix, suffix: ".jsonl") else { continue }
            // A full disk has room for a name, and for nothing in it.
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

    /// Adds bytes; false when they could not be written, in which case the file is as before.
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

    /// Closes the file, and removes it if nothing is in it.
    package func finish() {
        if lseek(descriptor, 0, SEEK_END) == 0 { unlink(path) }
        close(descriptor)
    }

    /// Writes clips into a file of their own.
    ///
    /// - Returns: its path; nil when no folder takes all of them.
    package static func retain(_ drafts: [ClipDraft], storePath: String?) -> String? {
        guard let file = UnsavedClips(storePath: storePath) else { return nil }
        defer { file.finish() }
        return file.add(drafts.flatMap(\.parts).map(\.jsonLine).joined().utf8) ? file.path : nil
    }
}

extension ClipDraft {
    /// The draft, or as many as its text needs when that is longer than one clip takes.
    package var parts: [ClipDraft] {
        guard text.utf8.count > Self.largestText else { return [self] }
        var parts: [ClipDraft] = []
        var rest = text[...]
        while !rest.isEmpty {
            var part = self
            let end = rest.utf8.index(rest.startIndex, offsetBy: Self.largestText, limitedBy: rest.endIndex)
            // Back to where a scalar begins.
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
