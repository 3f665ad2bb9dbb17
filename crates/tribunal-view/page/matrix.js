// What the history is, what every model says of it, and what of it is drawn.

const VERDICTS = { consistent: "yes", inconsistent: "no", undecided: "?", unsupported: "-" };

function renderTitle() {
  const doc = state.document;
  byId("title").textContent = doc ? plain(doc.title) : "Tribunal";
  byId("source").textContent = doc ? plain(doc.source) : "";
  const spec = doc?.kind === "object" ? `${plain(doc.spec)}, ` : "";
  byId("size").textContent = doc ? spec + count(doc.size, state.drawing.noun) : "";
  document.title = doc ? `${plain(doc.title)} - Tribunal` : "Tribunal";
}

const matrix = byId("matrix");

function renderMatrix() {
  const held = matrix.contains(document.activeElement);
  const rulings = state.document?.rulings ?? [];
  matrix.replaceChildren(
    ...rulings.map((said, at) => {
      const shown = at === state.ruling;
      const answer = VERDICTS[said.verdict] ?? "?";
      const chip = html(
        "button",
        {
          type: "button", role: "radio", class: `chip ${said.verdict}`, "aria-checked": String(shown),
          tabindex: shown ? 0 : -1, title: plain(said.heading || said.verdict),
          "aria-label": `${plain(said.question)}: ${said.verdict}`, "data-question": said.question,
        },
        html("span", { class: "model" }, plain(said.question)),
        html("span", { class: "answer" }, answer),
      );
      chip.addEventListener("click", () => choose(at));
      return chip;
    }),
  );
  if (held) matrix.querySelector('[aria-checked="true"]')?.focus();
}

// Within the group arrows go from model to model, as in any group of radio buttons.
matrix.addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  nextRuling(by);
});

/** The ruling so many further on, around the end. */
function nextRuling(by) {
  const all = state.document?.rulings.length ?? 0;
  if (all > 0) choose((state.ruling + by + all) % all);
}

// The kinds of edges and marks, with the key that switches each and what it is.
const EDGE_WORDS = {
  po: ["p", "program order"],
  rf: ["r", "reads-from"],
  chosen: ["u", "reads-from, chosen among the writes of a value"],
  mo: ["m", "modification order, of a witness"],
  fr: ["f", "from-read: a read, and what overwrites what it read"],
  deps: ["d", "dependencies"],
  init: ["i", "initial writes"],
  points: ["p", "where operations take effect, in order"],
  hb: ["b", "happens-before, as given"],
  so: ["s", "session order"],
  wr: ["r", "from a transaction to those that read from it"],
  ww: ["w", "order of writers, of a witness"],
  rw: ["a", "from a reader to what overwrites what it read"],
};

function renderEdges() {
  const { drawing } = state;
  const focused = document.activeElement?.dataset?.edge;
  byId("edges").replaceChildren(
    ...(drawing?.kinds ?? []).map((name) => {
      const [key, words] = EDGE_WORDS[name];
      const box = html("input", { type: "checkbox", "data-edge": name });
      box.checked = state.edges.has(name);
      box.disabled = !drawing.has(name);
      box.addEventListener("change", () => toggle(name));
      const label = html("label", { class: box.disabled ? "off" : null, title: `${words} (${key})` }, box, sample(name), name);
      return label;
    }),
  );
  if (focused) document.querySelector(`[data-edge="${CSS.escape(focused)}"]`)?.focus();
}

/** What an edge of a kind looks like. */
function sample(name) {
  const mark = {
    init: () => svg("g", { class: "event init" }, svg("rect", { class: "box", x: 3, y: 2, width: 20, height: 10, rx: 2 })),
    points: () => svg("path", { class: "point", d: "M13 1l6 6l-6 6l-6 -6z" }),
  }[name];
  return svg(
    "svg",
    { class: "sample", width: 26, height: 14, "aria-hidden": "true" },
    mark ? mark() : bundle([straight(1, 7, 25, 7)], name),
  );
}

on(["document"], renderTitle);
on(["document", "ruling"], renderMatrix);
on(["document", "ruling", "edges"], renderEdges);
