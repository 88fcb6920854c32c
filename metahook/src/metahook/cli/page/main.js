// The page: what a person does, requests to the server, and play.
import { History, describe, isLine, isParent, laneOf, lineOf, nameOf, paths } from "./model.js";
import { byId, make, drawActions, drawDetail, drawEdit, drawLines, drawParent, drawTree } from "./draw.js";
import { drawMarks, placeOf } from "./draw.js";
import { Editor } from "./editor.js";

const STILL = matchMedia("(prefers-reduced-motion: reduce)");

const MIB = 1024 * 1024;

const page = {
  start: JSON.parse(byId("start").textContent),
  history: null,
  shown: { steps: [], before: null }, // the steps of the history, and what was wanted before the user's last action
  wanted: { steps: [], before: null }, // the same for the newest request
  position: 0, // of the playhead
  playing: false,
  drawn: -1, // the cursor that the page shows
  width: 0, // of the time line, in pixels
  selected: "", // an object
  entry: -1, // the line that the user chose, until the playhead moves
};

// Requests

let running = null; // the AbortController of the newest simulation

// What the server answers: whether it is what was asked for, the JSON, and the reason if there is one.
async function ask(path, options) {
  const response = await fetch(path, options);
  const text = await response.text();
  const unclear = `The server responds with status ${response.status} and no reason. See its log.`;
  try {
    const answer = JSON.parse(text);
    return { ok: response.ok, answer, reason: answer.detail ?? unclear };
  } catch {
    return { ok: false, answer: {}, reason: unclear };
  }
}

async function post(path, content, signal) {
  const body = JSON.stringify(content);
  const limit = page.start.limit ?? 5 * MIB;
  if (new Blob([body]).size <= limit)
    return ask(path, { method: "POST", body, headers: { "content-type": "application/json" }, signal });
  const size = Number((limit / MIB).toFixed(1));
  return { ok: false, answer: {}, reason: `The text has more than ${size} MiB. Simulate fewer objects.` };
}

// Ask for the history of what is `wanted` now, and show it from the time `from` on. Return whether this, or something
// newer, is shown.
async function simulate(wanted, from) {
  running?.abort();
  const { signal } = (running = new AbortController());
  page.wanted = wanted;
  drawUndo();
  const slow = setTimeout(() => (byId("busy").textContent = "Simulating…"), 300);
  try {
    const { ok, answer, reason } = await post("page/simulation", { steps: wanted.steps }, signal);
    if (!ok) refuse(wanted.steps, answer, reason);
    else {
      page.shown = wanted;
      show(answer, from);
      explain();
    }
    return ok;
  } catch (error) {
    if (!signal.aborted) banner("request", "The server did not respond to this simulation. Try again.");
    return signal.aborted;
  } finally {
    clearTimeout(slow);
    if (running.signal === signal) byId("busy").textContent = "";
  }
}

// Say why the server has not simulated `steps`.
function refuse(steps, { errors, step }, reason) {
  if (!errors) return banner("request", reason);
  if (steps[step]?.apply === editor.text) {
    editor.show(errors);
    return banner("text", "There are errors in the text. It was not applied.");
  }
  const [{ line, message }] = errors;
  banner("request", `A text that was applied earlier is wrong${line ? ` in line ${line}` : ""}: ${message}`);
}

async function check() {
  const { text } = editor;
  try {
    const { ok, answer } = await post("page/check", { text, before: lastApplied() });
    if (!ok || editor.text !== text) return;
    editor.show(answer.errors);
    if (!answer.errors.length) banner("text", null);
  } catch {
    // The next beat of the server's pulse says that it is gone.
  }
}

const lastApplied = () => page.shown.steps.findLast((step) => "apply" in step)?.apply ?? null;

let identity = null;

async function pulse() {
  let problem;
  try {
    problem = await beat();
  } catch {
    problem = "The server does not respond. Its terminal says why. This page goes on by itself when the server runs again.";
  }
  banner("alive", problem);
  setTimeout(pulse, 2000);
}

// Look whether the hook or a file has changed. Return what the server has a problem with, if there is one.
async function beat() {
  const alive = await ask("page/alive");
  if (!alive.ok) return alive.reason;
  if (identity !== null && alive.answer.id !== identity) {
    const start = await ask("page/start");
    if (!start.ok) return start.reason;
    renew(start.answer);
  }
  identity = alive.answer.id;
  return null;
}

