/// Triggers of other projects on the table `page` of CAPTURE, as their own generators print them.
struct CapturePeer: Sendable {
    let name: String
    /// Whether it records whole rows; otherwise only which rows changed.
    let hasRows: Bool
    let sql: String

    static let all = [
        CapturePeer(
            name: "plain AFTER triggers", hasRows: true,
            sql: """
                CREATE TABLE audit (id INTEGER PRIMARY KEY, op TEXT, at INTEGER, before TEXT, after TEXT);
                CREATE TRIGGER i AFTER INSERT ON page BEGIN
                INSERT INTO audit (op, at, after) VALUES ('c', unixepoch(), \(row("NEW"))); END;
                CREATE TRIGGER u AFTER UPDATE ON page BEGIN
                INSERT INTO audit (op, at, before, after) VALUES ('u', unixepoch(), \(row("OLD")), \(row("NEW"))); END;
                CREATE TRIGGER d AFTER DELETE ON page BEGIN
                INSERT INTO audit (op, at, before) VALUES ('d', unixepoch(), \(row("OLD"))); END
                """),
        CapturePeer(
            name: "honker's stream", hasRows: true,
            sql: """
                CREATE TABLE _honker_stream (offset INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, key TEXT,
                payload TEXT NOT NULL, created_at INTEGER NOT NULL DEFAULT (unixepoch()));
                CREATE INDEX _honker_stream_topic ON _honker_stream(topic, offset);
                CREATE TRIGGER i AFTER INSERT ON page BEGIN INSERT INTO _honker_stream (topic, key, payload)
                VALUES ('page', new.id, json_object('after', \(row("NEW")))); END;
                CREATE TRIGGER u AFTER UPDATE ON page BEGIN INSERT INTO _honker_stream (topic, key, payload)
                VALUES ('page', new.id, json_object('before', \(row("OLD")), 'after', \(row("NEW")))); END;
                CREATE TRIGGER d AFTER DELETE ON page BEGIN INSERT INTO _honker_stream (topic, key, payload)
                VALUES ('page', old.id, json_object('before', \(row("OLD")))); END
                """),
        CapturePeer(
            name: "audite 0.4.5", hasRows: true,
            sql: """
                CREATE TABLE audite_changefeed (id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL,
                subject TEXT NOT NULL, type TEXT NOT NULL, time INTEGER NOT NULL DEFAULT (strftime('%s')),
                specversion TEXT NOT NULL, data JSON);
                CREATE INDEX audite_changefeed_source_subject_id_idx ON audite_changefeed (source, subject, id);
                CREATE INDEX audite_changefeed_time_id_idx ON audite_changefeed (time, id);
                \(audite("INSERT", "created", "NEW", "'new', \(auditedRow("NEW"))"))
                \(audite("UPDATE", "updated", "NEW", "'new', \(auditedRow("NEW")), 'old', \(auditedRow("OLD"))"))
                \(audite("DELETE", "deleted", "OLD", "'old', \(auditedRow("OLD"))"))
                """),
        CapturePeer(
            name: "sqlite-history 0.1", hasRows: true,
            sql: """
                CREATE TABLE _page_history (_rowid INTEGER, id INTEGER, url TEXT, title TEXT, rank REAL,
                _version INTEGER, _updated INTEGER, _mask INTEGER);
                CREATE INDEX idx_page_history_rowid ON _page_history (_rowid);
                CREATE TRIGGER page_insert_history AFTER INSERT ON page BEGIN
                INSERT INTO _page_history (_rowid, id, url, title, rank, _version, _updated, _mask)
                VALUES (new.rowid, new.id, new.url, new.title, new.rank, 1, \(now), 15); END;
                CREATE TRIGGER page_update_history AFTER UPDATE ON page BEGIN
                INSERT INTO _page_history (_rowid, id, url, title, rank, _version, _updated, _mask)
                SELECT old.rowid, \(columns.map { "CASE WHEN old.\($0) != new.\($0) then new.\($0) else null end" }.joined(separator: ", ")),
                (SELECT MAX(_version) FROM _page_history WHERE _rowid = old.rowid) + 1, \(now),
                \(columns.enumerated().map { "(CASE WHEN old.\($1) != new.\($1) then \(1 << $0) else 0 end)" }.joined(separator: " + "))
                WHERE \(columns.map { "old.\($0) != new.\($0)" }.joined(separator: " or ")); END;
                CREATE TRIGGER page_delete_history AFTER DELETE ON page BEGIN
                INSERT INTO _page_history (_rowid, id, url, title, rank, _version, _updated, _mask)
                VALUES (old.rowid, old.id, old.url, old.title, old.rank,
                (SELECT COALESCE(MAX(_version), 0) from _page_history WHERE _rowid = old.rowid) + 1, \(now), -1); END
                """),
        CapturePeer(
            name: "sqlite-chronicle 0.6.1", hasRows: false,
            sql: """
                CREATE TABLE _chronicle_page (id INTEGER, __added_ms INTEGER, __updated_ms INTEGER, __version INTEGER,
                __deleted INTEGER DEFAULT 0, PRIMARY KEY(id));
                CREATE INDEX _chronicle_page__version_idx ON _chronicle_page(__version);
                CREATE TABLE _chroniclesnapshots (table_name TEXT, key TEXT, value TEXT, PRIMARY KEY(table_name, key));
                CREATE TRIGGER chronicle_page_bi BEFORE INSERT ON page WHEN EXISTS(SELECT 1 FROM page WHERE id=NEW.id)
                BEGIN INSERT OR REPLACE INTO _chroniclesnapshots(table_name, key, value) VALUES('page',
                CAST(NEW.id AS TEXT), (SELECT json_array(quote(url), quote(title), quote(rank)) FROM page WHERE id=NEW.id));
                END;
                CREATE TRIGGER chronicle_page_ai AFTER INSERT ON page BEGIN
                UPDATE _chronicle_page SET __added_ms = \(now), __updated_ms = \(now), __version = \(nextVersion),
                __deleted = 0 WHERE id=NEW.id AND __deleted = 1;
                UPDATE _chronicle_page SET __updated_ms = \(now), __version = \(nextVersion)
                WHERE id=NEW.id AND __deleted = 0 AND EXISTS(\(snapshot("1", "NEW")))
                AND json_array(quote(NEW.url), quote(NEW.title), quote(NEW.rank)) IS NOT (\(snapshot("value", "NEW")));
                DELETE FROM _chroniclesnapshots WHERE table_name = 'page' AND key = CAST(NEW.id AS TEXT);
                INSERT INTO _chronicle_page(id, __added_ms, __updated_ms, __version, __deleted)
                SELECT NEW.id, \(now), \(now), \(nextVersion), 0
                WHERE NOT EXISTS(SELECT 1 FROM _chronicle_page WHERE id=NEW.id); END;
                CREATE TRIGGER chronicle_page_au AFTER UPDATE ON page
                WHEN OLD.url IS NOT NEW.url OR OLD.title IS NOT NEW.title OR OLD.rank IS NOT NEW.rank BEGIN
                UPDATE _chronicle_page SET __updated_ms = \(now), __version = \(nextVersion) WHERE id=NEW.id; END;
                CREATE TRIGGER chronicle_page_ad AFTER DELETE ON page WHEN NOT EXISTS(\(snapshot("1", "OLD"))) BEGIN
                UPDATE _chronicle_page SET __updated_ms = \(now), __version = \(nextVersion), __deleted = 1
                WHERE id=OLD.id; END
                """),
    ]

