// An object: a row for each process, a bar for each operation from call to return, time going to the right.
//
// What overlaps and what comes before what is all that matters of time. So calls without a return between them are drawn at one
// place, and so are returns without a call between them: the history falls into phases, each of some calls and then some returns.
// A phase is as wide as the labels that end in it ask for.

const BAR = 36; // height of an operation
const ROWS = [50, 66]; // from process to process, at least and at most
const ABOVE = 12; // from a row's top to its bars
const GAP = 7; // between phases
const SLIM = 16; // the least width of a phase
const WIDE = 150; // no label asks for more
const FLOOR = 17; // height of a lane of disturbances, below the times
const CROWD = 24; // operations of a larger part are not marked beside a partial linearization
const OBJECT_EDGES = ["points", "hb"];

const methodOf = (call) => call.split("(")[0];

class ObjectDrawing {
  constructor(doc) {
    this.doc = doc;
    this.noun = "operation";
    this.kinds = OBJECT_EDGES;
    this.operations = doc.operations;
    // What a client gave as an error stands beside what it is of.
    const why = ({ error }) => (error === null ? "" : ` (${plain(error)})`);
    this.labels = doc.operations.map((operation) => plain(operation.label) + why(operation));
    this.parts = doc.operations.map((operation, place) => {
      const { result } = operation;
      const end = (result === null ? " → ?" : ` → ${plain(result)}`) + why(operation);
      const label = this.labels[place];
      return label.endsWith(end) ? [label.slice(0, -end.length), end.slice(1)] : [label, ""];
    });
    // Of a method that never returns anything, that is said only where there is room.
    const telling = this.parts.filter(([, result]) => !/^→ (null|\?)$/.test(result));
    this.telling = new Set(telling.map(([call]) => methodOf(call)));
    this.whole = this.labels.map((label) => Math.min(widthOf(label) + 16, 2 * WIDE));
    this.layOut(this.keyAtFirst());
  }

  /** The key to begin with: of the violation, or else the first that fails, or the first; none of a small history that is consistent. */
  keyAtFirst() {
    const { keys, answers, shown } = this.doc;
    if (keys.length === 0) return null;
    const failing = answers[shown]?.failing ?? answers[shown]?.part?.[0];
    if (Number.isInteger(failing)) return this.operations[failing].key;
    const failed = keys.findIndex((key) => key.linearizable === false);
    if (failed >= 0) return failed;
    return this.operations.length <= 60 ? null : 0;
  }

  /** Labels where there is little room: in one line, if they need no other, and in two. The key that is shown is left out. */
  shorten() {
    const key = this.key === null ? null : plain(this.doc.keys[this.key].name);
    const bare = (call) => (key === null ? call : call.replace(`(${key}, `, "(").replace(`(${key})`, "()"));
    this.short = [];
    this.lines = this.parts.map(([whole, result], place) => {
      const call = bare(whole);
      const name = methodOf(call);
      const silent = result === "→ null" && !this.telling.has(name);
      this.short[place] = silent ? call : null;
      if (silent && call !== `${name}()`) return [name, call.slice(name.length)];
      return [call.replace(/\(\)$/, ""), silent ? "" : result];
    });
    this.needs = this.lines.map((lines) => Math.min(Math.max(...lines.map(smallWidth)) + 14, WIDE));
  }

  /** Places the operations of a key, or all. */
  layOut(key) {
    this.key = key;
    this.shorten();
    const places = [...this.operations.keys()].filter((place) => key === null || this.operations[place].key === key);
    this.places = places;
    const processes = [...new Set(places.map((place) => this.operations[place].process))].sort((a, b) => a - b);
    if (key === null) processes.splice(0, Infinity, ...this.doc.processes.keys());
    this.processes = processes.map((process) => plain(this.doc.processes[process].name));
    const rowOf = new Map(processes.map((process, row) => [process, row]));
    this.rows = processes.map(() => []);
    this.row = new Map();
    for (const place of places) {
      const row = rowOf.get(this.operations[place].process);
      this.row.set(place, row);
      this.rows[row].push(place);
    }
    const names = this.processes.map((name) => widthOf(name));
    const narrow = innerWidth < 500;
    this.margin = { left: Math.min(Math.max(narrow ? 16 : 40, ...names.slice(0, 500)) + 26, narrow ? 96 : 180), top: 26 };
    // Whole labels in one line, if all then fits the stage.
    this.layOutPhases(this.whole);
    if (this.fit(stageSize()) < 1) this.layOutPhases(this.needs);
    this.bands = disturbancesOf(this.doc, this);
    const lanes = this.bands.reduce((most, { lane }) => Math.max(most, lane + 1), 0);
    this.margin.top += lanes * FLOOR + (lanes > 0 ? 3 : 0);
    this.arrange();
    this.legible = this.leastZoom();
  }

