/// A model as text, equal if the tables and triggers created from it are equal.
struct StoreModelFingerprint {
    let text: String

    init(_ model: StoreModel) {
        var parts = ["\(model.version), tables \(StoreSchema.edition), triggers \(HistoryTriggers.edition)"]
        for entity in model.entities {
            parts.append("\(entity.name)\(entity.tracksHistory ? "" : " untracked")")
            for attribute in entity.attributes {
                let whenTrue = attribute.indexWhenTrue.map { " where true by \($0)" } ?? ""
                parts.append(
                    "\(StoreSchema.column(attribute)) \(attribute.isIndexed) \(attribute.history.rawValue)\(whenTrue)"
                )
            }
        }
        text = parts.joined(separator: "\n")
    }

    /// Whether a newer version of this library created the tables or triggers of a fingerprint. A migration
    /// would replace the newer triggers by older ones.
    static func isOfNewerLibrary(_ text: String) -> Bool {
        let line = text.prefix { $0 != "\n" }
        return [("tables", StoreSchema.edition), ("triggers", HistoryTriggers.edition)].contains {
            name, edition in
            line.split(separator: ", ").contains { part in
                part.hasPrefix(name + " ") && Int(part.dropFirst(name.count + 1)) ?? 0 > edition
            }
        }
    }
}
