// An object: a row for each process, a bar for each operation from call to return, time going to the right.

const BAR = 28; // height of an operation
const ROW = 58; // from process to process
const LEAD = 0.25; // before the first call and after the last return, in steps of the grid
const OBJECT_EDGES = ["points", "hb"];

class ObjectDrawing {
  constructor(doc) {
    this.doc = doc;
    this.noun = "operation";
    this.legible = 0.55;
    this.kinds = OBJECT_EDGES;
    this.operations = doc.operations;
    this.labels = doc.operations.map((operation) => plain(operation.label));
    this.processes = doc.processes.map((process) => plain(process.name));
    const names = this.processes.map((name) => widthOf(name));
    this.margin = { left: Math.min(Math.max(48, ...names.slice(0, 500)) + 28, 180), top: 30 };
    this.rows = doc.processes.map(() => []);
    doc.operations.forEach((operation, place) => this.rows[operation.process].push(place));
    // What never returned is open beyond the last return.
    const pending = doc.operations.some(({ ret }) => ret === null);
    this.last = doc.operations.reduce((last, { call, ret }) => Math.max(last, call, ret ?? 0), 1) + (pending ? 1 : 0);
    this.times = new Map();
    for (const { call, ret, times } of doc.operations) {
      if (!times) continue;
      this.times.set(call, plain(times[0]));
      if (ret !== null && times[1] !== null) this.times.set(ret, plain(times[1]));
    }
    this.ticks = [...this.times.keys()].sort((a, b) => a - b);
    this.unit = this.unitThatFits();
    this.width = (this.last + 2 * LEAD) * this.unit;
    this.height = this.rows.length * ROW + 24;
    this.arrange();
  }

  /** A step of the grid such that labels fit their bars, as far as that is not too wide. */
  unitThatFits() {
    const needed = this.operations.map(({ call, ret }, place) => {
      return (widthOf(this.labels[place]) + 18) / ((ret ?? this.last) - call || 1);
    });
    needed.sort((a, b) => a - b);
    return Math.min(Math.max(needed[Math.floor(needed.length * 0.8)] ?? 60, 26), 170);
  }

  /** By operation, its place in lin. */
  arrange() {
    const lin = ruling()?.lin ?? [];
    this.order = new Map(lin.map((place, at) => [place, at]));
  }

  scale(zoom) {
    return { x: zoom, y: 1 };
  }

  fit(size) {
    return (size.width - this.margin.left - 16) / this.width;
  }

  /** Where a place on the grid is, and which is there. */
  x(grid) {
    return (grid + LEAD) * this.unit;
  }

  gridAt(x) {
    return x / this.unit - LEAD;
  }

  boxOf(place) {
    const { process, call, ret } = this.operations[place];
    const width = ((ret ?? this.last) - call) * this.unit;
    return { x: this.x(call), y: process * ROW + 20, width, height: BAR };
  }

  at(x, y) {
    const process = Math.floor(y / ROW);
    for (const place of this.rows[process] ?? []) if (inside(this.boxOf(place), x, y)) return place;
    return null;
  }

  beside(place, key) {
    const { process, call } = this.operations[place];
    const row = this.rows[process];
    const at = row.indexOf(place);
    if (key === "left") return row[at - 1] ?? place;
    if (key === "right") return row[at + 1] ?? place;
    const side = key === "up" ? -1 : 1;
    for (let other = process + side; this.rows[other]; other += side) {
      const there = this.rows[other];
      if (there.length === 0) continue;
      return there[Math.min(firstFrom(there, call, (p) => this.operations[p].call), there.length - 1)];
    }
    return place;
  }

  name(place) {
    return `${this.processes[this.operations[place].process]}: ${this.labels[place]}`;
  }

