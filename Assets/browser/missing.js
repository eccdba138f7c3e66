// The screen of a browser that does not reach clips: the reason, the command, and the number of waiting clips.
import { element } from "./format.js";

const COMMAND = "clips browser install";

/** Fills a section for an error of the connection. */
export function showMissing(section, error, count) {
  const copy = element("button", { type: "button", textContent: "Copy" });
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(COMMAND);
    copy.textContent = "Copied";
  });
  const waiting = count === 1 ? "1 clip waits" : `${count} clips wait`;
  section.replaceChildren(
    element("h1", { textContent: error.message }),
    element("p", { textContent: "Run this command in a terminal. The connection then starts by itself." }),
    element("div", { className: "command" }, element("code", { textContent: COMMAND }), copy),
    element("p", { textContent: count ? `${waiting} in this browser. Nothing is lost.` : "" }));
  section.hidden = false;
}
