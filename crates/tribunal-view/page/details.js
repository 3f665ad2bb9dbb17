// What there is to say of the place under the pointer or the cursor.

const details = byId("details");

function renderDetails() {
  const place = state.hover ?? state.cursor;
  const box = place === null ? null : state.drawing?.boxOf(place);
  details.hidden = !box;
  if (!box) return;
  const { heading, pairs } = told(place);
  details.replaceChildren(
    html("strong", null, heading),
    html("dl", null, pairs.map(([word, text]) => [html("dt", null, word), html("dd", null, text)])),
  );
  // Below all that is drawn, so that nothing is covered; else below the box, or above it where there is no room.
  const { margin } = state.drawing;
  const scale = state.drawing.scale(state.view.zoom);
  const size = stageSize();
  const left = margin.left + (box.x - state.view.x) * scale.x;
  const top = margin.top + (box.y - state.view.y) * scale.y;
  const clear = margin.top + (state.drawing.height - state.view.y) * scale.y;
  const near = top + box.height * scale.y + 12;
  const fits = (at) => at + details.offsetHeight < size.height;
  const below = fits(clear) ? clear : near;
  details.style.left = `${Math.max(8, Math.min(left, size.width - details.offsetWidth - 8))}px`;
  details.style.top = `${fits(below) ? below : Math.max(8, top - details.offsetHeight - 12)}px`;
}

on(["document", "answer", "hover", "cursor", "view"], renderDetails);
