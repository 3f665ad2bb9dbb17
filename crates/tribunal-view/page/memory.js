// A memory: a column for each thread, a box for each event, edges beside the columns. Initial writes stand above.
//
// Of a large history the drawing is folded at first: it has the events that the explanation speaks of, and between them the number of
// those left out. `unfold` lays out all of them.

const BOX = 30; // height of an event
const PITCH = 62; // from row to row, more where few are drawn
const NARROW_STAGE = 560; // a stage below this width has narrower gutters
const CLOSEST = 44; // the least gutter between columns
const MEMORY_EDGES = ["po", "rf", "chosen", "mo", "fr", "deps", "init"];
const FOLDED = 48; // an explanation that speaks of more is folded to its cycle and the step shown

// Where edges of a kind leave and arrive on a box's side, so that those of other kinds do not lie on them.
const PORT = { po: -3, rf: -7, mo: 0, fr: 7, deps: 4, other: 3 };

// How far from the target's row edges of a kind run along the gap between rows.
const LANE = { po: 3, rf: 5, mo: 10, fr: 16, deps: 7, other: 13 };

class MemoryDrawing {
  constructor(doc) {
    this.doc = doc;
    this.noun = "event";
    this.legible = 0.7;
    this.margin = { left: 0, top: 38 };
    this.kinds = MEMORY_EDGES;
    this.look = "memory";
    // The kinds of edges from the lowest to the topmost; the first goes down the columns.
    this.layers = ["po", "deps", "mo", "rf", "chosen", "fr"];
    this.events = doc.events;
    this.labels = doc.events.map((event) => plain(event.label));
    this.threads = doc.threads.map((thread) => plain(thread.name));
    this.initial = [...doc.events.keys()].filter((place) => doc.events[place].thread === null);
    this.folding = false; // whether to fold where the explanation allows it
    this.layout = null; // what was laid out last: the places folded to, or "all"
    this.relate();
    this.arrange();
  }

  /** Lays out these places, or all. Threads without any are left out. */
  place(kept) {
    const columns = this.threads.map(() => []);
    this.events.forEach((event, place) => {
      if (event.thread !== null && (!kept || kept.has(place))) columns[event.thread].push(place);
    });
    this.folded = kept !== null;
    this.drawnThreads = [...columns.keys()].filter((thread) => !kept || columns[thread].length > 0);
    this.columns = this.drawnThreads.map((thread) => columns[thread]);
    this.columnOf = new Map(this.drawnThreads.map((thread, column) => [thread, column]));
    this.rowOf = kept ? this.foldedRows() : (place) => this.events[place].row;
    for (const column of this.columns) column.sort((a, b) => this.rowOf(a) - this.rowOf(b));
    const filled = this.columns.filter((column) => column.length > 0);
    this.firstRow = filled.length > 0 ? Math.min(...filled.map((column) => this.rowOf(column[0]))) : 0;
    this.rows = 1 + Math.max(0, ...filled.map((column) => this.rowOf(column.at(-1)) - this.firstRow));
    this.po = this.columns.flatMap((column) => this.neighbors(column));
    this.pitch = this.columns.flat().length <= 24 ? PITCH + 10 : PITCH;
    this.placeColumns();
  }

  /** The rows of a folded drawing: po and, if possible, rf lead downward. */
  foldedRows() {
    const places = this.columns.flat();
    const po = this.columns.flatMap((column) => column.slice(1).map((place, at) => [column[at], place]));
    const drawn = new Set(places);
    const rf = this.doc.rf.filter(([from, to]) => drawn.has(from) && drawn.has(to));
    const rows = layered(places, [...po, ...rf]) ?? layered(places, po);
    return (place) => rows.get(place);
  }

  /** The edges down a column. */
  neighbors(column) {
    return column.slice(1).map((place, at) => [column[at], place]);
  }

  /** How wide the boxes of a column must be for its labels. */
  widthOfColumn(column) {
    const index = column.length > 0 ? String(this.events[column.at(-1)].index).length * 7 : 0;
    const label = column.reduce((widest, place) => Math.max(widest, widthOf(this.labels[place])), 40);
    return Math.min(label, 230) + index + 34;
  }

