package import AppGroup
import Platform

/// The path of the clips store.
package struct ClipsLocation: Sendable {
    package static let defaultGroup = "clips"
    package static let fileName = "clips.db"

    package let path: String

    /// Finds the store: `path`, otherwise `CLIPS_STORE`, otherwise `clips.db` in the group's folder. Creates
    /// nothing.
    package init(path: String?, group: String?) throws(AppGroupError) {
        let environment = Environment.variable("CLIPS_STORE")
        if let named = path ?? (group == nil ? environment : nil), !named.isEmpty {
            self.path = named
        } else {
            let container = try AppGroupContainer(locating: group ?? Self.defaultGroup)
            self.path = container.path(of: Self.fileName)
        }
    }

    /// The store at a path.
    package init(path: String) { self.path = path }

    package var exists: Bool { FilePath.exists(path) }

    /// Creates the store's folder and its missing parents, accessible only to the owner.
    package func makeFolder() throws(AppGroupError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        try AppGroupContainer.makeFolders(String(path[..<slash]))
    }
}
