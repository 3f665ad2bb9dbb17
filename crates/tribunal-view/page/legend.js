// The legend below the drawing: shapes, edges and colors that occur, each with what it means.

// Names that only the steps of a violation have.
const STEP_WORDS = {
  ppo: "preserved program order",
  "po-loc": "program order at one location",
  hb: "happens before",
  sw: "synchronizes with",
  co: "order of the writes of a location",
  pww: "order that reads force on writes",
  rt: "real time: ended before the other began",
  dep: "dependency",
};

const wordsOf = (name) => STEP_WORDS[name] ?? EDGE_WORDS[name]?.[1] ?? "";

/** A mark of the legend's size. */
const legendMark = (look, ...children) => svg("svg", { class: `sample ${look}`, width: 26, height: 14, "aria-hidden": "true" }, ...children);

/** A box of a kind. */
const shapeSample = (kind) =>
  legendMark(
    "",
    svg(
      "g",
      { class: `event ${kind}` },
      svg("rect", { class: "box", x: 2, y: 1.5, width: 22, height: 11, rx: kind === "read" ? 5.5 : 2 }),
      kind === "rmw" ? svg("rect", { class: "inner", x: 4, y: 3.5, width: 18, height: 7, rx: 1 }) : null,
    ),
  );

/** A step of a cycle: `wrong`, `contrast` or `contrast missing`. */
const stepSample = (classes) =>
  legendMark(state.drawing.look, svg("g", { class: `arrow ${classes}` }, bundle([straight(1, 7, 25, 7)], "")));

/** A drawing without `legend` has nothing to explain. */
function renderLegend() {
  const entries = state.drawing?.legend?.() ?? [];
  byId("legend").hidden = entries.length === 0;
  byId("marks").replaceChildren(...entries.map(([mark, words]) => html("li", null, mark, html("span", null, words))));
}

on(["document", "answer", "edges", "step", "fold"], renderLegend);
// Whoever closes it once knows it; on a narrow screen it would push the explanation away.
const narrowScreen = matchMedia("(max-width: 900px)");
byId("legend").open = !narrowScreen.matches && remembered.get("tribunal-legend") !== "closed";
byId("legend").addEventListener("toggle", (event) => {
  if (!narrowScreen.matches) remembered.set("tribunal-legend", event.target.open ? "open" : "closed");
});
