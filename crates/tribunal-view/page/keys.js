// Every key. The table is also what the overlay lists.

const STRIDE = 80; // pixels that a key moves the drawing

const WAYS = { h: "left", j: "down", k: "up", l: "right" };
/** Back or on. */
const pace = (key) => (/(Left|Up)$/.test(key) ? -1 : 1);

const KEYS = [
  { title: "Explanation" },
  { keys: ["ArrowRight", "ArrowDown"], words: "next step", act: () => stepBy(1) },
  { keys: ["ArrowLeft", "ArrowUp"], words: "previous step", act: () => stepBy(-1) },
  { keys: ["Home"], words: "first step", act: () => showStep(0) },
  { keys: ["End"], words: "last step", act: () => showStep(unfolded(shownAnswer()?.lines ?? []).at(-1) ?? -1) },
  { keys: ["x"], words: "fold or unfold the step", act: foldStep },
  { keys: ["Escape"], words: "leave the step, choose nothing", act: leave },
  { title: "Models" },
  { keys: ["]"], words: "next model or criterion", act: () => nextRuling(1) },
  { keys: ["["], words: "previous model or criterion", act: () => nextRuling(-1) },
  { title: "Drawing" },
  ...Object.entries(EDGE_WORDS).map(([name, [key, words]]) => ({
    keys: [key], words: `${name}: ${words}`, kind: name, act: () => toggle(name),
  })),
  { keys: ["h", "j", "k", "l"], words: "choose the next one left, down, up, right", act: (key) => moveCursor(WAYS[key]) },
  { keys: ["Shift+ArrowLeft", "Shift+ArrowRight"], words: "move left or right", act: (key) => pan(pace(key) * STRIDE, 0) },
  { keys: ["Shift+ArrowUp", "Shift+ArrowDown"], words: "move up or down", act: (key) => pan(0, pace(key) * STRIDE) },
  { keys: ["PageUp", "PageDown"], words: "move by a page", act: (key) => turnPage(pace(key)) },
  { keys: ["+", "="], words: "zoom in", act: () => zoomBy(1.3) },
  { keys: ["-"], words: "zoom out", act: () => zoomBy(1 / 1.3) },
  { keys: ["0"], words: "show all of it", act: () => showAll() },
  { keys: [".", ","], words: "next key of a store, previous key", store: true, act: (key) => nextKey(key === "." ? 1 : -1) },
  { keys: ["v"], words: "go to the violation", act: () => showViolation() },
  { title: "Page" },
  { keys: ["e"], words: "export as SVG", act: download },
  { keys: ["t"], words: "light or dark", act: () => wear(otherTheme()), always: true },
  { keys: ["o"], words: "open a file", checker: true, act: () => byId("open").click(), always: true },
  { keys: ["c"], words: "check again; in the text, Ctrl Enter", checker: true, act: () => again(), always: true },
  { keys: ["?"], words: "this help", act: () => byId("keys").showModal(), always: true },
];

function leave() {
  change("step", { step: null, cursor: null, hover: null });
}

function turnPage(by) {
  const { width, height } = stageSize();
  if (upright()) pan(0, by * height * 0.8);
  else pan(by * width * 0.8, 0);
}

/** Whether an entry means something here: an object has no po, and a page without a checker cannot check. */
const meant = (entry) =>
  (!entry.kind || (state.drawing?.kinds ?? []).includes(entry.kind)) && (!entry.checker || checker !== null) &&
  (!entry.store || state.document?.keys?.length > 0);

const SHOWN = {
  ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", PageUp: "Page Up", PageDown: "Page Down",
};
const spelt = (key) => key.split(/\+(?=.)/).map((part) => SHOWN[part] ?? part).join(" ");

function renderKeys() {
  const sections = [];
  for (const entry of KEYS.filter(meant)) {
    if (entry.title) sections.push(html("section", null, html("h3", null, entry.title), html("dl")));
    else {
      sections.at(-1).lastElementChild.append(
        html("dt", null, entry.keys.map((key) => html("kbd", null, spelt(key)))),
        html("dd", null, entry.words),
      );
    }
  }
  const wheel = upright() ? "The wheel moves up and down; with Ctrl it zooms." : "The wheel zooms; with Shift it moves in time.";
  const mouse = html(
    "section", null,
    html("h3", null, "Mouse and touch"),
    html(
      "ul", null,
      html("li", null, "Drag to move, pinch to zoom. ", wheel),
      html("li", null, "Point at something, or tap it, to see all about it."),
      html("li", null, "Click a line of the explanation to see its step in the drawing."),
      html("li", null, "The text below the verdict says what the model is."),
    ),
  );
  const close = html("button", { type: "button" }, "Close");
  close.addEventListener("click", () => byId("keys").close());
  const head = html("div", { class: "head" }, html("h2", null, "Help"), close);
  byId("keys").replaceChildren(head, html("div", { class: "sections" }, mouse, sections));
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  if (event.target.closest?.("textarea, select, input:not([type=checkbox])")) return;
  const arrow = event.key.startsWith("Arrow") && event.shiftKey;
  const key = arrow ? `Shift+${event.key}` : event.key;
  const entry = KEYS.filter(meant).find((entry) => entry.keys?.includes(key));
  if (!entry || (!state.document && !entry.always)) return;
  event.preventDefault();
  entry.act(key);
});

on(["document"], renderKeys);
byId("help").addEventListener("click", () => byId("keys").showModal());
