// Transactions: a column for each session, a box for each transaction with what it did, edges beside the columns.

const TITLE = 26; // height of a box's first line
const OPERATION = 17; // height of each further line
const BETWEEN = 38; // between rows
const WIDEST = 250; // the longest operation that is shown whole, in pixels
const TRANSACTION_EDGES = ["so", "wr", "chosen", "ww", "rw"];
const OUTCOMES = { committed: "", aborted: "aborted", unknown: "outcome unknown", init: "" };

class TransactionsDrawing extends MemoryDrawing {
  constructor(doc) {
    const events = doc.transactions.map((txn) => ({
      ...txn, thread: txn.session, label: txn.name, kind: txn.status, ops: contentsOf(txn),
    }));
    super({ ...doc, threads: doc.sessions, events, rf: doc.wr, deps: [] });
    this.noun = "transaction";
    this.legible = 0.6;
    this.kinds = TRANSACTION_EDGES;
    this.look = "transactions";
    this.layers = ["so", "ww", "wr", "chosen", "rw"];
  }

  widthOfColumn(column) {
    this.headers ??= this.events.map((event, place) =>
      [this.labels[place], outcomeOf(event), during(event)].filter(Boolean).join(", "),
    );
    const wide = (place) =>
      this.events[place].ops.reduce((widest, op) => Math.max(widest, widthOf(op)), widthOf(this.headers[place]) * 1.1 + 34);
    return Math.min(column.reduce((widest, place) => Math.max(widest, wide(place)), 60), WIDEST) + 26;
  }

  placeColumns() {
    super.placeColumns();
    this.placeRows();
  }

  /** Where each row begins: a row is as tall as its tallest box. */
  placeRows() {
    const heights = new Array(this.rows).fill(BOX);
    for (const place of this.columns.flat()) {
      const row = this.rowOf(place) - this.firstRow;
      heights[row] = Math.max(heights[row], this.heightOf(place));
    }
    this.tops = [0];
    for (const height of heights) this.tops.push(this.tops.at(-1) + height + BETWEEN);
  }

  heightOf(place) {
    return TITLE + this.events[place].ops.length * OPERATION + 8;
  }

  rowTop(row) {
    return this.tops[Math.min(row - this.firstRow, this.tops.length - 1)];
  }

  rowAt(y) {
    return Math.max(firstFrom(this.tops, y + 0.001, (top) => top) - 1, 0) + this.firstRow;
  }

  /** Between two sessions what goes to the right is above what goes to the left: edges of one kind may go both ways. */
  port(box, family, side) {
    const shift = side === 0 ? 0 : side > 0 ? -10 : 10;
    const most = box.height / 2 - 6;
    return box.y + box.height / 2 + Math.min(Math.max(PORT[family] * 1.4 + shift, -most), most);
  }