  /** The phase in which each operation is called, the one in which it returns, and where phases begin and end. */
  layOutPhases(needs) {
    const events = [];
    for (const place of this.places) {
      const { call, ret } = this.operations[place];
      events.push([call, place, true]);
      if (ret !== null) events.push([ret, place, false]);
    }
    events.sort(([a], [b]) => a - b);
    this.called = new Map();
    this.returned = new Map();
    const returning = [];
    let calls = false;
    this.grid = events.map(([at]) => at);
    this.moments = events.map(([, place, call]) => ({ place, call }));
    for (const [, place, call] of events) {
      if (call && !calls) returning.push([]);
      calls = call;
      const phase = returning.length - 1;
      if (call) this.called.set(place, phase);
      else {
        this.returned.set(place, phase);
        returning[phase].push(place);
      }
    }
    this.begins = [];
    this.ends = [];
    let x = GAP;
    returning.forEach((places, phase) => {
      this.begins.push(x);
      const asked = places.map((place) => this.begins[this.called.get(place)] + needs[place]);
      this.ends.push(Math.max(x + SLIM, ...asked));
      x = this.ends[phase] + GAP;
    });
    // What never returned is open beyond the last return.
    const open = this.places.filter((place) => !this.returned.has(place));
    const asked = open.map((place) => this.begins[this.called.get(place)] + needs[place]);
    this.width = Math.max(x, ...asked) + (open.length > 0 ? 2 * GAP : GAP);
    this.moments.forEach((event) => (event.phase = (event.call ? this.called : this.returned).get(event.place)));
    this.times = this.begins.map(() => null);
    for (const place of this.places) {
      const { times } = this.operations[place];
      if (times) this.times[this.called.get(place)] ??= plain(times[0]);
    }
  }

  /** Where a moment is that came after so many of the document's calls and returns. */
  momentAt(count) {
    const next = firstFrom(this.grid, count, (at) => at);
    const [a, b] = [this.moments[next - 1], this.moments[next]];
    if (!a) return 0;
    if (a.phase !== b?.phase) return b || !a.call ? this.ends[a.phase] + GAP / 2 : (this.begins[a.phase] + this.width) / 2;
    if (a.call !== b.call) return (this.begins[a.phase] + this.ends[a.phase]) / 2;
    return a.call ? this.begins[a.phase] : this.ends[a.phase];
  }

  /** How far rows are apart, and what of the answer is drawn as an order, for the key and the operation that is looked at. */
  arrange() {
    const room = (stageSize().height - this.margin.top - 16) / Math.max(this.rows.length, 1);
    this.step = Math.min(Math.max(Math.floor(room), ROWS[0]), ROWS[1]);
    this.height = this.rows.length * this.step + 16;
    const looked = state.hover ?? state.cursor;
    this.order = orderShown(this.doc, shownAnswer(), this.key, looked);
    this.nth = new Map(this.order.steps.map((step, at) => [step.place, at]));
  }

  scale(zoom) {
    return { x: zoom, y: 1 };
  }

  fit(size) {
    return (size.width - this.margin.left - 12) / this.width;
  }

  boxOf(place) {
    const row = this.row.get(place);
    if (row === undefined) return null;
    const x = this.begins[this.called.get(place)];
    const returned = this.returned.get(place);
    let end = returned === undefined ? this.width : this.ends[returned];
    if (returned === undefined) {
      // As far as the process calls nothing else.
      const next = this.rows[row][this.rows[row].indexOf(place) + 1];
      if (next !== undefined) end = Math.max(this.begins[this.called.get(next)] - GAP, x + SLIM / 2);
    }
    return { x, y: row * this.step + ABOVE, width: end - x, height: BAR };
  }

  at(x, y) {
    const row = Math.floor(y / this.step);
    for (const place of this.rows[row] ?? []) if (inside(this.boxOf(place), x, y)) return place;
    return null;
  }

