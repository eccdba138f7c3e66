// The context menus of pages and of the toolbar button.
import { api, isFirefox, isSavable } from "./api.js";
import * as capture from "./capture.js";
import { openPanel } from "./windows.js";

const ITEMS = [
  { id: "page", title: "Save page in Clips", contexts: ["page"] },
  { id: "selection", title: "Save selection in Clips", contexts: ["selection"] },
  { id: "quote", title: "Save quote", contexts: ["selection"] },
  { id: "link", title: "Save link in Clips", contexts: ["link"] },
  { id: "image", title: "Save image in Clips", contexts: ["image"] },
  { id: "tabs", title: "Save all tabs", contexts: isFirefox ? ["action", "tab"] : ["action"] },
  { id: "panel", title: "Show the list of clips", contexts: ["action"] },
  { id: "marking", title: "Mark saved pages", contexts: ["action"], type: "checkbox" },
  { id: "texts", title: "Save the text of pages", contexts: ["action"], type: "checkbox" },
];

/** Creates the items once per installation; the browser stores them. */
export async function create() {
  const settings = { marking: false, texts: true, ...(await api.storage.local.get(["marking", "texts"])) };
  await api.contextMenus.removeAll();
  for (const item of ITEMS) {
    api.contextMenus.create(item.type ? { ...item, checked: settings[item.id] } : item);
  }
}

/** Handles a click. Permissions and panels must be requested before the first `await`. */
export function handle({ save, setMarking, setTexts }) {
  const actions = {
    page: async (info, tab) => save([await capture.page(tab)], tab),
    selection: async (info, tab) => {
      const page = await capture.page(tab, info.frameId);
      save([page.text ? page : await capture.clip({ ...page, text: info.selectionText })], tab);
    },
    quote: async (info, tab) => save([await capture.quote(tab, info.frameId, info.selectionText)], tab),
    link: async (info, tab) => {
      const link = await capture.link(tab, info.frameId, info.linkUrl);
      save([link.title ? link : { ...link, title: info.linkText ?? "" }], tab);
    },
    image: async (info, tab) => save([await capture.clip({ url: info.srcUrl, title: tab.title })], tab),
    tabs: (info, tab) => withTabs(async () => {
      const tabs = await api.tabs.query({ windowId: tab.windowId });
      const savable = tabs.filter((tab) => isSavable(tab.url));
      save(await Promise.all(savable.map(({ url, title }) => capture.clip({ url, title }))), tab);
    }),
    panel: (info, tab) => openPanel(tab.windowId),
    marking: (info) => {
      const isOn = info.checked;
      withTabs(() => setMarking(isOn), () => api.contextMenus.update("marking", { checked: false }), isOn);
    },
    texts: (info) => setTexts(info.checked),
  };
  api.contextMenus.onClicked.addListener((info, tab) => actions[info.menuItemId]?.(info, tab));
}

/** Runs a function that requires the tabs' URLs, if the user permits it. */
function withTabs(allowed, denied = () => {}, isRequired = true) {
  if (!isRequired) return allowed();
  return api.permissions.request({ permissions: ["tabs"] }).then((isGranted) => (isGranted ? allowed() : denied()));
}