  placeColumns() {
    this.widths = this.columns.map((column, at) =>
      Math.max(this.widthOfColumn(column), Math.min(widthOf(this.threads[this.drawnThreads[at]]), 200) + 16),
    );
    // Columns come closer before all becomes smaller.
    const stage = stageSize().width;
    const free = stage - 8 - this.widths.reduce((sum, width) => sum + width, 0);
    this.gutter = Math.min(Math.max(free / (this.widths.length + 1), CLOSEST), stage < NARROW_STAGE ? 58 : 100);
    let x = this.gutter;
    this.lefts = this.widths.map((width) => {
      const left = x;
      x += width + this.gutter;
      return left;
    });
    this.width = Math.max(x, 300);
  }

  /** Whom each event reads from, and who reads it. */
  relate() {
    this.source = new Map(this.doc.rf.map(([write, read]) => [read, write]));
    this.readers = new Map();
    for (const [write, read] of this.doc.rf) {
      if (!this.readers.has(write)) this.readers.set(write, []);
      this.readers.get(write).push(read);
    }
  }

  /** The places that a folded drawing has: all that the explanation mentions, or else the cycle and the step. */
  spokenOf(marks) {
    const said = shownAnswer();
    const places = new Set(marks.wrong);
    for (const { from, to } of marks.arrows) places.add(from).add(to);
    const cycle = new Set([...places, ...(marks.step ?? [])]);
    for (const line of said?.lines ?? []) {
      for (const place of line.about) places.add(place);
      for (const { from, to } of line.arrows) places.add(from).add(to);
    }
    return places.size <= FOLDED ? places : cycle;
  }

  /** Lays out what is to be drawn: folded or all, and the initial writes, which are drawn if switched on or if the cycle or the step has them. */
  arrange() {
    const marks = emphasis();
    const kept = this.folding ? this.spokenOf(marks) : null;
    const left = kept && kept.size > 0 && this.events.some(({ thread }, place) => thread !== null && !kept.has(place));
    const layout = left ? [...kept].sort((a, b) => a - b).join() : "all";
    if (layout !== this.layout) this.place(layout === "all" ? null : kept);
    this.layout = layout;
    const onCycle = new Set([...marks.wrong, ...marks.arrows.flatMap(({ from, to }) => [from, to])]);
    const isRead = (place) => !this.folded || (this.readers.get(place) ?? []).some((reader) => kept.has(reader));
    const shown = this.initial.filter(
      (place) => onCycle.has(place) || marks.step?.has(place) || (state.edges.has("init") && isRead(place)),
    );
    this.drawnInitial = new Map();
    const widths = shown.map((place) => Math.min(widthOf(this.labels[place]), 160) + 26);
    let [at, y] = [0, 16];
    while (at < shown.length) {
      let [end, width] = [at, 0];
      while (end < shown.length && (end === at || width + widths[end] + 28 < this.width - this.gutter)) {
        width += widths[end++] + 28;
      }
      let x = (this.width - width + 28) / 2;
      for (; at < end; at++) {
        this.drawnInitial.set(shown[at], { x, y, width: widths[at], height: BOX });
        x += widths[at] + 28;
      }
      y += BOX + 14;
    }
    this.top = shown.length > 0 ? y + 26 : 22;
    this.height = this.top + this.rowTop(this.firstRow + this.rows) - (this.pitch - BOX) + 30;
  }

  scale(zoom) {
    return { x: zoom, y: zoom };
  }

  /** A zoom at which labels can be read and, if possible, all can be seen. */
  fit(size) {
    return Math.min((size.width - 8) / this.width, (size.height - this.margin.top - 8) / this.height);
  }

  boxOf(place) {
    const { thread } = this.events[place];
    if (thread === null) return this.drawnInitial.get(place) ?? null;
    const column = this.columnOf.get(thread);
    const row = this.rowOf(place);
    if (column === undefined || row === undefined) return null;
    return {
      x: this.lefts[column], y: this.top + this.rowTop(row), width: this.widths[column], height: this.heightOf(place),
    };
  }

  /** How far down the whole history a place is, from 0 to 1, folded or not. */
  partOf(place) {
    this.lastRow ??= this.events.reduce((last, event) => Math.max(last, event.row), 1);
    return this.events[place].thread === null ? null : this.events[place].row / this.lastRow;
  }

  /** How tall a box is. */
  heightOf() {
    return BOX;
  }

  /** Where a row begins below the first, and which row is so far below it. */
  rowTop(row) {
    return (row - this.firstRow) * this.pitch;
  }