  beside(place, key) {
    const row = this.row.get(place);
    if (row === undefined) return this.places[0] ?? null;
    const at = this.rows[row].indexOf(place);
    if (key === "left") return this.rows[row][at - 1] ?? place;
    if (key === "right") return this.rows[row][at + 1] ?? place;
    const side = key === "up" ? -1 : 1;
    for (let other = row + side; this.rows[other]; other += side) {
      const there = this.rows[other];
      if (there.length === 0) continue;
      const { call } = this.operations[place];
      return there[Math.min(firstFrom(there, call, (p) => this.operations[p].call), there.length - 1)];
    }
    return place;
  }

  /** What to see first where not all can be: the operation that cannot be placed. */
  firstSeen() {
    const { failing, wrong } = emphasis();
    return failing !== null && this.row.has(failing) ? [failing] : wrong;
  }

  /** Goes to the operation that cannot be placed, or else to all of the violation. */
  showViolation() {
    const { failing, wrong } = emphasis();
    const first = this.places.find((place) => unplaced(shownAnswer(), this.doc, place) === "unplaced");
    const place = failing ?? first ?? null;
    if (place === null) return reveal(wrong);
    reveal([place]);
    change("cursor", { cursor: place, hover: null });
  }

  /** Shows the key of these operations, if none of them is shown. */
  bring(places) {
    const all = [...places];
    if (all.length > 0 && !all.some((place) => this.row.has(place))) showKey(this.operations[all[0]].key);
  }

  name(place) {
    return `${plain(this.doc.processes[this.operations[place].process].name)}: ${this.labels[place]}`;
  }

  tell(place) {
    const operation = this.operations[place];
    const [call, ret] = operation.times ?? [];
    const visible = this.visibleTo(place);
    const said = shownAnswer();
    const at = this.nth.get(place);
    const step = at === undefined ? null : this.order.steps[at];
    return [
      this.name(place),
      ["called", call === undefined ? "" : plain(call)],
      ["returned", ret ? plain(ret) : operation.ret === null ? "never" : ""],
      ["line", operation.line === null ? "" : String(operation.line)],
      ["effect", step ? `${step.nth} of ${this.order.length}` : said?.lin.length > 0 ? "none" : ""],
      ["state after", step?.state ?? ""],
      ["meanwhile", few(meanwhile(this.doc, operation))],
      ["sees", visible ? (visible.size > 0 ? few([...visible].map((p) => this.name(p))) : "nothing") : ""],
      ["violation", said?.failing === place ? "nothing explains what it returned" : (PLACED[unplaced(said, this.doc, place)] ?? "")],
    ];
  }

  /** The operations visible to one that took effect, where that is not simply all before it. */
  visibleTo(place) {
    const said = shownAnswer();
    if (!said?.vis?.length) return null;
    const at = said.lin.indexOf(place);
    return at < 0 ? null : new Set(said.vis[at]);
  }

  has(name) {
    return name === "points" ? this.order.steps.length > 0 : this.doc.hb.length > 0;
  }

  edgesAtFirst() {
    return new Set(this.operations.length <= 400 ? OBJECT_EDGES : ["points"]);
  }

  /** The marks that occur, each with what it means. */
  legend() {
    const said = shownAnswer();
    const bar = (kind) =>
      legendMark("", svg("g", { class: `operation ${kind}` }, svg("rect", { class: "box", x: 2, y: 1.5, width: 22, height: 11, rx: 3 })));
    const stands = (kind) => this.places.some((place) => unplaced(said, this.doc, place) === kind);
    const order = said?.partial ? "place in the longest partial linearization" : "place in the order of effects";
    return [
      [this.order.steps.length > 0, sample("points"), order],
      [stands("unplaced"), bar("unplaced"), "cannot be placed (with a cross)"],
      [stands("unreached"), bar("unreached"), "called after an operation that cannot be placed"],
      [said?.part.length > 0 && !this.crowd(), bar("wrong"), "one of a smallest set that nothing explains"],
      [this.places.some((place) => this.operations[place].ret === null), bar("pending"), "never returned"],
      [this.bands.length > 0, disturbanceSample(), "what others did, such as the nemesis"],
    ].flatMap(([occurs, ...entry]) => (occurs ? [entry] : []));
  }

  /** Whether the part that nothing explains is so much of the history that marking it says nothing. */
  crowd() {
    const said = shownAnswer();
    return said?.partial && said.part.length > CROWD;
  }

