// The stage: what of the drawing is seen, moved by wheel, drag, pinch and keys. Only what is in view is in the page.

const stage = byId("stage");
const canvas = byId("drawing");
const still = matchMedia("(prefers-reduced-motion: reduce)");

const stageSize = () => ({ width: stage.clientWidth || 800, height: stage.clientHeight || 600 });

/** How much of the drawing the stage shows, in the drawing's units. */
function spanOf(zoom) {
  const { width, height } = stageSize();
  const { margin } = state.drawing;
  const scale = state.drawing.scale(zoom);
  return { width: (width - margin.left) / scale.x, height: (height - margin.top) / scale.y };
}

/** The nearest view that is not off the drawing; what is smaller than the stage stands in its middle, at its top. */
function clampView({ x, y, zoom }) {
  const drawing = state.drawing;
  const least = Math.min(drawing.fit(stageSize()), 1) * 0.6;
  zoom = Math.min(Math.max(zoom, least, 0.004), 4);
  const span = spanOf(zoom);
  const within = (at, span, whole, centred) => {
    if (whole <= span) return centred ? (whole - span) / 2 : 0;
    return Math.min(Math.max(at, 0), whole - span);
  };
  const object = drawing instanceof ObjectDrawing;
  return {
    x: within(x, span.width, drawing.width, !object),
    y: within(y, span.height, drawing.height, false),
    zoom,
  };
}

let moving = 0;

/** Moves to a view: at once, or so that the eye can follow. */
function moveTo(target, gently) {
  cancelAnimationFrame(moving);
  const to = clampView(target);
  if (!gently || still.matches) return change("view", { view: to });
  const from = { ...state.view };
  const start = performance.now();
  const frame = (now) => {
    const part = Math.min((now - start) / 180, 1);
    const eased = 1 - (1 - part) ** 3;
    const mix = (key) => from[key] + (to[key] - from[key]) * eased;
    change("view", { view: part < 1 ? { x: mix("x"), y: mix("y"), zoom: mix("zoom") } : to });
    if (part < 1) moving = requestAnimationFrame(frame);
  };
  moving = requestAnimationFrame(frame);
}

/** Moves by pixels of the stage. */
function pan(dx, dy) {
  const scale = state.drawing.scale(state.view.zoom);
  moveTo({ x: state.view.x + dx / scale.x, y: state.view.y + dy / scale.y, zoom: state.view.zoom }, false);
}

/** Zooms about a point of the stage, its middle unless told. */
function zoomBy(factor, px = stageSize().width / 2, py = stageSize().height / 2) {
  const { margin } = state.drawing;
  const [dx, dy] = [Math.max(px - margin.left, 0), Math.max(py - margin.top, 0)];
  const before = state.drawing.scale(state.view.zoom);
  const zoom = clampView({ ...state.view, zoom: state.view.zoom * factor }).zoom;
  const after = state.drawing.scale(zoom);
  moveTo({ x: state.view.x + dx / before.x - dx / after.x, y: state.view.y + dy / before.y - dy / after.y, zoom }, false);
}

/** All of the history, unfolded. */
function showAll() {
  const { cursor: place, drawing } = state;
  const was = drawing.folded;
  foldDrawing(false);
  if (place === null || !was) fitAll();
  else reveal([place]);
}

/** The violation, or the stronger model's cycle: of a large history without what is between its events. A drawing may have its own way. */
function showViolation() {
  if (state.drawing.showViolation) return state.drawing.showViolation();
  foldDrawing(isLarge() || Boolean(state.drawing.folding));
  if (state.drawing.folded) return fitAll();
  const { wrong, arrows } = emphasis();
  reveal(wrong.size > 0 ? wrong : new Set(arrows.flatMap(({ from, to }) => [from, to])));
}

/** Folds the drawing to what the explanation speaks of, or unfolds it. */
function foldDrawing(folding) {
  state.drawing.folding = folding;
  state.drawing.arrange();
  change("fold", {});
  change("view", { view: clampView(state.view) });
}

// The least zoom at which something is shown that was asked for, and at which labels can still be made out.
const LEAST = 0.75;
const READABLE = 0.55;

/** All that is drawn. What is wide and short, and would be a line of specks, is as tall as can be read, from its beginning. */
function fitAll(gently = true) {
  const { drawing } = state;
  const tall = drawing instanceof ObjectDrawing ? 0 : (stageSize().height - drawing.margin.top - 8) / drawing.height;
  moveTo({ x: 0, y: 0, zoom: Math.min(Math.max(drawing.fit(stageSize()), Math.min(tall, READABLE)), 1.25) }, gently);
}

