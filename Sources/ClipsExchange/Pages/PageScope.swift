/// The elements around a part of a page, which show whether a header, a footer, or an aside belongs to the content.
struct PageScope {
    /// Whether the part is in an article, or in the chosen content.
    var isInContent = false
    /// Whether it is in an element that declares content.
    private(set) var isInMain = false
    private(set) var isInArticle = false
    /// Whether it is in the element with the paragraphs of a post.
    private(set) var isInPost = false
    /// Whether it is in an element with headers and footers of its own.
    private(set) var isInSection = false
    /// Whether the whole is the content of a page.
    private(set) var isPart = false

    /// Whether another program chose the part, so that no link in it is left out.
    private(set) var isChosen = false
    /// Whether it is in an element that is retained for a link in it.
    private(set) var isRetained = false

    /// The scope of a part of a page that is content as a whole.
    static let content = PageScope(
        isInContent: true, isInMain: true, isInArticle: true, isInSection: true, isPart: true)

    /// The scope of an article that another program has found in a page.
    static let chosen = {
        var scope = content
        scope.isChosen = true
        return scope
    }()

    /// Returns the scope of the children of an element in the content.
    ///
    /// - Parameter isFrame: Whether the element has parts of the page around a post.
    func entering(_ node: HTMLDocument.Node, isFrame: Bool) -> PageScope {
        var scope = entering(node)
        guard node.name != "body", !scope.isInContent || !scope.isInPost else { return scope }
        if PostFlow.isIn(node) { scope.isInPost = true }
        if scope.isInPost || !isFrame { scope.isInContent = true }
        return scope
    }

    /// Returns the scope of the children of an element.
    func entering(_ node: HTMLDocument.Node) -> PageScope {
        var scope = self
        let name = node.name
        if Boilerplate.content.contains(name) || node.hasAttributes && node["role"] == "main" {
            (scope.isInContent, scope.isInMain) = (true, true)
        }
        if name == "article" { scope.isInArticle = true }
        if isChosen, !isRetained, Boilerplate.isAround(node, in: self) { scope.isRetained = true }
        if scope.isInMain || Self.sections.contains(name) { scope.isInSection = true }
        return scope
    }

    /// Whether an element is outside of the content by its name.
    func omits(_ name: String) -> Bool {
        switch name {
        case "nav": !isPart
        case "dialog": true
        case "header": !isInContent && !isInSection
        case "footer": !isInSection
        case "aside": !isInMain
        default: false
        }
    }

    private static let sections: Set = ["section", "blockquote", "figure", "details"]
}
