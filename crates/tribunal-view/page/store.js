// The keys of a store, one at a time: a list that says which fail.

const KEY_ANSWERS = new Map([[true, ["yes", "linearizable"]], [false, ["no", "not linearizable"]], [null, ["?", "not known"]]]);

/** Shows the operations of a key, or of all. */
function showKey(key) {
  const { drawing } = state;
  if (!(drawing instanceof ObjectDrawing) || drawing.key === key) return;
  drawing.layOut(key);
  change("key", { hover: null, cursor: state.cursor !== null && drawing.row.has(state.cursor) ? state.cursor : null });
  firstView();
}

/** The name of the key shown, as a link has it: empty for all. */
const shownKey = () => state.document.keys[state.drawing.key]?.name ?? "";

/** Shows the key of a link. */
function showKeyNamed(name) {
  const key = (state.document.keys ?? []).findIndex((key) => key.name === name);
  if (key >= 0) showKey(key);
  else if (name === "") showKey(null);
}

/** The keys in the order of the list: all of them together first, then those that fail. */
function listedKeys() {
  const { keys } = state.document;
  const fails = (key) => (keys[key].linearizable === false ? 0 : 1);
  return [null, ...[...keys.keys()].sort((a, b) => fails(a) - fails(b) || a - b)];
}

function renderKeyList() {
  const list = byId("store");
  const keys = state.document?.keys ?? [];
  list.hidden = keys.length === 0;
  if (list.hidden) return;
  const held = list.contains(document.activeElement);
  const chips = listedKeys().map((key) => {
    const shown = state.drawing.key === key;
    const [answer, words] = key === null ? ["", ""] : KEY_ANSWERS.get(keys[key].linearizable);
    const name = key === null ? "all keys" : `key ${plain(keys[key].name)}`;
    const told = key === null ? name : `${name}: ${words}, ${count(keys[key].length, "operation")}`;
    const chip = html(
      "button",
      {
        type: "button", role: "radio", class: `chip ${answer === "no" ? "inconsistent" : "consistent"}`, "aria-checked": String(shown),
        tabindex: shown ? 0 : -1, title: told, "aria-label": told, "data-key": key === null ? "all" : key,
      },
      html("span", { class: "model" }, name),
      answer ? html("span", { class: "answer" }, answer) : null,
    );
    chip.addEventListener("click", () => showKey(key));
    return chip;
  });
  list.replaceChildren(...chips);
  const shown = list.querySelector('[aria-checked="true"]');
  if (held) shown?.focus();
  if (shown) list.scrollLeft = shown.offsetLeft - list.offsetLeft - list.clientWidth / 2;
}

/** The key so many further on in the list, around its end. */
function nextKey(by) {
  if (!state.document?.keys?.length) return;
  const listed = listedKeys();
  showKey(listed[(listed.indexOf(state.drawing.key) + by + listed.length) % listed.length]);
}

// Within the group arrows go from key to key, as in any group of radio buttons.
byId("store").addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  nextKey(by);
});

on(["document", "key"], renderKeyList);
