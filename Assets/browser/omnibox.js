// The keyword `cl` of the address bar: suggestions from the store.
import { api, isFirefox, isSavable } from "./api.js";
import { ask } from "./port.js";
import { openPage } from "./windows.js";

/** Chromium reads a description as XML, Firefox as text. */
const plain = (text) =>
  isFirefox ? text : text.replace(/[<>&'"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
/** Without control characters, which are not valid in XML. */
const line = (text) => plain(text.replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]+/g, " ").trim());

export function handle() {
  api.omnibox.setDefaultSuggestion({ description: "Search your clips" });
  api.omnibox.onInputChanged.addListener(async (query, suggest) => {
    if (!query.trim()) return;
    try {
      const { clips } = await ask("search", { query, limit: 20 });
      const pages = clips.filter((clip) => isSavable(clip.url)).slice(0, 8);
      suggest(pages.map(({ url, title }) => ({ content: url, description: line(title || url) })));
    } catch (error) {
      suggest([]);
      api.omnibox.setDefaultSuggestion({ description: line(error.message) });
    }
  });
  api.omnibox.onInputEntered.addListener((text, disposition) => {
    const list = api.runtime.getURL(`panel.html?${new URLSearchParams({ q: text })}`);
    if (isSavable(text)) openPage(text, disposition);
    else api.tabs.update({ url: list });
  });
}
