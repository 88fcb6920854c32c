// What the page shows of a history at a moment.
import { duration, forest, isLine, isParent, laneOf, lineOf, nameOf, podState, replaced, stateOf } from "./model.js";
import { difference, scalar, yamlLines } from "./model.js";

export const byId = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in node) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// Let the children of a node be those of `items`, and keep the ones that are there already.
function keyed(parent, items, create, update) {
  const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  const keys = new Set(items.map(({ key }) => key));
  for (const [key, node] of old) if (!keys.has(key)) node.remove();
  items.forEach((item, index) => {
    const node = old.get(item.key) ?? create(item);
    node.dataset.key = item.key;
    if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null);
    update(node, item);
  });
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const MARKS = { good: "✓", bad: "✕", busy: "", ending: "–", done: "■", plain: "·" };

// The tree of objects. `shown` has the history, the cursor, the world, the kinds of parents, the selected object.
export function drawTree(list, shown) {
  const nodes = forest(shown.world, shown.kinds);
  drawBranches(list, nodes, shown);
  list.classList.toggle("empty", !nodes.length);
}

function drawBranches(list, nodes, shown) {
  const [pods, others] = [nodes.filter(isPod), nodes.filter((node) => !isPod(node))];
  const empty = others.filter(isEmpty);
  const items = [...(pods.length ? [{ key: "pods", pods }] : []), ...others.filter((node) => !empty.includes(node))];
  if (empty.length) items.push({ key: "empty", empty });
  keyed(list, items, createBranch, (item, node) => {
    if (node.pods) return drawPods(item, node.pods, shown);
    if (node.empty) {
      setText(
        item.querySelector("summary"),
        node.empty.length === 1 ? "1 empty ReplicaSet" : `${node.empty.length} empty ReplicaSets`,
      );
      return keyed(item.querySelector("ul"), node.empty, createBranch, (each, one) =>
        drawRow(each.firstChild, one, shown),
      );
    }
    drawRow(item.firstChild, node, shown);
    drawBranches(item.lastChild, node.children, shown);
    item.lastChild.hidden = !node.children.length;
  });
}

const isPod = ({ object, children }) => object.kind === "Pod" && !children.length;
const isEmpty = ({ object, children }) => object.kind === "ReplicaSet" && !children.length && !object.spec?.replicas;

function createBranch({ pods, empty }) {
  if (pods) return make("li", { className: "pods" }, make("div"), make("p"));
  if (empty) return make("li", {}, make("details", {}, make("summary"), make("ul")));
  const row = make(
    "button",
    { className: "row" },
    make("i", { ariaHidden: "true" }),
    make("b", {}, make("small"), " ", make("span")),
    make("em"),
  );
  return make("li", {}, row, make("ul"));
}

function drawRow(row, { key, object }, shown) {
  const [
    mark,
    {
      children: [kind, name],
    },
    word,
  ] = row.children;
  const tone = object.metadata.deletionTimestamp
    ? "ending"
    : isParent(object, shown.kinds)
      ? shown.history.toneOf(key, shown.cursor)
      : rolloutTone(object);
  row.dataset.object = key;
  mark.className = `mark ${tone}`;
  setText(mark, MARKS[tone]);
  setText(kind, object.kind);
  setText(name, object.metadata.name);
  setText(word, stateOf(object));
  row.toggleAttribute("aria-current", shown.selected === key);
}

function rolloutTone({ spec = {}, status = {} }) {
  if (!Number.isInteger(spec.replicas)) return "plain";
  const { replicas = 0, readyReplicas = 0, updatedReplicas = replicas } = status;
  return [replicas, readyReplicas, updatedReplicas].every((count) => count === spec.replicas) ? "good" : "busy";
}

function drawPods(item, pods, shown) {
  const [dots, words] = item.children;
  const count = new Map();
  keyed(
    dots,
    pods,
    () => make("button"),
    (dot, { key, object }) => {
      const [tone, word] = podState(object);
      count.set(word, (count.get(word) ?? 0) + 1);
      const label = `Pod ${object.metadata.name}: ${word}`;
      dot.dataset.object = key;
      dot.className = `pod ${tone}`;
      setText(dot, MARKS[tone]);
      if (dot.title !== label) Object.assign(dot, { title: label, ariaLabel: label });
      dot.toggleAttribute("aria-current", shown.selected === key);
    },
  );
  const parts = [...count].map(([word, number]) => `${number} ${word}`);
  setText(words, `${pods.length === 1 ? "Pod" : "Pods"}: ${parts.join(", ")}`);
}

