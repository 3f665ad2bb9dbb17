// The address: what is shown, after `#`: `model=tso&step=3&edges=po,rf&at=0,120,1`. Steps count from 1. A small history that was checked
// here comes first: `history=...`, so that the address can be shared.

/** What an address asks for. */
function linked(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const numbers = (words.get("at") ?? "").split(",").map(Number);
  const step = Number.parseInt(words.get("step") ?? "", 10);
  return {
    model: words.get("model"),
    key: words.get("key"),
    step: step > 0 ? step - 1 : null,
    edges: words.has("edges") ? new Set(words.get("edges").split(",").filter(Boolean)) : null,
    view: numbers.length === 3 && numbers.every(Number.isFinite) && numbers[2] > 0
      ? { x: numbers[0], y: numbers[1], zoom: numbers[2] }
      : null,
    history: words.get("history"),
    part: words.get("part"),
    theme: ["light", "dark"].includes(words.get("theme")) ? words.get("theme") : null,
  };
}

/** The address of what is shown. */
function address() {
  const said = shownAnswer();
  if (!said) return "";
  const { x, y, zoom } = state.view;
  const words = state.shared ? [`history=${state.shared}`] : [];
  words.push(`model=${encodeURIComponent(said.question)}`);
  if (state.document.keys?.length > 0) words.push(`key=${encodeURIComponent(shownKey())}`);
  if (state.step !== null) words.push(`step=${state.step + 1}`);
  words.push(`edges=${[...state.edges].join(",")}`);
  if (state.drawing.folding === false && isLarge()) words.push("part=all");
  words.push(`at=${Math.round(x)},${Math.round(y)},${Number(zoom.toPrecision(3))}`);
  return `#${words.join("&")}`;
}

let writing = 0;

// Browsers count changes of the address and refuse too many: it is written when things have come to rest.
function writeLink() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    try {
      history.replaceState(history.state, "", address() || location.href.split("#")[0]);
    } catch {
      // Some places forbid it; the page works without.
    }
  }, 200);
}

/** Shows what the address asks for, as far as it is there. */
async function followLink() {
  const wish = linked(location.hash);
  if (wish.theme) wear(wish.theme);
  if (wish.history && wish.history !== state.shared) await openShared(wish.history);
  if (!state.document) return;
  const named = state.document.answers.findIndex((said) => said.question === wish.model);
  if (named >= 0) choose(named);
  if (wish.key !== null) showKeyNamed(wish.key);
  if (wish.edges) change("edges", { edges: wish.edges });
  if (wish.step !== null) showStep(Math.min(wish.step, (shownAnswer()?.lines.length ?? 0) - 1), false);
  if (wish.part === "all") foldDrawing(false);
  if (wish.view) moveTo(wish.view, false);
}
