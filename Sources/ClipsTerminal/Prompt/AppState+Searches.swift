import ClipsCore
import Platform

/// Saved searches.
extension AppState {
    mutating func show(_ filters: FilterMemory?) {
        if let filters {
            typing.filters = filters
        }
        if typing.awaitedQuestion == .searches { emit(.loadNames) }
    }

    /// Opens the menu of the saved searches, the tags, and the sites, which are read for it: another window may have saved some.
    mutating func requestSearches() {
        typing.awaitedQuestion = .searches
        emit(.loadFilters)
    }

    mutating func show(_ names: KnownNames) {
        typing.names = names
        guard opens(.searches) else { return }
        guard !typing.filters.searches.isEmpty || !names.tags.isEmpty || !names.sites.isEmpty else {
            return report("There are no saved searches; ':save NAME' saves the filter.")
        }
        menu = .searches(
            typing.filters.searches, tags: names.distinctTags, sites: names.sites, settings.config.sort)
    }

    mutating func saveSearch(_ name: String) {
        let search = SavedSearch(name: name, query: list.query)
        let isKnown = typing.filters.searches.contains { $0.name == search.name }
        remember(.saved(search))
        let change = isKnown ? "Replaced the search “\(search.name)”" : "Saved as “\(search.name)”"
        report("\(change); \(keys.name(of: .searches)) lists the saved searches.")
    }

    mutating func showSearch(_ name: String) {
        guard let search = search(named: name) else { return }
        show(search.query)
    }

    mutating func removeSearch(_ name: String) {
        guard let search = search(named: name) else { return }
        remember(.removed(name: search.name))
        report("Removed the search “\(search.name)”")
    }

    private mutating func remember(_ change: FilterMemory.Change) {
        typing.filters.apply(change)
        emit(.remember(change))
    }

    private mutating func search(named name: String) -> SavedSearch? {
        let searches = typing.filters.searches
        if let search = searches.first(where: { $0.name == name }) { return search }
        let near = Suggestion.nearest(to: name, in: searches.map(\.name)).map { " Did you mean “\($0)”?" }
        report("There is no saved search “\(name)”.\(near ?? "")", isError: true)
        return nil
    }
}
