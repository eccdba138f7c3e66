import SQLite

/// A store with many clips, generated once and reused; figures copy it or only read it.
///
/// The rows are inserted without tracking, in few transactions, so that a million take seconds.
struct LargeStore {
    enum Texts: String {
        /// The newest and the oldest clips have titles that can be found on a screen.
        case marked
        /// All clips have realistic texts for a search.
        case realistic
    }

    let path: String
    let clips: Int

    /// The version of the generated data; raise it when the data changes.
    private static let edition = 3
    private static let markedTitles = 60
    private static let newestMillisecond: Int64 = 1_790_000_000_000
    private static let millisecondsBetween: Int64 = 60_000

    init(_ workspace: Workspace, clips: Int, _ texts: Texts = .marked) throws {
        self.clips = clips
        path = try SampleStore.reused(workspace, "\(texts)-\(Self.edition)-\(clips)") { path in
            try SampleStore.make(path, clips: 0, isTracked: false)
            try Self.fill(path, clips, texts)
        }
        // Opening it with the real model creates the triggers; figures copy only the file.
        try SampleStore.make(path, clips: 0)
        try SampleStore.checkpoint(path)
    }

    /// Returns the title of the clip at an index of the list, newest first. The marked titles differ in every
    /// column, so that a screen update contains them completely.
    func title(at index: Int) -> String { Self.title(at: index, of: clips) }

    private static func title(at index: Int, of clips: Int) -> String {
        if index < markedTitles { return "newest-\(index)-of-all" }
        if index >= clips - markedTitles { return "No. \(clips - index) FROM THE END" }
        return SampleClip.title(clips - index)
    }

    /// The titles of rows that are visible on 40 rows, regardless of the header and footer.
    var firstTitles: [String] { (0..<30).map(title(at:)) }

    /// Returns the time at which the clip at an index of the list was saved.
    static func created(at index: Int) -> Int64 { newestMillisecond - Int64(index) * millisecondsBetween }

    private static func fill(_ path: String, _ clips: Int, _ texts: Texts) throws {
        let connection = try SampleStore.generator(path)
        let sample = SampleText()
        for first in stride(from: 1, through: clips, by: 20_000) {
            try connection.execute("BEGIN IMMEDIATE")
            for number in first...min(clips, first + 19_999) {
                let isMarked = texts == .marked
                try connection.run(
                    """
                    INSERT INTO Clip (url, title, text, tags, author, unread, created, updated)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
                    """, isMarked ? SampleClip.url(number) : sample.url(number),
                    isMarked ? title(at: clips - number, of: clips) : sample.title(number),
                    isMarked ? SampleClip.text(number) : sample.text(number),
                    isMarked ? SampleClip.tags(number) : sample.tags(number),
                    number % 3 == 0 ? "app" : "extension", number % 2, created(at: clips - number))
            }
            try connection.execute("COMMIT")
        }
    }
}
