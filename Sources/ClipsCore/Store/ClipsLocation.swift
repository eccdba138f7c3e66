import AppGroup
import Platform

/// The path of the clips store.
package struct ClipsLocation: Sendable {
    /// An error of the store's path, or of the group's folder with the option that avoids it.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
        /// Whether the name of the group is the error.
        package let isWrongUsage: Bool

        init(_ cause: AppGroupError) {
            isWrongUsage = if case .invalidName = cause { true } else { false }
            description =
                cause.description + (isWrongUsage ? "" : " The option --store names another store.")
        }

        init(folder: String) {
            isWrongUsage = false
            description =
                "\(folder) is a folder, not a store. Name a file in it, such as "
                + "\(folder)\(folder.hasSuffix("/") ? "" : "/")\(fileName)."
        }
    }

    package static let defaultGroup = "clips"
    package static let fileName = "clips.db"

    package let path: String

    /// Finds the store: `path`, otherwise `CLIPS_STORE`, otherwise `clips.db` in the group's folder. Creates
    /// nothing.
    package init(path: String?, group: String?) throws(Problem) {
        let environment = Environment.variable("CLIPS_STORE")
        if let named = path ?? (group == nil ? environment : nil), !named.isEmpty {
            self.path = named
        } else {
            do throws(AppGroupError) {
                let container = try AppGroupContainer(locating: group ?? Self.defaultGroup)
                self.path = container.path(of: Self.fileName)
            } catch {
                throw Problem(error)
            }
        }
    }

    /// The store at a path.
    package init(path: String) { self.path = path }

    /// Throws an error with advice if the path is a folder.
    package func check() throws(Problem) {
        if FileStatus(path: path)?.isFolder == true { throw Problem(folder: path) }
    }

    package var exists: Bool { FilePath.exists(path) }

    /// Creates the store's folder and its missing parents, accessible only to the owner.
    package func makeFolder() throws(Problem) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        do throws(AppGroupError) {
            try AppGroupContainer.makeFolders(String(path[..<slash]))
        } catch {
            throw Problem(error)
        }
    }
}