/** Brings places into view: nothing moves if they are there; the zoom changes only if they do not fit. */
function reveal(places, gently = true) {
  state.drawing.bring?.(places);
  const boxes = [...places].map((place) => state.drawing.boxOf(place)).filter(Boolean);
  if (boxes.length === 0) return;
  const left = Math.min(...boxes.map((box) => box.x)) - 30;
  const top = Math.min(...boxes.map((box) => box.y)) - 30;
  const right = Math.max(...boxes.map((box) => box.x + box.width)) + 30;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + 30;
  const { x, y } = state.view;
  let { zoom } = state.view;
  let span = spanOf(zoom);
  const within = left >= x - 30 && right <= x + span.width + 30 && top >= y - 30 && bottom <= y + span.height + 30;
  if (within && zoom >= LEAST / 2) return;
  const tall = state.drawing instanceof MemoryDrawing ? spanOf(1).height / (bottom - top) : 1;
  const fits = Math.min(spanOf(1).width / (right - left), tall, 1);
  zoom = Math.min(Math.max(zoom, LEAST), Math.max(fits, LEAST));
  span = spanOf(zoom);
  // What is too large to be seen at once is shown from its beginning.
  const start = (from, to, span) => (to - from > span ? from : (from + to - span) / 2);
  moveTo({ x: start(left, right, span.width), y: start(top, bottom, span.height), zoom }, gently);
}

/** On a narrow screen the stage is as tall as the drawing needs, so that the explanation is near. */
function sizeStage() {
  const { drawing } = state;
  const narrow = matchMedia("(max-width: 900px)").matches && !matchMedia("print").matches;
  if (!narrow || !drawing) return (byId("field").style.height = "");
  drawing.arrange();
  const zoom = Math.min((stageSize().width - 8) / drawing.width, 1.25);
  const needed = drawing.height * drawing.scale(zoom).y + drawing.margin.top + 8;
  // It stays in sight while the explanation scrolls below it, so it leaves room for that.
  const height = `${Math.round(Math.min(Math.max(needed, 180), innerHeight * 0.45))}px`;
  byId("field").style.height = height;
  document.documentElement.style.setProperty("--field", height);
}

/** Whether a drawing is too large to be read when all of it is in view. */
const isLarge = () => state.drawing.fit(stageSize()) < state.drawing.legible;

/** The first view of a drawing: all of it if that can be read, else what is folded to the violation, else the violation or the beginning. */
function firstView() {
  sizeStage();
  state.drawing.arrange();
  const fit = state.drawing.fit(stageSize());
  const few = state.drawing.columns?.flat().length <= 40;
  if (fit >= (few ? READABLE : state.drawing.legible)) return fitAll(false);
  change("view", { view: clampView({ x: 0, y: 0, zoom: state.drawing instanceof ObjectDrawing ? 1 : 0.9 }) });
  reveal(state.drawing.firstSeen?.() ?? emphasis().wrong, false);
}

function renderStage() {
  if (!state.drawing) return canvas.replaceChildren();
  state.drawing.arrange();
  const size = stageSize();
  canvas.setAttribute(
    "aria-label",
    `${plain(state.document.title)}: ${count(state.document.size, state.drawing.noun)}. h j k l go from one to the next.`,
  );
  canvas.replaceChildren(state.drawing.paint(state.view, size));
}

on(["document", "answer", "step", "edges", "view", "hover", "cursor"], renderStage);

/** The place under a point of the window. */
function placeAt(event) {
  if (!state.drawing) return null;
  const { left, top } = stage.getBoundingClientRect();
  const [px, py] = [event.clientX - left, event.clientY - top];
  const { margin } = state.drawing;
  if (px < margin.left || py < margin.top) return null;
  const scale = state.drawing.scale(state.view.zoom);
  return state.drawing.at(state.view.x + (px - margin.left) / scale.x, state.view.y + (py - margin.top) / scale.y);
}

/** Moves the cursor to the place beside it, or to one in view if there is none yet. */
function moveCursor(key) {
  const { drawing } = state;
  const first = () => {
    const place = canvas.querySelector("[data-place]")?.dataset.place;
    return place === undefined ? null : Number(place);
  };
  const cursor = state.cursor === null ? first() : drawing.beside(state.cursor, key);
  if (cursor === null) return;
  change("cursor", { cursor, hover: null });
  reveal([cursor]);
  const { heading, pairs } = told(cursor);
  byId("said").textContent = [heading, ...pairs.map((pair) => pair.join(" "))].join("; ");
}

