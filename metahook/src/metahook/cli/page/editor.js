// The editor: a text area with line numbers, errors at their lines and completion of fields.
import { completions } from "./model.js";
import { byId, make } from "./draw.js";

const PADDING = 10; // of the text area, as page.css has it

// The parts of a line of YAML that have a color: [class, text].
function partsOf(line) {
  const [, dash, key = "", rest] = /^(\s*(?:- )*)([^\s#:][^:#]*:(?=\s|$))?(.*)$/.exec(line);
  const comment = /(^|\s)#.*$/.exec(rest)?.[0] ?? "";
  const parts = [
    ["", dash],
    ["key", key],
    ["", rest.slice(0, rest.length - comment.length)],
    ["comment", comment],
  ];
  return parts.filter(([, text]) => text);
}

export class Editor {
  // `schemas` returns the schemas; `changed` is called after each change, `apply` for Ctrl-Enter.
  constructor({ schemas, changed, apply }) {
    Object.assign(this, {
      schemas,
      changed,
      apply,
      area: byId("text"),
      list: byId("completion"),
      offered: null,
      errors: [],
    });
    this.area.addEventListener("input", () => this.#typed());
    this.area.addEventListener("keydown", (event) => this.#pressed(event));
    this.area.addEventListener("blur", () => this.close());
    this.area.addEventListener("click", () => this.close());
    this.area.addEventListener("scroll", () => this.#scrolled());
    addEventListener("scroll", () => this.close());
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.#choose([...this.list.children].indexOf(event.target.closest("li")));
    });
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
    this.show([]);
  }

  // Draw the text with errors [{line, message}] at their lines.
  show(errors) {
    this.errors = errors;
    const bad = new Map(errors.map(({ line, message }) => [line, message]));
    const lines = this.text.split("\n");
    byId("gutter").replaceChildren(
      ...lines.map((_, index) => {
        const number = make("div", { textContent: index + 1 });
        if (bad.has(index + 1)) Object.assign(number, { className: "bad", title: bad.get(index + 1) });
        return number;
      }),
    );
    byId("colors").replaceChildren(
      ...lines.map((line, index) => {
        const parts = partsOf(line).map(([className, textContent]) => make("span", { className, textContent }));
        return make("div", { className: bad.has(index + 1) ? "bad" : "" }, ...parts, "\n");
      }),
    );
    byId("errors").replaceChildren(
      ...errors.map(({ line, message }) => {
        const button = make("button", { textContent: line ? `Line ${line}: ${message}` : message });
        button.addEventListener("click", () => this.#goTo(line ?? 1));
        return make("li", {}, button);
      }),
    );
    this.area.setAttribute("aria-invalid", String(errors.length > 0));
    this.#scrolled();
  }

  close() {
    this.offered = null;
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  #typed() {
    this.show(this.errors);
    this.changed();
    const line = this.text.slice(0, this.area.selectionStart).split("\n").at(-1);
    if (/^\s*(- )?[A-Za-z]\w*$/.test(line)) this.#offer();
    else this.close();
  }

  #pressed(event) {
    const { key } = event;
    if (key === "Enter" && (event.ctrlKey || event.metaKey)) this.apply();
    else if (key === " " && event.ctrlKey) this.#offer();
    else if (this.offered && key === "ArrowDown") this.#activate(this.active + 1);
    else if (this.offered && key === "ArrowUp") this.#activate(this.active - 1);
    else if (this.offered && key === "Enter") this.#choose(this.active);
    else if (this.offered && key === "Escape") this.close();
    else if (key === "Enter" && !event.shiftKey) this.#insert(`\n${this.#indent()}`);
    else {
      if (/^(Arrow|Home|End|Page)/.test(key)) this.close();
      return;
    }
    event.preventDefault();
  }

  // The indent of a line after the one of the cursor.
  #indent() {
    const line = this.text.slice(0, this.area.selectionStart).split("\n").at(-1);
    const [, spaces, dash = ""] = /^(\s*)(- )?/.exec(line);
    return spaces + " ".repeat(dash.length + (/:\s*$/.test(line) ? 2 : 0));
  }

  // Insert text as if it were typed, so that the browser can undo it.
  #insert(text) {
    document.execCommand("insertText", false, text);
  }

  #goTo(line) {
    const before =
      this.text
        .split("\n")
        .slice(0, line - 1)
        .join("\n").length + (line > 1 ? 1 : 0);
    this.area.focus();
    this.area.setSelectionRange(before, before + (this.text.split("\n")[line - 1] ?? "").length);
  }

  #offer() {
    this.offered = completions(this.text, this.area.selectionStart, this.schemas());
    const only = this.offered?.options.length === 1 && this.offered.options[0];
    if (!this.offered || (only && only.name === this.text.slice(this.offered.from, this.offered.to)))
      return this.close();
    this.list.replaceChildren(
      ...this.offered.options.map(({ name, type, about, required }, index) =>
        make(
          "li",
          { id: `field-${index}`, role: "option" },
          make("strong", { textContent: name }),
          make("em", { textContent: required ? `${type}, required` : type }),
          make("span", { textContent: about }),
        ),
      ),
    );
    this.list.hidden = false;
    this.#place();
    this.#activate(0);
  }

  // Put the list below the cursor, or above it if there is more space.
  #place() {
    const style = getComputedStyle(this.area);
    const height = parseFloat(style.lineHeight);
    const before = this.text.slice(0, this.offered.from).split("\n");
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = style.font;
    const left = PADDING + before.at(-1).length * pen.measureText("0").width - this.area.scrollLeft;
    const box = this.area.getBoundingClientRect();
    const below = box.top + PADDING + before.length * height - this.area.scrollTop + 2;
    const room = innerHeight - below - 8;
    const flip = room < 160 && below - height > innerHeight / 2;
    this.list.style.left = `${Math.max(8, Math.min(box.left + left, innerWidth - this.list.offsetWidth - 8))}px`;
    this.list.style.top = flip ? "auto" : `${below}px`;
    this.list.style.bottom = flip ? `${innerHeight - below + height + 4}px` : "auto";
    this.list.style.maxHeight = `${Math.min(280, flip ? below - height - 12 : room)}px`;
  }

  #activate(index) {
    const options = [...this.list.children];
    this.active = (index + options.length) % options.length;
    options.forEach((option, at) => option.setAttribute("aria-selected", String(at === this.active)));
    this.area.setAttribute("aria-activedescendant", options[this.active].id);
    const { offsetTop, offsetHeight } = options[this.active];
    const shown = Math.max(
      offsetTop + offsetHeight - this.list.clientHeight,
      Math.min(this.list.scrollTop, offsetTop - 4),
    );
    this.list.scrollTop = shown;
  }

  #choose(index) {
    if (!this.offered || index < 0) return;
    const { from, to, options } = this.offered;
    this.area.setSelectionRange(from, to);
    this.#insert(options[index].insert);
    this.close();
  }

  #scrolled() {
    byId("gutter").scrollTop = this.area.scrollTop;
    byId("colors").scrollTop = this.area.scrollTop;
    byId("colors").scrollLeft = this.area.scrollLeft;
  }
}
