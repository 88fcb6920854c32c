// The page: what a person does, requests to the server, and play.
import { History, describe, isLine, isParent, laneOf, lineOf, nameOf, paths } from "./model.js";
import { byId, make, drawActions, drawDetail, drawEdit, drawLines, drawParent, drawTree } from "./draw.js";
import { drawMarks, placeOf } from "./draw.js";
import { Editor } from "./editor.js";

const LARGEST = 5 * 1024 * 1024; // bytes of text that a request may have
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

const page = {
  start: JSON.parse(byId("start").textContent),
  history: null,
  steps: [],
  before: [], // the steps before each of the user's actions, for Undo
  position: 0, // of the playhead
  playing: false,
  drawn: -1, // the cursor that the page shows
  width: 0, // of the time line, in pixels
  selected: "", // an object
  entry: -1, // the line that the user chose, until the playhead moves
};

// Requests

let running = null; // the AbortController of the newest simulation

async function post(path, body, signal) {
  const text = JSON.stringify(body);
  if (new Blob([text]).size > LARGEST)
    return { status: 413, answer: { detail: "the text has more than 5 MiB; simulate fewer objects" } };
  const response = await fetch(path, {
    method: "POST",
    body: text,
    headers: { "content-type": "application/json" },
    signal,
  });
  return { status: response.status, answer: await response.json() };
}

// Ask for the history of steps; show it from the time `from` on. Return whether it is shown.
async function simulate(steps, from) {
  running?.abort();
  const request = (running = new AbortController());
  const slow = setTimeout(() => (byId("busy").textContent = "Simulating…"), 300);
  try {
    const { status, answer } = await post("page/simulation", { steps }, request.signal);
    if (status === 200) {
      page.steps = steps;
      banner("request", null);
      show(answer, from);
    } else if (answer.errors) {
      editor.show(answer.errors);
      banner("request", "There are errors in the text. Nothing was simulated.");
    } else {
      const reason = typeof answer.detail === "string" ? answer.detail : "the server does not accept these steps";
      banner("request", sentence(`nothing was simulated: ${reason}`));
    }
    return status === 200;
  } catch (error) {
    if (error.name !== "AbortError") banner("request", "The server did not respond to this simulation. Try again.");
    return false;
  } finally {
    clearTimeout(slow);
    if (running === request) byId("busy").textContent = "";
  }
}

async function check() {
  const { text } = editor;
  try {
    const { status, answer } = await post("page/check", { text, before: lastApplied() });
    if (status !== 200 || editor.text !== text) return;
    editor.show(answer.errors);
    if (!answer.errors.length) banner("request", null);
  } catch {
    // The next beat of the server's pulse says that it is gone.
  }
}

const lastApplied = () => page.steps.findLast((step) => "apply" in step)?.apply ?? null;

let identity = null;

async function pulse() {
  try {
    const { id } = await (await fetch("page/alive")).json();
    banner("alive", null);
    if (identity !== null && id !== identity) await renew();
    identity = id;
  } catch {
    banner("alive", "The server does not respond. Start it again; this page then goes on by itself.");
  }
  setTimeout(pulse, 2000);
}

// The hook or a file has changed: take the new texts, and simulate the same steps again.
async function renew() {
  const old = page.start.examples;
  page.start = { ...page.start, ...(await (await fetch("page/start")).json()) };
  const now = (text) => {
    const name = old.find((example) => example.text === text)?.name;
    return page.start.examples.find((example) => example.name === name)?.text ?? text;
  };
  const untouched = old.some(({ text }) => text === editor.text);
  if (untouched && now(editor.text) !== editor.text) editor.text = now(editor.text);
  fillExamples();
  if (!page.steps.length) return startOver();
  const steps = page.steps.map((step) => ("apply" in step ? { ...step, apply: now(step.apply) } : step));
  await simulate(steps, page.history ? page.history.timeAt(page.position) : 0);
}

// What a person does

const now = () => (page.history ? Math.ceil(page.history.timeAt(page.position) * 1000 - 1e-6) / 1000 : 0);

// An object's key as a step names it: one of a cluster-scoped kind has no namespace.
const written = (key) => key.replace("//", "/");

// Let a step happen at the playhead; later steps are dropped.
async function act(step) {
  const at = now();
  const kept = page.steps.filter((each) => each.at <= at + 0.0005);
  await change([...kept, { at, ...step }], at);
}

async function change(steps, from) {
  const before = page.steps;
  if (await simulate(steps, from)) {
    if (before.length) page.before.push(before);
    drawUndo();
    explain();
  }
}

