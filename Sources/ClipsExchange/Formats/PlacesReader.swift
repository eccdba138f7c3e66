import ClipsCore
import Glibc
import Platform
import SQLite

/// A reader of Firefox's `places.sqlite`, from a copy: Firefox locks the file, and its last changes are in its log.
enum PlacesReader {
    static let magic = Array("SQLite format 3\0".utf8)

    private static let maxBytes = 1 << 32
    private static let maxDepth = 100
    private static let maxItems = 4_000_000
    private static let roots: Set<String> = [
        "root________", "menu________", "toolbar_____", "unfiled_____", "mobile______",
    ]

    static func reader(_ source: UTF8Source, fileName: String) throws(ImportError) -> CollectedReader {
        let copy = try makeFile()
        let path = copy.path
        defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
        try write(to: copy.descriptor) { () throws(ImportError) in try source.nextRaw() }
        if !["", "-"].contains(fileName), let log = try? FileDescriptor(fileName + "-wal"),
            let logCopy = try? FileDescriptor(path + "-wal", O_WRONLY | O_CREAT | O_EXCL)
        {
            let bytes = ByteSource(descriptor: log.number, name: "The log")
            try write(to: logCopy) { () throws(ImportError) in try bytes.next() }
        }
        do throws(SQLiteError) {
            return try reader(Connection(path: path, access: .readWrite))
        } catch {
            throw .refused(
                "This SQLite database does not contain Firefox's bookmarks, or is damaged.",
                "Import places.sqlite of Firefox, or export the bookmarks as HTML.")
        }
    }

    private static func makeFile() throws(ImportError) -> TemporaryFile {
        do throws(Errno) {
            return try TemporaryFile(Environment.temporaryFolder + "/clips-places-")
        } catch {
            throw ImportError("No temporary file can be created in \(Environment.temporaryFolder): \(error).")
        }
    }

    private static func write(
        to file: borrowing FileDescriptor, _ next: () throws(ImportError) -> [UInt8]?
    ) throws(ImportError) {
        var count = 0
        while let piece = try next() {
            count += piece.count
            guard count <= maxBytes else {
                throw .refused(
                    "This database has more than \(ImportLimits.megabytes(maxBytes)).", "Export HTML.")
            }
            do throws(Errno) {
                try file.write(piece)
            } catch {
                throw ImportError(
                    "The database cannot be copied to \(Environment.temporaryFolder): \(error).")
            }
        }
    }

    private static func reader(_ database: consuming Connection) throws(SQLiteError) -> CollectedReader {
        // A view or a virtual table of these names has no page of its own.
        let tables = try database.prepare(
            """
            SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0
            AND name IN ('moz_bookmarks', 'moz_places')
            """)
        guard try tables.step(), tables.integer(0) == 2 else {
            throw SQLiteError(code: 26, message: "no bookmarks")
        }
        let keywords = texts(database, "SELECT place_id, keyword FROM moz_keywords")
        let notes = texts(
            database,
            """
            SELECT a.item_id, a.content FROM moz_items_annos a JOIN moz_anno_attributes n ON n.id = a.anno_attribute_id
            WHERE n.name = 'bookmarkProperties/description'
            """)
        let rows = try database.prepare(
            """
            SELECT b.id, b.parent, b.type, b.guid, b.title, p.url, b.dateAdded, b.lastModified, p.id
            FROM moz_bookmarks b LEFT JOIN moz_places p ON p.id = b.fk ORDER BY b.parent, b.position LIMIT \(maxItems)
            """)
        var children: [Int64: [(id: Int64, isFolder: Bool, members: [String: JSONValue])]] = [:]
        while try rows.step() {
            let guid = rows.text(3)
            var members: [String: JSONValue] = [
                "guid": .string(guid), "title": .string(rows.text(4)), "dateAdded": .integer(rows.integer(6)),
                "lastModified": .integer(rows.integer(7)), "typeCode": .integer(rows.integer(2)),
            ]
            if roots.contains(guid) { members["root"] = .string(guid) }
            if rows.integer(2) == 1 { members["uri"] = .string(rows.text(5)) }
            if rows.integer(2) == 3 { members["type"] = .string("separator") }
            if let keyword = keywords[rows.integer(8)] { members["keyword"] = .string(keyword) }
            if let note = notes[rows.integer(0)] {
                members["annos"] = .array([
                    .object(["name": .string("bookmarkProperties/description"), "value": .string(note)])
                ])
            }
            children[rows.integer(1), default: []].append((rows.integer(0), rows.integer(2) == 2, members))
        }
        func list(of parent: Int64, _ depth: Int) -> JSONValue {
            guard depth < maxDepth else { return .array([]) }
            return .array(
                (children[parent] ?? []).map { child in
                    guard child.isFolder, child.id != parent else { return .object(child.members) }
                    return .object(child.members.merging(["children": list(of: child.id, depth + 1)]) { $1 })
                })
        }
        var tree = JSONTree()
        tree.add(.object(["children": list(of: 0, 0)]), tags: [], isRoot: true)
        return CollectedReader("Firefox places.sqlite", tree.items, tree.unread)
    }

    /// Returns texts by numbers; empty in versions of Firefox without the table.
    private static func texts(_ database: borrowing Connection, _ sql: String) -> [Int64: String] {
        var texts: [Int64: String] = [:]
        guard let rows = try? database.prepare(sql) else { return [:] }
        while texts.count < maxItems, (try? rows.step()) == true { texts[rows.integer(0)] = rows.text(1) }
        return texts
    }
}