  paint(view, size) {
    this.arrange();
    const marks = emphasis();
    const frame = {
      place: (x) => this.margin.left + (x - view.x) * view.zoom,
      zoom: view.zoom,
      y: this.margin.top - view.y,
      left: view.x - 60 / view.zoom,
      right: view.x + (size.width - this.margin.left) / view.zoom + 60 / view.zoom,
      first: Math.max(0, Math.floor(view.y / this.step) - 1),
      end: Math.min(this.rows.length, Math.ceil((view.y + size.height - this.margin.top) / this.step) + 1),
    };
    const places = this.inView(frame);
    const close = places.length <= DETAIL;
    const points = close && state.edges.has("points") ? this.pointsInView(frame) : [];
    const looked = state.hover ?? state.cursor;
    const partial = shownAnswer()?.partial;
    const seen = looked === null ? null : (this.visibleTo(looked) ?? (partial ? new Set(this.nth.keys()) : null));
    const classes = ["object"];
    if (seen) classes.push("looking");
    else if (marks.step?.size > 0) classes.push("stepping");
    else if (marks.wrong.size > 0 && !partial) classes.push("accused");
    return svg(
      "g",
      { class: classes.join(" ") },
      paintDisturbances(this.bands, frame, this.height - view.y, this.margin),
      this.paintRows(frame, size),
      this.paintLine(points),
      state.edges.has("hb") ? this.paintBefore(places, frame) : null,
      close
        ? places.map((place) => this.paintOperation(place, marks, frame, seen))
        : this.paintFar(places, marks, frame, seen),
      this.paintPoints(points),
      this.paintMargins(frame, size),
    );
  }

  inView({ left, right, first, end }) {
    const places = [];
    for (let row = first; row < end; row++) {
      for (const place of this.rows[row]) {
        const box = this.boxOf(place);
        if (box.x > right) break;
        if (box.x + box.width >= left) places.push(place);
      }
    }
    return places;
  }

  /** A bar as it is on the stage. */
  barOf(place, frame) {
    const box = this.boxOf(place);
    const [x, end] = [frame.place(box.x), frame.place(box.x + box.width)];
    return { x, y: box.y + frame.y, width: Math.max(end - x, 2), height: BAR };
  }

  paintOperation(place, marks, frame, seen) {
    const operation = this.operations[place];
    const bar = this.barOf(place, frame);
    const { x, y, width } = bar;
    const said = shownAnswer();
    const classes = ["operation", ...standing(place, marks)].filter((name) => name !== "wrong" || !this.crowd());
    const standsOut = unplaced(said, this.doc, place);
    if (standsOut) classes.push(standsOut);
    if (operation.ret === null) classes.push("pending");
    if (seen?.has(place)) classes.push("seen");
    const open = `M${round(x + width)} ${y}H${round(x)}v${BAR}H${round(x + width)}`;
    const shape =
      operation.ret === null
        ? svg("path", { class: "box", d: open })
        : svg("rect", { class: "box", rx: 5, x: round(x), y, width: round(width), height: BAR });
    return svg(
      "g",
      { class: classes.join(" "), "data-place": place, "aria-label": this.name(place) },
      shape,
      this.paintLabel(place, bar, this.roomAfter(place, frame.zoom)),
      marks.failing === place || standsOut === "unplaced" ? this.cross(x + width, y) : null,
    );
  }

  /** How much is free beside a bar, before the next of its process. */
  roomAfter(place, zoom) {
    const row = this.rows[this.row.get(place)];
    const next = row[firstFrom(row, this.operations[place].call + 1, (other) => this.operations[other].call)];
    const box = this.boxOf(place);
    const end = next === undefined ? this.width : this.begins[this.called.get(next)];
    return Math.max((end - box.x - box.width) * zoom - 6, 0);
  }

  /** The least zoom at which nine of ten labels are whole. */
  leastZoom() {
    const zooms = this.places.map((place) => this.needs[place] / (this.boxOf(place).width + this.roomAfter(place, 1)));
    zooms.sort((a, b) => a - b);
    return Math.min(Math.max(zooms[Math.floor(zooms.length * 0.9)] ?? 0, 0.5), 1);
  }

