// What a history means: pure functions and one class, which know nothing of the document.

const LONGEST_GAP = 3; // seconds that a longer quiet time counts on the time line
const SHORTEST_GAP = { line: 0.12, change: 0.02 }; // seconds between two changes, so that one can see each of them
const DAY = 86400;
const BAD_WAIT = /BackOff|Err|Invalid|Fail|Unschedulable/;

export class History {
  // A simulation with the steps of the user that made it, and the failures that a step can name.
  constructor(simulation, steps, failures = []) {
    this.start = Date.parse(simulation.start) / 1000;
    this.end = simulation.end;
    this.problem = simulation.problem;
    this.findings = simulation.findings;
    this.entries = merged(simulation, steps, failures);
    this.ats = this.entries.map((entry) => entry.at);
    this.writes = new Map();
    this.entries.forEach((entry, index) => {
      if (entry.type !== "write" || !entry.changed) return;
      if (!this.writes.has(entry.object)) this.writes.set(entry.object, []);
      this.writes.get(entry.object).push(index);
    });
    [this.positions, this.quiet, this.length] = compressed(this.entries, this.end);
    this.lines = this.entries.flatMap((entry, index) => (isLine(entry) ? [index] : []));
  }

  // How many entries have happened at a position on the time line.
  cursorAt(position) {
    return above(this.positions, position + 1e-6);
  }

  // The position at which a time begins.
  positionOf(at) {
    const index = above(this.ats, at - 0.0005);
    return index < this.positions.length ? this.positions[index] : this.length;
  }

  // The time at a position.
  timeAt(position) {
    const next = this.cursorAt(position);
    const [p0, t0] = next ? [this.positions[next - 1], this.ats[next - 1]] : [0, 0];
    const [p1, t1] = next < this.ats.length ? [this.positions[next], this.ats[next]] : [this.length, this.end];
    return p1 > p0 ? t0 + ((t1 - t0) * (position - p0)) / (p1 - p0) : t0;
  }

  // The index of the write that made an object what it is after `cursor` entries, or -1.
  lastWrite(object, cursor) {
    const writes = this.writes.get(object) ?? [];
    const count = above(writes, cursor - 1);
    return count ? writes[count - 1] : -1;
  }

  objectAt(object, cursor) {
    const index = this.lastWrite(object, cursor);
    return index < 0 ? null : this.entries[index].after;
  }

  // All objects after `cursor` entries, by their key Kind/namespace/name.
  worldAt(cursor) {
    const world = new Map();
    for (const object of this.writes.keys()) {
      const value = this.objectAt(object, cursor);
      if (value) world.set(object, value);
    }
    return world;
  }

  // The index of the first entry of the user's last write, or -1.
  lastEdit(cursor) {
    const isEdit = (entry) => entry.type === "write" && entry.actor === "you" && entry.changed;
    let index = this.entries.findLastIndex((entry, at) => at < cursor && isEdit(entry));
    while (index > 0 && isEdit(this.entries[index - 1]) && this.ats[index - 1] === this.ats[index]) index--;
    return index;
  }

  // Good, busy or bad: what the last write says of an object.
  toneOf(object, cursor) {
    const writes = this.writes.get(object) ?? [];
    for (let count = above(writes, cursor - 1); count > 0; count--) {
      const { tone } = this.entries[writes[count - 1]];
      if (["good", "busy", "bad"].includes(tone)) return tone;
    }
    return "plain";
  }

  // The response of a call. A call has none if it is the same as that of the last call of this object and hook.
  responseTo(index) {
    const call = this.entries[index];
    const same = (entry, at) =>
      at <= index &&
      entry.type === "call" &&
      entry.object === call.object &&
      entry.hook === call.hook &&
      "response" in entry;
    return this.entries.findLast(same)?.response;
  }

