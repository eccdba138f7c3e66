import Platform

/// One record as JSON, the same on the relay and, without the values that the object has, in the record map:
///
/// ```json
/// {"v":1,"e":"Clip","u":"<uuid>","m":"<machine>","c":"<clock>","a":{"title":["",<value>],"note":["<clock>|<seen>",<value>]},
///  "t":{"tags":{"swift":["",1]}},"saw":{"title":"<clock>"},"x":{"title/<clock>":[<losing value>]}}
/// ```
///
/// The version is first. An empty clock is that of the member `c`. Readers skip unknown members; a change that
/// they must not skip raises the version.
package struct RecordForm: Hashable, Sendable {
    static let version = 1
    /// The version of ``MirrorFormat/record``, which has no members.
    private static let formatVersion = 2
    /// Those of most records in bytes.
    private static var typicalSize: Int { 1000 }

    let entity: String
    let uuid: String
    var state: RecordState
    /// The machine that put the record, by its number in clocks; 0 if it is not known.
    var machine: UInt64 = 0

    private var isFormat: Bool { entity == MirrorFormat.entity && uuid == MirrorFormat.uuid }

    package var bytes: [UInt8] {
        var text = JSONText(capacity: Self.typicalSize)
        text.object { text in
            addHead(to: &text)
            state.add(to: &text)
        }
        return text.bytes
    }

    /// The bytes that precede ``RecordState/text``.
    var head: [UInt8] {
        var text = JSONText()
        text.object { addHead(to: &$0) }
        var bytes = text.bytes
        bytes[bytes.count - 1] = UInt8(ascii: ",")
        return bytes
    }

    private func addHead(to text: inout JSONText) {
        text.add("v") { $0.add(Int64(isFormat ? Self.formatVersion : Self.version)) }
        text.add("e") { $0.add(entity) }
        text.add("u") { $0.add(uuid) }
        if machine != 0 { text.add("m") { $0.add(String(machine, radix: 16)) } }
    }
}

extension RecordState {
    /// The members of a record that do not depend on which record it is, up to the end of the record.
    var text: [UInt8] {
        var text = JSONText()
        text.object { add(to: &$0) }
        return Array(text.bytes.dropFirst())
    }

    fileprivate func add(to text: inout JSONText) {
        // Most attributes have the clock of the insert.
        var common: MirrorClock?
        for index in attributes.indices {
            let clock = attributes[index].value.clock
            common = min(common ?? clock, clock)
        }
        func short(_ clock: MirrorClock) -> String { clock == common ? "" : clock.description }
        if let common { text.add("c") { $0.add(common.description) } }
        text.add("a") { text in
            text.object { text in
                for attribute in attributes {
                    let entry = attribute.value
                    text.add(attribute.key) { text in
                        text.array { text in
                            let seen = entry.seen
                            text.add(seen.clocks.isEmpty ? short(entry.clock) : "\(entry.clock)|\(seen)")
                            if let value = entry.value { text.add(value) }
                        }
                    }
                }
            }
        }
        if !elements.isEmpty {
            text.add("t") { text in
                text.members(elements) { text, elements in
                    text.members(elements) { text, element in
                        text.array {
                            $0.add(short(element.clock))
                            $0.add(element.position)
                        }
                    }
                }
            }
        }
        if !saw.isEmpty { text.add("saw") { $0.members(saw) { $0.add($1.description) } } }
        guard !conflicts.isEmpty else { return }
        text.add("x") { text in
            text.members(conflicts) { text, lost in
                text.array { text in if let value = lost.value { text.add(value) } }
            }
        }
    }
}

extension JSONText {
    fileprivate mutating func members<Value>(
        _ values: [String: Value], _ body: (inout JSONText, Value) -> Void
    ) {
        object { text in
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                text.add(key) { body(&$0, value) }
            }
        }
    }
}

