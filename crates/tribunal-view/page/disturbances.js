// What others than the processes did, such as the nemesis of a test: shaded stretches of the timeline, with their names in lanes above it.

/** The disturbances as stretches of a drawing, each in a lane where its name has room; if there are too many lanes, they share the last. */
function disturbancesOf(doc, drawing) {
  const lanes = [];
  const most = innerWidth < 500 ? 2 : 3;
  return doc.disturbances.map((did) => {
    const x = drawing.momentAt(did.from);
    const end = did.to === null ? drawing.width : Math.max(drawing.momentAt(did.to), x);
    const free = lanes.findIndex((taken) => taken <= x);
    const lane = free >= 0 ? free : Math.min(lanes.length, most - 1);
    lanes[lane] = Math.max(end, x + smallWidth(plain(did.what)) + 12);
    return { x, end, lane, what: plain(did.what), told: toldOf(did) };
  });
}

/** All that is known of a disturbance. */
function toldOf({ what, times, line }) {
  const [began, ended] = times ?? [];
  const when = began === undefined ? "" : ended ? `, ${plain(began)} to ${plain(ended)}` : `, from ${plain(began)}`;
  return `${plain(what)}${when}, line ${line}`;
}

/** The disturbances that an operation overlaps. */
function meanwhile(doc, { call, ret }) {
  const overlaps = ({ from, to }) => (ret === null || from <= ret) && (to === null || to > call);
  return doc.disturbances.filter(overlaps).map(({ what }) => plain(what));
}

/** Shades behind the rows; what took no time is a line. */
function paintDisturbances(bands, frame, tall, margin) {
  return bands
    .filter(({ x, end }) => x <= frame.right && end >= frame.left)
    .map(({ x, end, told }) => {
      const [from, to] = [frame.place(x), frame.place(end)];
      return svg(
        "g",
        { class: "disturbance" },
        svg("title", null, told),
        svg("rect", { class: "disturbed", x: round(from), y: margin.top, width: round(Math.max(to - from, 1)), height: tall }),
        svg("path", { class: "begins", d: `M${round(from)} ${margin.top}v${tall}` }),
      );
    });
}

/** Their names, which stay in sight while they last. */
function nameDisturbances(bands, frame, size, margin) {
  const shown = bands.filter(({ x, end }) => x <= frame.right && end >= frame.left);
  return shown.map(({ x, end, lane, what, told }, at) => {
    const [from, to] = [Math.max(frame.place(x), margin.left - 8), frame.place(end)];
    const next = shown.slice(at + 1).find((other) => other.lane === lane);
    const room = (next ? frame.place(next.x) : size.width) - from - 8;
    const y = 26 + lane * FLOOR;
    return svg(
      "g",
      { class: "disturbance named" },
      svg("title", null, told),
      svg("rect", { class: "disturbed", x: round(from), y, width: round(Math.max(to - from, 2)), height: FLOOR - 2 }),
      room < 24 ? null : svg("text", { class: "did", x: round(from + 5), y: y + 11.5 }, elide(what, room * (13 / SMALL))),
    );
  });
}

const disturbanceSample = () =>
  legendMark("", svg("g", { class: "disturbance named" }, svg("rect", { class: "disturbed", x: 2, y: 1.5, width: 22, height: 11 })));