  /**
   * The label in one line or, where it is short of room, in two. It stays in sight while its bar is. Before it is cut it goes on beside its
   * bar, if there is room.
   */
  paintLabel(place, { x, y, width }, beside) {
    const pad = width < 50 ? 3.5 : 7;
    const left = Math.max(x, this.margin.left) + pad;
    const room = x + width - left - pad / 2;
    if (room < 12) return null;
    const label = this.labels[place];
    const middle = y + BAR / 2 + 4.5;
    if (widthOf(label) <= room) return svg("text", { class: "label", x: round(left), y: middle }, label);
    const text = (line, y) => svg("text", { class: "label small", x: round(left), y }, line);
    const wide = room * (13 / SMALL);
    const short = this.short[place];
    if (short !== null && widthOf(short) <= wide) return text(short, middle);
    const [first, second] = this.lines[place];
    const most = (room + beside) * (13 / SMALL);
    if (second === "") return text(elideCall(first, most), middle);
    return [text(elideCall(first, most), middle - 7), text(elideResult(second, most), middle + 6.5)];
  }

  /** The mark of an operation that cannot be placed: a shape, not a color alone. */
  cross(x, y) {
    return svg(
      "g",
      { class: "cross", transform: `translate(${round(x)} ${y})` },
      svg("circle", { r: 8 }),
      svg("path", { d: "M-3.2 -3.2L3.2 3.2M3.2 -3.2L-3.2 3.2" }),
    );
  }

  paintFar(places, marks, frame, seen) {
    const paths = new Map();
    for (const place of places) {
      const classes = ["operation", "far", ...standing(place, marks), unplaced(shownAnswer(), this.doc, place) ?? ""];
      if (seen?.has(place)) classes.push("seen");
      const key = classes.join(" ");
      paths.set(key, (paths.get(key) ?? "") + rectangle(this.barOf(place, frame)));
    }
    return [...paths].map(([classes, d]) => svg("g", { class: classes }, svg("path", { class: "box", d })));
  }

  paintRows(frame, size) {
    let d = "";
    for (let row = frame.first; row < frame.end; row++) d += `M0 ${row * this.step + ABOVE + BAR / 2 + frame.y}h${size.width}`;
    return svg("path", { class: "track", d });
  }

  /** Where operations take effect, of those in view and one more at each side. */
  pointsInView(frame) {
    const { steps } = this.order;
    const spots = this.spots(steps, frame.zoom);
    const first = Math.max(0, firstFrom(spots, frame.left, (x) => x) - 1);
    const found = [];
    // A number hangs below its bar; without room for numbers there are dots on the edges.
    const near = spots.slice(first, firstFrom(spots, frame.right, (x) => x) + 1);
    this.numbered = near.every((x, at) => at === 0 || (x - near[at - 1]) * frame.zoom >= 15);
    const below = this.numbered ? 8 : 0;
    for (let at = first; at < steps.length; at++) {
      const row = this.row.get(steps[at].place);
      found.push({ ...steps[at], x: frame.place(spots[at]), y: row * this.step + ABOVE + BAR + below + frame.y });
      if (spots[at] > frame.right) break;
    }
    return found;
  }

  /**
   * Where operations take effect, in the drawing's units: they increase along the order and lie within the bars, if the order
   * respects real time. One may lie after the last call of those up to it, and before the first return of those from it on.
   */
  spots(steps, zoom) {
    const begin = [];
    steps.reduce((phase, { place }) => {
      begin.push(Math.max(phase, this.called.get(place)));
      return begin.at(-1);
    }, 0);
    const end = new Array(steps.length);
    for (let at = steps.length - 1, phase = Infinity; at >= 0; at--) {
      phase = Math.min(phase, this.returned.get(steps[at].place) ?? Infinity);
      end[at] = phase === Infinity ? this.width - GAP : this.ends[phase];
    }
    // As far apart as there is room for, up to what a number takes.
    for (const apart of [19, 12, 7, 3, 0.5, 0]) {
      const step = apart / zoom;
      const edge = Math.min(9 / zoom, SLIM / 3);
      const early = [];
      begin.forEach((phase, at) => early.push(Math.max(this.begins[phase] + edge, at > 0 ? early[at - 1] + step : 0)));
      const late = new Array(steps.length);
      for (let at = steps.length - 1; at >= 0; at--) {
        late[at] = Math.min(end[at] - edge, at + 1 < steps.length ? late[at + 1] - step : Infinity);
      }
      if (apart === 0 || early.every((x, at) => x <= late[at])) return early.map((x, at) => (3 * x + Math.max(late[at], x)) / 4);
    }
    return [];
  }

