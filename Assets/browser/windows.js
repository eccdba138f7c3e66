// Opens the list and pages, at the usual position of each browser.
import { api, isFirefox, isSavable } from "./api.js";

/** Opens the side panel or the sidebar. Must be called by the user's action itself, before an `await`. */
export function openPanel(windowId) {
  if (isFirefox) return api.sidebarAction.open();
  return api.sidePanel.open({ windowId });
}

/** Opens a clip's page, if it has one that may be opened. */
export function openPage(url, disposition = "currentTab") {
  if (!isSavable(url)) return;
  if (disposition === "currentTab") return api.tabs.update({ url });
  return api.tabs.create({ url, active: disposition === "newForegroundTab" });
}