// The state of a parent, its conditions and the rest of its status.
export function drawParent(head, body, shown) {
  const { parent, world, history, cursor } = shown;
  const object = world.get(parent);
  head.hidden = body.hidden = !object;
  if (!object || (head.shows === object && head.tone === history.toneOf(parent, cursor))) return;
  const tone = history.toneOf(parent, cursor);
  Object.assign(head, { shows: object, tone });
  const { conditions = [], ...rest } = object.status ?? {};
  const ready = conditions.find(({ type }) => type === "Ready") ?? conditions[0];
  const mark = make("i", { className: `mark ${tone}`, ariaHidden: "true", textContent: MARKS[tone] });
  head.className = tone;
  head.replaceChildren(
    make("h3", {}, make("small", { textContent: object.kind }), " ", object.metadata.name),
    make("p", { className: "state" }, mark, stateOf(object) || "No status yet"),
    make("p", { className: "message", textContent: ready?.message ?? "" }),
  );
  body.replaceChildren(
    ...(conditions.length ? [make("h3", { textContent: "Conditions" }), conditionTable(conditions)] : []),
    ...statusList(rest),
  );
}

function conditionTable(conditions) {
  const row = (tag, cells) =>
    make("tr", {}, ...cells.map((textContent) => make(tag, { textContent, ...(tag === "th" && { scope: "col" }) })));
  const body = conditions.map(({ type, status, reason = "", message = "" }) => {
    const line = row("td", [type, status, reason, message]);
    line.className = `is-${String(status).toLowerCase()}`;
    return line;
  });
  return make(
    "table",
    {},
    make("thead", {}, row("th", ["Type", "Status", "Reason", "Message"])),
    make("tbody", {}, ...body),
  );
}

function statusList(status) {
  const items = Object.entries(status).flatMap(([name, value]) => {
    const text = value !== null && typeof value === "object" ? yamlLines(value).join("\n") : scalar(value);
    return [make("dt", { textContent: name }), make("dd", { textContent: text })];
  });
  return items.length ? [make("h3", { textContent: "Status" }), make("dl", {}, ...items)] : [];
}

// What the user's last write did to the Pods.
export function drawEdit(line, { history, cursor, world, edit }) {
  if (edit < 0) return setText(line, "");
  const before = history.worldAt(edit);
  const { of, gone, added } = replaced(before, world);
  const { at, text, verb } = history.entries[edit];
  const fresh = added ? `, ${added} new` : "";
  const pods = gone ? `${gone} of ${of} Pods replaced${fresh}.` : `No Pod of ${of} replaced${fresh}.`;
  setText(line, `${history.clock(at, false)}, you: ${text ?? verb}. ${of ? pods : ""}`);
}

// The selected object, or the call or event that is selected, in full.
export function drawDetail(shown) {
  const { history, selected, entry } = shown;
  const about = entry >= 0 ? history.entries[entry] : null;
  const write = history.lastWrite(selected, shown.cursor);
  const before = shown.edit >= 0 ? history.lastWrite(selected, shown.edit) : -1;
  const pane = byId("detail");
  const state = [history, selected, entry, write, before].join();
  if (pane.shows === state && pane.history === history) return;
  Object.assign(pane, { shows: state, history });
  const text = byId("detail-text");
  if (about && (about.type === "call" || !about.object || about.type === "event"))
    return drawEntry(about, entry, history);
  const [was, is] = [
    before < 0 ? null : history.entries[before].after,
    write < 0 ? null : history.entries[write].after,
  ];
  setText(byId("detail-title"), nameOf(selected));
  byId("detail-note").className = about?.refused || about?.type === "finding" ? "bad" : "";
  setText(byId("detail-note"), about?.refused || about?.type === "finding" ? lineOf(about).what : noteOn(was, is));
  drawDifference(text, was, is);
  const place = `${selected} ${before}`; // a person who has scrolled to a field stays there while it changes
  if (pane.place === place) return;
  pane.place = place;
  const first = is && text.querySelector(".added, .removed");
  if (first || text.scrollTop) text.scrollTop = first ? Math.max(0, first.offsetTop - 60) : 0;
}

// The object as it `is`, with what it `was` before the user's last write; null if there was or is none.
function drawDifference(text, was, is) {
  const lines =
    was && is && was !== is
      ? difference(yamlLines(was), yamlLines(is))
      : yamlLines(is ?? was ?? {}).map((line) => [is ? " " : "-", line]);
  text.replaceChildren(
    ...lines.map(([sign, line]) =>
      make(
        "div",
        { className: { "+": "added", "-": "removed" }[sign] ?? "" },
        make("span", { textContent: sign }),
        `${line}\n`,
      ),
    ),
  );
}

function noteOn(was, is) {
  if (!is) return was ? "This object is gone." : "This object does not exist at this moment.";
  if (!was) return "";
  return was === is ? "Your last edit changed nothing here." : "Marked: what has changed since your last edit.";
}

function drawEntry(entry, index, history) {
  const { what } = lineOf(entry);
  setText(byId("detail-title"), entry.type === "call" ? `${entry.hook} hook` : what);
  byId("detail-note").className = entry.type === "call" && entry.status === 200 ? "" : "bad";
  setText(
    byId("detail-note"),
    entry.type === "call"
      ? `${what} at ${history.clock(entry.at)}`
      : `${lineOf(entry).who} at ${history.clock(entry.at)}`,
  );
  const response = entry.type === "call" ? history.responseTo(index) : undefined;
  const parts = [
    entry.error,
    response === undefined ? "" : typeof response === "string" ? response : yamlLines(response).join("\n"),
  ];
  byId("detail-text").replaceChildren(parts.filter(Boolean).join("\n\n"));
  byId("detail").place = null;
  byId("detail-text").scrollTop = 0;
}

