import FoundationEssentials

/// The form of a value in the file: an object whose only key is the type.
struct SharedDefaultCoding: Codable {
    let value: SharedDefault

    private enum Key: String, CodingKey {
        case bool, integer, real, text, data, date, list
    }

    init(_ value: SharedDefault) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw Self.corrupted(decoder)
        }
        value =
            switch key {
            case .bool: .bool(try container.decode(Bool.self, forKey: key))
            case .integer: .integer(try container.decode(Int64.self, forKey: key))
            case .real: .real(try Self.number(container.decode(String.self, forKey: key), decoder))
            case .text: .text(try container.decode(String.self, forKey: key))
            case .data: .data([UInt8](try container.decode(Data.self, forKey: key)))
            case .date:
                .date(
                    Date(
                        timeIntervalSinceReferenceDate: try Self.number(
                            container.decode(String.self, forKey: key), decoder)))
            case .list: .list(try container.decode([String].self, forKey: key))
            }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch value {
        case .bool(let bool): try container.encode(bool, forKey: .bool)
        case .integer(let integer): try container.encode(integer, forKey: .integer)
        case .real(let real): try container.encode(Self.text(real), forKey: .real)
        case .text(let text): try container.encode(text, forKey: .text)
        case .data(let bytes): try container.encode(Data(bytes), forKey: .data)
        case .date(let date):
            try container.encode(Self.text(date.timeIntervalSinceReferenceDate), forKey: .date)
        case .list(let list): try container.encode(list, forKey: .list)
        }
    }

    /// Returns the number as text: JSON has no infinity and no "not a number".
    private static func text(_ number: Double) -> String { "\(number)" }

    private static func number(_ text: String, _ decoder: any Decoder) throws -> Double {
        guard let number = Double(text) else { throw corrupted(decoder) }
        return number
    }

    private static func corrupted(_ decoder: any Decoder) -> DecodingError {
        DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no value"))
    }
}
