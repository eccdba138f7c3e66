import ClipsCore

/// A message to the extension.
struct HostAnswer {
    private var object = JSONWriter()

    init(to id: Int64?) {
        if let id { object.add("id", literal: String(id)) }
    }

    init(_ error: HostError, to id: Int64?) {
        self.init(to: id)
        add(error)
    }

    init(pushing event: ClipChangeFeed.Event) {
        self.init(to: nil)
        switch event {
        case .refresh: add("type", "refresh")
        case .changed(let clips, let deleted, let count):
            add("type", "changed")
            add("clips", clips.map(\.json))
            add("deleted", deleted.map(String.init))
            add("count", literal: String(count))
        }
    }

    var text: String { object.text }

    mutating func add(_ error: HostError) {
        var description = JSONWriter()
        description.add("code", error.code.rawValue)
        description.add("message", error.message)
        add("error", literal: description.text)
    }

    mutating func add(_ name: String, _ text: String) { object.add(name, text) }

    mutating func add(_ name: String, literal: String) { object.add(name, literal: literal) }

    /// Adds an array of JSON values.
    mutating func add(_ name: String, _ values: [String]) {
        object.add(name, literal: "[" + values.joined(separator: ",") + "]")
    }

    /// Adds whether the answer lacks a part because of its size or the limit of the request.
    mutating func add(more: Bool) { object.add("more", literal: more ? "true" : "false") }
}
