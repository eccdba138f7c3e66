import Terminal

/// Bytes from a terminal, and key names.
enum KeyInput {
    static func broken(by bytes: [UInt8]) -> String? {
        var decoder = KeyDecoder()
        let keys = decoder.decode(bytes) + decoder.flush()
        if decoder.patience != nil { return "the decoder waits after a flush" }
        if let key = keys.first(where: { !isHarmless($0) }) { return "\(key) carries a control" }
        // A long input is split at some offsets only.
        for split in stride(from: 0, through: bytes.count, by: 1 + bytes.count / 200) {
            var halves = KeyDecoder()
            let first = halves.decode(bytes[..<split])
            if first + halves.decode(bytes[split...]) + halves.flush() != keys {
                return "split at \(split), the keys differ"
            }
            // A sequence ends after enough silence, and later bytes are read as usual.
            var late = KeyDecoder()
            _ = late.decode(bytes[..<split]) + late.flush() + late.decode(bytes[split...]) + late.flush()
            if late.patience != nil { return "split in time at \(split), the decoder waits" }
        }
        var single = KeyDecoder()
        if bytes.flatMap({ single.decode([$0]) }) + single.flush() != keys {
            return "byte by byte, the keys differ"
        }
        return nil
    }

    static func broken(byNames text: String) -> String? {
        guard let keys = try? KeyParser.keys(in: text) else { return nil }
        for key in keys where (try? KeyParser.keys(in: key.name)) != [key] {
            return "the name \(key.name.debugDescription) does not belong to \(key)"
        }
        return nil
    }

    private static func isHarmless(_ key: Key) -> Bool {
        switch key {
        case .character(let character):
            character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        case .modified(_, let key): isHarmless(key)
        default: true
        }
    }
}