  rowAt(y) {
    return Math.floor(y / this.pitch) + this.firstRow;
  }

  /** Where edges of a kind end on a box's side. */
  port(box, family) {
    return box.y + box.height / 2 + PORT[family];
  }

  at(x, y) {
    for (const [place, box] of this.drawnInitial) if (inside(box, x, y)) return place;
    const at = firstFrom(this.lefts, x + 1, (left) => left) - 1;
    if (at < 0 || x > this.lefts[at] + this.widths[at]) return null;
    const row = this.rowAt(y - this.top);
    const column = this.columns[at];
    const place = column[firstFrom(column, row, this.rowOf)];
    return place !== undefined && inside(this.boxOf(place), x, y) ? place : null;
  }

  beside(place, key) {
    const event = this.events[place];
    const column = event.thread === null ? [...this.drawnInitial.keys()] : this.columns[this.columnOf.get(event.thread)];
    if (!column) return place;
    const at = column.indexOf(place);
    const line = event.thread === null;
    if (line && (key === "left" || key === "right")) return column[at + (key === "left" ? -1 : 1)] ?? place;
    if (line) return key === "down" ? (this.columns.find((c) => c.length > 0)?.[0] ?? place) : place;
    if (key === "down") return column[at + 1] ?? place;
    if (key === "up") return column[at - 1] ?? this.drawnInitial.keys().next().value ?? place;
    const side = key === "left" ? -1 : 1;
    for (let next = this.columnOf.get(event.thread) + side; this.columns[next]; next += side) {
      const other = this.columns[next];
      if (other.length === 0) continue;
      return other[Math.min(firstFrom(other, this.rowOf(place), this.rowOf), other.length - 1)];
    }
    return place;
  }

  /** The writes of each location in modification order, as the witness has them. */
  orderListed() {
    const next = new Map(shownAnswer()?.mo ?? []);
    const later = new Set(next.values());
    const steps = [...next.keys()]
      .filter((place) => !later.has(place))
      .flatMap((first) => {
        const writes = [];
        for (let place = first; place !== undefined; place = next.get(place)) writes.push(place);
        return writes.map((place, at) => ({ place, nth: at + 1, state: null }));
      });
    return { words: "Modification order of each location:", steps };
  }

  /** An event's name as explanations have it. */
  name(place) {
    const event = this.events[place];
    if (event.thread === null) return this.labels[place];
    return `${this.threads[event.thread]}:${event.index} ${this.labels[place]}`;
  }

  tell(place) {
    const event = this.events[place];
    const names = (places) => few(places.map((other) => this.name(other)));
    const said = shownAnswer();
    const after = (edges) => names(edges.filter(([from]) => from === place).map(([, to]) => to));
    const before = (edges) => names(edges.filter(([, to]) => to === place).map(([from]) => from));
    const cycle = few(emphasis().arrows.filter(({ from, to }) => from === place || to === place).map((a) => this.stepName(a)));
    return [
      this.name(place),
      ["line", event.line === null ? "" : String(event.line)],
      ["reads from", this.source.has(place) ? this.name(this.source.get(place)) : ""],
      ["read by", names(this.readers.get(place) ?? [])],
      ["reads from, chosen", before(said.chosen ?? [])],
      ["read by, chosen", after(said.chosen ?? [])],
      ["depends on", before(this.doc.deps)],
      ["mo after", before(said.mo)],
      ["mo before", after(said.mo)],
      ["fr before", after(said.fr)],
      [said.contrast ? `cycle of ${said.contrast.against}` : "violation", cycle],
    ];
  }

  stepName({ from, to, name }) {
    return `${this.name(from)} -${name}-> ${this.name(to)}`;
  }

  edgesOf(name) {
    const said = shownAnswer();
    const { chosen = [], mo = [], fr = [] } = said ?? {};
    return { po: this.po, rf: this.doc.rf, chosen, mo, fr, deps: this.doc.deps }[name] ?? [];
  }

  /** Whether there is any of a kind that can be switched on. */
  has(name) {
    return name === "init" ? this.initial.length > 0 : this.edgesOf(name).length > 0;
  }

  edgesAtFirst() {
    const small = this.events.length - this.initial.length <= 24;
    return new Set(["po", "rf", "chosen", "deps", ...(small ? ["mo"] : [])]);
  }

