// What is shown, and who draws it anew when it changes.

const state = {
  document: null,
  drawing: null, // of the document: where things are and how they look
  answer: 0, // index of the answer shown
  step: null, // index of the explanation's line shown, or none
  edges: new Set(), // what is switched on
  folded: new Set(), // lines whose children are hidden
  cursor: null, // the place chosen by click or key
  hover: null, // the place under the pointer
  view: { x: 0, y: 0, zoom: 1 }, // the drawing's point at the stage's corner
  shared: null, // the history as a link holds it, if it was checked here and is small
};

const listeners = [];
const changed = new Set();

/** Calls `render` once a frame in which one of the topics changed. */
function on(topics, render) {
  listeners.push({ topics, render });
}

/** Changes what is shown; all that depends on it is drawn anew in the next frame. */
function change(topic, values) {
  Object.assign(state, values);
  if (changed.size === 0) requestAnimationFrame(redraw);
  changed.add(topic);
}

function redraw() {
  const topics = [...changed];
  changed.clear();
  for (const listener of listeners) {
    if (listener.topics.some((topic) => topics.includes(topic))) listener.render();
  }
}

/** The answer shown. */
const shownAnswer = () => state.document?.answers[state.answer] ?? null;

/** The places of a violation: of its cycle or its part, or else all that its lines speak of. */
function violationOf(said) {
  const places = new Set();
  if (said?.verdict !== "inconsistent") return places;
  for (const { from, to } of said.cycle ?? []) places.add(from).add(to);
  for (const place of said.part ?? []) places.add(place);
  if (Number.isInteger(said.failing)) places.add(said.failing);
  if (places.size === 0) for (const line of said.lines) for (const place of line.about) places.add(place);
  return places;
}

/**
 * What stands out: the places and arrows of the violation, or the arrows of a stronger model's, with those `missing` here; and those of
 * the step if one is shown.
 */
function emphasis() {
  const said = shownAnswer();
  const line = state.step === null ? null : said?.lines[state.step];
  const step = line ? new Set(line.about) : null;
  for (const { from, to } of line?.arrows ?? []) step.add(from).add(to);
  return {
    wrong: violationOf(said),
    arrows: said?.contrast?.cycle ?? said?.cycle ?? [],
    missing: said?.contrast?.missing ?? null,
    failing: said?.failing ?? null,
    step,
    stepArrows: line?.arrows ?? [],
  };
}

/** Shows another answer from its first step, and its violation. */
function choose(index) {
  const answers = state.document?.answers ?? [];
  if (index < 0 || index >= answers.length || index === state.answer) return;
  change("answer", { answer: index, step: null, folded: foldedAtFirst(answers[index].lines) });
  const before = state.drawing.layout;
  state.drawing.arrange();
  // What is laid out anew is seen from its beginning.
  if (state.drawing.layout !== before) firstView();
  else reveal(state.drawing.firstSeen?.() ?? violationOf(shownAnswer()));
}

/** Switches a kind of edge on or off. */
function toggle(name) {
  const edges = new Set(state.edges);
  if (!edges.delete(name)) edges.add(name);
  change("edges", { edges });
}

// Storage may be forbidden, as it is for files in some browsers: then the choice lasts as long as the page.
const remembered = {
  get(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Not remembered.
    }
  },
};

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.dataset.theme ?? (prefersDark.matches ? "dark" : "light");

function wear(name) {
  document.documentElement.dataset.theme = name;
  remembered.set("tribunal-theme", name);
  change("theme", {});
}

const otherTheme = () => (theme() === "dark" ? "light" : "dark");
