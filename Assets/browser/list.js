// The rows of the list, newest first: patched in place, so that the selection and the position stay.
import { isSavable } from "./api.js";
import { age, element, name, site } from "./format.js";

const shape = (path) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
};

/** A clip's row: a link to its page; the row of a text unfolds it. */
function row(clip) {
  const hasPage = isSavable(clip.url);
  const link = element("a", { className: "name", textContent: name(clip), dir: "auto", tabIndex: -1 });
  if (hasPage) Object.assign(link, { href: clip.url, target: "_blank", rel: "noreferrer" });
  else link.role = "button";
  const line = element("p", { className: "line" });
  if (clip.starred) line.append(element("span", { className: "star", textContent: "★", title: "Starred" }));
  if (hasPage) line.append(element("bdi", { className: "site", textContent: site(clip.url) }), "·");
  line.append(element("time", { dateTime: clip.created, textContent: age(clip.created) }));
  for (const tag of clip.tags ?? []) line.append(element("span", { className: "tag", textContent: tag }));
  const remove = element("button", { className: "delete", type: "button", title: "Delete", tabIndex: -1 },
    shape("M4 4l8 8M12 4l-8 8"));
  const body = clip.text || clip.note ? [element("p", { className: "body", textContent: clip.text || clip.note })] : [];
  const classes = clip.unread ? "clip unread" : "clip";
  const result = element("li", { className: classes, title: hasPage ? clip.url : "" }, link, ...body, line, remove);
  result.clip = clip;
  return result;
}

/** Whether the first clip is above the second. */
const isAbove = (one, other) => one.created > other.created || (one.created === other.created && one.id > other.id);

export class ClipList {
  #list;
  #rows = new Map(); // By ID.

  constructor(list) {
    this.#list = list;
    list.addEventListener("focusin", ({ target }) => this.#select(target.closest(".clip")));
  }

  get count() {
    return this.#rows.size;
  }

  /** The row with the focus. */
  get current() {
    const item = document.activeElement?.closest(".clip");
    return this.#list.contains(item) ? item : null;
  }

  /** Replaces the rows. The selected clip stays selected. */
  replace(clips) {
    const id = this.current?.clip.id;
    this.#rows.clear();
    this.#list.replaceChildren();
    this.append(clips);
    if (id !== undefined) this.#rows.get(id)?.querySelector(".name").focus();
  }

  append(clips) {
    for (const clip of clips) {
      if (this.#rows.has(clip.id)) continue;
      const item = row(clip);
      this.#rows.set(clip.id, item);
      this.#list.append(item);
    }
    this.#select(this.#list.querySelector(".clip:has([tabindex='0'])") ?? this.#list.firstElementChild);
  }

  /** Inserts or updates a clip; one below the loaded rows is left to the next page. */
  patch(clip, isComplete) {
    const old = this.#rows.get(clip.id);
    const item = row(clip);
    if (old) {
      const hasFocus = old.contains(document.activeElement);
      old.replaceWith(item);
      item.classList.toggle("open", old.classList.contains("open"));
      if (hasFocus) item.querySelector(".name").focus();
    } else {
      const below = [...this.#list.children].find((other) => isAbove(clip, other.clip));
      if (!below && !isComplete) return;
      this.#list.insertBefore(item, below ?? null);
    }
    item.classList.add("new");
    item.addEventListener("animationend", () => item.classList.remove("new"));
    this.#rows.set(clip.id, item);
  }

  /** Removes a clip; the selection moves to its neighbor. */
  remove(id) {
    const item = this.#rows.get(id);
    if (!item) return;
    const neighbor = item.nextElementSibling ?? item.previousElementSibling;
    const hasFocus = item.contains(document.activeElement);
    item.remove();
    this.#rows.delete(id);
    if (hasFocus) neighbor?.querySelector(".name").focus();
    else if (neighbor) this.#select(this.#list.querySelector(".clip:has([tabindex='0'])") ?? neighbor);
  }

  /** Moves the focus by rows, to the first, or to the last. */
  move(step) {
    const rows = [...this.#list.children];
    const index = this.current ? rows.indexOf(this.current) + step : 0;
    const item = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    item?.querySelector(".name").focus();
    item?.scrollIntoView({ block: "nearest" });
  }

  // One row is in the order of the Tab key.
  #select(item) {
    if (!item) return;
    for (const link of this.#list.querySelectorAll(".name[tabindex='0']")) link.tabIndex = -1;
    item.querySelector(".name").tabIndex = 0;
  }
}

/** A row of a clip that waits for the host, or was refused by it. */
export function waitingRow(clip, discard) {
  const remove = element("button", { className: "delete", type: "button", title: "Discard" }, shape("M4 4l8 8M12 4l-8 8"));
  remove.addEventListener("click", () => discard(clip));
  return element("li", { className: "clip" },
    element("span", { className: "name", textContent: name(clip), dir: "auto" }),
    element("p", { className: "line" }, element("span", { textContent: clip.error ?? "Waiting for clips" })), remove);
}