// Say why nothing happens after a step that only changes what comes.
function explain() {
  const last = page.steps.at(-1);
  const waits =
    ("fail" in last || "hook" in last) &&
    !page.history.entries.some(({ type, at }) => type === "write" && at >= last.at);
  banner(
    "hint",
    waits ? "Nothing changes yet: this affects what happens from now on. Apply an edit, or delete an object." : null,
  );
}

function drawUndo() {
  const last = page.before.length ? page.steps.at(-1) : null;
  byId("undo").disabled = !last;
  byId("undo").textContent = byId("undo").title = last ? `Undo: ${describe(last, page.start.failures)}` : "Undo";
}

async function undo() {
  const steps = page.before.at(-1);
  const at = Math.min(now(), page.steps.at(-1).at);
  if (!steps || !(await simulate(steps, at))) return;
  page.before.pop();
  drawUndo();
  explain();
  say("Undone.");
}

const apply = () => act({ apply: editor.text });
const startOver = () => change([{ at: 0, apply: editor.text }], 0);

function fillExamples() {
  byId("examples").replaceChildren(...page.start.examples.map(({ name }) => make("option", { textContent: name })));
  byId("examples").value = page.start.examples.find(({ text }) => text === editor.text)?.name ?? "";
}

const lastOf = (kind) => page.steps.findLast((step) => kind in step && step.at <= now() + 0.0005)?.[kind];

function clickAction({ target }) {
  const [action, ...rest] = (target.closest("button")?.dataset.key ?? "").split(" ");
  const argument = rest.join(" ");
  if (action === "fail") act({ fail: lastOf("fail") === argument ? "none" : argument });
  if (action === "hook") act({ hook: lastOf("hook") === "down" ? "up" : "down" });
  if (action === "restart") act({ restart: "metacontroller" });
  if (action === "delete" && argument) act({ delete: { object: written(argument) } });
  else if (action === "edit" || action === "delete") ask(action);
}

// Ask for an object, and for a field and its value if it is to be edited.
function ask(action) {
  stop();
  const dialog = byId("dialog");
  const world = page.history.worldAt(page.drawn);
  const children = [...world].filter(([, object]) => !isParent(object, page.start.kinds)).map(([key]) => key);
  const objects =
    action === "edit"
      ? [...children, ...[...world.keys()].filter((key) => !children.includes(key))]
      : [...world.keys()];
  dialog.dataset.action = action;
  byId("dialog-title").textContent = action === "edit" ? "Edit an object by hand" : "Delete an object";
  byId("dialog-do").textContent = action === "edit" ? "Edit" : "Delete";
  byId("dialog-object").replaceChildren(
    ...objects.map((key) => make("option", { value: key, textContent: nameOf(key) })),
  );
  if (objects.includes(page.selected) && !(action === "edit" && !children.includes(page.selected)))
    byId("dialog-object").value = page.selected;
  byId("dialog-path").value = byId("dialog-value").value = "";
  byId("dialog-path").required = byId("dialog-value").required = action === "edit";
  dialog.returnValue = "";
  offerPaths();
  dialog.showModal();
}

const fieldsOfDialog = () =>
  paths(page.history.objectAt(byId("dialog-object").value, page.drawn) ?? {}).filter(
    ([path]) => !/^(status|apiVersion|kind)/.test(path),
  );

function offerPaths() {
  byId("dialog-paths").replaceChildren(...fieldsOfDialog().map(([value]) => make("option", { value })));
}

function closeDialog() {
  const [dialog, object] = [byId("dialog"), byId("dialog-object").value];
  if (dialog.returnValue !== "do" || !object) return;
  if (dialog.dataset.action === "delete") return act({ delete: { object: written(object) } });
  const text = byId("dialog-value").value;
  let value = text;
  try {
    value = JSON.parse(text);
  } catch {
    // A text that is no JSON stands for itself.
  }
  act({ edit: { object: written(object), set: { [byId("dialog-path").value]: value } } });
}

// Show

function banner(name, message, ...buttons) {
  const old = [...byId("banners").children].find((node) => node.dataset.name === name);
  if (!message) return old?.remove();
  if (old?.firstChild.textContent === message) return;
  const node = make("div", { className: "banner" }, make("p", { textContent: message }), ...buttons);
  node.dataset.name = name;
  old?.remove();
  byId("banners").append(node);
}

const sentence = (text) => text[0].toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");

const say = (text) => (byId("said").textContent = text);

