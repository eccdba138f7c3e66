import CSodium

/// The key pair of a machine: Ed25519, of which the X25519 form opens boxes.
struct MachineKey {
    let publicKey: [UInt8]
    private let secretKey: [UInt8]

    static let seedCount = Int(crypto_sign_SEEDBYTES)
    static let publicCount = Int(crypto_sign_PUBLICKEYBYTES)
    static let signatureCount = Int(crypto_sign_BYTES)

    /// - Parameter seed: ``seedCount`` random bytes.
    init?(seed: [UInt8]) {
        guard seed.count == Self.seedCount else { return nil }
        Sodium.start()
        var publicKey = [UInt8](repeating: 0, count: Self.publicCount)
        var secretKey = [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES))
        crypto_sign_seed_keypair(&publicKey, &secretKey, seed)
        (self.publicKey, self.secretKey) = (publicKey, secretKey)
    }

    func signature(of message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Self.signatureCount)
        crypto_sign_detached(&signature, nil, message, UInt64(message.count), secretKey)
        return signature
    }

    static func isSigned(_ message: [UInt8], _ signature: [UInt8], by publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureCount, publicKey.count == publicCount else { return false }
        Sodium.start()
        return crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }

    private static let boxOverhead = crypto_box_sealbytes()

    /// Returns bytes that only the owner of a public key can open; nil if the key is not valid.
    static func box(_ plain: [UInt8], for publicKey: [UInt8]) -> [UInt8]? {
        guard publicKey.count == publicCount else { return nil }
        Sodium.start()
        var curveKey = [UInt8](repeating: 0, count: Int(crypto_box_PUBLICKEYBYTES))
        guard crypto_sign_ed25519_pk_to_curve25519(&curveKey, publicKey) == 0 else { return nil }
        var box = [UInt8](repeating: 0, count: plain.count + boxOverhead)
        return crypto_box_seal(&box, plain, UInt64(plain.count), curveKey) == 0 ? box : nil
    }

    /// Opens a box for this machine; nil if it is another one's, or damaged.
    func open(_ box: [UInt8]) -> [UInt8]? {
        guard box.count >= Self.boxOverhead else { return nil }
        var curveKey = [UInt8](repeating: 0, count: Int(crypto_box_PUBLICKEYBYTES))
        var curveSecret = [UInt8](repeating: 0, count: Int(crypto_box_SECRETKEYBYTES))
        guard crypto_sign_ed25519_pk_to_curve25519(&curveKey, publicKey) == 0,
            crypto_sign_ed25519_sk_to_curve25519(&curveSecret, secretKey) == 0
        else { return nil }
        // One byte more: a buffer of no bytes has no address.
        var plain = [UInt8](repeating: 0, count: box.count - Self.boxOverhead + 1)
        guard crypto_box_seal_open(&plain, box, UInt64(box.count), curveKey, curveSecret) == 0 else {
            return nil
        }
        return Array(plain.dropLast())
    }
}