  /** From whom each transaction reads, and who reads from it. */
  relate() {
    this.sources = new Map();
    this.readers = new Map();
    const add = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value]);
    for (const [from, to] of this.doc.rf) {
      add(this.sources, to, from);
      add(this.readers, from, to);
    }
  }

  /** so: nothing follows a transaction that did not commit, or whose outcome is unknown. */
  neighbors(column) {
    const so = [];
    let last = null;
    for (const place of column) {
      const { kind } = this.events[place];
      if (last !== null && kind !== "aborted") so.push([last, place]);
      if (kind === "committed") last = place;
    }
    return so;
  }

  arrange() {
    super.arrange();
    const { commits = [], reads = [] } = shownAnswer() ?? {};
    this.order = new Map(commits.map((place, at) => [place, at + 1]));
    this.marked = new Set(reads.map(([place, op]) => `${place} ${op}`));
  }

  name(place) {
    return this.labels[place];
  }

  /** The commit order, as the witness has it. */
  orderListed() {
    const steps = [...this.order].map(([place, nth]) => ({ place, nth, state: this.events[place].ops.join("; ") }));
    return { words: "Commit order:", steps };
  }

  tell(place) {
    const event = this.events[place];
    const said = shownAnswer();
    const names = (places) => few((places ?? []).map((other) => this.name(other)));
    const cycle = few(emphasis().arrows.filter(({ from, to }) => from === place || to === place).map((a) => this.stepName(a)));
    const [begin, end] = event.times ?? [];
    return [
      [this.headers[place], event.thread === null ? "" : this.threads[event.thread]].filter(Boolean).join(", "),
      ["line", event.line === null ? "" : String(event.line)],
      ["began", begin === undefined ? "" : plain(begin)],
      ["ended", end ? plain(end) : ""],
      ["meanwhile", few(event.meanwhile.map(plain))],
      ["did", few(event.ops)],
      ["reads from", names(this.sources.get(place))],
      ["read by", names(this.readers.get(place))],
      ["commits", this.order.has(place) ? `${this.order.get(place)} of ${this.order.size}` : ""],
      [said.contrast ? `cycle of ${said.contrast.against}` : "violation", cycle],
    ];
  }

  edgesOf(name) {
    const { chosen = [], ww = [], rw = [] } = shownAnswer() ?? {};
    return { so: this.po, wr: this.doc.rf, chosen, ww, rw }[name] ?? [];
  }

  edgesAtFirst() {
    const small = this.events.length <= 40;
    return new Set(["so", "chosen", ...(small ? ["wr", "ww"] : [])]);
  }

  shapes() {
    const kinds = new Set(this.events.filter((_, place) => this.boxOf(place)).map((event) => event.kind));
    const words = { committed: "committed", aborted: "aborted", unknown: "outcome unknown", init: "initial values" };
    const shapes = Object.keys(words).filter((kind) => kinds.has(kind)).map((kind) => [shapeSample(kind), words[kind]]);
    const nth = this.order.size > 0 ? [[html("b", { class: "number turn" }, "1"), "place in the commit order"]] : [];
    return [...shapes, ...nth];
  }

  legendOfCycle(said) {
    // The steps keep the colors of their kinds.
    return super.legendOfCycle(said).map(([mark, words]) => (said.contrast ? [mark, words] : [stepSample("wrong po"), `thick: ${words}`]));
  }

  paintEvent(place, marks) {
    const event = this.events[place];
    const box = this.boxOf(place);
    const left = round(box.x + 11);
    const nth = this.order.get(place);
    const middle = (at) => round(box.y + TITLE + (at + 0.5) * OPERATION + 4);
    return svg(
      "g",
      { class: ["event", event.kind, ...standing(place, marks)].join(" "), "data-place": place, "aria-label": this.name(place) },
      svg("rect", { rx: 5, class: "box", ...box }),
      svg("text", { class: "index title", x: left, y: round(box.y + 18) }, elide(this.headers[place], box.width - 22)),
      nth === undefined
        ? null
        : svg("text", { class: "turn", x: round(box.x + box.width - 9), y: round(box.y + 17) }, String(nth)),
      svg("path", { class: "rule", d: `M${round(box.x + 1)} ${round(box.y + TITLE)}h${round(box.width - 2)}` }),
      event.ops.map((op, at) =>
        svg(
          "text",
          { class: this.marked.has(`${place} ${at}`) ? "op marked" : "op", x: left, y: middle(at) },
          elide(op, box.width - 22),
        ),
      ),
    );
  }
}

/** What became of a transaction, with the error that its client gave. */
const outcomeOf = ({ kind, error }) => [OUTCOMES[kind], error === null ? "" : `(${plain(error)})`].filter(Boolean).join(" ");

/** When a transaction ran, if that is known. */
function during({ times }) {
  if (!times) return "";
  return times[1] === null ? `from ${plain(times[0])}` : `${plain(times[0])} to ${plain(times[1])}`;
}

/** What stands in a box. */
function contentsOf(txn) {
  const ops = txn.ops.map(plain);
  if (txn.more > 0) ops.push(`.. ${txn.more} more`);
  return ops;
}
