// The extension's only connection to the host: answers the popup and the panel, menus, and the address bar.
import { api, isSavable } from "./api.js";
import * as button from "./button.js";
import * as capture from "./capture.js";
import * as menus from "./menus.js";
import * as omnibox from "./omnibox.js";
import * as port from "./port.js";
import * as queue from "./queue.js";
import { openPanel } from "./windows.js";

// The requests of the popup and the panel: those that the host answers, and the background's own.
const FORWARDED = ["update", "delete", "restore", "search", "tags", "list"];
const OWN = {
  savePage: async ({ tab }) => takeClicked(tab) ?? savePage(await api.tabs.get(tab)),
  waiting: async () => ({ clips: await queue.list() }),
  amend: ({ uuid, changes }) => queue.amend(uuid, changes),
  discard: ({ uuid }) => queue.discard(uuid),
  pageText: async ({ uuid }) => ({ sentence: (await texts.get(uuid)) ?? "" }),
};

// The sentences about the texts of pages that were not saved, by the UUID of the clip.
const texts = new Map();

const isOwn = (sender) => sender?.id === api.runtime.id;

api.runtime.onMessage.addListener((message, sender, reply) => {
  if (!isOwn(sender)) return false;
  const { type, ...fields } = message;
  const answer = async () => (Object.hasOwn(OWN, type) ? OWN[type](fields) : forward(type, fields));
  answer().then(reply, ({ code = "failed", message }) => reply({ error: { code, message } }));
  return true;
});

async function forward(type, fields) {
  if (!FORWARDED.includes(type)) throw new Error("Unknown request.");
  const answer = await port.ask(type, fields);
  if (type === "delete" || type === "restore") button.markActive();
  return answer;
}

/** Saves the page of a tab, or its selection. Without a host, returns the clip that waits. */
async function savePage(tab) {
  if (!isSavable(tab.url)) {
    throw new port.HostError({ code: "invalid", message: "Only web pages and files can be saved." });
  }
  const clip = await capture.page(tab);
  try {
    const [answer] = await queue.save([clip]);
    button.markActive();
    addText(clip, tab);
    return answer;
  } catch (error) {
    const waiting = (await queue.list()).find(({ uuid }) => uuid === clip.uuid);
    if (!waiting) throw error;
    addText(clip, tab);
    return { waiting, reason: { code: error.code, message: error.message } };
  }
}

/** Sends the markup of the page of a saved clip, from which the host reads the text. A selection is the text itself. */
function addText(clip, tab) {
  if (clip.text || clip.url !== tab.url || tab.incognito) return;
  const result = sendText(clip, tab).then(
    (reason) => reason && `Only the address and title are saved: ${reason}`, ({ message }) => message);
  texts.set(clip.uuid, result);
  setTimeout(() => texts.get(clip.uuid) === result && texts.delete(clip.uuid), 10_000);
}

async function sendText({ uuid, url }, tab) {
  const { texts = true } = await api.storage.local.get("texts");
  if (!texts) return "";
  const { html, reason } = await capture.markup(tab);
  return reason ?? queue.savePage({ uuid, url, html });
}

// A click saves immediately. The popup takes longer to open, and shows the result. Before the background has started for
// the first time, a click opens the popup, which requests the save.
api.action.setPopup({ popup: "" });
const clicked = new Map(); // The saves of clicks whose popup opens, by tab.

api.action.onClicked.addListener(async (tab) => {
  const result = savePage(tab);
  result.catch(() => {}); // The popup shows it.
  clicked.set(tab.id, result);
  try {
    // Before the first `await`, while the browser knows of the click.
    api.action.setPopup({ popup: "popup.html" });
    await api.action.openPopup();
  } catch {
    // Chromium before 127.
    result.then(
      ({ isNew, reason }) => button.flash(tab, reason ? "waiting" : "good", reason?.message ?? (isNew ? "Saved." : "Already saved.")),
      ({ message }) => button.flash(tab, "bad", message));
  }
  api.action.setPopup({ popup: "" });
  setTimeout(() => clicked.get(tab.id) === result && clicked.delete(tab.id), 10_000);
});

function takeClicked(tab) {
  const result = clicked.get(tab);
  clicked.delete(tab);
  return result;
}

/** Saves clips from a menu, and shows the outcome on the button. */
async function saveFromMenu(clips, tab) {
  const savable = clips.filter((clip) => isSavable(clip.url));
  if (savable.length === 0) return button.flash(tab, "bad", "Only http, https, and file URLs can be saved.");
  try {
    const answers = await queue.save(savable);
    const count = answers.filter((answer) => answer.isNew).length;
    const sentence = count === 1 ? "Saved." : count > 1 ? `Saved ${count} clips.` : "Already saved.";
    button.flash(tab, "good", sentence);
    addText(savable[0], tab);
  } catch (error) {
    const isWaiting = (await queue.list()).some(({ uuid }) => uuid === savable[0].uuid);
    if (isWaiting) addText(savable[0], tab);
    button.flash(tab, isWaiting ? "waiting" : "bad", error.message);
  }
}

// Panels hold the connection, and get the host's pushes.
const panels = new Set();
const push = (message) => panels.forEach((panel) => panel.postMessage(message));

api.runtime.onConnect.addListener((panel) => {
  if (!isOwn(panel.sender)) return panel.disconnect();
  panels.add(panel);
  panel.onDisconnect.addListener(() => {
    panels.delete(panel);
    port.release();
  });
  port.hold();
});

port.events.push = push;
port.events.up = () => {
  queue.flush();
  push({ type: "refresh" });
};
port.events.down = ({ code, message }) => push({ type: "down", error: { code, message } });
queue.events.change = (clips) => {
  button.showWaiting(clips);
  push({ type: "waiting", clips });
};

menus.handle({ save: saveFromMenu, setMarking: button.setMarking, setTexts: (texts) => api.storage.local.set({ texts }) });
omnibox.handle();
api.runtime.onInstalled.addListener(menus.create);
api.runtime.onStartup.addListener(() => queue.flush());
api.commands.onCommand.addListener((name, tab) => name === "open-panel" && openPanel(tab?.windowId));