// The hook or a file has changed: take the new texts, and simulate the same steps again.
function renew(start) {
  const old = page.start.examples;
  page.start = { ...page.start, ...start };
  const fresh = (text) => {
    const name = old.find((example) => example.text === text)?.name;
    return page.start.examples.find((example) => example.name === name)?.text ?? text;
  };
  const untouched = old.some(({ text }) => text === editor.text);
  if (untouched && fresh(editor.text) !== editor.text) editor.text = fresh(editor.text);
  fillExamples();
  const { steps, before } = page.wanted;
  if (!steps.length) return startOver();
  const renewed = steps.map((step) => ("apply" in step ? { ...step, apply: fresh(step.apply) } : step));
  change({ steps: renewed, before }, now());
}

// What a person does

const now = () => (page.history ? Math.ceil(page.history.timeAt(page.position) * 1000 - 1e-6) / 1000 : 0);

// An object's key as a step names it: one of a cluster-scoped kind has no namespace.
const written = (key) => key.replace("//", "/");

// Let a step happen at the playhead; later steps are dropped.
function act(step) {
  const at = now();
  const kept = page.wanted.steps.filter((each) => each.at <= at + 0.0005);
  return change({ steps: [...kept, { at, ...step }], before: undoable() }, at);
}

const undoable = () => (page.wanted.steps.length ? page.wanted : null);

// Simulate what is `wanted`. If that fails, the actions before it stay. Return whether it succeeds.
async function change(wanted, from) {
  for (const name of ["request", "text"]) banner(name, null);
  const old = page.wanted;
  const succeeds = await simulate(wanted, from);
  if (!succeeds && (old === page.shown || !(await simulate(old, from)))) page.wanted = page.shown;
  drawUndo();
  return succeeds;
}

// Say why nothing happens after a step that only changes what comes.
function explain() {
  const last = page.shown.steps.at(-1);
  const waits =
    ("fail" in last || "hook" in last) &&
    !page.history.entries.some(({ type, at }) => type === "write" && at >= last.at);
  const { before, steps } = page.shown;
  const applied = steps.flatMap(({ apply }) => apply ?? []);
  const dropped = before ? before.steps.filter((step) => step.at > last.at + 0.0005).length : 0;
  const hints = [
    waits ? "Nothing changes yet: this affects what happens from now on. Apply an edit, or delete an object." : "",
    "apply" in last && applied.at(-2) === last.apply ? "The text is the one that was applied: nothing changes." : "",
    dropped && steps.length > 1 ? `What you did later is undone (${dropped}). Undo brings it back.` : "",
  ];
  banner("hint", hints.filter(Boolean).join(" ") || null);
}

function drawUndo() {
  const { before, steps } = page.wanted;
  const what = before && (steps.length === 1 ? "Start over" : describe(steps.at(-1), page.start.failures));
  byId("undo").disabled = !before;
  byId("undo").textContent = byId("undo").title = before ? `Undo: ${what}` : "Undo";
}

async function undo() {
  const { steps, before } = page.wanted;
  if (before && (await change(before, Math.min(now(), steps.at(-1).at)))) say("Undone.");
}

const apply = () => act({ apply: editor.text });
const startOver = () => change({ steps: [{ at: 0, apply: editor.text }], before: undoable() }, 0);

function fillExamples() {
  byId("examples").replaceChildren(...page.start.examples.map(({ name }) => make("option", { textContent: name })));
  byId("examples").value = page.start.examples.find(({ text }) => text === editor.text)?.name ?? "";
}

const lastOf = (kind) => page.wanted.steps.findLast((step) => kind in step && step.at <= now() + 0.0005)?.[kind];

function clickAction({ target }) {
  const [action, ...rest] = (target.closest("button")?.dataset.key ?? "").split(" ");
  const argument = rest.join(" ");
  if (action === "fail") act({ fail: lastOf("fail") === argument ? "none" : argument });
  if (action === "hook") act({ hook: lastOf("hook") === "down" ? "up" : "down" });
  if (action === "restart") act({ restart: "metacontroller" });
  if (action === "delete" && argument) act({ delete: { object: written(argument) } });
  else if (action === "edit" || action === "delete") openDialog(action);
}

// Ask for an object, and for a field and its value if it is to be edited.
function openDialog(action) {
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
  page.history = new History(simulation, page.shown.steps, page.start.failures);
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
  if (!STILL.matches && page.position < history.length) play();
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
    page.shown.steps = start.steps;
    return show(start.simulation, 0);
  }
  editor.text = start.examples[0]?.text ?? "";
  fillExamples();
  startOver();
  pulse();
}

begin();
