import FoundationEssentials
import Platform

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The file of one suite: read without a lock, and replaced atomically by the process that holds the lock.
struct SharedDefaultsFile: Sendable {
    static let format = 1
    static let maxBytes = 1 << 20

    let folder: String
    let name: String
    let path: String

    init(folder: String, name: String) {
        self.folder = folder
        self.name = name
        path = folder + "/" + name
    }

    private var lockPath: String { path + "-lock" }
    private static let lockTimeout = Duration.seconds(5)

    func lock() throws(AppGroupError) -> FileLock {
        do {
            return try FileLock(path: lockPath, timeout: Self.lockTimeout)
        } catch {
            switch error {
            case .busy: throw .busy(lockPath, waited: Self.lockTimeout)
            case .system(let reason): throw .cannotWrite(lockPath, reason: "\(reason)")
            }
        }
    }

    /// Returns all values; none if the file is missing.
    func read() throws(AppGroupError) -> [String: SharedDefault] {
        guard let bytes = try bytes() else { return [:] }
        do {
            let header = try JSONDecoder().decode(Header.self, from: bytes)
            guard header.format <= Self.format else { throw AppGroupError.newerFormat(path) }
            return try JSONDecoder().decode(Contents.self, from: bytes).values.mapValues(\.value)
        } catch let error as AppGroupError {
            throw error
        } catch {
            throw .damaged(path, reason: "the JSON is not valid")
        }
    }

    /// Replaces the file atomically, even if the power fails: the new file is on the disk before it gets the
    /// name (rename(2)). Requires the lock.
    func replace(with values: [String: SharedDefault]) throws(AppGroupError) {
        let bytes = try encoded(values)
        guard bytes.count <= Self.maxBytes else { throw .tooBig(path, limit: Self.maxBytes) }
        do {
            try ReplacementFile.write(bytes, to: path)
        } catch {
            throw .cannotWrite(path, reason: "\(error)")
        }
        FilePath.syncFolder(folder)
    }

    /// Renames the file and returns its new path; nil if the file is missing.
    func setAside() throws(AppGroupError) -> String? {
        var number = 1
        while FilePath.exists("\(path)-damaged-\(number)") { number += 1 }
        let aside = "\(path)-damaged-\(number)"
        do {
            try TemporaryFile.move(path, to: aside, replaces: true)
        } catch {
            if error.code == ENOENT { return nil }
            throw .cannotWrite(path, reason: "\(error)")
        }
        FilePath.syncFolder(folder)
        return aside
    }

    /// Returns metadata that differs after each replacement of the file.
    func status() -> FileStatus? { FileStatus(path: path) }

    private func open() throws(AppGroupError) -> FileDescriptor? {
        do {
            // O_NONBLOCK: do not wait for a FIFO of that name. O_NOCTTY: do not acquire a terminal.
            return try FileDescriptor.ifExists(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            throw .cannotRead(path, reason: "\(error)")
        }
    }

    private func bytes() throws(AppGroupError) -> Data? {
        guard let file = try open() else { return nil }
        guard let status = file.status, status.isRegular else {
            throw .damaged(path, reason: "it is not a regular file")
        }
        guard status.size <= Self.maxBytes else {
            throw .damaged(path, reason: "it is larger than \(Self.maxBytes) bytes")
        }
        var bytes = Data()
        do {
            while bytes.count < status.size, let part = try file.read(limit: status.size - bytes.count) {
                bytes += part
            }
        } catch {
            throw .cannotRead(path, reason: "\(error)")
        }
        guard bytes.count == status.size else {
            throw .damaged(path, reason: "it became shorter during the read")
        }
        return bytes
    }

    private func encoded(_ values: [String: SharedDefault]) throws(AppGroupError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            let contents = Contents(format: Self.format, values: values.mapValues(SharedDefaultCoding.init))
            return try encoder.encode(contents) + Data("\n".utf8)
        } catch {
            throw .cannotWrite(path, reason: "a value cannot be encoded as JSON")
        }
    }

    private struct Header: Decodable {
        let format: Int
    }

    private struct Contents: Codable {
        let format: Int
        let values: [String: SharedDefaultCoding]
    }
}

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
