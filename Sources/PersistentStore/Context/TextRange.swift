import SQLite

/// The range of the texts with a prefix, in the order of an index.
enum TextRange {
    /// Returns the first text after all texts with a prefix; nil if there is none. SQLite compares bytes, in the
    /// order of scalars, and without case those of lowercase letters (sqlite.org/datatype3.html 7).
    static func end(ofPrefix prefix: String, ignoresCase: Bool) -> String? {
        var scalars = prefix.unicodeScalars
        while let last = scalars.popLast() {
            let isUppercase = ("A"..."Z").contains(last)
            var next = last.value + (ignoresCase && isUppercase ? 0x21 : 1)
            // Not a letter, which would be compared as one after the symbols that follow.
            if ignoresCase && last == "@" { next = 0x5B }
            if next == 0xD800 { next = 0xE000 }
            guard let following = Unicode.Scalar(next) else { continue }
            scalars.append(following)
            return String(scalars)
        }
        return nil
    }
}

extension ObjectQuery {
    /// Returns the objects with a text that begins with one of these prefixes, with this attribute alone. An object
    /// that has several of them is returned for each.
    ///
    /// One statement for any number of prefixes, which reads only their ranges of the attribute's index. Not a
    /// predicate: a condition would be evaluated for each row, and an alternative of many ranges reads the whole
    /// table.
    func objects(
        of name: String, with attribute: String, beginningWithOneOf prefixes: [String],
        on connection: borrowing Connection
    ) throws -> [StoredObject] {
        let entity = try entity(name)
        guard let description = entity.attribute(attribute) else {
            throw StoreError.unknownAttribute(attribute, entity: name)
        }
        let ranges = prefixes.map { prefix in
            let end = TextRange.end(ofPrefix: prefix, ignoresCase: description.ignoresCase)
            let bounds = [.text(prefix), end.map(AttributeValue.text) ?? .null]
            return "[\(bounds.map { $0.quotedJSON ?? "null" }.joined(separator: ","))]"
        }
        let column = StoreSchema.qualified(attribute, of: entity)
        let selection = try selections.selection(of: [attribute], entity)
        // A blob follows all texts. The subquery hides other columns of `json_each`, such as `id`.
        let statement = try connection.prepare(
            """
            SELECT \(selection.columns) FROM (SELECT value AS bounds FROM json_each(?)) AS range CROSS JOIN "\(name)"
            WHERE \(column) >= json_extract(range.bounds, '$[0]')
            AND \(column) < coalesce(json_extract(range.bounds, '$[1]'), x'')
            """)
        try statement.bind("[\(ranges.joined(separator: ","))]", at: 1)
        return try objects(statement, entity, selection.layout, FetchRequest(name))
    }
}

extension StoreSnapshot {
    /// Returns the objects with a text that begins with one of these prefixes, with this attribute alone, in one
    /// statement. An object that has several of them is returned for each.
    package func objects(
        of entity: String, with attribute: String, beginningWithOneOf prefixes: [String]
    ) throws(StoreError) -> [StoredObject] {
        try ask { [query] in
            try query.objects(of: entity, with: attribute, beginningWithOneOf: prefixes, on: $0)
        }
    }
}