  clock(at, withDay = true) {
    const time = new Date(Math.floor(this.start + at + 1e-6) * 1000).toISOString().slice(11, 19);
    const day = Math.floor(((this.start % DAY) + at) / DAY) + 1;
    return withDay ? `${time}, day ${day}` : time;
  }
}

function merged(simulation, steps, failures) {
  const entries = [...simulation.entries];
  const add = (entry, index) => entries.splice(index < 0 ? entries.length : index, 0, entry);
  for (const step of steps.filter((step) => "fail" in step || "hook" in step || "restart" in step)) {
    const entry = { type: "step", at: step.at, actor: "you", text: describe(step, failures), tone: "plain" };
    add(
      entry,
      entries.findIndex(({ at }) => at >= step.at - 0.0005),
    );
  }
  for (const finding of simulation.findings) {
    add(
      { type: "finding", ...finding },
      entries.findIndex(({ at }) => at > finding.at),
    );
  }
  return entries;
}

// The position of each entry, the quiet times [from, to, seconds], and the length of the time line. Only changes
// count: an hour in which the hook only repeats its response is as short as an hour without a call.
function compressed(entries, end) {
  const positions = new Array(entries.length);
  const quiet = [];
  let [first, position, time] = [0, 0, 0];
  const advance = (index, at, least) => {
    const next = position + Math.max(least, Math.min(at - time, LONGEST_GAP));
    for (; first < index; first++) {
      positions[first] =
        at > time ? position + ((next - position) * (entries[first].at - time)) / (at - time) : position;
    }
    if (at - time > LONGEST_GAP) quiet.push([position, next, at - time]);
    [position, time] = [next, at];
  };
  entries.forEach((entry, index) => {
    if (!isChange(entry)) return;
    advance(index, entry.at, index === 0 ? 0 : isLine(entry) ? SHORTEST_GAP.line : SHORTEST_GAP.change);
    positions[index] = position;
    first = index + 1;
  });
  advance(entries.length, Math.max(end, time), 0.5);
  return [positions, quiet, position];
}

// The number of values, which are in order, that are at most `limit`.
function above(values, limit) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const isChange = (entry) => (entry.type === "write" && entry.changed) || isLine(entry);

// Whether the list has the entry when it does not show all.
export function isLine(entry) {
  if (entry.type === "write") return Boolean(entry.refused || (entry.text && entry.changed));
  return entry.type !== "call" || entry.status !== 200;
}

// One line for an entry: who, what, and how good it is.
export function lineOf(entry) {
  const [kind, , name] = (entry.object ?? "").split("/");
  switch (entry.type) {
    case "write":
      if (entry.refused)
        return {
          who: entry.actor,
          what: `${entry.text ?? `${entry.verb} ${kind} ${name}`}: refused: ${entry.refused}`,
          tone: "bad",
        };
      return {
        who: entry.actor,
        what: entry.text ?? `${entry.verb} ${kind} ${name}${entry.changed ? "" : " (no change)"}`,
        tone: entry.tone ?? "detail",
      };
    case "call": {
      const answer =
        entry.status === null ? "no response" : entry.status === 200 ? "responds" : `status ${entry.status}`;
      return {
        who: "hook",
        what: `${entry.hook} of ${kind} ${name}: ${answer}`,
        tone: entry.status === 200 ? "detail" : "bad",
      };
    }
    case "event":
      return { who: "event", what: `${entry.reason}: ${entry.message}`, tone: "bad" };
    case "finding":
      return { who: "finding", what: `${entry.rule}: ${entry.message}`, tone: "warn" };
    default:
      return { who: entry.actor, what: entry.text, tone: "plain" };
  }
}

// The lane of an entry on the time line.
export function laneOf(entry) {
  if (entry.actor === "you") return 0;
  if (entry.type !== "write") return 1;
  return entry.actor === "metacontroller" ? 2 : 3;
}

