import BrowserDriver
import Foundation
import TestSupport
import Testing

/// Steps that several tests take.
extension Browser {
    /// Clicks the button, and waits until the popup shows a state.
    func save(
        expecting state: String = "saved", sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try clickButton()
        let isShown = popupShows(state)
        #expect(
            isShown, "the popup shows \((try? popup("document.body.innerText")) ?? "nothing")",
            sourceLocation: sourceLocation)
    }

    func popupShows(_ state: String) -> Bool {
        eventually { (try? popup("document.body.dataset.state")) == state }
    }

    /// Types into a field of the popup.
    func type(_ text: String, into field: String) throws {
        let quoted = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        _ = try popup(
            """
            ((field) => {
                field.focus();
                field.value = \(quoted);
                field.dispatchEvent(new window.Event("input", { bubbles: true }));
            })(document.getElementById("\(field)"))
            """)
    }

    func submit() throws {
        _ = try? popup("document.getElementById('form').requestSubmit()")
    }

    /// Opens the panel, unless it is open, and waits for its list.
    func showPanel() throws {
        if (try? panel("document.readyState")) == nil { try openPanel() }
        #expect(panelShows("1", in: "String(+(document.querySelectorAll('#list .clip').length > 0))"))
    }

    /// Waits until an expression in the panel contains a text.
    func panelShows(_ text: String, in expression: String = "document.getElementById('list').innerText")
        -> Bool
    {
        eventually { (try? panel(expression))?.contains(text) == true }
    }

    /// Presses a key in the panel.
    func pressInPanel(_ key: String) throws {
        _ = try panel(
            "document.activeElement.dispatchEvent(new window.KeyboardEvent('keydown', { key: '\(key)', bubbles: true }))"
        )
    }
}

extension BrowserSession {
    /// The values of the clip with a URL, one text per clip.
    func clips(_ columns: String, at url: String) throws -> String {
        try clips.sqlite3("SELECT \(columns) FROM Clip WHERE url = '\(url)' ORDER BY id")
    }

    func waits(for value: String, of columns: String, at url: String) throws -> Bool {
        try eventually { try clips(columns, at: url) == value }
    }
}