function show(simulation, from) {
  const began = performance.now();
  document.body.classList.add("simulated");
  page.history = new History(simulation, page.steps, page.start.failures);
  page.drawn = page.entry = -1;
  const { history } = page;
  const parent = history.entries.find((entry) => entry.after && isParent(entry.after, page.start.kinds))?.object;
  if (!history.writes.has(page.selected)) page.selected = parent ?? history.writes.keys().next().value ?? "";
  byId("slider").max = history.length;
  byId("speed").value = [1, 2, 5].find((speed) => history.length / speed < 40) ?? 20;
  showProblem();
  listLines();
  page.width = drawMarks(byId("marks"), history);
  stop();
  go(STILL.matches ? history.length : history.positionOf(from));
  if (!STILL.matches) play();
  performance.measure("show", { start: began, end: performance.now() });
}

function showProblem() {
  const { history } = page;
  const failed = history.entries.findIndex(({ type, status }) => type === "call" && status !== 200);
  const link = (text, index) => {
    const button = make("button", { textContent: text });
    button.addEventListener("click", () => choose(index));
    return button;
  };
  banner(
    "problem",
    history.problem && sentence(history.problem),
    ...(failed < 0 ? [] : [link("Show the call that failed", failed)]),
  );
  const findings = history.entries.flatMap((entry, index) =>
    entry.type === "finding" ? [link(`${history.clock(entry.at)}: ${lineOf(entry).what}`, index)] : [],
  );
  banner(
    "findings",
    findings.length ? (findings.length === 1 ? "1 finding" : `${findings.length} findings`) : null,
    ...findings,
  );
}

function listLines() {
  const [list, all] = [byId("lines"), byId("all").checked];
  Object.assign(list, { history: page.history, all, current: null });
  drawLines(list, page.history, all, () => markLine());
}

// The parent to show: the one that is selected, or else the one that was shown.
function parentIn(world) {
  const parents = [...world].filter(([, object]) => isParent(object, page.start.kinds)).map(([key]) => key);
  return [page.selected, page.parent].find((key) => parents.includes(key)) ?? parents[0];
}

// Draw the moment of the playhead.
function draw() {
  const { history, position } = page;
  const cursor = page.entry >= 0 ? page.entry + 1 : history.cursorAt(position);
  const at = history.timeAt(position);
  byId("playhead").style.transform = `translateX(${placeOf(position, history, page.width)}px)`;
  byId("slider").value = position;
  const clock = history.clock(at);
  if (byId("clock").textContent !== clock) byId("clock").textContent = clock;
  if (page.drawn === cursor) return;
  page.drawn = cursor;
  const world = history.worldAt(cursor);
  page.parent = parentIn(world);
  const shown = {
    history,
    cursor,
    world,
    parent: page.parent,
    kinds: page.start.kinds,
    selected: page.selected,
    entry: page.entry,
    edit: history.lastEdit(cursor),
  };
  drawTree(byId("tree"), shown);
  drawParent(byId("parent"), byId("conditions"), shown);
  drawEdit(byId("edit"), shown);
  drawDetail(shown);
  if (page.start.live)
    drawActions(byId("actions"), {
      failures: page.start.failures,
      active: lastOf("fail"),
      outage: lastOf("hook") === "down",
      world,
    });
  byId("slider").setAttribute(
    "aria-valuetext",
    `${clock}: ${[...byId("parent").children].map((part) => part.textContent).join(" ")}`,
  );
  markLine();
}

// Mark the last line that has happened, and scroll to it.
function markLine() {
  const list = byId("lines");
  const buttons = list.children;
  let [low, high] = [0, buttons.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Number(buttons[middle].firstChild.dataset.index) < page.drawn) low = middle + 1;
    else high = middle;
  }
  const line = buttons[Math.max(0, low - 1)]?.firstChild;
  if (!line || line === list.current) return;
  list.current?.removeAttribute("aria-current");
  if (list.current) list.current.tabIndex = -1;
  line.setAttribute("aria-current", "true");
  line.tabIndex = 0;
  list.current = line;
  list.scrollTop = line.parentElement.offsetTop - list.clientHeight / 2;
}

// Time

function go(position) {
  if (!page.history) return;
  page.position = Math.max(0, Math.min(position, page.history.length));
  page.entry = -1;
  draw();
}

// Go to an entry and show what it is about.
function choose(index) {
  if (index === undefined || index < 0) return;
  stop();
  const entry = page.history.entries[index];
  if (entry.object && page.history.writes.has(entry.object)) page.selected = entry.object;
  page.position = page.history.positions[index];
  page.entry = index;
  page.drawn = -1;
  draw();
}

// Go to the line before or after the playhead.
function step(by) {
  const { history } = page;
  if (!history) return;
  const shown = byId("all").checked ? history.entries.map((_, index) => index) : history.lines;
  const happened = shown.filter((index) => index < page.drawn).length;
  choose(shown[Math.max(0, Math.min(shown.length - 1, happened - 1 + by))]);
}

function stop() {
  page.playing = false;
  drawPlay();
}

