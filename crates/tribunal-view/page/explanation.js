// The explanation line by line: to read, to fold, and to step through.

const ALLOWED = {
  memory: "Some order of the writes, mo, explains every read.",
  transactions: "Some commit order explains every read: the numbers in the boxes.",
  object: "The line goes through the operations in the order in which they take effect.",
};

/** What a stronger model says, and how this one differs. */
function contrasted({ question, contrast: { against, missing } }) {
  const [strong, weak] = [plain(against), plain(question)];
  const differs = missing.length > 0 ? ` ${weak} does not require the dotted steps.` : "";
  return `${strong} forbids this history because of the cycle drawn.${differs}`;
}

const deeper = (lines, at) => at + 1 < lines.length && lines[at + 1].depth > lines[at].depth;

/** The lines folded at first: of a long explanation all below the first two levels. */
function foldedAtFirst(lines) {
  if (lines.length <= 60) return new Set();
  return new Set([...lines.keys()].filter((at) => lines[at].depth >= 1 && deeper(lines, at)));
}

/** The lines that are not folded away. */
function unfolded(lines) {
  const open = [];
  let above = Infinity; // the depth of the folded line whose children these are
  lines.forEach((line, at) => {
    if (line.depth > above) return;
    above = state.folded.has(at) ? line.depth : Infinity;
    open.push(at);
  });
  return open;
}

/** Opens all that a line stands below. */
function unfoldTo(at) {
  const { lines } = shownAnswer();
  const folded = new Set(state.folded);
  let { depth } = lines[at];
  for (let above = at - 1; above >= 0 && depth > 0; above--) {
    if (lines[above].depth >= depth) continue;
    depth = lines[above].depth;
    folded.delete(above);
  }
  return folded;
}

/** Shows a line of the explanation, and in the drawing what it speaks of. */
function showStep(at, gently = true) {
  const lines = shownAnswer()?.lines ?? [];
  if (at < 0 || at >= lines.length) return;
  change("step", { step: at, folded: unfoldTo(at), cursor: null });
  state.drawing.arrange();
  reveal(emphasis().step, gently);
  byId("said").textContent = plain(lines[at].text);
}

const clearStep = () => change("step", { step: null });

/** Goes so many lines on, over those that are folded away. */
function stepBy(by) {
  const open = unfolded(shownAnswer()?.lines ?? []);
  if (open.length === 0) return;
  const at = state.step === null ? (by > 0 ? -1 : open.length) : open.indexOf(state.step);
  const next = open[at + by];
  if (next === undefined) return;
  showStep(next);
}

function fold(at) {
  const folded = new Set(state.folded);
  if (!folded.delete(at)) folded.add(at);
  change("step", { folded });
}

/** The broken axiom, or why there is no answer; nothing where the first line begins with the same. */
function headingOf(said) {
  if (!said) return "";
  const heading = plain(said.heading) || (said.verdict === "consistent" ? ALLOWED[state.document.kind] : "");
  return said.lines[0]?.text.startsWith(`${said.heading}:`) ? "" : heading;
}

/** Folds or unfolds the line shown. */
function foldStep() {
  if (state.step !== null && deeper(shownAnswer().lines, state.step)) fold(state.step);
}

function renderLines() {
  const said = shownAnswer();
  const lines = said?.lines ?? [];
  byId("question").textContent = said ? `${plain(said.question)}: ${said.verdict}` : "";
  byId("question").className = said?.verdict ?? "";
  byId("about").textContent = sentence(plain(said?.about ?? ""));
  byId("heading").textContent = headingOf(said);
  byId("contrast").textContent = said?.contrast ? contrasted(said) : "";
  byId("steps").hidden = lines.length === 0;
  byId("violation").hidden = violationOf(said).size === 0 && !said?.contrast;
  byId("violation").textContent = said?.contrast ? "Cycle" : "Violation";
  const open = unfolded(lines);
  const current = open.indexOf(state.step);
  byId("previous").disabled = current <= 0;
  byId("next").disabled = current === open.length - 1;
  byId("count").textContent =
    state.step === null ? count(lines.length, "step") : `step ${state.step + 1} of ${lines.length}`;
  byId("lines").replaceChildren(...open.map(lineOf));
  byId("lines").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });

  function lineOf(at) {
    const line = lines[at];
    const current = at === state.step ? "step" : null;
    const button = html("button", { type: "button", class: "line", "aria-current": current }, plain(line.text));
    button.addEventListener("click", () => (at === state.step ? clearStep() : showStep(at)));
    const folds = deeper(lines, at);
    const item = html("li", { "data-line": at }, folds ? folder(at) : null, button);
    item.style.paddingLeft = `${Math.min(line.depth, 12) * 14 + (folds ? 0 : 20)}px`;
    return item;
  }

  function folder(at) {
    const closed = state.folded.has(at);
    const button = html(
      "button",
      { type: "button", class: "folder", "aria-expanded": String(!closed), "aria-label": closed ? "Unfold" : "Fold" },
      svg("svg", { viewBox: "0 0 10 10", width: 10, height: 10 }, svg("path", { d: "M2.5 3.5L5 6.5L7.5 3.5" })),
    );
    button.addEventListener("click", () => fold(at));
    return button;
  }
}

on(["document", "answer", "step"], renderLines);
byId("previous").addEventListener("click", () => stepBy(-1));
byId("next").addEventListener("click", () => stepBy(1));