  tell(place) {
    const operation = this.operations[place];
    const [call, ret] = operation.times ?? [];
    const visible = this.visibleTo(place);
    const at = this.order.get(place);
    const said = ruling();
    return [
      this.name(place),
      ["called", call === undefined ? "" : plain(call)],
      ["returned", ret ? plain(ret) : operation.ret === null ? "never" : ""],
      ["line", operation.line === null ? "" : String(operation.line)],
      ["effect", at === undefined ? (said.lin.length > 0 ? "none" : "") : `${at + 1} of ${said.lin.length}`],
      ["sees", visible ? (visible.size > 0 ? few([...visible].map((p) => this.name(p))) : "nothing") : ""],
      ["violation", said.failing === place ? "nothing explains what it returned" : ""],
    ];
  }

  /** The operations visible to one that took effect; none if it did not, or if visibility is too large for the page. */
  visibleTo(place) {
    const at = this.order.get(place);
    const { lin, vis } = ruling();
    if (at === undefined || vis?.length === 0) return null;
    return new Set(vis ? vis[at] : lin.slice(0, at));
  }

  has(name) {
    return name === "points" ? (ruling()?.lin ?? []).length > 0 : this.doc.hb.length > 0;
  }

  edgesAtFirst() {
    return new Set(this.operations.length <= 400 ? OBJECT_EDGES : ["points"]);
  }

  paint(view, size) {
    const marks = emphasis();
    const place = (x) => this.margin.left + (x - view.x) * view.zoom;
    const frame = {
      place,
      y: this.margin.top - view.y,
      left: view.x - 60 / view.zoom,
      right: view.x + (size.width - this.margin.left) / view.zoom + 60 / view.zoom,
      first: Math.max(0, Math.floor(view.y / ROW) - 1),
      end: Math.min(this.rows.length, Math.ceil((view.y + size.height - this.margin.top) / ROW) + 1),
    };
    const places = this.inView(frame);
    const close = places.length <= DETAIL;
    const points = close && state.edges.has("points");
    const looked = state.hover ?? state.cursor;
    const visible = looked === null ? null : this.visibleTo(looked);
    const classes = ["object"];
    if (visible) classes.push("looking");
    else if (marks.step?.size > 0) classes.push("stepping");
    else if (marks.wrong.size > 0) classes.push("accused");
    return svg(
      "g",
      { class: classes.join(" ") },
      this.paintRows(frame, size),
      points ? this.paintOrder(frame) : null,
      state.edges.has("hb") ? this.paintBefore(places, frame) : null,
      close
        ? places.map((p) => this.paintOperation(p, marks, frame, visible))
        : this.paintFar(places, marks, frame, visible),
      points ? this.paintPoints(frame) : null,
      this.paintMargins(frame, size),
    );
  }

  inView({ left, right, first, end }) {
    const places = [];
    for (let process = first; process < end; process++) {
      const row = this.rows[process];
      // Operations of a process follow each other: the one before the first call in view may reach into it.
      let at = firstFrom(row, this.gridAt(left), (p) => this.operations[p].call);
      while (at > 0 && this.boxOf(row[at - 1]).x + this.boxOf(row[at - 1]).width >= left) at--;
      for (; at < row.length && this.boxOf(row[at]).x <= right; at++) places.push(row[at]);
    }
    return places;
  }

  /** A bar as it is on the stage. */
  barOf(place, frame) {
    const box = this.boxOf(place);
    const [x, end] = [frame.place(box.x), frame.place(box.x + box.width)];
    return { x, y: box.y + frame.y, width: Math.max(end - x, 2), height: BAR };
  }

  paintOperation(place, marks, frame, visible) {
    const operation = this.operations[place];
    const bar = this.barOf(place, frame);
    const classes = ["operation", ...standing(place, marks)];
    if (operation.ret === null) classes.push("pending");
    if (visible?.has(place)) classes.push("seen");
    // The label stays in sight while its bar is, as far as it fits.
    const left = Math.max(bar.x, this.margin.left) + 8;
    const room = bar.x + bar.width - left - 5;
    const { x, y, width } = bar;
    const open = `M${round(x + width)} ${y}H${round(x)}v${BAR}H${round(x + width)}`;
    return svg(
      "g",
      { class: classes.join(" "), "data-place": place, "aria-label": this.name(place) },
      operation.ret === null
        ? svg("path", { class: "box", d: open })
        : svg("rect", { class: "box", rx: 4, x: round(x), y, width: round(width), height: BAR }),
      svg("text", { class: "label", x: round(left), y: y + BAR / 2 + 4.5 }, room > 14 ? elide(this.labels[place], room) : ""),
      visible?.has(place) ? svg("circle", { class: "eye", cx: round(x), cy: y, r: 5 }) : null,
      marks.failing === place ? this.cross(x + width, y) : null,
    );
  }

