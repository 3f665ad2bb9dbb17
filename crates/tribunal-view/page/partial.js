// The order in which operations take effect: a linearization or, where there is none, the longest partial one that was found
// with the operation looked at; beside the drawing its steps, with the state after each. Of a memory or transactions it is the order of
// the witness.

const SMALL = 11.5; // size of small labels
const smallWidth = (text) => widthOf(text) * (SMALL / 13);

/** A call if it fits, or else with its method cut short: the arguments tell calls apart. */
function elideCall(call, width) {
  const at = call.indexOf("(");
  if (at < 0 || call.endsWith("()") || widthOf(call) <= width) return elide(call, width);
  for (let length = at - 1; length > 0; length--) {
    const short = `${call.slice(0, length)}…${call.slice(at)}`;
    if (widthOf(short) <= width) return short;
  }
  return elide(call, width);
}

/** A result if it fits, or else without its arrow. */
const elideResult = (result, width) => (widthOf(result) <= width ? result : elide(result.replace(/^→ /, ""), width));

// What there is to say of an operation that no partial linearization includes.
const PLACED = {
  unplaced: "no partial linearization includes it",
  unreached: "called after an operation that cannot be placed",
};

/** The index of what was found of an operation's key, or of the whole object. */
const keyOf = (doc, place) => (doc.keys.length > 0 ? doc.operations[place].key : 0);

/**
 * How an operation stands that completed and that no partial linearization includes: `unplaced`, or `unreached` if it was
 * called after one that is.
 */
function unplaced(said, doc, place) {
  const { partial } = said ?? {};
  if (!partial) return null;
  const { call, ret } = doc.operations[place];
  if (ret === null || partial.ends[place] !== null) return null;
  return call > firstReturn(partial, doc)[keyOf(doc, place)] ? "unreached" : "unplaced";
}

/** By key, the first return of an operation that no partial linearization includes. */
function firstReturn(partial, doc) {
  partial.first ??= doc.operations.reduce((first, { ret }, place) => {
    const key = keyOf(doc, place);
    if (ret !== null && partial.ends[place] === null) first[key] = Math.min(first[key], ret);
    return first;
  }, partial.longest.map(() => Infinity));
  return partial.first;
}

/**
 * The order to show, as steps with place, number and state, and how long it is with what is not shown: that of a witness, or
 * of a partial linearization, where `end` is its last step and `includes` says whether the operation looked at is in it.
 */
function orderShown(doc, said, key, looked) {
  const none = { steps: [], length: 0 };
  if (!said) return none;
  if (said.partial) {
    const of = looked !== null ? keyOf(doc, looked) : doc.keys.length > 0 ? key : 0;
    if (of === null) return none;
    const { partial } = said;
    const longest = partial.longest[of];
    const own = looked === null ? null : partial.ends[looked];
    const steps = [];
    for (let at = own ?? longest.end; at !== null; at = partial.steps[at].before) {
      const { operation, nth, state } = partial.steps[at];
      steps.push({ place: operation, nth, state });
    }
    steps.reverse();
    return { steps, length: steps.at(-1)?.nth ?? 0, longest, includes: own !== null, key: of };
  }
  const steps = said.lin.map((place, at) => ({ place, nth: at + 1, state: said.states[at] ?? null }));
  const shown = key === null ? steps : steps.filter(({ place }) => doc.operations[place].key === key);
  if (key !== null) shown.forEach((step, at) => (step.nth = at + 1));
  return { steps: shown, length: shown.length };
}

/** What the order is, in a sentence or two. */
function orderWords(doc, said, order, looked) {
  if (!order.longest) {
    const states = order.steps.some(({ state }) => state !== null);
    return `Takes effect in this order${states ? ", with the state after each operation" : ""}:`;
  }
  const all = doc.keys.length > 0 ? doc.keys[order.key].length : doc.size;
  const found = `${order.length} of ${count(all, "operation")}`;
  const early = order.longest.limit ? ` The search ended early (${plain(order.longest.limit)}): there may be longer ones.` : "";
  if (doc.keys[order.key]?.linearizable) return `This key is linearizable: ${found}.`;
  if (looked === null) return `Longest partial linearization: ${found}.${early}`;
  const label = plain(doc.operations[looked].label);
  if (order.includes) return `Longest partial linearization with ${label}: ${found}.${early}`;
  const why = {
    unplaced: `No partial linearization${order.longest.limit ? " that was found" : ""} includes ${label}.`,
    unreached: `${label} was called after an operation that cannot be placed.`,
  }[unplaced(said, doc, looked)] ?? `${label} never returned, and nothing needs it.`;
  return `${why} The longest without it: ${found}.${early}`;
}

// At most so many steps are listed.
const LISTED = 100;

function renderOrder() {
  const panel = byId("order");
  const { drawing, document: doc } = state;
  const said = shownAnswer();
  drawing?.arrange();
  const order = drawing instanceof ObjectDrawing ? drawing.order : drawing?.orderListed();
  panel.hidden = !order || (order.steps.length === 0 && !order.longest);
  if (panel.hidden) return;
  const looked = state.hover ?? state.cursor;
  const at = order.steps.findIndex(({ place }) => place === looked);
  const middle = at >= 0 ? at : said.partial ? order.steps.length : 0;
  const from = Math.max(0, Math.min(middle - LISTED / 2, order.steps.length - LISTED));
  const item = ({ place, nth, state: after }) => {
    const button = html(
      "button",
      { type: "button", class: "line", "aria-current": place === looked ? "step" : null, "data-step": place },
      html("span", { class: "nth" }, String(nth)),
      html("span", { class: "did" }, drawing.name(place)),
      after === null ? null : html("span", { class: "after" }, plain(after)),
    );
    button.addEventListener("click", () => {
      change("cursor", { cursor: place, hover: null });
      reveal([place]);
    });
    return html("li", null, button);
  };
  const list = byId("taken");
  byId("taking").textContent = order.words ?? orderWords(doc, said, order, looked);
  list.replaceChildren(...order.steps.slice(from, from + LISTED).map(item));
  const current = list.querySelector("[aria-current]") ?? (said.partial ? list.lastElementChild : list.firstElementChild);
  // Scrolls the list alone, not the page around it.
  if (current) panel.scrollTop = current.offsetTop - panel.clientHeight / 2;
}

on(["document", "answer", "key", "hover", "cursor"], renderOrder);