  /** The order as a line through the operations, behind them so that labels can be read, */
  paintLine(found) {
    const d = found.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");
    return svg("path", { class: "lin", d });
  }

  /** and the number of each on its bar. */
  paintPoints(found) {
    const spot = ({ place, nth, x, y }) => {
      const classes = place === (state.hover ?? state.cursor) ? "point looked" : "point";
      if (!this.numbered) return svg("circle", { class: classes, cx: round(x), cy: round(y), r: 4 });
      return [
        svg("circle", { class: classes, cx: round(x), cy: round(y), r: nth > 99 ? 11 : 9 }),
        svg("text", { class: "turn", x: round(x), y: round(y + 3.6) }, String(nth)),
      ];
    };
    return svg("g", { class: "points" }, found.map(spot));
  }

  /** The explicit order between neighbors. */
  paintBefore(places, frame) {
    const drawn = new Set(places);
    const routes = this.doc.hb
      .filter((ends) => ends.every((place) => this.row.has(place)) && ends.some((place) => drawn.has(place)))
      .map(([from, to]) => {
        const [a, b] = [this.barOf(from, frame), this.barOf(to, frame)];
        return across(a.x + a.width, a.y + BAR / 2, b.x, b.y + BAR / 2);
      });
    return bundle(routes, "hb");
  }

  /** Names of the processes at the left and times at the top, which stay. */
  paintMargins(frame, size) {
    const margins = svg("g", { class: "heads" });
    margins.append(svg("rect", { class: "margin", x: 0, y: 0, width: size.width, height: this.margin.top }));
    let last = this.margin.left - 8;
    for (let phase = firstFrom(this.begins, frame.left, (x) => x); phase < this.begins.length; phase++) {
      const x = frame.place(this.begins[phase]);
      const label = this.times[phase];
      if (x > size.width) break;
      if (label === null || x < last + 10) continue;
      last = x + widthOf(label) * (11 / 13);
      margins.append(svg("text", { class: "time", x: round(x), y: 18 }, label));
    }
    margins.append(...nameDisturbances(this.bands, frame, size, this.margin));
    margins.append(svg("rect", { class: "margin", x: 0, y: 0, width: this.margin.left - 8, height: size.height }));
    for (let row = frame.first; row < frame.end; row++) {
      const name = elide(this.processes[row], this.margin.left - 22);
      const y = row * this.step + ABOVE + BAR / 2 + frame.y + 4.5;
      if (y > this.margin.top) margins.append(svg("text", { class: "process", x: 14, y }, name));
    }
    return margins;
  }

  /** All of the drawing in a strip of this size: every bar, the place that fails, and what is in view. */
  paintStrip(width, height) {
    const marks = emphasis();
    const paths = { bars: "", unreached: "", wrong: "" };
    const tall = (height - 8) / Math.max(this.rows.length, 1);
    const scale = width / this.width;
    const fails = [];
    for (const place of this.places) {
      const box = this.boxOf(place);
      const standsOut = unplaced(shownAnswer(), this.doc, place);
      const kind = marks.failing === place || standsOut === "unplaced" ? "wrong" : standsOut === "unreached" ? "unreached" : "bars";
      if (kind === "wrong") fails.push(box.x + box.width / 2);
      const y = 4 + this.row.get(place) * tall;
      paths[kind] += rectangle({ x: box.x * scale, y, width: Math.max(box.width * scale, 1), height: Math.max(tall - 1, 1) });
    }
    const span = spanOf(state.view.zoom);
    const [from, to] = [state.view.x, Math.min(state.view.x + span.width, this.width)].map((x) => Math.max(x, 0) * scale);
    const pin = fails.map((x) => `M${round(x * scale - 5)} 0h10l-5 7z`).join("");
    const shades = this.bands.map(({ x, end }) => rectangle({ x: x * scale, y: 0, width: Math.max((end - x) * scale, 1), height }));
    return [
      svg("path", { class: "disturbed", d: shades.join("") }),
      svg("path", { class: "dense", d: paths.bars }),
      svg("path", { class: "dense unreached", d: paths.unreached }),
      svg("path", { class: "marks", d: paths.wrong + pin }),
      svg("path", { class: "seen", d: rectangle({ x: from + 1, y: 1, width: Math.max(to - from - 2, 4), height: height - 2 }) }),
    ];
  }
}
