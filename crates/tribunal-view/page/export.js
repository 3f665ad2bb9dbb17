// The drawing as a file of its own: SVG with its style on each element, so that any viewer shows it as it is here.

const PAINTED = {
  fill: "rgb(0, 0, 0)", "fill-opacity": "1", stroke: "none", "stroke-width": "1px", "stroke-dasharray": "none",
  "stroke-linejoin": "miter", "stroke-linecap": "butt", opacity: "1", "paint-order": "normal",
  "font-family": "", "font-size": "", "font-weight": "400", "text-anchor": "start",
};

// Up to so many places all are exported; of more, what is in view.
const WHOLE = 400;

/** The drawing as it is shown, as the text of an SVG file. */
function exportedSvg() {
  const { drawing } = state;
  if (!drawing) return "";
  const places = (drawing.events ?? drawing.operations).length;
  const whole = places <= WHOLE;
  const { margin } = drawing;
  const view = whole ? { x: 0, y: 0, zoom: 1 } : state.view;
  const size = whole
    ? { width: Math.ceil(drawing.width + margin.left + 8), height: Math.ceil(drawing.height + margin.top) }
    : stageSize();
  // Nothing is pointed at in a file.
  const { hover, cursor } = state;
  Object.assign(state, { hover: null, cursor: null });
  const picture = drawing.paint(view, size);
  Object.assign(state, { hover, cursor });
  return serialised(framed(picture, size));
}

/** A picture with its title above and its legend below. */
function framed(picture, size) {
  const said = shownAnswer();
  const title = plain(state.document.title);
  const verdict = `${plain(said.question)}: ${said.verdict}${said.heading ? `, ${plain(said.heading)}` : ""}`;
  const kinds = state.drawing.kinds.filter((name) => state.edges.has(name) && state.drawing.has(name));
  const width = Math.max(size.width, 480);
  const height = size.height + 96;
  return svg(
    "svg",
    { class: "exported", width, height, viewBox: `0 0 ${width} ${height}` },
    svg("title", null, `${title} - ${verdict}`),
    svg("rect", { class: "ground", width, height }),
    svg("text", { class: "title", x: 16, y: 28 }, elide(title, width - 32)),
    svg("text", { class: `verdict ${said.verdict}`, x: 16, y: 48 }, elide(verdict, width - 32)),
    svg("svg", { y: 60, width: size.width, height: size.height, viewBox: `0 0 ${size.width} ${size.height}` }, picture),
    kinds.map((name, at) => {
      const mark = sample(name);
      mark.setAttribute("x", 16 + at * 84);
      mark.setAttribute("y", height - 26);
      return [mark, svg("text", { class: "legend", x: 48 + at * 84, y: height - 14 }, name)];
    }),
  );
}

/** Styles are worked out by the browser, so the picture is in the page while they are copied. */
function serialised(picture) {
  const bench = html("div", { class: "bench", "aria-hidden": "true" }, picture);
  document.body.append(bench);
  for (const element of picture.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    for (const [name, usual] of Object.entries(PAINTED)) {
      const text = element instanceof SVGTextElement;
      if (!text && (name.startsWith("font") || name.startsWith("text"))) continue;
      const value = style.getPropertyValue(name);
      if (value && value !== usual) element.setAttribute(name, value);
    }
  }
  bench.remove();
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}\n`;
}

function download() {
  const text = exportedSvg();
  if (!text) return;
  const name = `${state.document.title}-${shownAnswer().question}`.replace(/[^\w.+-]+/g, "-").replace(/^[-.]+|-+$/g, "");
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const link = html("a", { href: url, download: `${name || "history"}.svg` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

byId("export").addEventListener("click", download);