  /** The shapes that occur, with what they are. */
  shapes() {
    const kinds = new Set(this.events.filter((_, place) => this.boxOf(place)).map((event) => event.kind));
    const words = { read: "read", write: "write", rmw: "read-modify-write", fence: "fence", init: "initial write" };
    const shapes = Object.keys(words).filter((kind) => kinds.has(kind)).map((kind) => [shapeSample(kind), words[kind]]);
    return [...shapes, [html("b", { class: "number" }, "0"), "index in the thread"]];
  }

  /** What the drawing's marks mean: pairs of a sample and words. */
  legend() {
    const said = shownAnswer();
    const { arrows, stepArrows } = emphasis();
    const onCycle = new Set([...arrows, ...stepArrows].map(({ name }) => name));
    const visible = (name) => this.edgesOf(name).some(([from, to]) => this.boxOf(from) && this.boxOf(to));
    const drawn = this.kinds.filter((name) => state.edges.has(name) && visible(name));
    const names = new Set([...drawn, ...[...onCycle].filter((name) => wordsOf(name))]);
    const edges = [...names].map((name) => [sample(name), [html("b", null, name), ` ${wordsOf(name)}`]]);
    return [...this.shapes(), ...edges, ...this.legendOfCycle(said)];
  }

  legendOfCycle({ verdict, question, cycle, contrast }) {
    const model = plain(question);
    if (verdict === "inconsistent" && cycle.length > 0) return [[stepSample("wrong"), `the violation: ${model} allows no such cycle`]];
    if (!contrast) return [];
    const whole = [stepSample("contrast"), `the cycle for which ${plain(contrast.against)} forbids it`];
    return contrast.missing.length > 0 ? [whole, [stepSample("contrast missing"), `no step of ${model}`]] : [whole];
  }

  /** The way from box to box, on the side that the edge's kind has; none if an end is not drawn. */
  route(from, to, name) {
    const [a, b] = [this.boxOf(from), this.boxOf(to)];
    if (!a || !b) return null;
    const family = familyOf(name);
    const [s, t] = [from, to].map((place) => this.columnOf.get(this.events[place].thread));
    if (s === undefined && t === undefined) return this.arch(a, b);
    if (s === undefined) return this.descent(a, b);
    if (t === undefined) return reversed(this.descent(b, a));
    const [y0, y1] = [this.port(a, family, t - s), this.port(b, family, t - s)];
    if (s === t) {
      if (family === "po" && Math.abs(this.step(from, to)) === 1) {
        const down = a.y < b.y;
        const x = a.x + a.width / 2;
        return down ? straight(x, a.y + a.height, x, b.y) : straight(x + 14, a.y, x + 14, b.y + b.height);
      }
      const bow = Math.min(this.gutter * 0.62, 26 + Math.abs(a.y - b.y) / 10) * 1.25;
      return family === "po"
        ? bowed(a.x, y0, b.x, y1, -bow)
        : bowed(a.x + a.width, y0, b.x + b.width, y1, bow);
    }
    const right = s < t;
    const [x0, x1] = right ? [a.x + a.width, b.x] : [a.x, b.x + b.width];
    if (Math.abs(s - t) === 1) return across(x0, y0, x1, y1);
    // Down just above the target's row, up just below it, each kind in a lane of its own: they do not meet in the gap.
    const lane = LANE[family];
    const gap = a.y <= b.y ? b.y - lane : b.y + b.height + lane;
    return along(x0, y0, x1, y1, this.gutter * 0.8, gap);
  }

  /** How many places further down its thread an event is. */
  step(from, to) {
    const column = this.columns[this.columnOf.get(this.events[from].thread)];
    const place = (p) => firstFrom(column, this.rowOf(p), this.rowOf);
    return place(to) - place(from);
  }

  /**
   * From an initial write down the gutter beside an event: the outer one, where fewer edges run; the further down, the
   * further out, so that they do not cross.
   */
  descent(a, b) {
    const side = b.x + b.width / 2 > this.width / 2 ? 1 : -1;
    const edge = side > 0 ? b.x + b.width : b.x;
    const lane = edge + side * (24 + Math.min((b.y - this.top) / this.pitch, 4) * 15);
    const x = a.x + a.width / 2;
    const y0 = a.y + a.height;
    const by = b.y + b.height / 2;
    const [bend, y1] = [by - 16, Math.min(this.top - 10, by - 16)];
    return [
      x, y0, x, (y0 + y1) / 2, lane, (y0 + y1) / 2 - 8, lane, y1,
      ...straight(lane, y1, lane, bend).slice(2),
      lane, by - 3, lane - side * 4, by, edge, by,
    ];
  }

