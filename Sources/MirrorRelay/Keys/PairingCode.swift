package import Mirroring
import Platform

/// The result of a pairing code on a relay.
package enum PairingCode: Sendable {
    /// An invitation, and a closure that deletes it, and returns whether it still existed.
    case invitation(Invitation, claim: @Sendable () async throws(MirrorError) -> Bool)
    /// No invitation: the code was used, or belongs to another zone. A zone without records of keys is of an earlier
    /// version, whose code is its secret.
    case unknown(isOldZone: Bool)
    case noZone
}

extension MirrorSecret {
    /// Reads the invitation of this code. Writes nothing.
    package func find(at address: ServerAddress, zone: String) async throws(MirrorError) -> PairingCode {
        if let folder = address.folder { return find(in: "\(folder)/clips-mirror-\(zone)", zone: zone) }
        return try await JetStreamConnection.use(address) { connection throws(RelayError) in
            try await find(address, zone: zone, connection)
        }
    }

    private func find(
        _ address: ServerAddress, zone: String, _ connection: JetStreamConnection
    ) async throws(RelayError) -> PairingCode {
        let (name, stream) = (Invitation.name(of: self), Zone.stream(zone))
        do throws(RelayError) {
            _ = try await connection.identity(of: stream)
            guard let message = try await connection.last(Zone.keyRecord(name, zone: zone), of: stream) else {
                let other = try await connection.last(Zone.keyRecord("*", zone: zone), of: stream)
                return .unknown(isOldZone: other == nil)
            }
            let record = KeyRecord(name: name, bytes: message.body)
            guard let invitation = Invitation(record, self, zone: zone) else {
                return .unknown(isOldZone: false)
            }
            return .invitation(invitation) { () throws(MirrorError) in
                try await JetStreamConnection.use(address) { connection throws(RelayError) in
                    try await connection.erase(message.sequence, of: stream)
                }
            }
        } catch RelayError.noStream {
            return .noZone
        }
    }

    private func find(in place: String, zone: String) -> PairingCode {
        let (name, names) = (Invitation.name(of: self), Folder.names(in: place))
        guard names.contains(where: { $0.hasPrefix("zone-") }) else { return .noZone }
        let invitation = FolderEngine.readKeyRecord(name, in: place).flatMap {
            Invitation($0, self, zone: zone)
        }
        guard let invitation else {
            return .unknown(isOldZone: !names.contains { FolderEngine.keyRecord($0) != nil })
        }
        return .invitation(invitation) {
            (try? FilePath.remove("\(place)/\(FolderEngine.keyFile(name))")) != nil
        }
    }
}
