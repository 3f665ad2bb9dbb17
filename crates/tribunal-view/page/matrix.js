// The history's name, every model's verdict, and what is drawn.

const VERDICTS = { consistent: "yes", inconsistent: "no", undecided: "?", unsupported: "-" };

function renderTitle() {
  const doc = state.document;
  const [, file, line] = doc?.source.match(/^(.*):(\d+)$/s) ?? [null, doc?.source ?? "", "1"];
  const name = fileName(file);
  // A history without a name has that of its file, which is not said twice.
  const unnamed = doc?.title === file;
  const title = doc ? plain(unnamed ? name : doc.title) : "Tribunal";
  byId("title").textContent = title;
  byId("title").title = title;
  const place = unnamed ? (line === "1" ? "" : `line ${line}`) : `${plain(name)}:${line}`;
  byId("source").textContent = doc ? place : "";
  byId("source").title = doc ? plain(doc.source) : "";
  const spec = doc?.kind === "object" ? `${plain(doc.spec)}, ` : "";
  byId("size").textContent = doc ? spec + count(doc.size, state.drawing.noun) : "";
  document.title = doc ? `${title} - Tribunal` : "Tribunal";
}

const fileName = (path) => path.split(/[\\/]/).pop() || path;

const matrix = byId("matrix");

// Levels of isolation by columns, the strongest first, and what the order must contain by rows.
const ISOLATIONS = ["ser", "si", "psi", "pc", "tcc", "rat", "mav", "rc", "ru"];
const BASES = ["plain", "session-", "strict-"];

/** The row and column of a level. tcc contains the session order by definition. */
function cellOf(question) {
  const base = BASES.find((name) => question.startsWith(name)) ?? (question === "tcc" ? "session-" : "plain");
  const isolation = question.startsWith(base) ? question.slice(base.length) : question;
  return [BASES.indexOf(base), ISOLATIONS.indexOf(isolation)];
}

/** The chips in a table, if they are of many levels. */
function inTable(chips, answers) {
  const cells = answers.map((said) => cellOf(said.question));
  const table = state.document?.kind === "transactions" && chips.length > ISOLATIONS.length && cells.every(([, column]) => column >= 0);
  matrix.classList.toggle("levels", table);
  if (!table) return chips;
  const at = (row, column, node) => {
    node.style.gridArea = `${row + 1} / ${column + 1}`;
    return node;
  };
  return [
    ...ISOLATIONS.map((name, column) => at(0, column + 1, html("span", { class: "level", "aria-hidden": "true" }, name))),
    ...BASES.map((name, row) => at(row + 1, 0, html("span", { class: "base", "aria-hidden": "true" }, name))),
    ...chips.map((chip, nth) => at(cells[nth][0] + 1, cells[nth][1] + 1, chip)),
  ];
}

function renderMatrix() {
  const held = matrix.contains(document.activeElement);
  const answers = state.document?.answers ?? [];
  const chips = answers.map((said, at) => {
    const shown = at === state.answer;
    const answer = VERDICTS[said.verdict] ?? "?";
    const chip = html(
      "button",
      {
        type: "button", role: "radio", class: `chip ${said.verdict}`, "aria-checked": String(shown),
        tabindex: shown ? 0 : -1, title: [sentence(said.about), said.heading].filter(Boolean).map(plain).join("\n"),
        "aria-label": `${plain(said.question)}: ${said.verdict}`, "data-question": said.question,
      },
      html("span", { class: "model" }, plain(said.question)),
      html("span", { class: "answer" }, answer),
    );
    chip.addEventListener("click", () => choose(at));
    return chip;
  });
  matrix.replaceChildren(...inTable(chips, answers));
  const chosen = matrix.querySelector('[aria-checked="true"]');
  if (held) chosen?.focus();
  // On a narrow screen the chips are one row that scrolls.
  if (chosen && matrix.scrollWidth > matrix.clientWidth) {
    matrix.scrollLeft = chosen.offsetLeft - (matrix.clientWidth - chosen.offsetWidth) / 2;
  }
}

// Within the group arrows go from model to model, as in any group of radio buttons.
matrix.addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  nextRuling(by);
});

/** The answer so many further on, around the end. */
function nextRuling(by) {
  const all = state.document?.answers.length ?? 0;
  if (all > 0) choose((state.answer + by + all) % all);
}

// The kinds of edges and marks, with the key that switches each and what it is.
const EDGE_WORDS = {
  po: ["p", "program order"],
  rf: ["r", "reads from: write to read"],
  chosen: ["u", "reads from, one of several writes of the value"],
  mo: ["m", "modification order: write to next write"],
  fr: ["f", "from read: read to the write that overwrites its value"],
  deps: ["d", "dependency"],
  init: ["i", "initial writes"],
  points: ["p", "where operations take effect, in order"],
  hb: ["b", "happens-before, as given"],
  so: ["s", "session order"],
  wr: ["r", "write to read"],
  ww: ["w", "write to next write"],
  rw: ["a", "read to the write that overwrites its value"],
};

function renderEdges() {
  const { drawing } = state;
  const focused = document.activeElement?.dataset?.edge;
  byId("edges").replaceChildren(
    ...(drawing?.kinds ?? []).filter((name) => offered(name)).map((name) => {
      const [key, words] = EDGE_WORDS[name];
      const box = html("input", { type: "checkbox", "data-edge": name });
      box.checked = state.edges.has(name);
      box.disabled = !drawing.has(name);
      box.addEventListener("change", () => toggle(name));
      return html("label", { class: box.disabled ? "off" : null, title: `${words} (${key})` }, box, sample(name), name);
    }),
  );
  if (focused) document.querySelector(`[data-edge="${CSS.escape(focused)}"]`)?.focus();
}

/** Whether some answer of the history has edges of a kind; a switch for anything else would do nothing. */
function offered(name) {
  return state.drawing.has(name) || state.document.answers.some((said) => said[name]?.length > 0);
}

/** What an edge of a kind looks like. */
function sample(name) {
  const mark = {
    init: () => svg("g", { class: "event init" }, svg("rect", { class: "box", x: 3, y: 2, width: 20, height: 10, rx: 2 })),
    points: () => svg("circle", { class: "point", cx: 13, cy: 7, r: 5 }),
  }[name];
  return svg(
    "svg",
    { class: "sample", width: 26, height: 14, "aria-hidden": "true" },
    mark ? mark() : bundle([straight(1, 7, 25, 7)], name in EDGE_WORDS ? name : familyOf(name)),
  );
}

on(["document"], renderTitle);
on(["document", "answer"], renderMatrix);
on(["document", "answer", "edges"], renderEdges);