  /** The mark of the operation that nothing explains: a shape, not a colour alone. */
  cross(x, y) {
    return svg(
      "g",
      { class: "cross", transform: `translate(${round(x)} ${y})` },
      svg("circle", { r: 8 }),
      svg("path", { d: "M-3.2 -3.2L3.2 3.2M3.2 -3.2L-3.2 3.2" }),
    );
  }

  paintFar(places, marks, frame, visible) {
    const paths = new Map();
    for (const place of places) {
      const classes = ["operation", "far", ...standing(place, marks)];
      if (visible?.has(place)) classes.push("seen");
      const key = classes.join(" ");
      paths.set(key, (paths.get(key) ?? "") + rectangle(this.barOf(place, frame)));
    }
    return [...paths].map(([classes, d]) => svg("g", { class: classes }, svg("path", { class: "box", d })));
  }

  paintRows(frame, size) {
    let d = "";
    for (let process = frame.first; process < frame.end; process++) {
      d += `M0 ${process * ROW + 20 + BAR / 2 + frame.y}h${size.width}`;
    }
    return svg("path", { class: "track", d });
  }

  /** The points in view, with one more at each side. */
  pointsInView(frame) {
    const { lin, points } = ruling() ?? { lin: [], points: [] };
    const at = (index) => this.x(points[index] / 100);
    const from = Math.max(0, firstFrom(points, this.gridAt(frame.left) * 100, (p) => p) - 1);
    const found = [];
    for (let index = from; index < lin.length; index++) {
      const { process } = this.operations[lin[index]];
      found.push({ index, place: lin[index], x: frame.place(at(index)), y: process * ROW + 20 + BAR + frame.y });
      if (at(index) > frame.right) break;
    }
    return found;
  }

  paintOrder(frame) {
    const found = this.pointsInView(frame);
    const d = found.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");
    return svg("path", { class: "lin", d });
  }

  paintPoints(frame) {
    const found = this.pointsInView(frame);
    const d = found.map(({ x, y }) => `M${round(x)} ${round(y - 6)}l6 6l-6 6l-6 -6z`).join("");
    const turn = ({ index, x, y }) => svg("text", { class: "turn", x: round(x + 8), y: round(y + 13) }, String(index + 1));
    return svg("g", { class: "points" }, svg("path", { class: "point", d }), found.map(turn));
  }

  /** The explicit order between neighbours. */
  paintBefore(places, frame) {
    const visible = new Set(places);
    const routes = this.doc.hb
      .filter(([from, to]) => visible.has(from) || visible.has(to))
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
    for (let at = firstFrom(this.ticks, this.gridAt(frame.left), (t) => t); at < this.ticks.length; at++) {
      const x = frame.place(this.x(this.ticks[at]));
      if (x > size.width) break;
      const label = this.times.get(this.ticks[at]);
      const half = widthOf(label) / 2;
      if (x - half < last + 8) continue;
      last = x + half;
      margins.append(svg("text", { class: "time", x: round(x), y: 20 }, label));
    }
    margins.append(svg("rect", { class: "margin", x: 0, y: 0, width: this.margin.left - 8, height: size.height }));
    for (let process = frame.first; process < frame.end; process++) {
      const name = elide(this.processes[process], this.margin.left - 24);
      const y = process * ROW + 20 + BAR / 2 + frame.y + 4.5;
      if (y > this.margin.top) margins.append(svg("text", { class: "process", x: 14, y }, name));
    }
    return margins;
  }
}
