package import PersistentStore
package import SearchIndex

/// A clip with an address, and what its checks found.
package struct CheckedLink: Hashable, Sendable {
    package let clip: Int64
    package let url: String
    package let state: LinkState
    /// The last answer, unless the link was live.
    package let reason: String
    /// The address to which a permanent redirect leads; empty if there is none.
    package let target: String
    /// Whether the host must not be asked yet.
    package let mustWait: Bool
    /// Whether its last answer is too old.
    package let isDue: Bool
    let created: Int64

    fileprivate init(_ clip: StoredObject, _ check: LinkCheck?, _ state: LinkState, at now: Int64) {
        (self.clip, url, self.state) = (clip.id.key, clip.text(.url), state)
        created = clip[.created].integerValue ?? 0
        let check = check.flatMap { $0.digest == LinkState.digest(of: clip.text(.url)) ? $0 : nil }
        (reason, target) = (check?.reason ?? "", check?.target ?? "")
        mustWait = check.map { $0.retry > now } ?? false
        isDue = check?.isDue(clip.text(.url), at: now) ?? true
    }
}

/// The states of links.
extension ClipStore {
    /// Returns the clips among these whose link can be checked.
    package func links(of ids: [Int64]) async throws(StoreError) -> [CheckedLink] {
        let now = now()
        return try await container.read { snapshot throws(StoreError) in
            try snapshot.links(.keys(ids)).compactMap { $0.link(at: now) }
        }
    }

    /// Returns addresses that were live when they were last checked, the last checked first.
    package func liveAddresses(limit: Int) async throws(StoreError) -> [String] {
        try await container.read { snapshot throws(StoreError) in
            let live = ObjectPredicate.and([.equal("failures", 0), .equal("reason", "")])
            let request = FetchRequest(
                LinkCheck.entity, where: live, sort: [SortKey("checked", isAscending: false)], limit: limit)
            let clips = try snapshot.fetch(request).compactMap { $0[LinkCheck.clip].integerValue }
            return try snapshot.links(.keys(clips)).map { $0.clip.text(.url) }
        }
    }

    /// Saves the answers for addresses, for all clips that have them.
    ///
    /// A clip changes only if the state of its link does, so that a daily check adds nothing to the history. It is no
    /// edit: the time of the last change remains, and undo skips the transaction.
    ///
    /// - Returns: The clips with these addresses.
    package func record(_ answers: [String: LinkAnswer]) async throws(StoreError) -> [CheckedLink] {
        let (now, urls) = (now(), answers.keys.map(AttributeValue.text))
        return try await write(work: UndoHistory.checkingContext) { transaction throws(StoreError) in
            var links: [CheckedLink] = []
            for link in try transaction.snapshot.links(.isOneOf(ClipAttribute.url.rawValue, urls)) {
                let (clip, url) = (link.clip, link.clip.text(.url))
                guard let answer = answers[url], let state = LinkState(clip.text(.link), of: url) else {
                    continue
                }
                let known = link.check.map { LinkCheck($0) }
                let isSame = known?.digest == LinkState.digest(of: url)
                var check = isSame ? known ?? LinkCheck(of: url) : LinkCheck(of: url)
                let new = check.add(answer, to: state, at: now)
                if let row = link.check {
                    try transaction.update(row.id, check.values(of: clip.id.key))
                } else {
                    try transaction.insert(LinkCheck.entity, check.values(of: clip.id.key))
                }
                if new != state {
                    try transaction.update(
                        clip.id, [ClipAttribute.link.rawValue: .text(new.stored(for: url))])
                }
                links.append(CheckedLink(clip, check, new, at: now))
            }
            return links
        }.value
    }

    /// Replaces the addresses of moved links by those to which they lead, as one transaction.
    package func followMoves(of ids: [Int64]) async throws(StoreError) -> Written<[CheckedLink]> {
        let now = now()
        return try await write { transaction throws(StoreError) in
            var changed: [CheckedLink] = []
            for link in try transaction.snapshot.links(.keys(ids)).compactMap({ $0.link(at: now) })
            where link.state == .moved && !link.target.isEmpty {
                try transaction.update(
                    ClipModel.objectID(link.clip), stamped([.url: .text(link.target)]))
                changed.append(link)
            }
            return changed
        }
    }
}

/// A clip with the row of its checks.
private struct LinkRow {
    let clip: StoredObject
    let check: StoredObject?

    /// Returns nil for an address that cannot be checked.
    func link(at now: Int64) -> CheckedLink? {
        LinkState(clip.text(.link), of: clip.text(.url)).map {
            CheckedLink(clip, check.map { LinkCheck($0) }, $0, at: now)
        }
    }
}

extension StoreSnapshot {
    fileprivate func links(_ clips: ObjectPredicate) throws(StoreError) -> [LinkRow] {
        let found = try fetch(FetchRequest(clips: clips, [.url, .link, .created]))
        let keys = found.map { AttributeValue.integer($0.id.key) }
        let checks = try fetch(FetchRequest(LinkCheck.entity, where: .isOneOf(LinkCheck.clip, keys)))
        let rows = Dictionary(checks.map { ($0[LinkCheck.clip].integerValue ?? 0, $0) }) { first, _ in first }
        return found.map { LinkRow(clip: $0, check: rows[$0.id.key]) }
    }
}

extension CheckedLink {
    /// The address of the page in the Internet Archive, near the time at which the clip was saved.
    package var archived: String { Self.archived(url, at: created) }

    package static func archived(_ url: String, at time: Int64) -> String {
        let day = FileDate.text(time).prefix(10).replacing("-", with: "")
        return "https://web.archive.org/web/\(day)/\(url)"
    }
}
