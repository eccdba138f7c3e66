// The text on the toolbar button: the outcome of a save for a moment, the number of waiting clips, or, as an option, a
// mark on saved pages.
import { api, isSavable } from "./api.js";
import { ask } from "./port.js";

const COLORS = { good: "#0f766e", waiting: "#b45309", bad: "#b91c1c" };
let waiting = 0;
// The ends of the shown outcomes, by tab.
const ends = new Map();

export function showWaiting(clips) {
  waiting = clips.length;
  api.action.setBadgeBackgroundColor({ color: COLORS.waiting });
  api.action.setBadgeText({ text: waiting ? String(waiting) : "" });
}

/** Shows the outcome on a tab's button for a moment. */
export function flash(tab, kind, sentence) {
  const tabId = tab.id;
  mark(tabId, kind === "good" ? "✓" : kind === "waiting" ? String(waiting) : "!", COLORS[kind]);
  api.action.setTitle({ tabId, title: sentence });
  clearTimeout(ends.get(tabId));
  ends.set(tabId, setTimeout(() => {
    ends.delete(tabId);
    mark(tabId, null, COLORS.waiting);
    api.action.setTitle({ tabId, title: api.runtime.getManifest().action.default_title }).catch(() => {});
    markSaved(tabId);
  }, 2_000));
}

function mark(tabId, text, color) {
  // The tab may have been closed.
  api.action.setBadgeBackgroundColor({ tabId, color }).catch(() => {});
  api.action.setBadgeText({ tabId, text }).catch(() => {});
}

let marking = api.storage.local.get("marking").then(({ marking = false }) => marking);

/** Starts or stops marking saved pages. */
export async function setMarking(isOn) {
  marking = Promise.resolve(isOn);
  await api.storage.local.set({ marking: isOn });
  if (isOn) return markActive();
  for (const tab of await api.tabs.query({ active: true })) mark(tab.id, null, COLORS.waiting);
}

/** Updates the mark of the visible pages. */
export async function markActive() {
  if (!(await marking)) return;
  for (const tab of await api.tabs.query({ active: true })) markSaved(tab.id);
}

// Added while the background starts; the browser does not start it for listeners that are added later.
api.tabs.onActivated.addListener(({ tabId }) => markSaved(tabId));
api.tabs.onUpdated.addListener((tabId, change) => change.status === "complete" && markSaved(tabId));

/** Marks a saved page; never in a private window. The question goes to the host on this machine only. */
async function markSaved(tabId) {
  try {
    if (!(await marking)) return;
    const tab = await api.tabs.get(tabId);
    if (tab.incognito || !isSavable(tab.url)) return;
    const { clips } = await ask("has", { urls: [tab.url] });
    if (clips[0]) mark(tabId, "●", COLORS.good);
    else mark(tabId, null, COLORS.waiting);
  } catch {
    // The tab was closed, or the host is missing.
  }
}
