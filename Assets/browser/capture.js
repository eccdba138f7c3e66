// The clips that a page, a selection, a link, or an image becomes. The URL and the title come from the browser; the
// page itself supplies text only.
import { api } from "./api.js";

/** A clip with a UUID that depends on its content alone: saving the same thing twice is saving it once. */
export async function clip({ url = "", title = "", text = "" }) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${url}\n${text}`));
  const bytes = new Uint8Array(hash).slice(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x80; // RFC 9562, version 8.
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const uuid = bytes.toHex?.() ?? [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return {
    uuid: uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
    url, title, text,
    created: new Date().toISOString(),
    ifAbsent: text === "",
  };
}

/** The page of a tab, with the selected text. */
export async function page(tab, frame = 0) {
  return clip({ url: tab.url, title: tab.title, text: await inPage(tab, frame, () => String(getSelection() ?? "")) });
}

/** The page of a tab with the selection as a quote, and the text around it. */
export async function quote(tab, frame, selected) {
  const found = await run(tab, frame, (max) => {
    const selection = getSelection();
    if (!selection?.rangeCount) return undefined;
    const range = selection.getRangeAt(0);
    const around = new Range();
    around.selectNodeContents(Reflect.get(Document.prototype, "documentElement", document));
    const after = around.cloneRange();
    around.setEnd(range.startContainer, range.startOffset);
    after.setStart(range.endContainer, range.endOffset);
    return { text: String(selection), prefix: String(around).slice(-max), suffix: String(after).slice(0, max) };
  }, [MAX_CONTEXT]);
  const quote = found?.text ? found : { text: selected };
  const own = await clip({ url: tab.url, text: quote.text });
  const page = await clip({ url: tab.url, title: tab.title });
  // A quote of a page that has no clip yet makes one; each quote has its own UUID, so that all of them wait.
  return { ...page, uuid: own.uuid, quotes: [{ ...quote, uuid: own.uuid, created: page.created }] };
}

/** The title of a link is its text, or its image's description. */
export async function link(tab, frame, url) {
  const title = await inPage(tab, frame, (url) => {
    // A page can replace the methods of its document by giving their names to its forms.
    const links = Document.prototype.querySelectorAll.call(document, "a[href], area[href]");
    const link = [...links].find((link) => link.href === url);
    return (link?.innerText || link?.querySelector("[alt]")?.alt || "").slice(0, 1_000);
  }, [url]);
  return clip({ url, title: title.replace(/\s+/g, " ").trim() });
}

/** The number of characters around a quote by which it is found again. */
const MAX_CONTEXT = 100;
/** The size of a page's markup in bytes, beyond which it is cut; the host's limit. */
const MAX_MARKUP = 2 << 20;

/** The markup of a tab's page without scripts and styles, or the reason why its text cannot be read. */
export async function markup(tab) {
  const result = await run(tab, 0, (url, max) => {
    // The page's own getters: a form may replace those of its document.
    const own = (name) => Reflect.get(Document.prototype, name, document);
    if (own("URL") !== url) return { reason: "the tab shows another page." };
    const type = own("contentType");
    if (type === "application/pdf") return { reason: "the page is a PDF." };
    if (!/^text\/|html|xml/.test(type)) return { reason: "the page is not HTML." };
    if (own("body")?.localName === "frameset") return { reason: "the page consists of frames." };
    // In a document of its own, the copy runs nothing, and loads nothing.
    const copy = new DOMParser().parseFromString("", "text/html").importNode(own("documentElement"), true);
    const omitted = "script, style, noscript, template, svg, canvas, iframe, object, embed, link:not([rel=canonical])";
    for (const element of copy.querySelectorAll(omitted)) element.remove();
    const html = copy.outerHTML;
    return { html: html.slice(0, new TextEncoder().encodeInto(html, new Uint8Array(max)).read) };
  }, [tab.url, MAX_MARKUP]);
  return result ?? { reason: "the browser hides its text from extensions." };
}

/** Runs a function in a page, and returns its text. */
async function inPage(tab, frame, func, args = []) {
  const result = await run(tab, frame, func, args);
  return typeof result === "string" ? result : "";
}

/** Runs a function in a page. Pages of the browser do not allow it, and there is no result. */
async function run(tab, frame, func, args) {
  try {
    const target = { tabId: tab.id, frameIds: [frame] };
    const [{ result }] = await api.scripting.executeScript({ target, func, args });
    return result;
  } catch {
    return undefined;
  }
}
