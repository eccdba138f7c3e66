import FoundationEssentials
import MirrorRelay

/// The plain form of a relay's message, and the settings of a mirror.
enum RelayInput {
    static func broken(byBody bytes: [UInt8]) -> String? {
        if let body = RecordBody(bytes), RecordBody(body.bytes) != body {
            return "a body is another when it is read again"
        }
        // The first byte is the claimed size.
        let size = Int(bytes.first ?? 0) * 64
        let plain = Deflate.decompress(Array(bytes.dropFirst()), size: size)
        return plain?.count ?? size == size ? nil : "decompressed bytes have another size"
    }

    static func broken(byServer text: String) -> String? {
        if let secret = MirrorSecret(code: text), MirrorSecret(code: secret.code) != secret {
            return "a pairing code is another when it is read again"
        }
        let stored = try? JSONDecoder().decode(ServerAddress.self, from: Data(text.utf8))
        for address in [try? ServerAddress(text), stored].compactMap(\.self) {
            if let folder = address.folder {
                guard folder.hasPrefix("/") else { return "the path of a folder is not absolute" }
                continue
            }
            let isLocal = ["nats://localhost", "nats://127.", "nats://[::1]"].contains {
                address.url.hasPrefix($0)
            }
            guard address.isSecure || isLocal else { return "a plain connection leaves the machine" }
            guard !address.url.contains("@") else { return "a URL contains a user" }
        }
        return nil
    }
}
