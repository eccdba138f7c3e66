// The clips that the host has not answered: stored before they are sent, removed when they are saved. The UUIDs make
// sending twice harmless, so that nothing is lost or saved twice, whichever process ends in between.
import { api } from "./api.js";
import { ask } from "./port.js";

const BATCH = 1_000; // The host's limit, and one commit.
const RETRY = 20_000;

/** The background's: the queue has changed. */
export const events = { change() {} };

const MAX_PAGES = 4 << 20; // Of the 10 MB that an extension may store, so that there is room for clips.

let waiting = [];
let pages = []; // The markup of saved pages that wait.
let timer = 0;
const sending = new Map(); // The requests of clips, by UUID.
const saved = new Map(); // The IDs of clips that waited, by UUID.
const loaded = api.storage.local.get(["queue", "pages"]).then((stored) => {
  waiting = stored.queue ?? [];
  pages = stored.pages ?? [];
});

/** Saves clips, and returns the host's answers. Without a host, throws, and the clips wait. */
export async function save(clips) {
  await loaded;
  const known = new Set(waiting.map((clip) => clip.uuid));
  waiting.push(...clips.filter((clip) => !known.has(clip.uuid)));
  const stored = changed();
  try {
    const answers = [];
    for (let start = 0; start < clips.length; start += BATCH) {
      answers.push(...(await deliver(clips.slice(start, start + BATCH))));
    }
    return answers;
  } catch (error) {
    await stored;
    throw error;
  }
}

/** Sends the markup of a page after its clip, and returns the reason if it has no text. Without a host, it waits. */
export async function savePage(page) {
  await loaded;
  await sending.get(page.uuid)?.catch(() => {});
  if (!waiting.some(({ uuid }) => uuid === page.uuid)) {
    try {
      const { text } = await ask("page", page);
      return text === "none" ? "the page has no text to read." : "";
    } catch (error) {
      if (isFinal(error) || error.code === "protocol") throw error;
      retryLater();
    }
  }
  const others = pages.filter(({ uuid }) => uuid !== page.uuid);
  if (new Blob([page, ...others].map(({ html }) => html)).size <= MAX_PAGES) await storePages([...others, page]);
  return "";
}

function storePages(remaining) {
  pages = remaining;
  return api.storage.local.set({ pages });
}

/** Sends what waits: the clips, then their pages, each once. */
export async function flush() {
  clearTimeout(timer);
  await loaded;
  await flushClips();
  for (const page of pages) {
    if (waiting.some(({ uuid }) => uuid === page.uuid)) continue;
    try {
      await ask("page", page);
    } catch (error) {
      // A host of an earlier version knows no pages.
      if (!isFinal(error) && error.code !== "protocol") return;
    }
    await storePages(pages.filter((other) => other !== page));
  }
}

async function flushClips() {
  for (;;) {
    const batch = waiting.filter((clip) => !clip.error && !sending.has(clip.uuid)).slice(0, BATCH);
    if (batch.length === 0) return;
    try {
      await deliver(batch, false);
    } catch (error) {
      if (!isFinal(error)) return;
      for (const clip of batch) if (!(await isDelivered(clip))) return;
    }
  }
}

export async function list() {
  await loaded;
  return waiting;
}

/** Changes a waiting clip, or, if it was saved since then, the clip in the store. */
export async function amend(uuid, changes) {
  await loaded;
  await sending.get(uuid)?.catch(() => {});
  const clip = waiting.find((clip) => clip.uuid === uuid);
  if (!clip) return ask("update", { clip: saved.get(uuid), changes });
  Object.assign(clip, changes);
  delete clip.error;
  changed();
  return { clip };
}

export async function discard(uuid) {
  await loaded;
  await sending.get(uuid)?.catch(() => {});
  if (saved.has(uuid)) await ask("delete", { clips: [saved.get(uuid)] });
  remove([uuid]);
  storePages(pages.filter((page) => page.uuid !== uuid));
  return {};
}

/** Whether another attempt would fail too. */
const isFinal = (error) => error.code === "invalid" || error.code === "tooBig";

async function deliver(clips, isNew = true) {
  const uuids = clips.map((clip) => clip.uuid);
  const request = ask("save", { clips: clips.map(({ error, ...clip }) => clip) });
  for (const uuid of uuids) sending.set(uuid, request);
  try {
    const answer = await request;
    for (const { uuid, id } of answer.clips) saved.set(uuid, id);
    remove(uuids);
    return answer.clips;
  } catch (error) {
    if (!isFinal(error)) retryLater();
    else if (isNew) remove(uuids);
    throw error;
  } finally {
    for (const uuid of uuids) sending.delete(uuid);
  }
}

/** Sends one clip of a refused batch; a clip that is refused alone remains, with the host's sentence. */
async function isDelivered(clip) {
  try {
    await deliver([clip], false);
  } catch (error) {
    if (!isFinal(error)) return false;
    clip.error = error.message;
    changed();
  }
  return true;
}

function retryLater() {
  clearTimeout(timer);
  timer = setTimeout(flush, RETRY);
}

function remove(uuids) {
  const length = waiting.length;
  waiting = waiting.filter((clip) => !uuids.includes(clip.uuid));
  if (waiting.length < length) changed();
}

async function changed() {
  events.change(waiting);
  await api.storage.local.set({ queue: waiting });
}