    private static let columns = ["id", "url", "title", "rank"]
    private static let now = "CAST((julianday('now') - 2440587.5) * 86400 * 1000 AS INTEGER)"
    private static let nextVersion = "COALESCE((SELECT MAX(__version) FROM _chronicle_page), 0) + 1"

    private static func row(_ prefix: String) -> String {
        "json_object(\(columns.map { "'\($0)', \(prefix).\($0)" }.joined(separator: ", ")))"
    }

    private static func auditedRow(_ prefix: String) -> String {
        let values = columns.map {
            "'\($0)', CASE WHEN typeof(\(prefix).\($0)) = 'blob' THEN hex(\(prefix).\($0)) ELSE \(prefix).\($0) END"
        }
        return "json_object(\(values.joined(separator: ", ")))"
    }

    private static func audite(_ event: String, _ type: String, _ row: String, _ data: String) -> String {
        """
        CREATE TRIGGER audite_\(type) AFTER \(event) ON page BEGIN
        INSERT INTO audite_changefeed (source, subject, type, specversion, data)
        VALUES ('page', \(row).id, 'page.\(type)', '1.0', json_object(\(data))); END;
        """
    }

    private static func snapshot(_ column: String, _ row: String) -> String {
        "SELECT \(column) FROM _chroniclesnapshots WHERE table_name = 'page' AND key = CAST(\(row).id AS TEXT)"
    }
}
