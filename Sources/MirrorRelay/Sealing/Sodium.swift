import CSodium

/// The functions of libsodium, on arrays.
enum Sodium {
    private static let isStarted: Bool = {
        sodium_use_internal_random()
        return sodium_init() >= 0
    }()

    /// Prepares the library, which ends the process if the system has no random numbers.
    static func start() { precondition(isStarted, "libsodium cannot start") }

    /// Returns the BLAKE2b hash of bytes, keyed if there is a key.
    static func hash(_ bytes: some Collection<UInt8>, key: [UInt8] = [], count: Int) -> [UInt8] {
        start()
        let bytes = Array(bytes)
        var result = [UInt8](repeating: 0, count: count)
        crypto_generichash(&result, count, bytes, UInt64(bytes.count), key, key.count)
        return result
    }

    static func random(_ count: Int) -> [UInt8] {
        start()
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }

    static let overhead = Int(
        crypto_aead_xchacha20poly1305_ietf_NPUBBYTES + crypto_aead_xchacha20poly1305_ietf_ABYTES)

    private static let nonceCount = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)

    /// Returns a prefix, a random nonce, and the sealed bytes (XChaCha20-Poly1305).
    static func seal(
        _ plain: [UInt8], for context: String, key: [UInt8], after prefix: [UInt8] = []
    ) -> [UInt8] {
        start()
        let context = Array(context.utf8)
        let size = prefix.count + plain.count + overhead
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            guard let first = buffer.baseAddress else { return }
            _ = buffer.initialize(fromContentsOf: prefix)
            let nonce = first + prefix.count
            randombytes_buf(nonce, nonceCount)
            var written: UInt64 = 0
            crypto_aead_xchacha20poly1305_ietf_encrypt(
                nonce + nonceCount, &written, plain, UInt64(plain.count), context, UInt64(context.count), nil,
                nonce, key)
            count = prefix.count + nonceCount + Int(written)
        }
    }

    /// Returns the plain bytes; nil if they were sealed with another key or for another context.
    ///
    /// - Parameter start: The offset of the nonce.
    static func open(
        _ sealed: [UInt8], from start: Int = 0, for context: String, key: [UInt8]
    ) -> [UInt8]? {
        Self.start()
        guard sealed.count - start >= overhead else { return nil }
        let context = Array(context.utf8)
        let boxCount = sealed.count - start - nonceCount
        var isValid = false
        // One byte more: a buffer of no bytes has no address.
        let plain = [UInt8](unsafeUninitializedCapacity: boxCount + 1) { buffer, count in
            var written: UInt64 = 0
            let code = sealed.withUnsafeBufferPointer { sealed -> CInt in
                guard let first = buffer.baseAddress, let nonce = sealed.baseAddress.map({ $0 + start })
                else { return -1 }
                return crypto_aead_xchacha20poly1305_ietf_decrypt(
                    first, &written, nil, nonce + nonceCount, UInt64(boxCount), context,
                    UInt64(context.count), nonce, key)
            }
            isValid = code == 0
            count = isValid ? Int(written) : 0
        }
        return isValid ? plain : nil
    }
}
