import ClipsCore
import PersistentStore
import SearchIndex
import Testing

@Suite struct ClipListMessageTests {
    @Test func `the progress of the index is a note, and a ready index has none`() {
        #expect(ClipListMessage.indexing(.building(done: 40, total: 160)).indexingNote == "search index 25%")
        #expect(ClipListMessage.indexing(.building(done: 0, total: 0)).indexingNote == "search index 0%")
        #expect(ClipListMessage.indexing(.ready).indexingNote == "")
        #expect(ClipListMessage.reached(3).indexingNote == nil)
    }
}