// The pointers that are down, by id, with where each was last; and how far they have moved since the first came down.
const pointers = new Map();
let moved = 0;

/** The middle of the pointers, and how far apart the first two are. */
function grip() {
  const [a, b = a] = pointers.values();
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
}

stage.addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || !state.drawing) return;
  if (pointers.size === 0) moved = 0;
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  stage.setPointerCapture(event.pointerId);
});

// One pointer drags the drawing; two also zoom it, about the point between them.
stage.addEventListener("pointermove", (event) => {
  if (!state.drawing) return;
  if (pointers.has(event.pointerId)) {
    const before = grip();
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = grip();
    moved += Math.abs(after.x - before.x) + Math.abs(after.y - before.y) + Math.abs(after.apart - before.apart);
    if (moved <= 3) return;
    stage.classList.add("dragging");
    pan(before.x - after.x, before.y - after.y);
    const { left, top } = stage.getBoundingClientRect();
    if (before.apart > 0 && after.apart > 0) zoomBy(after.apart / before.apart, after.x - left, after.y - top);
    return;
  }
  if (event.pointerType === "touch") return;
  const hover = placeAt(event);
  if (hover !== state.hover) change("hover", { hover });
});

stage.addEventListener("pointerup", (event) => {
  if (pointers.size === 1 && pointers.has(event.pointerId) && moved <= 3) change("cursor", { cursor: placeAt(event) });
  release(event);
});
stage.addEventListener("pointercancel", release);

function release(event) {
  pointers.delete(event.pointerId);
  if (pointers.size === 0) stage.classList.remove("dragging");
}

/** A drawing that is in view as a whole leaves one finger to the page, which scrolls. */
function renderTouch() {
  if (!state.drawing) return;
  const span = spanOf(state.view.zoom);
  const whole = span.width >= state.drawing.width - 1 && span.height >= state.drawing.height - 1;
  stage.style.touchAction = whole ? "pan-x pan-y" : "none";
}

on(["document", "answer", "view"], renderTouch);

stage.addEventListener("pointerleave", () => {
  if (state.hover !== null) change("hover", { hover: null });
});

// Threads are long downwards, so the wheel goes down them; time is long to the right, where the wheel comes closer.
stage.addEventListener(
  "wheel",
  (event) => {
    if (!state.drawing) return;
    event.preventDefault();
    const line = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 18 : 1;
    const [dx, dy] = [event.deltaX * line, event.deltaY * line];
    const timeline = state.drawing instanceof ObjectDrawing;
    const { left, top } = stage.getBoundingClientRect();
    const closer = event.ctrlKey || event.metaKey || (timeline && !event.shiftKey && Math.abs(dy) > Math.abs(dx));
    if (closer) zoomBy(Math.exp(-dy / 400), event.clientX - left, event.clientY - top);
    else if (event.shiftKey && dx === 0) pan(dy, 0);
    else pan(dx, dy);
  },
  { passive: false },
);

new ResizeObserver(() => {
  if (state.drawing) change("view", { view: clampView(state.view) });
}).observe(stage);

addEventListener("resize", sizeStage);

// On paper the drawing is scaled to the width: all of it if that can be read, else what is in view.
addEventListener("beforeprint", () => {
  if (!state.drawing) return;
  byId("legend").open = true;
  const { drawing } = state;
  const whole = (drawing.events ?? drawing.operations).length <= WHOLE || drawing.folded;
  const size = whole
    ? { width: drawing.width + drawing.margin.left, height: drawing.height + drawing.margin.top }
    : stageSize();
  canvas.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  stage.style.aspectRatio = `${size.width} / ${size.height}`;
  if (whole) canvas.replaceChildren(drawing.paint({ x: 0, y: 0, zoom: 1 }, size));
});
addEventListener("afterprint", () => {
  canvas.removeAttribute("viewBox");
  stage.style.aspectRatio = "";
  renderStage();
});

byId("closer").addEventListener("click", () => zoomBy(1.3));
byId("farther").addEventListener("click", () => zoomBy(1 / 1.3));
byId("fit").addEventListener("click", () => showAll());
byId("violation").addEventListener("click", () => showViolation());