  /** Over the tops of initial writes. */
  arch(a, b) {
    const [x0, x1] = [a.x + a.width / 2, b.x + b.width / 2];
    return [x0, a.y, x0, a.y - 22, x1, b.y - 22, x1, b.y];
  }

  paint(view, size) {
    const { zoom } = view;
    const marks = emphasis();
    const seen = {
      left: view.x - 20, right: view.x + size.width / zoom + 20,
      top: view.y - 20, bottom: view.y + (size.height - this.margin.top) / zoom + 20,
    };
    const places = this.inView(seen);
    const close = places.length <= DETAIL && zoom > 0.42;
    const visible = new Set(places);
    const [dx, dy] = [this.margin.left - view.x * zoom, this.margin.top - view.y * zoom];
    const world = svg("g", { transform: `translate(${round(dx)} ${round(dy)}) scale(${zoom.toFixed(4)})` });
    const layer = (name, ...nodes) => world.append(svg("g", { class: name }, ...nodes));
    const behind = marks.arrows.length > 0 && places.length > 8 ? " behind" : "";
    layer(`edges${places.length <= 40 ? "" : close ? " crowded" : " far"}${behind}`, this.paintEdges(visible, marks, close));
    layer("events", close ? places.map((p) => this.paintEvent(p, marks)) : this.paintFar(places, marks));
    layer("violation", this.paintArrows(visible, marks, close));
    const near = state.hover ?? state.cursor;
    if (near !== null && close) layer("near", this.paintNear(near, marks));
    const group = svg("g", { class: marks.step?.size > 0 ? `${this.look} stepping` : this.look }, world);
    group.append(this.paintHeads(view, size));
    return group;
  }

  inView({ left, right, top, bottom }) {
    const places = [];
    for (const [place, box] of this.drawnInitial) {
      if (box.y + BOX >= top && box.y <= bottom && box.x + box.width >= left && box.x <= right) places.push(place);
    }
    const [from, to] = [this.rowAt(top - this.top), this.rowAt(bottom - this.top)];
    this.columns.forEach((column, thread) => {
      if (this.lefts[thread] > right || this.lefts[thread] + this.widths[thread] < left) return;
      for (let at = firstFrom(column, from, this.rowOf); at < column.length; at++) {
        if (this.rowOf(column[at]) > to) break;
        places.push(column[at]);
      }
    });
    return places;
  }

  paintEvent(place, marks) {
    const event = this.events[place];
    const box = this.boxOf(place);
    const index = event.thread === null ? "" : String(event.index);
    const inset = index ? index.length * 7 + 8 : 0;
    const shape = { rx: event.kind === "read" ? BOX / 2 : 3, class: "box", ...box };
    const label = elide(this.labels[place], box.width - inset - 20);
    const middle = box.y + BOX / 2 + 4.5;
    return svg(
      "g",
      { class: ["event", event.kind, ...standing(place, marks)].join(" "), "data-place": place, "aria-label": this.name(place) },
      svg("rect", shape),
      event.kind === "rmw"
        ? svg("rect", { class: "inner", x: box.x + 3, y: box.y + 3, width: box.width - 6, height: BOX - 6, rx: 2 })
        : null,
      index ? svg("text", { class: "index", x: round(box.x + 10), y: middle }, index) : null,
      svg("text", { class: "label", x: round(box.x + inset + (box.width - inset) / 2), y: middle }, label),
    );
  }

  /** Too many to read: boxes of a kind as one path. */
  paintFar(places, marks) {
    const paths = new Map();
    for (const place of places) {
      const classes = ["event", "far", this.events[place].kind, ...standing(place, marks)].join(" ");
      paths.set(classes, (paths.get(classes) ?? "") + rectangle(this.boxOf(place)));
    }
    return [...paths].map(([classes, d]) => svg("g", { class: classes }, svg("path", { class: "box", d })));
  }

