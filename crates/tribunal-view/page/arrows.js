// Routes of edges, and arrows along them. A route is a flat list of points x0, y0, x1, y1, ...: a start, and for each cubic
// curve two control points and an end. Routes run in the gutters between columns and the gaps between rows, not over boxes.

const HEAD = 7;

const endOf = (route) => [route[route.length - 2], route[route.length - 1]];

/** The curves as path data, shortened so that the line ends inside its arrowhead. */
function pathOf(route) {
  const points = route.slice();
  const [dx, dy] = direction(route);
  points[points.length - 2] -= dx * (HEAD - 1);
  points[points.length - 1] -= dy * (HEAD - 1);
  let path = `M${round(points[0])} ${round(points[1])}`;
  for (let at = 2; at < points.length; at += 6) {
    path += `C${points.slice(at, at + 6).map(round).join(" ")}`;
  }
  return path;
}

const round = (number) => Math.round(number * 10) / 10;

/** The unit vector in which a route arrives. */
function direction(route) {
  const [x, y] = endOf(route);
  for (let at = route.length - 4; at >= 0; at -= 2) {
    const [dx, dy] = [x - route[at], y - route[at + 1]];
    const length = Math.hypot(dx, dy);
    if (length > 0.5) return [dx / length, dy / length];
  }
  return [0, 1];
}

/** The arrowhead at a route's end, as path data. */
function headOf(route) {
  const [x, y] = endOf(route);
  const [dx, dy] = direction(route);
  const [bx, by] = [x - dx * HEAD * 1.3, y - dy * HEAD * 1.3];
  const side = HEAD * 0.55;
  const corner = (sign) => `L${round(bx - sign * dy * side)} ${round(by + sign * dx * side)}`;
  return `M${round(x)} ${round(y)}${corner(1)}${corner(-1)}Z`;
}

/** The point on a route at a part of its curves, from 0 to 1. */
function pointAt(route, part) {
  const curves = (route.length - 2) / 6;
  const curve = Math.min(Math.floor(part * curves), curves - 1);
  const t = part * curves - curve;
  const at = curve * 6;
  const weigh = (i) =>
    (1 - t) ** 3 * route[at + i] +
    3 * (1 - t) ** 2 * t * route[at + 2 + i] +
    3 * (1 - t) * t ** 2 * route[at + 4 + i] +
    t ** 3 * route[at + 6 + i];
  return [weigh(0), weigh(1)];
}

function reversed(route) {
  const back = [];
  for (let at = route.length - 2; at >= 0; at -= 2) back.push(route[at], route[at + 1]);
  return back;
}

/** A straight line as a curve. */
function straight(x0, y0, x1, y1) {
  const [dx, dy] = [(x1 - x0) / 3, (y1 - y0) / 3];
  return [x0, y0, x0 + dx, y0 + dy, x1 - dx, y1 - dy, x1, y1];
}

/** From side to side across one gutter. */
function across(x0, y0, x1, y1) {
  const middle = (x0 + x1) / 2;
  return [x0, y0, middle, y0, middle, y1, x1, y1];
}

/** Out of a column and back into it, bowed by so much. */
function bowed(x0, y0, x1, y1, bow) {
  return [x0, y0, x0 + bow, y0, x1 + bow, y1, x1, y1];
}

/** Across the first gutter to a gap between rows, along it, and across the last gutter. */
function along(x0, y0, x1, y1, gutter, gap) {
  const side = Math.sign(x1 - x0);
  const [from, to] = [x0 + side * gutter, x1 - side * gutter];
  return [
    ...across(x0, y0, from, gap),
    ...straight(from, gap, to, gap).slice(2),
    ...across(to, gap, x1, y1).slice(2),
  ];
}

/** Many arrows of one kind in two elements, however many they are. */
function bundle(routes, name) {
  if (routes.length === 0) return [];
  return [
    svg("path", { class: `edge ${name}`, d: routes.map(pathOf).join("") }),
    svg("path", { class: `head ${name}`, d: routes.map(headOf).join("") }),
  ];
}

/** Where a route's label stands: near its start, where routes that cross are still apart, or on its long middle. */
const labelPoint = (route) => pointAt(route, route.length > 8 ? 0.38 : 0.26);

/** Whether a route goes straight down or up, so that its label stands beside it. */
const isVertical = (route) => route.every((x, at) => at % 2 === 1 || Math.abs(x - route[0]) < 0.1);

/** One arrow with its label. */
function arrow(route, classes, label) {
  const beside = isVertical(route);
  const [x, y] = beside ? [route[0] + 9, (route[1] + route.at(-1)) / 2] : labelPoint(route);
  return svg(
    "g",
    { class: `arrow ${classes}` },
    svg("path", { class: "edge", d: pathOf(route) }),
    svg("path", { class: "head", d: headOf(route) }),
    label ? svg("text", { class: beside ? "name beside" : "name", x: round(x), y: round(y + 4) }, label) : null,
  );
}

// What a name's arrow looks like: models have several names for parts of po, and for rf, mo and fr.
const FAMILIES = {
  po: "po", ppo: "po", "po-loc": "po", "po-mm": "po", hb: "po", so: "po", sw: "rf",
  rf: "rf", rfe: "rf", "rf-mm": "rf", chosen: "rf", wr: "rf",
  mo: "mo", co: "mo", ww: "mo", st: "mo", pww: "mo",
  fr: "fr", rw: "fr", cf: "fr", deps: "deps", dep: "deps", rt: "deps",
};

const familyOf = (name) => FAMILIES[name] ?? "other";
