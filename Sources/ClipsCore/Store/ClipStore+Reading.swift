package import PersistentStore

/// Reads clips.
extension ClipStore {
    /// Returns the number of these clips that exist.
    package func existing(_ ids: [Int64]) async throws(StoreError) -> Int {
        try await container.count(FetchRequest(ClipModel.entity, where: .keys(ids)))
    }

    /// Returns a clip.
    ///
    /// - Throws: `ClipError.noSuchClip`.
    package func clip(_ id: Int64) async throws -> Clip {
        guard let clip = try await clipIfStored(id) else { throw ClipError.noSuchClip("\(id)") }
        return clip
    }

    /// Returns a clip; nil if it is deleted.
    package func clipIfStored(_ id: Int64) async throws(StoreError) -> Clip? {
        try await clips([id]).first
    }

    /// Returns the clip with an ID, or with a UUID or the beginning of one.
    ///
    /// - Throws: `ClipError.noSuchClip`; `ClipError.ambiguous` if several UUIDs begin so.
    package func clip(named name: String) async throws -> Clip {
        if let id = Int64(name) { return try await clip(id) }
        guard name.utf8.count >= 4,
            name.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || Character(Unicode.Scalar($0)).isHexDigit })
        else { throw ClipError.noSuchClip(name) }
        let lower = name.lowercased()
        let uuid = ClipAttribute.uuid.rawValue
        let request = FetchRequest(
            ClipModel.entity,
            where: .and([
                .compare(uuid, .greaterOrEqual, .text(lower)), .compare(uuid, .less, .text(lower + "~")),
            ]),
            limit: 2)
        let objects = try await container.fetch(request)
        guard let object = objects.first else { throw ClipError.noSuchClip(name) }
        guard objects.count == 1 else { throw ClipError.ambiguous(name) }
        return Clip(object)
    }

    /// Returns the clips with these IDs, in this order, without deleted ones.
    func clips(_ ids: [Int64]) async throws(StoreError) -> [Clip] {
        try await container.read { snapshot throws(StoreError) in try Self.clips(ids, in: snapshot) }
    }

    static func clips(_ ids: [Int64], in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> [Clip]
    {
        let objects = try snapshot.fetch(FetchRequest(ClipModel.entity, where: .keys(ids)))
        let byKey = Dictionary(uniqueKeysWithValues: objects.map { ($0.id.key, $0) })
        let quotes = try snapshot.quotes(of: objects.map { $0.text(.uuid) })
        return ids.compactMap { id in
            var clip = byKey[id].map(Clip.init)
            if let uuid = clip?.uuid { clip?.quotes = quotes[uuid] ?? [] }
            return clip
        }
    }

    /// Returns clips in an order, without deleted ones.
    ///
    /// - Parameters:
    ///   - sort: The order; nil for that of the IDs.
    ///   - attributes: The attributes to read; nil for all.
    ///   - maxBytes: The size at which the result ends, exceeded by a few clips at most.
    package func clips(
        _ ids: [Int64], in sort: SortKey?, attributes: [ClipAttribute]? = nil, maxBytes: Int
    ) async throws(StoreError) -> [Clip] {
        var left = ids[...]
        if let sort {
            let request = FetchRequest(ClipModel.entity, where: .keys(ids), sort: [sort])
            left = try await container.read { snapshot throws(StoreError) in try snapshot.keys(request) }[...]
        }
        var clips: [Clip] = []
        var bytes = 0
        while !left.isEmpty, bytes <= maxBytes {
            // Whole clips may have a text of many megabytes each.
            let page = left.prefix(attributes?.contains(.text) ?? true ? 4 : Self.pageSize)
            left = left.dropFirst(page.count)
            let request = FetchRequest(clips: .keys(Array(page)), attributes)
            let objects = Dictionary(
                uniqueKeysWithValues: try await container.fetch(request).map { ($0.id.key, $0) })
            for object in page.compactMap({ objects[$0] }) {
                let clip = Clip(object)
                clips.append(clip)
                bytes += clip.title.utf8.count + clip.url.utf8.count + clip.text.utf8.count + 1
            }
        }
        return clips
    }

    static let pageSize = 200
}
