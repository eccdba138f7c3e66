package import AppGroup
import Glibc

/// Where the clips store is.
package struct ClipsLocation: Sendable {
    package static let defaultGroup = "clips"
    package static let fileName = "clips.db"

    package let path: String

    /// `path` if given, else `CLIPS_STORE`, else `clips.db` in the group's folder, which is made when missing.
    package init(path: String?, group: String?) throws(AppGroupError) {
        let environment = getenv("CLIPS_STORE").map { String(cString: $0) }
        if let named = path ?? (group == nil ? environment : nil), !named.isEmpty {
            self.path = named
            if let slash = named.lastIndex(of: "/"), slash != named.startIndex {
                try AppGroupContainer.makeFolders(String(named[..<slash]))
            }
        } else {
            self.path = try AppGroupContainer(group: group ?? Self.defaultGroup).path(of: Self.fileName)
        }
    }
}
