package import Foundation

/// A running browser with the extension, driven as a user drives it: its toolbar button, popup, panel, menus, and
/// address bar. The expressions are JavaScript; their results are texts.
package protocol Browser: Sendable {
    var kind: BrowserKind { get }
    /// Loads a page in the first tab.
    func open(_ url: String) throws
    /// Evaluates an expression in the page of the first tab.
    func page(_ expression: String) throws -> String
    /// Loads another extension, and returns its ID.
    func install(_ folder: String) throws -> String
    /// Clicks the toolbar button of an extension, and returns the time of the click.
    func clickButton(of id: String) throws -> Date
    /// Evaluates an expression in the open popup.
    func popup(_ expression: String) throws -> String
    func closePopup() throws
    /// Opens the list of clips, in the panel or in a tab.
    func openPanel() throws
    func panel(_ expression: String) throws -> String
    /// Chooses an item of the extension's menu for an element of the page.
    func chooseMenuItem(_ item: MenuItem, on selector: String) throws
    /// Chooses an item of the menu of the toolbar button.
    func chooseButtonItem(_ item: ButtonItem) throws
    /// The text on the toolbar button of the first tab.
    func buttonText() throws -> String
    /// Ends the background, as the browser does when it is idle.
    func endBackground() throws
    /// Returns the suggestions of the address bar for `cl` and words.
    func suggestions(for words: String) throws -> String
    /// Ends the browser, and returns when its process has exited.
    func quit()
}

extension Browser {
    /// Clicks the toolbar button, which opens the popup, and returns before the popup is loaded.
    package func clickButton() throws {
        // A click on the button of an open popup closes it.
        try closePopup()
        _ = try clickButton(of: kind.extensionID)
    }
}

/// The items of the extension's menu of a page.
package enum MenuItem: String, Sendable {
    case page, selection, quote, link, image
}

/// The items of the extension's menu of its toolbar button.
package enum ButtonItem: Sendable {
    case tabs
    case marking(Bool)
    case texts(Bool)
}

package struct BrowserError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
