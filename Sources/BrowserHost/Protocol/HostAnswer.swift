import ClipsCore
import Platform

/// A message to the extension.
struct HostAnswer {
    private var object = JSONObject()

    init(to id: Int64?) {
        if let id { add("id", id) }
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
            add("clips", clips.map { JSONLiteral($0.json) })
            add("deleted", deleted)
            add("count", count)
        }
    }

    var text: String { object.json }

    mutating func add(_ error: HostError) {
        add("error", ["code": error.code.rawValue, "message": error.message] as JSONObject)
    }

    mutating func add(_ name: String, _ value: (any JSONConvertible)?) { object.add(name, value) }

    /// Adds whether the answer lacks a part because of its size or the limit of the request.
    mutating func add(more: Bool) { add("more", more) }
}