function play() {
  if (!page.history) return;
  if (page.position >= page.history.length) go(0);
  page.playing = true;
  drawPlay();
  let last = performance.now();
  const token = (page.playback = {});
  const frame = (time) => {
    if (!page.playing || page.playback !== token) return;
    go(page.position + (Math.max(0, time - last) / 1000) * Number(byId("speed").value));
    last = time;
    if (page.position < page.history.length) return requestAnimationFrame(frame);
    stop();
    const state = page.history.entries.findLast(({ tone }) => ["good", "busy", "bad"].includes(tone));
    say(`${page.history.clock(page.history.end)}: ${state?.text ?? "The end."}`);
  };
  requestAnimationFrame(frame);
}

function drawPlay() {
  byId("play").textContent = page.playing ? "Pause" : "Play";
}

// Begin

const editor = new Editor({ schemas: () => page.start.schemas, changed: () => typed(), apply });
let waiting;

function typed() {
  clearTimeout(waiting);
  waiting = setTimeout(check, 200);
}

function listen() {
  byId("apply").addEventListener("click", apply);
  byId("over").addEventListener("click", startOver);
  byId("undo").addEventListener("click", undo);
  byId("examples").addEventListener("change", ({ target }) => {
    editor.text = page.start.examples.find(({ name }) => name === target.value).text;
    startOver();
  });
  byId("actions").addEventListener("click", clickAction);
  byId("dialog").addEventListener("close", closeDialog);
  byId("dialog-object").addEventListener("change", offerPaths);
  byId("dialog-path").addEventListener("change", ({ target }) => {
    const value = fieldsOfDialog().find(([path]) => path === target.value)?.[1];
    if (value !== undefined) byId("dialog-value").value = typeof value === "string" ? value : JSON.stringify(value);
  });
}

function listenToTime() {
  byId("play").addEventListener("click", () => (page.playing ? stop() : play()));
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("slider").addEventListener("input", ({ target }) => {
    stop();
    go(Number(target.value));
  });
  byId("slider").addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    step(by);
  });
  byId("all").addEventListener("change", () => page.history && listLines());
  byId("track").addEventListener("pointerdown", clickMark);
  byId("track").addEventListener("pointermove", nameMark);
  new ResizeObserver(() => {
    if (!page.history || byId("track").clientWidth === page.width) return;
    page.width = drawMarks(byId("marks"), page.history);
    draw();
  }).observe(byId("track"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener(
    "change",
    () => page.history && drawMarks(byId("marks"), page.history),
  );
}

function listenToChoices() {
  byId("lines").addEventListener("click", ({ target }) => choose(Number(target.closest(".line")?.dataset.index ?? -1)));
  byId("lines").addEventListener("keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    step(by);
    byId("lines").current?.focus();
  });
  byId("world").addEventListener("click", ({ target }) => {
    const { object } = target.closest("[data-object]")?.dataset ?? {};
    if (!object) return;
    Object.assign(page, { selected: object, entry: -1, drawn: -1 });
    draw();
  });
}

// The entry whose mark is under the pointer, or undefined.
function markAt({ clientX, clientY }) {
  const { history } = page;
  if (!history) return undefined;
  const box = byId("marks").getBoundingClientRect();
  const [x, lane] = [clientX - box.left, Math.floor(((clientY - box.top) / box.height) * 4)];
  const far = (index) => Math.abs(placeOf(history.positions[index], history, box.width) - x);
  const near = history.entries
    .map((_, index) => index)
    .filter((index) => laneOf(history.entries[index]) === lane && far(index) < 7);
  return near.sort((a, b) => isLine(history.entries[b]) - isLine(history.entries[a]) || far(a) - far(b))[0];
}

// Choose the mark under the pointer, or go to the place.
function clickMark(event) {
  const box = byId("marks").getBoundingClientRect();
  const index = markAt(event);
  stop();
  if (index === undefined && page.history)
    go(((event.clientX - box.left - 8) / (box.width - 16)) * page.history.length);
  else choose(index);
}

function nameMark(event) {
  const entry = page.history?.entries[markAt(event)];
  byId("track").title = entry ? `${page.history.clock(entry.at)}, ${lineOf(entry).who}: ${lineOf(entry).what}` : "";
}

function begin() {
  const { start } = page;
  document.title = `${start.program}: simulation`;
  byId("program").textContent = start.program;
  document.body.classList.toggle("live", start.live);
  listen();
  listenToTime();
  listenToChoices();
  if (!start.live) {
    page.steps = start.steps;
    return show(start.simulation, 0);
  }
  editor.text = start.examples[0]?.text ?? "";
  fillExamples();
  startOver();
  pulse();
}

begin();
