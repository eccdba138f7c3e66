import CNATS
package import FoundationEssentials
package import Mirroring

extension Zone {
    /// The subjects of ``KeyRecord``.
    var keyRecords: String { Self.keyRecord("*", zone: name) }

    static func keyRecord(_ record: String, zone: String) -> String { "clips.\(zone).k.\(record)" }
    static func stream(_ zone: String) -> String { "CLIPS_\(zone)" }
}

/// The records of keys on a server, in the order in which they arrived.
extension JetStreamSession {
    private var ring: KeyRing { zone.cipher.ring }
    /// The bytes of records of keys that are read.
    private static var maxKeyBytes: Int { 16 << 20 }

    /// Follows the changes of the key, and puts what the server lost.
    func refreshKeys() async throws(RelayError) {
        guard ring.isShared else { return }
        while true {
            let records = try await keyRecords()
            for record in try lost(records.map(\.record)) { try await put(record) }
            let now = FolderEngine.milliseconds()
            for (record, sequence) in records where Invitation.isExpired(record, at: now) {
                _ = try await connection.erase(sequence, of: zone.stream)
            }
            guard ring.keys.mustRotate else { return }
            try await rotate(excluding: [], records)
        }
    }

    private func lost(_ records: [KeyRecord]) throws(RelayError) -> [KeyRecord] {
        do throws(MirrorError) { return try ring.accept(records) } catch { throw RelayError(error) }
    }

    func keyRecords() async throws(RelayError) -> [(record: KeyRecord, sequence: UInt64)] {
        guard let last = try await connection.last(zone.keyRecords, of: zone.stream) else { return [] }
        let prefix = String(zone.keyRecords.dropLast())
        let (records, failure) = try await connection.messages(
            zone.keyRecords, .after(0), upTo: last.sequence, maxSize: Self.maxKeyBytes, in: zone
        ) { message -> (record: KeyRecord, sequence: UInt64)? in
            let name = String(message.subject.dropFirst(prefix.count))
            guard message.subject.hasPrefix(prefix), KeyRecord.isValid(name) else { return nil }
            return (KeyRecord(name: name, bytes: message.body), message.sequence)
        }
        if let failure { throw failure }
        return records
    }

    private func put(_ record: KeyRecord) async throws(RelayError) {
        let message = OutgoingMessage(
            subject: Zone.keyRecord(record.name, zone: zone.name), body: record.bytes)
        for answer in await connection.put([message]) { _ = try answer.get() }
    }

    /// Changes the key, and deletes the invitations with the former one.
    func rotate(excluding keys: Set<Data>) async throws(RelayError) {
        try await refreshKeys()
        if ring.current.name.number == 0 { try await putFormat() }
        try await rotate(excluding: keys, try await keyRecords())
    }

    private func rotate(
        excluding keys: Set<Data>, _ records: [(record: KeyRecord, sequence: UInt64)]
    ) async throws(RelayError) {
        guard let rotation = ring.rotation(excluding: keys) else { return }
        try await put(rotation)
        _ = try lost([rotation])
        try await putNotice()
        for (record, sequence) in records where record.isInvitation {
            _ = try await connection.erase(sequence, of: zone.stream)
        }
    }

    /// Puts the record that ends programs of earlier versions before they meet another key.
    private func putFormat() async throws(RelayError) {
        let subject = zone.record(zone.cipher.formatKey)
        let body = zone.cipher.seal(
            RecordBody.whole(MirrorFormat.record).bytes, subject: subject, usesFirstKey: true)
        let message = OutgoingMessage(
            subject: subject, expected: 0, stamp: Int64.random(in: 1 ... .max), body: body)
        do throws(RelayError) {
            for answer in await connection.put([message]) { _ = try answer.get() }
        } catch RelayError.outdated {}
    }

    /// Puts a record with the new key: machines that are connected receive it, and seal their next edit with this key.
    private func putNotice() async throws(RelayError) {
        let key = zone.cipher.key(entity: MirrorFormat.entity, uuid: MirrorFormat.notice)
        let subject = zone.record(key)
        let previous = try await connection.last(subject, of: zone.stream)?.sequence
        let body = zone.cipher.seal(
            RecordBody.whole(MirrorFormat.noticeRecord).bytes, subject: subject)
        let message = OutgoingMessage(
            subject: subject, stamp: Int64.random(in: 1 ... .max), body: body)
        for answer in await connection.put([message]) { _ = try answer.get() }
        if let previous { await connection.remove(previous, of: zone.stream) }
    }

    func invite(_ code: MirrorSecret, expires: Int64) async throws(RelayError) {
        try await refreshKeys()
        if let record = ring.invitation(code, expires: expires) { try await put(record) }
    }
}

extension RecordCipher {
    /// The key of the record that ends programs of earlier versions.
    var formatKey: String { key(entity: MirrorFormat.entity, uuid: MirrorFormat.uuid) }
}

extension JetStreamConnection {
    /// Deletes one message, and overwrites its bytes.
    ///
    /// - Returns: Whether it existed: of two requests, one is the first.
    func erase(_ sequence: UInt64, of stream: String) throws(RelayError) -> Bool {
        var code = jsErrCode(0)
        let status = js_EraseMsg(handles.context, stream, sequence, nil, &code)
        guard status != NATS_OK else { return true }
        // No message, or it was deleted.
        if [10037, 10043, 10057].contains(code.rawValue) || status == NATS_NOT_FOUND { return false }
        throw RelayError(status, code: code)
    }
}

extension JetStreamEngine {
    package nonisolated var ring: KeyRing { zone.cipher.ring }

    package func rotate(excluding keys: Set<Data>) async throws(MirrorError) {
        try await run(reconnects: true) { session throws(RelayError) in
            try await session.rotate(excluding: keys)
        }
    }

    package func invite(_ code: MirrorSecret, expires: Int64) async throws(MirrorError) {
        try await run(reconnects: true) { session throws(RelayError) in
            try await session.invite(code, expires: expires)
        }
    }
}
