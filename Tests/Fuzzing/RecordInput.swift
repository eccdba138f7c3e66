import Mirroring

/// A record from the relay.
enum RecordInput {
    static func broken(by bytes: [UInt8]) -> String? {
        guard let form = try? RecordForm(bytes) else { return nil }
        guard let copy = try? RecordForm(form.bytes) else { return "a record cannot be read again" }
        return copy == form && copy.bytes == form.bytes ? nil : "a record is another when it is read again"
    }
}