export function describe(step, failures) {
  if ("apply" in step) return "Apply";
  if ("delete" in step) return `Delete ${nameOf(step.delete.object)}`;
  if ("edit" in step) return `Edit ${nameOf(step.edit.object)}`;
  if ("hook" in step) return step.hook === "down" ? "Outage of the hook begins" : "Outage of the hook ends";
  if ("restart" in step) return "Metacontroller restarts";
  if (step.fail === "none") return "Failure ends";
  return failures.find(({ name }) => name === step.fail)?.label ?? `Failure: ${step.fail}`;
}

export const nameOf = (object) => object.replace(/\/.*\//, " ").replace("/", " ");

export function duration(seconds) {
  for (const [size, unit] of [
    [DAY, "d"],
    [3600, "h"],
    [60, "min"],
  ]) {
    if (seconds >= 2 * size) return `${Math.round(seconds / size)} ${unit}`;
  }
  return `${Math.round(seconds)} s`;
}

// The objects of a world as a forest by their owners; the parents come first.
export function forest(world, kinds) {
  const nodes = new Map();
  for (const [key, object] of world) nodes.set(object.metadata.uid ?? key, { key, object, children: [] });
  const roots = [];
  for (const node of nodes.values()) {
    const owners = node.object.metadata.ownerReferences ?? [];
    const owner = owners.find(({ controller }) => controller) ?? owners[0];
    (nodes.get(owner?.uid)?.children ?? roots).push(node);
  }
  return [
    ...roots.filter(({ object }) => isParent(object, kinds)),
    ...roots.filter(({ object }) => !isParent(object, kinds)),
  ];
}

export const isParent = (object, kinds) => kinds.includes(`${object.apiVersion}/${object.kind}`);

// The tone of a Pod and a word for it.
export function podState(pod) {
  const { phase, reason, containerStatuses = [], initContainerStatuses = [], conditions = [] } = pod.status ?? {};
  if (pod.metadata.deletionTimestamp) return ["ending", "Terminating"];
  if (phase === "Succeeded") return ["done", "Completed"];
  if (phase === "Failed") return ["bad", reason ?? "Failed"];
  const states = [...initContainerStatuses, ...containerStatuses].map(({ state }) => state ?? {});
  const waits = states.map(({ waiting }) => waiting?.reason).filter(Boolean);
  const failed = states.find(({ terminated }) => terminated && terminated.exitCode !== 0)?.terminated;
  const trouble = waits.find((wait) => BAD_WAIT.test(wait)) ?? failed?.reason ?? (failed && "Error");
  if (trouble) return ["bad", trouble];
  const condition = (type) => conditions.find((each) => each.type === type);
  if (condition("Ready")?.status === "True") return ["good", "Ready"];
  if (condition("PodScheduled")?.status === "False")
    return ["bad", condition("PodScheduled").reason ?? "Unschedulable"];
  return ["busy", waits[0] ?? (phase === "Running" ? "Running, not ready" : (phase ?? "Pending"))];
}

// A word for the state of an object that is not a Pod, or "".
export function stateOf(object) {
  const { spec = {}, status = {}, metadata } = object;
  if (metadata.deletionTimestamp) return "Terminating";
  const ready = (status.conditions ?? []).find(({ type }) => type === "Ready");
  const word =
    status.state ?? status.phase ?? (ready && (ready.status === "True" ? "Ready" : (ready.reason ?? "Not ready")));
  if (typeof word === "string") return word;
  const counts = object.apiVersion === "apps/v1" || "readyReplicas" in status; // apps/v1 leaves out a count of 0
  return counts && Number.isInteger(spec.replicas) ? `${status.readyReplicas ?? 0}/${spec.replicas} ready` : "";
}

// How many Pods of `before` are gone or end in `after`, and how many of `after` are new.
export function replaced(before, after) {
  const pods = (world) => [...world.values()].filter(({ kind }) => kind === "Pod");
  const alive = (world) =>
    new Set(
      pods(world)
        .filter(({ metadata }) => !metadata.deletionTimestamp)
        .map(({ metadata }) => metadata.uid),
    );
  const [old, now] = [alive(before), alive(after)];
  return {
    of: old.size,
    gone: [...old].filter((uid) => !now.has(uid)).length,
    added: [...now].filter((uid) => !old.has(uid)).length,
  };
}

const PLAIN = /^[A-Za-z_/.][\w ./@+=,();<>*'"&!?$%~^|\\-]*(:[\w./@-][\w ./@+=,:-]*)*$/;
const AMBIGUOUS = /^(true|false|null|yes|no|on|off|y|n|\.nan|\.inf|[.\d_eE+-]+)$/i;

export function scalar(value) {
  if (typeof value !== "string") return JSON.stringify(value ?? null);
  const plain = PLAIN.test(value) && !AMBIGUOUS.test(value) && value.trim() === value;
  return plain ? value : JSON.stringify(value);
}

// The lines of a value as YAML.
export function yamlLines(value, indent = "") {
  const isLeaf = (each) => each === null || typeof each !== "object" || !Object.keys(each).length;
  const leaf = (each, within) => {
    if (
      typeof each !== "string" ||
      !/[^\n]\n/.test(each) ||
      /[^\S\n]\n|[^\n\t\x20-\uffff]|^\s|[\u0085\u2028\u2029]/.test(each)
    )
      return [scalar(each)];
    const text = each.replace(/\n$/, "").split("\n");
    return [/\n$/.test(each) ? "|" : "|-", ...text.map((line) => (line ? within + line : ""))];
  };
  if (isLeaf(value)) return leaf(value, indent).map((line, index) => (index ? line : indent + line));
  if (Array.isArray(value)) {
    return value.flatMap((each) => {
      const [first, ...rest] = isLeaf(each) ? leaf(each, `${indent}  `) : yamlLines(each, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  return Object.entries(value).flatMap(([key, each]) => {
    if (!isLeaf(each))
      return [`${indent}${scalar(key)}:`, ...yamlLines(each, Array.isArray(each) ? indent : `${indent}  `)];
    const [first, ...rest] = leaf(each, `${indent}  `);
    return [`${indent}${scalar(key)}: ${first}`, ...rest];
  });
}

// The lines of both, as [" ", line], ["-", line] or ["+", line].
export function difference(before, after) {
  const same = (a, b) => a === b || (/^ {2}resourceVersion:/.test(a) && /^ {2}resourceVersion:/.test(b));
  let [head, tail] = [0, 0];
  const shorter = Math.min(before.length, after.length);
  while (head < shorter && same(before[head], after[head])) head++;
  while (tail < shorter - head && same(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const [a, b] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const keep = (lines) => lines.map((line) => [" ", line]);
  return [...keep(after.slice(0, head)), ...changes(a, b, same), ...keep(after.slice(after.length - tail))];
}

function changes(a, b, same) {
  if (a.length * b.length > 4e6) return [...a.map((line) => ["-", line]), ...b.map((line) => ["+", line])];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width); // of a common subsequence of the rest of both
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const skip = Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
      longest[i * width + j] = same(a[i], b[j]) ? longest[(i + 1) * width + j + 1] + 1 : skip;
    }
  }
  const lines = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(a[i], b[j])) {
      lines.push([" ", b[j]]);
      i++;
      j++;
    } else if (j === b.length || (i < a.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1]))
      lines.push(["-", a[i++]]);
    else lines.push(["+", b[j++]]);
  }
  return lines;
}

// The paths of an object to its values that are no objects, as `edit` wants them.
export function paths(value, path = "") {
  if (value === null || typeof value !== "object") return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((each, index) => paths(each, `${path}[${index}]`));
  return Object.entries(value).flatMap(([key, each]) => paths(each, path ? `${path}.${key}` : key));
}

const KEY = /^(\s*)(- )?\s*([^\s#:'"-][^:]*):(\s|$)/;

// The fields that can stand at the offset of a text, or null.
export function completions(text, offset, schemas) {
  const lines = text.split("\n");
  const number = text.slice(0, offset).split("\n").length - 1;
  const typed = lines[number].slice(0, offset - (text.lastIndexOf("\n", offset - 1) + 1));
  const start = /^(\s*)(- )?([\w.$/-]*)$/.exec(typed);
  if (!start || /^[\w.$/-]*:/.test(lines[number].slice(typed.length))) return null;
  const [, spaces, dash = "", prefix] = start;
  const { path, siblings } = pathAt(lines, number, spaces.length, dash);
  let schema = schemaFor(lines, number, schemas);
  for (const part of path)
    schema = part === "[]" ? schema?.items : (schema?.properties?.[part] ?? schema?.additionalProperties);
  const indent = " ".repeat(spaces.length + dash.length);
  const options = Object.entries(schema?.properties ?? {})
    .filter(([name]) => name.toLowerCase().startsWith(prefix.toLowerCase()) && !siblings.has(name))
    .map(([name, field]) => ({
      name,
      ...about(field),
      required: schema.required?.includes(name) ?? false,
      insert: name + opening(field, indent),
    }));
  const rest = /^[\w.$/-]*/.exec(lines[number].slice(typed.length))[0].length;
  return options.length ? { from: offset - prefix.length, to: offset + rest, options } : null;
}

// The keys above a line, "[]" for an item of a list, and the keys beside it.
function pathAt(lines, number, spaces, dash) {
  const path = dash ? ["[]"] : [];
  const siblings = new Set();
  let level = dash ? spaces + 1 : spaces; // a key of a lower indent is the next one of the path
  let beside = !dash;
  for (let index = number - 1; index >= 0 && !/^---/.test(lines[index]); index--) {
    const [, before, item, key] = KEY.exec(lines[index]) ?? [];
    if (key === undefined) continue;
    const indent = before.length + (item?.length ?? 0);
    if (indent > level) continue;
    if (indent < level) {
      path.unshift(key);
      beside = false;
    } else if (beside) siblings.add(key);
    level = indent;
    if (!item) continue;
    path.unshift("[]");
    level = before.length + 1;
    beside = false;
  }
  const own = spaces + dash.length;
  for (const line of lines.slice(number + 1)) {
    const [, before, item, key] = KEY.exec(line) ?? [];
    if (/^---/.test(line) || (line.trim() && line.search(/\S/) < own) || item?.length + before?.length <= own) break;
    if (before?.length === own && key) siblings.add(key);
  }
  return { path, siblings };
}

function schemaFor(lines, number, schemas) {
  const first = lines.findLastIndex((line, index) => index < number && /^---/.test(line)) + 1;
  const after = lines.findIndex((line, index) => index > number && /^---/.test(line));
  const document = lines.slice(first, after < 0 ? lines.length : after);
  const value = (key) =>
    document
      .find((line) => line.startsWith(`${key}:`))
      ?.slice(key.length + 1)
      .trim();
  const [version, kind] = [value("apiVersion"), value("kind")];
  const all = Object.entries(schemas);
  const found = all.filter(
    ([name]) => (!kind || name.endsWith(`/${kind}`)) && (!version || name.startsWith(`${version}/`)),
  );
  return found[0]?.[1];
}

function about(field) {
  const kind = (each) => (each?.["x-kubernetes-int-or-string"] ? "integer or string" : (each?.type ?? "value"));
  const type = field.type === "array" ? `list of ${kind(field.items)}` : kind(field);
  return { type, about: /^.*?[.](?=\s|$)|^.*/.exec(field.description ?? "")[0] };
}

function opening(field, indent) {
  if (field.type === "array") return `:\n${indent}- `;
  return field.type === "object" || field.properties ? `:\n${indent}  ` : ": ";
}
