// A field of tags: chips, and suggestions from the store, most used first.
import { request } from "./api.js";
import { element } from "./format.js";

const COUNT = 6;

export class TagField {
  #names = [];
  #changed;
  #input;
  #chips;
  #list;
  #suggested = [];
  #selected = -1;

  /** Creates the field in a container with an input and a list of suggestions. */
  constructor(container, changed) {
    this.#changed = changed;
    this.#input = container.querySelector("input");
    this.#chips = container.querySelector(".chips");
    this.#list = container.querySelector("[role=listbox]");
    this.#input.addEventListener("input", () => this.#typed());
    this.#input.addEventListener("focus", () => this.#suggest());
    this.#input.addEventListener("keydown", (event) => this.#pressed(event));
    this.#input.addEventListener("blur", () => this.#add(this.#input.value));
    container.querySelector(".tags").addEventListener("click", () => this.#input.focus());
  }

  get names() {
    const typed = this.#input.value.trim();
    return typed && !this.#names.includes(typed) ? [...this.#names, typed] : [...this.#names];
  }

  set names(names) {
    this.#names = [...names];
    this.#show();
  }

  focus() {
    this.#input.focus();
  }

  #typed() {
    const words = this.#input.value.split(",");
    if (words.length > 1) {
      this.#input.value = words.pop();
      for (const word of words) this.#append(word);
      this.#show();
    }
    this.#changed();
    this.#suggest();
  }

  #pressed(event) {
    const { key } = event;
    const isLast = this.#input.value === "" && this.#names.length > 0;
    if (key === "ArrowDown" || key === "ArrowUp") this.#select(this.#selected + (key === "ArrowDown" ? 1 : -1));
    else if (key === "Enter" && this.#selected >= 0) this.#add(this.#suggested[this.#selected]);
    else if (key === "Enter" && this.#input.value.trim()) this.#add(this.#input.value);
    else if (key === "Tab" && !event.shiftKey && this.#selected >= 0) this.#add(this.#suggested[this.#selected]);
    else if (key === "Escape" && this.#selected >= 0) this.#select(-1);
    else if (key === "Backspace" && isLast) this.#remove(this.#names.at(-1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #add(name) {
    this.#input.value = "";
    if (this.#append(name)) this.#changed();
    this.#show();
    if (document.activeElement === this.#input) this.#suggest();
  }

  #append(text) {
    const name = text.replace(/[,\s]+/g, " ").trim();
    if (!name || this.#names.includes(name)) return false;
    this.#names.push(name);
    return true;
  }

  #remove(name) {
    this.#names = this.#names.filter((other) => other !== name);
    this.#show();
    this.#changed();
    this.#input.focus();
  }

  #show() {
    this.#chips.replaceChildren(...this.#names.map((name) => {
      const remove = element("button", { type: "button", textContent: "×", tabIndex: -1, ariaLabel: `Remove ${name}` });
      remove.addEventListener("click", () => this.#remove(name));
      return element("li", { className: "tag" }, name, remove);
    }));
  }

  async #suggest() {
    const prefix = this.#input.value.trim();
    let names = [];
    try {
      const { tags } = await request("tags", { prefix, limit: COUNT + this.#names.length });
      names = tags.map((tag) => tag.name);
    } catch {
      // Without suggestions, the field works.
    }
    if (prefix !== this.#input.value.trim()) return;
    this.#suggested = names.filter((name) => !this.#names.includes(name) && name !== prefix).slice(0, COUNT);
    this.#list.replaceChildren(...this.#suggested.map((name, index) => {
      const option = element("li", { id: `tag-${index}`, role: "option", className: "tag", textContent: name });
      // Before the input loses the focus.
      option.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        this.#add(name);
      });
      return option;
    }));
    this.#select(-1);
  }

  #select(index) {
    const count = this.#suggested.length;
    this.#selected = count === 0 || index < -1 ? count - 1 : index >= count ? -1 : index;
    [...this.#list.children].forEach((option, place) => {
      option.ariaSelected = String(place === this.#selected);
    });
    this.#input.setAttribute("aria-activedescendant", this.#selected < 0 ? "" : `tag-${this.#selected}`);
    this.#input.ariaExpanded = String(count > 0);
  }
}
