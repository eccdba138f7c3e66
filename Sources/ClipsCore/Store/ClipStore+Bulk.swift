package import PersistentStore

/// Changes many clips as one transaction. Clips that are gone by then are left out.
extension ClipStore {
    /// Gives clips an attribute that not all of them have, or takes it from all.
    package func toggle(
        _ attribute: ClipAttribute, of ids: [Int64]
    ) async throws(StoreError) -> (result: SaveResult, isOn: Bool, count: Int) {
        let objects = try await read([attribute], of: ids)
        let without = objects.filter { !$0[attribute.rawValue].booleanValue }
        let chosen = without.isEmpty ? objects : without
        let context = makeContext()
        await context.setMergePolicy(.byPropertyStoreTrumps)
        for object in chosen {
            try await context.update(
                object.id, stamped([attribute.rawValue: .boolean(!without.isEmpty)]))
        }
        return (try await context.save(), !without.isEmpty, chosen.count)
    }

    /// Adds tags to clips and takes others away, keeping those that somebody else gives meanwhile.
    package func tag(
        _ ids: [Int64], adding: [String], removing: [String]
    ) async throws(StoreError) -> (result: SaveResult, count: Int) {
        let removed = Set(Tags(removing).names)
        var attempts = 0
        while true {
            let context = makeContext()
            var count = 0
            for object in try await read([.tags], of: ids) {
                let joined = object[ClipAttribute.tags.rawValue].textValue ?? ""
                let tags = Tags(joined: joined)
                let wanted = Tags((tags.names + adding).filter { !removed.contains($0) })
                guard wanted != tags else { continue }
                count += 1
                try await context.update(
                    object.id, stamped([ClipAttribute.tags.rawValue: .text(wanted.joined)]),
                    onVersion: object.version)
            }
            do {
                return (try await context.save(), count)
            } catch {
                attempts += 1
                guard case .conflict = error, attempts < 8 else { throw error }
            }
        }
    }

    /// Clips in an order, as they are now; once they have more bytes than that, a few more at most.
    ///
    /// - Parameter attributes: all when nil.
    package func clips(
        _ ids: [Int64], in sort: SortOrder, attributes: [ClipAttribute]? = nil, mostBytes: Int
    ) async throws(StoreError) -> [Clip] {
        var ordering = FetchRequest(ClipModel.entity, where: .keys(ids), sort: sort)
        ordering.attributes = []
        let order = ordering
        var left = try await container.read { try $0.fetch(order).map(\.id.key) }[...]
        var clips: [Clip] = []
        var bytes = 0
        while !left.isEmpty, bytes <= mostBytes {
            // Whole clips may have a text of many megabytes each.
            let page = left.prefix(attributes?.contains(.text) ?? true ? 4 : 200)
            left = left.dropFirst(page.count)
            var request = FetchRequest(ClipModel.entity, where: .keys(Array(page)), sort: sort)
            request.attributes = attributes?.map(\.rawValue)
            let wanted = request
            for object in try await container.read({ try $0.fetch(wanted) }) {
                let clip = Clip(object)
                clips.append(clip)
                bytes += clip.title.utf8.count + clip.url.utf8.count + clip.text.utf8.count + 1
            }
        }
        return clips
    }

    /// The tags of the newest clips, the most used first.
    package func tagNames(amongNewest count: Int = 5000, limit: Int = 500) async throws(StoreError)
        -> [String]
    {
        let texts = try await texts(of: .tags, amongNewest: count)
        return Self.mostUsed(texts.flatMap { Tags(joined: $0).names }, limit: limit)
    }

    /// The authors of the newest clips, those of the most first.
    package func authorNames(amongNewest count: Int = 5000, limit: Int = 100) async throws(StoreError)
        -> [String]
    {
        Self.mostUsed(try await texts(of: .author, amongNewest: count), limit: limit)
    }

    private func texts(of attribute: ClipAttribute, amongNewest count: Int) async throws(StoreError)
        -> [String]
    {
        let name = attribute.rawValue
        var request = FetchRequest(
            ClipModel.entity, where: .compare(name, .notEqual, .text("")), sort: ClipQuery.newestFirst,
            limit: count)
        request.attributes = [name]
        let wanted = request
        return try await container.read { try $0.fetch(wanted).compactMap { $0[name].textValue } }
    }

    private static func mostUsed(_ names: [String], limit: Int) -> [String] {
        var uses: [String: Int] = [:]
        for name in names { uses[name, default: 0] += 1 }
        return uses.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(limit).map(\.key)
    }

    private func read(_ attributes: [ClipAttribute], of ids: [Int64]) async throws(StoreError)
        -> [StoredObject]
    {
        var request = FetchRequest(ClipModel.entity, where: .keys(ids))
        request.attributes = attributes.map(\.rawValue)
        let wanted = request
        return try await container.read { try $0.fetch(wanted) }
    }
}
