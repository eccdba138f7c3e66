import PersistentStore
package import SearchIndex

/// The answer to a request for a saved address.
package enum LinkAnswer: Hashable, Sendable {
    case live
    /// Permanent redirects lead to another address, which is live.
    case moved(to: String)
    /// The page or its host does not exist.
    case failed(String)
    /// An answer that does not show whether the page exists, such as a login or a limit of requests.
    ///
    /// - Parameter wait: The milliseconds for which the host must not be asked again.
    case unclear(String, wait: Int64 = 0)
}

/// The results of the checks of a clip's link: a local fact without history, which a change of ``ClipAttribute/link``
/// summarizes.
struct LinkCheck {
    /// The checked address, as a digest: no copy of an address remains that the user deleted or edited.
    private(set) var digest = ""
    private(set) var checked: Int64 = 0
    /// The days with a failure since the last success, and the time of the last one that counts.
    private(set) var failures: Int64 = 0
    private var failed: Int64 = 0
    /// The answer, unless the link is live.
    private(set) var reason = ""
    private(set) var target = ""
    private(set) var retry: Int64 = 0

    /// The failures after which a link is dead, each on another day.
    static let maxFailures = 3
    private static let day: Int64 = 86_400_000
    /// The time for which an answer is valid: a daily check may run a little earlier than the one before.
    static let validity = day * 5 / 6

    init(of url: String) { digest = LinkState.digest(of: url) }

    /// Returns whether the link may be asked at a time.
    func isDue(_ url: String, at now: Int64) -> Bool {
        // A clock that was wrong may have left a time in the future.
        digest != LinkState.digest(of: url) || !(now - Self.validity...now).contains(checked)
    }

    /// Adds an answer, and returns the state of the link.
    mutating func add(_ answer: LinkAnswer, to state: LinkState, at now: Int64) -> LinkState {
        (checked, retry, reason) = (now, 0, "")
        switch answer {
        case .live:
            (failures, target) = (0, "")
            return .checked
        case .moved(let target):
            let isKnown = self.target == target
            (failures, self.target) = (0, target)
            return isKnown ? .moved : .checked
        case .failed(let reason):
            self.reason = reason
            if failures == 0 || now / Self.day > failed / Self.day {
                (failures, failed) = (min(failures, Int64(Self.maxFailures)) + 1, now)
            }
            if failures >= Self.maxFailures { return .dead }
        case .unclear(let reason, let wait): (self.reason, retry) = (reason, wait > 0 ? now + wait : 0)
        }
        return state == .unchecked ? .checked : state
    }
}

extension LinkCheck {
    static let entity = "LinkCheck"
    static let clip = "clip"

    static let description = EntityDescription(
        entity,
        attributes: [
            AttributeDescription(clip, referencing: ClipModel.entity, onDeletion: .cascade, isUnique: true)
        ] + ["digest", "reason", "target"].map { AttributeDescription($0, .text, defaultValue: .value("")) }
            + ["checked", "failures", "failed", "retry"].map {
                AttributeDescription($0, .integer, defaultValue: .value(0))
            }, tracksHistory: false)

    init(_ object: StoredObject) {
        func text(_ name: String) -> String { object[name].textValue ?? "" }
        func number(_ name: String) -> Int64 { object[name].integerValue ?? 0 }
        (digest, reason, target) = (text("digest"), text("reason"), text("target"))
        (checked, failures) = (number("checked"), number("failures"))
        (failed, retry) = (number("failed"), number("retry"))
    }

    func values(of clip: Int64) -> [String: AttributeValue] {
        [
            Self.clip: .integer(clip), "digest": .text(digest), "reason": .text(reason),
            "target": .text(target), "checked": .integer(checked), "failures": .integer(failures),
            "failed": .integer(failed), "retry": .integer(retry),
        ]
    }
}

extension LinkState {
    /// A sign before the title in lists.
    package var sign: String {
        switch self {
        case .dead: "✗ "
        case .moved: "→ "
        case .checked, .unchecked: ""
        }
    }
}