// The list of events; the rest of a long list follows after the first picture.
export function drawLines(list, history, all, done) {
  const indexes = all ? history.entries.map((_, index) => index) : history.lines;
  const line = (index) => {
    const entry = history.entries[index];
    const { who, what, tone } = lineOf(entry);
    const button = make("button", { className: `line ${tone}${isLine(entry) ? "" : " minor"}`, tabIndex: -1 });
    button.dataset.index = index;
    button.append(
      make("time", { textContent: history.clock(entry.at, false) }),
      make("span", { className: "who", textContent: who }),
      make("span", { textContent: what }),
    );
    return make("li", {}, button);
  };
  list.replaceChildren(...indexes.slice(0, 200).map(line));
  if (indexes.length <= 200) return done();
  setTimeout(() => {
    if (list.history === history && list.all === all) list.append(...indexes.slice(200).map(line));
    done();
  });
}

const EDGE = 8; // half of the slider's thumb, where its track begins
const LANE = 22;

export const placeOf = (position, history, width) => EDGE + (position / history.length) * (width - 2 * EDGE);

// The marks of all entries, once for a history and a size. Return the width.
export function drawMarks(canvas, history) {
  const [width, height] = [canvas.parentElement.clientWidth, 4 * LANE];
  const scale = window.devicePixelRatio || 1;
  Object.assign(canvas, { width: width * scale, height: height * scale });
  const style = getComputedStyle(canvas);
  const names = ["band", "soft", "line", "faint", "accent", "good", "bad", "busy", "warn"];
  const color = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`)]));
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.font = `11px ${style.fontFamily}`;
  pen.textAlign = "center";
  const x = (position) => placeOf(position, history, width);
  for (const [from, to, seconds] of history.quiet) {
    pen.fillStyle = color.band;
    pen.fillRect(x(from), 0, x(to) - x(from), height);
    pen.fillStyle = color.soft;
    const text = duration(seconds);
    if (x(to) - x(from) > pen.measureText(text).width + 8) pen.fillText(text, (x(from) + x(to)) / 2, height - 7);
  }
  pen.fillStyle = color.line;
  for (let lane = 1; lane < 4; lane++) pen.fillRect(0, lane * LANE - 0.5, width, 1);
  const taken = new Set(); // by lane and pixel: thousands of calls may lie on one
  history.entries.forEach((entry, index) => {
    const [lane, left] = [laneOf(entry), x(history.positions[index])];
    const place = lane * 1e5 + Math.round(left);
    if (isLine(entry) || taken.has(place)) return;
    taken.add(place);
    drawMark(pen, entry, left, color, true);
  });
  for (const index of history.lines) drawMark(pen, history.entries[index], x(history.positions[index]), color, false);
  return width;
}

function drawMark(pen, entry, x, color, minor) {
  const y = (laneOf(entry) + 0.5) * LANE;
  const { tone } = lineOf(entry);
  const plain = entry.actor === "you" ? "accent" : "soft";
  pen.fillStyle = color[minor || tone === "detail" ? "faint" : tone === "plain" ? plain : tone];
  pen.beginPath();
  if (entry.type === "finding") {
    pen.fillRect(x - 0.5, 0, 1, 4 * LANE);
    pen.moveTo(x, y - 7);
    pen.lineTo(x + 7, y + 6);
    pen.lineTo(x - 7, y + 6);
  } else if (minor) pen.rect(x - 0.75, y - 4, 1.5, 8);
  else if (tone === "bad") pen.rect(x - 4, y - 4, 8, 8);
  else pen.arc(x, y, entry.actor === "you" ? 5.5 : 4, 0, 7);
  pen.fill();
}

// The buttons for what goes wrong at the playhead.
export function drawActions(box, { failures, active, outage, world }) {
  const kept = [...world].filter(([, object]) => ["ConfigMap", "Secret"].includes(object.kind)).slice(0, 2);
  const items = [
    ...failures.map(({ name, label }) => ({ key: `fail ${name}`, label, pressed: active === name })),
    { key: "hook", label: "Outage of the hook", pressed: outage },
    { key: "restart", label: "Restart Metacontroller" },
    { key: "edit", label: "Edit an object…" },
    { key: "delete", label: "Delete an object…" },
    ...kept.map(([object]) => ({ key: `delete ${object}`, label: `Delete ${nameOf(object)}` })),
  ];
  keyed(
    box,
    items,
    () => make("button"),
    (button, { label, pressed }) => {
      setText(button, pressed ? `End: ${label}` : label);
      if (pressed !== undefined) button.setAttribute("aria-pressed", String(pressed));
    },
  );
}
