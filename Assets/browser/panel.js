// The list of clips in the side panel or the sidebar: live, searched, and used from the keyboard.
import { api, request } from "./api.js";
import { name } from "./format.js";
import { ClipList, waitingRow } from "./list.js";
import { showMissing } from "./missing.js";
import { openPage } from "./windows.js";

const PAGE = 100;
const FOUND = 200;
const by = (id) => document.getElementById(id);
const list = new ClipList(by("list"));
const deleted = []; // The deletions of this panel, for undo.
let next = null; // The cursor of the next page.
let loads = 0;
let waiting = [];

const query = () => by("query").value.trim();

/** Loads the first page, or the best matches. */
async function load() {
  const load = ++loads;
  try {
    const answer = query()
      ? await request("search", { query: query(), limit: FOUND })
      : await request("list", { limit: PAGE });
    if (load !== loads) return;
    next = answer.next ?? null;
    list.replace(answer.clips);
    connected(answer);
  } catch (error) {
    if (load === loads) failed(error);
  }
}

async function loadMore() {
  if (!next) return;
  const [load, before] = [loads, next];
  next = null;
  try {
    const answer = await request("list", { before, limit: PAGE });
    if (load !== loads) return;
    list.append(answer.clips);
    next = answer.next ?? null;
  } catch (error) {
    failed(error);
  }
}

function connected({ count, more = false }) {
  const found = list.count;
  by("missing").hidden = true;
  by("problem").hidden = true;
  by("empty").hidden = found > 0;
  by("empty").textContent = query()
    ? "No clip matches."
    : "No clips yet. Save a page with the toolbar button, or from the shell: they appear here immediately.";
  by("state").dataset.live = true;
  by("state").textContent = query() ? `${more ? "First " : ""}${plural(found, "match", "matches")}` : plural(count, "clip", "clips");
}

const plural = (count, one, many) => `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

function failed(error) {
  by("state").dataset.live = false;
  by("problem").hidden = error.code === "missing";
  if (error.code === "missing") {
    showMissing(by("missing"), error, waiting.length);
    by("empty").hidden = true;
    by("state").textContent = "Not connected";
  } else {
    by("problem").textContent = error.message;
  }
}

/** Applies the host's push of a commit, by any process. */
function changed({ clips, deleted, count }) {
  if (query()) return load();
  for (const id of deleted) list.remove(id);
  for (const clip of clips) list.patch(clip, !next);
  connected({ count });
}

function showWaiting(clips) {
  waiting = clips;
  by("waiting").replaceChildren(...clips.map((clip) => waitingRow(clip, ({ uuid }) => request("discard", { uuid }))));
}

// Actions

function open(item, disposition) {
  const { url } = item.clip;
  const opened = openPage(url, disposition);
  if (opened) opened.catch(() => notice("The browser does not open this URL from an extension."));
  else item.classList.toggle("open");
}

async function remove(item) {
  try {
    await request("delete", { clips: [item.clip.id] });
    list.remove(item.clip.id);
    deleted.push(item.clip.id);
    notice(`Deleted “${name(item.clip)}”`);
  } catch (error) {
    failed(error);
  }
}

async function undo() {
  const id = deleted.pop();
  if (id === undefined) return;
  try {
    await request("restore", { clips: [id] });
    notice("");
  } catch (error) {
    deleted.push(id);
    failed(error);
  }
}

function notice(text) {
  by("notice").textContent = text;
  by("notice").hidden = !text;
  by("undo").hidden = deleted.length === 0;
}

const focusQuery = () => by("query").select();

// The app's keys, where no text is typed.
const KEYS = {
  ArrowDown: () => list.move(1), j: () => list.move(1), ArrowUp: () => list.move(-1), k: () => list.move(-1),
  Home: () => list.move(-Infinity), g: () => list.move(-Infinity), End: () => list.move(Infinity), G: () => list.move(Infinity),
  Enter: (item) => open(item), o: (item) => open(item, "newForegroundTab"),
  Delete: remove, d: remove, u: undo, "/": focusQuery,
};

document.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  const isTyping = target === by("query");
  if (isTyping) {
    if (key === "ArrowDown" || key === "Enter") list.move(0);
    else return;
  } else if ((ctrlKey || metaKey) && key === "z") {
    undo();
  } else if (ctrlKey || metaKey || altKey || (target.closest("button") && key === "Enter")) {
    return;
  } else if (Object.hasOwn(KEYS, key) && (list.current || [undo, focusQuery].includes(KEYS[key]))) {
    KEYS[key](list.current);
  } else if (key === "ArrowUp" || key === "ArrowDown") {
    list.move(0);
  } else {
    return;
  }
  event.preventDefault();
});

by("list").addEventListener("click", (event) => {
  const item = event.target.closest(".clip");
  if (event.target.closest(".delete")) return remove(item);
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(item);
});
by("undo").addEventListener("click", undo);

let typed = 0;
by("query").addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(load, 80);
});
new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && loadMore(), {
  rootMargin: "600px",
}).observe(by("more"));

/** Receives pushes. When the browser ends the background, this starts it again. */
function connect() {
  const port = api.runtime.connect({ name: "panel" });
  port.onMessage.addListener((message) => {
    if (message.type === "changed") changed(message);
    else if (message.type === "refresh") load();
    else if (message.type === "waiting") showWaiting(message.clips);
    else if (message.type === "down") failed(message.error);
  });
  port.onDisconnect.addListener(() => setTimeout(connect, 500));
}

by("query").value = new URLSearchParams(location.search).get("q") ?? "";
connect();
request("waiting").then(({ clips }) => showWaiting(clips));
load();