  paintEdges(visible, marks, close) {
    const drawnAlready = new Set([...marks.arrows, ...marks.stepArrows].map(edgeKey));
    const [down] = this.layers;
    return this.layers.flatMap((name) => {
      if (!state.edges.has(name)) return [];
      const drawn = this.edgesOf(name).filter(
        ([from, to]) => (visible.has(from) || visible.has(to)) && !drawnAlready.has(edgeKey({ from, to, name })),
      );
      const routes = drawn.map(([from, to]) => this.route(from, to, name)).filter(Boolean);
      return [...bundle(routes, name), ...(name === down && close ? this.paintGaps(drawn) : [])];
    });
  }

  /** How many events of a thread lie between two that are shown. */
  paintGaps(edges) {
    return edges.flatMap(([from, to]) => {
      const missing = this.events[to].index - this.events[from].index - this.step(from, to);
      if (missing < 1) return [];
      const [a, b] = [this.boxOf(from), this.boxOf(to)];
      const words = `${missing.toLocaleString("en")} more`;
      return svg("text", { class: "gap", x: a.x + a.width / 2 + 8, y: (a.y + a.height + b.y) / 2 + 4 }, words);
    });
  }

  /** The cycle, of the violation or of the stronger model, and above it the step. */
  paintArrows(visible, marks, close) {
    const key = (a) => `${a.from} ${a.to} ${a.name}`;
    const missing = new Set((marks.missing ?? []).map(key));
    const lacks = marks.missing ? `not in ${plain(shownAnswer().question)}` : "";
    const draw = (arrows, classes) => {
      const seen = arrows.filter(({ from, to }) => visible.has(from) || visible.has(to));
      const routed = seen.map((a) => [a, this.route(a.from, a.to, a.name)]).filter(([, route]) => route);
      if (!close || routed.length > 60) return bundle(routed.map(([, route]) => route), classes);
      return routed.map(([a, route]) =>
        missing.has(key(a))
          ? arrow(route, `${classes} missing`, lacks)
          : arrow(route, `${classes} ${familyOf(a.name)}`, plain(a.name)),
      );
    };
    const inStep = new Set(marks.stepArrows.map(key));
    const rest = marks.arrows.filter((a) => !inStep.has(key(a)));
    const look = marks.missing ? "contrast" : "wrong";
    return [...draw(rest, look), ...draw(marks.stepArrows, `${look} step`)];
  }

  /** All edges of the event that is looked at, whatever is switched on. */
  paintNear(place, marks) {
    const drawn = new Set([...marks.arrows, ...marks.stepArrows].map(edgeKey));
    return this.layers.flatMap((name) =>
      this.edgesOf(name)
        .filter(([from, to]) => (from === place || to === place) && !drawn.has(edgeKey({ from, to, name })))
        .slice(0, 40)
        .map(([from, to]) => [this.route(from, to, name)])
        .filter(([route]) => route)
        .map(([route]) => arrow(route, `near ${name}`, name)),
    );
  }

  /** The threads' names, which stay at the top. */
  paintHeads(view, size) {
    const heads = svg("g", { class: "heads" });
    heads.append(svg("rect", { class: "margin", x: 0, y: 0, width: size.width, height: this.margin.top }));
    this.drawnThreads.forEach((thread, column) => {
      const width = (this.widths[column] + this.gutter * 0.6) * view.zoom;
      const x = (this.lefts[column] + this.widths[column] / 2 - view.x) * view.zoom;
      if (x + width < 0 || x - width > size.width || width < 30) return;
      heads.append(svg("text", { class: "thread", x: round(x), y: 24 }, elide(this.threads[thread], width)));
    });
    return heads;
  }
}

/** Edges of one kind between the same ends are one. */
const edgeKey = ({ from, to, name }) => `${from} ${to} ${familyOf(name)}`;

const inside = (box, x, y) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;

/** A row for each place so that every edge leads down; none if the edges have a cycle. */
function layered(places, edges) {
  const rows = new Map(places.map((place) => [place, 0]));
  const waiting = new Map(places.map((place) => [place, 0]));
  const after = new Map(places.map((place) => [place, []]));
  for (const [from, to] of edges) {
    after.get(from).push(to);
    waiting.set(to, waiting.get(to) + 1);
  }
  const ready = places.filter((place) => waiting.get(place) === 0);
  for (let at = 0; at < ready.length; at++) {
    for (const to of after.get(ready[at])) {
      rows.set(to, Math.max(rows.get(to), rows.get(ready[at]) + 1));
      waiting.set(to, waiting.get(to) - 1);
      if (waiting.get(to) === 0) ready.push(to);
    }
  }
  return ready.length === places.length ? rows : null;
}
