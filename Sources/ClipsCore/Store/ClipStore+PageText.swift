package import PersistentStore

/// The text of a page, which arrives after its clip.
extension ClipStore {
    /// The context name of the transactions that save it.
    private static let pageWork = "page"

    /// Saves the text of a page as that of its clip: the one with a UUID or, if there is none, the newest with a URL.
    ///
    /// - Returns: Whether it was saved. A text that did not come from a page, as far as the history shows, is not
    ///   replaced.
    package func setPageText(_ text: String, uuid: String, url: String) async throws(StoreError) -> Bool {
        let (author, name) = (author, named(Self.pageWork))
        let clip = try await container.read { snapshot throws(StoreError) -> StoredObject? in
            var id = try Self.newest(.uuid, uuid, in: snapshot)
            if id == nil { id = try Self.newest(.url, url, in: snapshot) }
            guard let id,
                let clip = try snapshot.fetch(FetchRequest(ClipModel.entity, where: .keys([id]))).first
            else { return nil }
            guard !clip.text(.text).isEmpty else { return clip }
            let texts = HistoryFetchRequest(
                .newest,
                changes: .and([
                    .object(clip.id), .or([.updated(ClipAttribute.text.rawValue), .kind(.insert)]),
                ]), limit: 1)
            guard let last = try snapshot.transactions(texts).last, last.author == author,
                last.contextName == name
            else { return nil }
            return clip
        }
        guard let clip, !clip.text(.text).utf8.elementsEqual(text.utf8) else { return false }
        return try await write(work: Self.pageWork) { transaction throws(StoreError) -> Bool in
            guard try transaction.object(clip.id)?.text(.text) == clip.text(.text) else { return false }
            try transaction.set(stamped([.text: .text(text)]), of: clip.id)
            return true
        }.value
    }
}
