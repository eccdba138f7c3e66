import Foundation
import TestSupport
import Testing

/// Programs of Python that print the clips of a store, a line each, to compare with a salvage.
enum SalvageScans {
    /// Prints each clip that can be read by its ID and has values of its columns' kinds. A version below 1 is damage too,
    /// and counts as 1.
    private static let idScript = """
        import sqlite3, sys
        store = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
        store.text_factory = bytes
        store.execute("PRAGMA writable_schema = ON")
        names = ["id", "version", "uuid", "url", "title", "text", "note", "tags", "author", "starred", "unread",
            "created", "updated", "archived", "link"]
        kinds = [int, int] + [bytes] * 7 + [int] * 5 + [bytes]
        query = "SELECT " + ", ".join(names) + " FROM Clip NOT INDEXED WHERE id = ?"
        for id in range(1, int(sys.argv[2])):
            try:
                row = store.execute(query, (id,)).fetchone()
            except sqlite3.Error:
                continue
            if row and [type(value) for value in row] == kinds:
                print(repr((row[0], max(1, row[1])) + row[2:]))
        """

    /// Prints each row of a clip's shape on any leaf page, of several the one with the highest version: every intact
    /// row of a damaged file, found without its header, schema, and trees (sqlite.org/fileformat2.html).
    private static let pageScript = """
        import sys
        data, size = open(sys.argv[1], "rb").read(), 4096
        def varint(page, at):
            value = 0
            for length in range(1, 10):
                byte = page[at + length - 1]
                if length == 9:
                    value = value << 8 | byte
                    return (value - (1 << 64) if value >> 63 else value), 9
                value = value << 7 | byte & 127
                if byte < 128:
                    return value, length
        def record(page, at):
            total, first = varint(page, at)
            id, second = varint(page, at + first)
            at += first + second
            least = (size - 12) * 32 // 255 - 23
            stays = least + (total - least) % (size - 4)
            stays = total if total <= size - 35 else stays if stays <= size - 35 else least
            body = page[at:at + stays]
            next = int.from_bytes(page[at + stays:at + stays + 4], "big") if stays < total else 0
            while len(body) < total:
                assert 0 < next <= len(data) // size
                more = data[(next - 1) * size:next * size]
                body, next = body + more[4:4 + total - len(body)], int.from_bytes(more[:4], "big")
            end, at = varint(body, 0)
            offset, values = end, []
            while at < end:
                type, length = varint(body, at)
                at += length
                bytes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] if type < 10 else (type - 12) // 2
                part, offset = body[offset:offset + bytes], offset + bytes
                values.append(
                    None if type == 0 else type - 8 if type in (8, 9)
                    else int.from_bytes(part, "big", signed=True) if type < 7 else part)
            assert at == end and offset == total
            return id, values
        kinds, rows = [int] + [bytes] * 7 + [int] * 5 + [bytes], {}
        for number in range(len(data) // size):
            page, start = data[number * size:(number + 1) * size], 0 if number else 100
            if page[start] != 13:
                continue
            for cell in range(int.from_bytes(page[start + 3:start + 5], "big")):
                try:
                    at = start + 8 + 2 * cell
                    id, values = record(page, int.from_bytes(page[at:at + 2], "big"))
                    if values[0] is None and [type(value) for value in values[1:]] == kinds:
                        if id not in rows or rows[id][0] < values[1]:
                            rows[id] = values[1:]
                except (AssertionError, IndexError, TypeError):
                    pass
        for id, values in sorted(rows.items()):
            print(repr((id, max(1, values[0])) + tuple(values[1:])))
        """

    /// Above each ID of a store to salvage.
    private static let end = LongProof.isWhole ? 22_000 : 2200

    static func byID(_ path: String) throws -> Set<String> { try rows(idScript, path) }

    static func byPage(_ path: String) throws -> Set<String> { try rows(pageScript, path) }

    private static func rows(_ script: String, _ path: String) throws -> Set<String> {
        let run = try Shell.run("python3", ["-c", script, path, "\(end)"])
        #expect(run.status == 0, "\(run.errors)")
        return Set(run.output.split(separator: "\n").map(String.init))
    }
}
