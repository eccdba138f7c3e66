package import FoundationEssentials
package import Mirroring
import Platform

/// The records of keys in a folder: files of their own, which have no order.
extension FolderEngine {
    package nonisolated var ring: KeyRing { cipher.ring }

    static func keyFile(_ record: String) -> String { "key-\(record)\(SegmentName.suffix)" }

    static func keyRecord(_ file: String) -> String? {
        guard file.hasPrefix("key-"), file.hasSuffix(SegmentName.suffix) else { return nil }
        let name = String(file.dropFirst(4).dropLast(SegmentName.suffix.count))
        return KeyRecord.isValid(name) ? name : nil
    }

    private static var maxKeyBytes: Int { 1 << 20 }

    static func readKeyRecord(_ name: String, in place: String) -> KeyRecord? {
        guard let file = SegmentFile.open("\(place)/\(keyFile(name))"), let size = file.status?.size,
            size <= maxKeyBytes, let bytes = SegmentFile.bytes(of: file, at: 0, count: size)
        else { return nil }
        return KeyRecord(name: name, bytes: bytes)
    }

    /// Follows the changes of the key, if a file has changed.
    func refreshKeys(in place: String, always: Bool = false) throws(MirrorError) {
        guard ring.isShared else { return }
        let names = Folder.names(in: place).compactMap(Self.keyRecord).prefix(10_000)
        let marks = names.reduce(into: [String: String]()) { marks, name in
            marks[name] = FileStatus(path: "\(place)/\(Self.keyFile(name))", followsLinks: false)
                .map(Self.mark)
        }
        guard always || marks != keyMarks else { return }
        keyMarks = marks
        while true {
            let records = keyRecords(names, in: place)
            let before = ring.ids
            for record in try ring.accept(records) { try put(record, in: place) }
            // Segments of an unknown key open now.
            if ring.ids != before { forgetRejected() }
            for record in records where Invitation.isExpired(record, at: Self.milliseconds()) {
                try? FilePath.remove("\(place)/\(Self.keyFile(record.name))")
            }
            guard ring.keys.mustRotate else { return }
            try rotate(excluding: [], records, in: place)
        }
    }

    /// The records, with changes of the key in the order of their numbers.
    private func keyRecords(_ names: some Sequence<String>, in place: String) -> [KeyRecord] {
        let (first, zone) = (ring.first, ring.zone)
        return names.compactMap { Self.readKeyRecord($0, in: place) }.map { record in
            (record, Rotation(record, sealedWith: first, zone: zone)?.name ?? ZoneEpoch.Name())
        }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    private func put(_ record: KeyRecord, in place: String) throws(MirrorError) {
        do throws(Errno) {
            try ReplacementFile.write(record.bytes, to: "\(place)/\(Self.keyFile(record.name))")
            FilePath.syncFolder(place)
        } catch {
            throw failure(error)
        }
    }

    package func rotate(excluding keys: Set<Data>) throws(MirrorError) {
        _ = try identity()
        let place = try place()
        if ring.current.name.number == 0 {
            let format = MirrorPut(
                key: cipher.formatKey, expected: 0, stamp: Int64.random(in: 1 ... .max),
                body: MirrorFormat.record)
            _ = try put([format])
        }
        try rotate(
            excluding: keys, keyRecords(Folder.names(in: place).compactMap(Self.keyRecord), in: place),
            in: place)
    }

    private func rotate(
        excluding keys: Set<Data>, _ records: [KeyRecord], in place: String
    ) throws(MirrorError) {
        guard let rotation = ring.rotation(excluding: keys) else { return }
        try put(rotation, in: place)
        _ = try ring.accept([rotation])
        for record in records where record.isInvitation {
            try? FilePath.remove("\(place)/\(Self.keyFile(record.name))")
        }
    }

    package func invite(_ code: MirrorSecret, expires: Int64) throws(MirrorError) {
        _ = try identity()
        if let record = ring.invitation(code, expires: expires) { try put(record, in: try place()) }
    }
}
