// How a clip reads: its site, age, and name.
const UNITS = [["year", 31_557_600], ["month", 2_629_800], ["week", 604_800], ["day", 86_400], ["hour", 3_600], ["minute", 60]];
const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "auto", style: "narrow" });

/** The time since a date, as "3d ago". */
export function age(date) {
  const seconds = Math.max(0, (Date.now() - new Date(date)) / 1_000);
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? [];
  return unit ? relative.format(-Math.floor(seconds / length), unit) : "just now";
}

/** The host of a URL, or the name of a file. */
export function site(url) {
  try {
    const { protocol, host, pathname } = new URL(url);
    return protocol === "file:" ? decodeURIComponent(pathname.split("/").at(-1)) : host.replace(/^www\./, "");
  } catch {
    return "";
  }
}

/** The title, or the first text that a clip has. */
export function name({ title, text, note, url }) {
  return title || (text || note || "").trim().split("\n")[0].slice(0, 200) || url || "Untitled";
}

/** Creates an element with properties and content; text is data, never markup. */
export function element(tag, properties = {}, ...content) {
  const { dataset = {}, ...rest } = properties;
  const result = Object.assign(document.createElement(tag), rest);
  Object.assign(result.dataset, dataset);
  result.append(...content);
  return result;
}
