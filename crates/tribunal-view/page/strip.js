// An overview of the whole history: how dense it is, what of it is in the page and in view, where the violation is.

const strip = byId("strip");
const STRETCHES = 400;
const THICK = 34;

/** Whether the strip lies along the drawing's height, as a memory's does. */
const upright = () => state.drawing instanceof MemoryDrawing;

/** The document's overview, or one made of what it shows; none for what is small. */
function overview() {
  const { document: doc, drawing } = state;
  if (doc.overview) return doc.overview;
  // A timeline is drawn whole: a part of the strip is the same part of the drawing.
  if (drawing.paintStrip) return doc.operations.length > 12 ? { density: [[0]], window: [0, 0], marks: [] } : null;
  const places = upright() ? drawing.events.length : doc.operations.length;
  if (places <= 80) return null;
  const density = [new Array(STRETCHES).fill(0)];
  for (let place = 0; place < places; place++) {
    const at = stretchOf(place);
    if (at !== null) density[0][at]++;
  }
  const marks = doc.answers.map((said) =>
    said.verdict === "inconsistent" ? [...violationOf(said)].map(stretchOf).filter((at) => at !== null) : [],
  );
  return { density, window: [0, STRETCHES - 1], marks };

  function stretchOf(place) {
    const box = upright() ? null : drawing.boxOf(place);
    const part = upright() ? drawing.partOf(place) : box && box.x / drawing.width;
    if (part === null) return null;
    return Math.min(Math.floor(part * STRETCHES), STRETCHES - 1);
  }
}

/** The stretch of the whole at a part of the drawing, from 0 to 1, and back. */
const toWhole = ({ density, window: [from, to] }, part) =>
  (from + part * (to - from + 1)) / Math.max(density[0]?.length ?? 1, 1);
const toPart = ({ density, window: [from, to] }, whole) => (whole * (density[0]?.length ?? 1) - from) / (to - from + 1);

let glance = null;

function renderGlance() {
  glance = state.document ? overview() : null;
  strip.hidden = !glance;
  renderNote();
  renderStrip();
}

/** What is not drawn: what a folded drawing leaves out, and what is not in the page. */
function renderNote() {
  const { document: doc, drawing } = state;
  const absent = doc ? doc.size - shownPlaces() : 0;
  const notes = [];
  if (drawing?.folded) {
    const drawn = drawing.columns.flat().length;
    notes.push(`Only the ${count(drawn, drawing.noun)} of the explanation ${drawn === 1 ? "is" : "are"} drawn; All draws the rest.`);
  }
  if (absent > 0) {
    const [here, all] = [shownPlaces(), doc.size].map((n) => n.toLocaleString("en"));
    notes.push(`This page has ${here} of the ${all} ${drawing.noun}s, those around the violation.`);
  }
  byId("window").hidden = notes.length === 0;
  byId("window").textContent = notes.join(" ");
}

const shownPlaces = () =>
  upright() ? state.drawing.events.length - state.drawing.initial.length : state.document.operations.length;

function renderStrip() {
  if (!glance) return;
  const picture = strip.querySelector("svg");
  const long = Math.max(upright() ? strip.clientHeight : strip.clientWidth, 100);
  if (!state.document.overview && state.drawing.paintStrip) {
    picture.setAttribute("aria-label", "All operations at a glance: what is in view, and where the violation is");
    picture.replaceChildren(...state.drawing.paintStrip(long, THICK));
    return;
  }
  const { density, window: [from, to], marks } = glance;
  const stretches = density[0]?.length ?? 1;
  const totals = new Array(stretches).fill(0);
  for (const row of density) row.forEach((n, at) => (totals[at] += n));
  const most = Math.max(1, ...totals);
  const step = long / stretches;
  // A bar along the strip from `start` to `end`, `thick` pixels of its thickness from `offset`.
  const bar = (start, end, offset, thick) =>
    upright()
      ? rectangle({ x: offset, y: start, width: thick, height: end - start })
      : rectangle({ x: start, y: offset, width: end - start, height: thick });
  // One outline, from the strip's inner edge out to each stretch's density and back.
  const outline = totals.map((n, at) => {
    const thick = n === 0 ? 0 : Math.max(1, (n / most) * (THICK - 12));
    const end = round((at + 1) * step);
    return upright() ? `H${round(6 + thick)}V${end}` : `V${round(THICK - 6 - thick)}H${end}`;
  });
  const dense = upright() ? `M6 0${outline.join("")}H6Z` : `M0 ${THICK - 6}${outline.join("")}V${THICK - 6}Z`;
  const span = spanOf(state.view.zoom);
  const [start, end] = upright()
    ? [state.view.y / state.drawing.height, (state.view.y + span.height) / state.drawing.height]
    : [state.view.x / state.drawing.width, (state.view.x + span.width) / state.drawing.width];
  const seen = [start, end].map((part) => toWhole(glance, Math.min(Math.max(part, 0), 1)) * long);
  const wrong = [...new Set(marks[state.answer] ?? [])].map((at) => {
    const middle = (at + 0.5) * step;
    return bar(middle - 1.5, middle + 1.5, 1, THICK - 2);
  });
  const inView = bar(seen[0], Math.max(seen[1], seen[0] + 4), 2, THICK - 4);
  picture.replaceChildren(
    svg("path", { class: "held", d: bar(from * step, (to + 1) * step, 2, THICK - 4) }),
    svg("path", { class: "dense", d: dense }),
    svg("path", { class: "marks", d: wrong.join("") }),
    svg("path", { class: "seen", d: state.drawing.folded ? "" : inView }),
  );
  picture.setAttribute("aria-label", "Overview of the whole history: how dense it is, what is in view, where the violation is");
}

/** Moves to a point of the strip, as far as there is something to show. */
function goTo(event) {
  if (state.drawing.folded) foldDrawing(false);
  const box = strip.getBoundingClientRect();
  const whole = upright() ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width;
  const part = toPart(glance, whole);
  const note = byId("window");
  note.classList.toggle("insists", part < 0 || part > 1);
  if (part < 0 || part > 1) byId("said").textContent = note.textContent;
  const span = spanOf(state.view.zoom);
  const at = Math.min(Math.max(part, 0), 1);
  moveTo(
    upright()
      ? { ...state.view, y: at * state.drawing.height - span.height / 2 }
      : { ...state.view, x: at * state.drawing.width - span.width / 2 },
    false,
  );
}

strip.addEventListener("pointerdown", (event) => {
  strip.setPointerCapture(event.pointerId);
  goTo(event);
});
strip.addEventListener("pointermove", (event) => {
  if (event.buttons & 1) goTo(event);
});

on(["document"], renderGlance);
on(["answer", "view", "key"], renderStrip);
on(["answer", "step", "fold"], renderNote);
