// What all kinds of drawing have in common.
//
// A drawing has `width` and `height` in its own units, a `margin` of the stage that stays put (names of threads, times),
// `scale(zoom)` for how a zoom acts on each axis, the least `legible` zoom, and
//   paint(view, size)  a group for what is in view, with a bounded number of elements however much that is;
//   boxOf(place)       where a place is, in the drawing's units; none if it is not drawn;
//   at(x, y)           the place drawn there, or none;
//   beside(place, key) the place to the left, right, above or below;
//   tell(place)        what there is to say of it: a heading, then pairs of words.
// It may also have
//   legend()           what its marks mean: pairs of a sample and words;
//   folding, folded    whether to leave out what the explanation does not mention, and whether that is done now;
//   bring(places)      gets places ready to be revealed; firstSeen(), the places to open on; showViolation(), its own way there.

// Above so many places in view, names are left out and places of a kind are drawn as one path.
const DETAIL = 240;

const rectangle = ({ x, y, width, height }) =>
  `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;

/** The classes of a place: how it stands in the violation and in the step. */
function standing(place, marks) {
  const classes = [];
  if (marks.wrong.has(place)) classes.push("wrong");
  if (marks.step?.has(place)) classes.push("step");
  if (marks.failing === place) classes.push("failing");
  if (place === state.cursor) classes.push("cursor");
  if (place === state.hover) classes.push("hover");
  return classes;
}

/** The place of a sorted list's first number that is not less. */
function firstFrom(list, value, key) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(list[middle]) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What there is to say of a place, without the words that have nothing to say. */
function told(place) {
  const [heading, ...pairs] = state.drawing.tell(place);
  return { heading, pairs: pairs.filter(([, text]) => text) };
}

/** A list of names that is not too long to read. */
function few(names) {
  const shown = names.slice(0, 6);
  if (names.length > shown.length) shown.push(`${names.length - shown.length} more`);
  return shown.join("; ");
}
