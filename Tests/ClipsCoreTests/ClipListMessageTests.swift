import ClipsCore
import PersistentStore
import SearchIndex
import Testing

@Suite struct ClipListMessageTests {
    @Test func `the progress of the index is a note, and a ready index has none`() {
        #expect(SearchIndexState.building(done: 40, total: 160).note == "search index 25%")
        #expect(SearchIndexState.building(done: 0, total: 0).note == "search index 0%")
        #expect(SearchIndexState.ready.note == "")
    }
}
