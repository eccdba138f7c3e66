import ClipsCore
import Platform

/// Saved searches.
extension AppState {
    mutating func show(_ filters: FilterMemory?) {
        guard let filters else { return }
        typing.filters = filters
        sidebar.invalidate()
    }

    mutating func saveSearch(_ name: String) {
        let search = SavedSearch(name: name, query: list.query)
        remember(.saved(search))
        report("Saved as “\(search.name)”; \(keys.name(of: .searches)) lists the saved searches.")
    }

    mutating func showSearch(_ name: String) {
        guard let search = search(named: name) else { return }
        show(search.query)
    }

    mutating func removeSearch(_ name: String) {
        guard let search = search(named: name) else { return }
        remember(.removed(name: search.name))
        report("Removed the search “\(search.name)”.")
    }

    private mutating func remember(_ change: FilterMemory.Change) {
        typing.filters.apply(change)
        sidebar.invalidate()
        emit(.remember(change))
    }

    private mutating func search(named name: String) -> SavedSearch? {
        let searches = typing.filters.searches
        if let search = searches.first(where: { $0.name == name }) { return search }
        let near = Suggestion.nearest(to: name, in: searches.map(\.name)).map { " Did you mean “\($0)”?" }
        report("There is no search of this name.\(near ?? "")", isError: true)
        return nil
    }
}