extension RecordForm {
    /// Reads a record.
    ///
    /// - Throws: ``MirrorError/newerFormat(_:)``, or ``JSONError``.
    package init(_ bytes: [UInt8]) throws {
        var cursor = JSONReader(bytes)
        var (version, entity, uuid): (Int64, String, String) = (0, "", "")
        var common: MirrorClock?
        var (state, machine) = (RecordState(), UInt64(0))
        try cursor.object { cursor, key throws(JSONError) in
            switch key {
            case "v": version = try cursor.integer()
            case "e": entity = try cursor.text()
            case "u": uuid = try cursor.text()
            case "m": machine = UInt64(try cursor.text(), radix: 16) ?? 0
            case "c": common = try cursor.clock()
            case "a" where version == 0, "t" where version == 0, "saw" where version == 0:
                throw JSONError()
            // A newer format may have another form of these members.
            case "a" where version == Self.version: state.attributes = try cursor.attributes(common)
            case "t" where version == Self.version: state.elements = try cursor.elements(common)
            case "saw" where version == Self.version: state.saw = try cursor.saw()
            case "x" where version == Self.version: state.conflicts = try cursor.conflicts()
            default: try cursor.skipValue()
            }
        }
        self.init(entity: entity, uuid: uuid, state: state, machine: machine)
        let known = isFormat ? Self.formatVersion : Self.version
        guard version <= known else { throw MirrorError.newerFormat(Int(version)) }
        guard cursor.isAtEnd(), !cursor.hasReplacement, version == known, !entity.isEmpty, !uuid.isEmpty,
            !entity.contains("/")
        else {
            throw JSONError()
        }
    }
}

extension JSONReader {
    fileprivate mutating func clock(_ common: MirrorClock? = nil) throws(JSONError) -> MirrorClock {
        let text = try text()
        guard let clock = text.isEmpty ? common : MirrorClock(text) else { throw JSONError() }
        return clock
    }

    fileprivate mutating func attributes(
        _ common: MirrorClock?
    ) throws(JSONError) -> NamedValues<RecordState.Attribute> {
        var attributes = NamedValues<RecordState.Attribute>()
        try object { cursor, name throws(JSONError) in
            var entry: RecordState.Attribute?
            try cursor.array { cursor, index throws(JSONError) in
                switch index {
                case 0:
                    let text = try cursor.text()
                    if text.isEmpty, let common {
                        entry = RecordState.Attribute(clock: common)
                        break
                    }
                    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
                    let clock = parts.first.map(String.init).flatMap { $0.isEmpty ? common : MirrorClock($0) }
                    guard let clock, parts.count <= 2 else { throw JSONError() }
                    entry = RecordState.Attribute(clock: clock)
                    guard parts.count == 2 else { break }
                    guard let seen = VersionVector(String(parts[1])) else { throw JSONError() }
                    entry?.seen = seen
                case 1: entry?.value = try cursor.value()
                default: throw JSONError()
                }
            }
            guard let entry else { throw JSONError() }
            attributes[name] = entry
        }
        return attributes
    }

    fileprivate mutating func elements(
        _ common: MirrorClock?
    ) throws(JSONError) -> [String: [String: RecordState.Element]] {
        var sets: [String: [String: RecordState.Element]] = [:]
        try object { cursor, set throws(JSONError) in
            var elements: [String: RecordState.Element] = [:]
            try cursor.object { cursor, name throws(JSONError) in
                var (clock, position): (MirrorClock?, Int64?)
                try cursor.array { cursor, index throws(JSONError) in
                    switch index {
                    case 0: clock = try cursor.clock(common)
                    case 1: position = try cursor.integer()
                    default: throw JSONError()
                    }
                }
                guard let clock, let position else { throw JSONError() }
                elements[name] = RecordState.Element(clock: clock, position: position)
            }
            sets[set] = elements
        }
        return sets
    }

    fileprivate mutating func saw() throws(JSONError) -> [String: VersionVector] {
        var saw: [String: VersionVector] = [:]
        try object { cursor, key throws(JSONError) in
            guard let seen = VersionVector(try cursor.text()) else { throw JSONError() }
            saw[key] = seen
        }
        return saw
    }

    fileprivate mutating func conflicts() throws(JSONError) -> [String: RecordState.LosingValue] {
        var conflicts: [String: RecordState.LosingValue] = [:]
        try object { cursor, key throws(JSONError) in
            let parts = key.split(separator: "/", maxSplits: 1)
            guard parts.count == 2, MirrorClock(String(parts[1])) != nil else { throw JSONError() }
            var lost = RecordState.LosingValue()
            try cursor.array { cursor, _ throws(JSONError) in lost.value = try cursor.value() }
            conflicts[key] = lost
        }
        return conflicts
    }
}
