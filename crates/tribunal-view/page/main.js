// The start: shows the document in the page, if there is one, as the address asks for it.

/** Shows a history and its verdicts. */
function show(doc) {
  const before = state.document && shownAnswer()?.question;
  // A comparison with a stronger model is stepped through as a violation is.
  for (const said of doc.answers) if (said.contrast) said.lines = said.contrast.lines;
  state.document = doc;
  state.answer = doc.shown;
  // A history that is checked again stays at the model shown.
  const same = doc.answers.findIndex((said) => said.question === before);
  if (same >= 0) state.answer = same;
  const drawings = { memory: MemoryDrawing, object: ObjectDrawing, transactions: TransactionsDrawing };
  state.drawing = new drawings[doc.kind](doc);
  byId("field").className = doc.kind;
  byId("main").hidden = false;
  change("document", {
    step: null, cursor: null, hover: null,
    edges: state.drawing.edgesAtFirst(),
    folded: foldedAtFirst(shownAnswer()?.lines ?? []),
  });
  // The strip takes room from the stage: it has to be there before the first view is chosen.
  redraw();
  foldDrawing(isLarge());
  firstView();
}

function renderTheme() {
  byId("theme").textContent = theme() === "dark" ? "Light" : "Dark";
}

on(["theme", "document"], renderTheme);
on(["document", "answer", "step", "edges", "view"], writeLink);
prefersDark.addEventListener("change", renderTheme);
byId("theme").addEventListener("click", () => wear(otherTheme()));
// An address that is changed by hand; Back and Forward have places of their own.
addEventListener("hashchange", () => history.state === null && followLink());

const worn = remembered.get("tribunal-theme");
if (worn === "light" || worn === "dark") document.documentElement.dataset.theme = worn;

const written = byId("document")?.textContent.trim();
const given = written ? JSON.parse(written) : null;
if (given) show(given);
else change("document", {});
followLink();

// For tests, and for people at the console.
window.tribunal = { state, shownAnswer, svg: exportedSvg, show, check };
