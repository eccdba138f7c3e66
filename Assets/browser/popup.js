// Saves the page when it opens, then edits the clip. Typed text outlives the popup until it is saved.
import { api, request } from "./api.js";
import { age, site } from "./format.js";
import { showMissing } from "./missing.js";
import { TagField } from "./tags.js";
import { openPanel } from "./windows.js";

const SIGNS = {
  saved: "M3 8.5l3.5 3.5L13 4.5", known: "M3 8.5l3.5 3.5L13 4.5", deleted: "M4 8h8",
  waiting: "M8 3v5l3 2M8 1.5a6.5 6.5 0 100 13 6.5 6.5 0 000-13z", failed: "M8 3.5v5.5M8 12v.3",
};
const by = (id) => document.getElementById(id);
const tags = new TagField(by("tags"), () => edited());
let clip = null;
let isWaiting = false;
let windowId;

/** Shows a state: its sign, sentence, detail, and the label of the button that undoes it. */
function show(state, status, detail = "", undo = "") {
  document.body.dataset.state = state;
  by("sign").setAttribute("d", SIGNS[state]);
  by("status").textContent = status;
  by("detail").textContent = detail;
  by("undo").textContent = undo;
  by("undo").hidden = !undo;
  by("form").hidden = state === "failed" || state === "deleted";
}

async function save() {
  const tab = await currentTab();
  windowId = tab.windowId;
  try {
    const answer = await request("savePage", { tab: tab.id });
    isWaiting = "waiting" in answer;
    clip = answer.clip ?? answer.waiting;
    if (isWaiting) showWaiting(answer.reason);
    else if (answer.isNew) show("saved", "Saved", site(clip.url), "Undo");
    else show("known", "Already saved", age(clip.created), "Delete");
    await edit();
    await showText(answer.uuid ?? clip.uuid);
  } catch (error) {
    show("failed", "Not saved.", error.message);
  }
}

/** Shows the reason why the clip has no text of its page. */
async function showText(uuid) {
  const { sentence } = await request("pageText", { uuid });
  if (sentence && ["saved", "known"].includes(document.body.dataset.state)) by("detail").textContent = sentence;
}

async function currentTab() {
  const id = Number(new URLSearchParams(location.search).get("tab"));
  if (id) return api.tabs.get(id);
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  return tab;
}

async function showWaiting(reason) {
  const { clips } = await request("waiting");
  if (reason.code === "missing") {
    show("waiting", "Waiting", "until clips answers", "Undo");
    showMissing(by("missing"), reason, clips.length);
  } else {
    show("waiting", "Waiting", reason.message, "Undo");
  }
}

// Drafts: the fields, as typed, by the UUID of their clip.
const draftKey = () => `draft:${clip.uuid}`;

function fields() {
  return { title: by("title").value, tags: tags.names, note: by("note").value };
}

async function edit() {
  const key = draftKey();
  const { [key]: draft } = await api.storage.session.get(key);
  const { title = "", tags: names = [], note = "", text = "" } = { ...clip, ...draft };
  by("title").value = title;
  tags.names = names;
  by("note").value = note;
  by("text").textContent = text;
  by("text").hidden = !text;
  if (draft) by("detail").textContent = "Your changes are not saved yet.";
  tags.focus();
}

function edited() {
  if (clip) api.storage.session.set({ [draftKey()]: fields() });
}

/** The fields that differ from the clip. */
function changes() {
  const isChanged = ([name, value]) => JSON.stringify(value) !== JSON.stringify(clip[name] ?? (name === "tags" ? [] : ""));
  return Object.fromEntries(Object.entries(fields()).filter(isChanged));
}

async function done() {
  try {
    const changed = changes();
    if (Object.keys(changed).length > 0) {
      if (isWaiting) await request("amend", { uuid: clip.uuid, changes: changed });
      else await request("update", { clip: clip.id, changes: changed });
    }
    await api.storage.session.remove(draftKey());
    window.close();
  } catch (error) {
    by("status").textContent = "Not changed.";
    by("detail").textContent = error.message;
  }
}

/** Undoes the save, or the deletion. */
async function undo() {
  try {
    if (document.body.dataset.state === "deleted") {
      const { clips } = await request("restore", { clips: [clip.id] });
      clip = clips[0] ?? clip;
      show("saved", "Saved", site(clip.url), "Undo");
    } else if (isWaiting) {
      await request("discard", { uuid: clip.uuid });
      by("missing").hidden = true;
      show("deleted", "Not saved");
    } else {
      await request("delete", { clips: [clip.id] });
      show("deleted", "Deleted", "", "Restore");
      by("undo").focus();
    }
  } catch (error) {
    by("detail").textContent = error.message;
  }
}

by("undo").addEventListener("click", undo);
by("form").addEventListener("input", edited);
by("form").addEventListener("submit", (event) => {
  event.preventDefault();
  done();
});
by("note").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) done();
});
by("all").addEventListener("click", () => {
  openPanel(windowId).finally(() => window.close());
});
save();
