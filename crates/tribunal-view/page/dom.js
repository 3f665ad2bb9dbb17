// Elements and text. Data only ever becomes text or an attribute, never markup: names in a history may be hostile.

const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

/** Sets attributes (those that are null or false are left out) and appends children: nodes, or text. */
function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

const html = (tag, attributes, ...children) => furnish(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => furnish(document.createElementNS(SVG, tag), attributes, children);

// Controls, marks that change the direction of writing, lone surrogates: shown by number, so that a name can neither
// break an exported file nor rearrange the text around it.
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A name from a history, fit to be shown. */
function plain(text) {
  return String(text).replace(UNPRINTABLE, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
}

const LABEL_FONT = '13px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace';
const pen = document.createElement("canvas").getContext("2d");
pen.font = LABEL_FONT;

/** How wide a label is, in pixels. */
const widthOf = (text) => pen.measureText(text).width;

/** The label if it fits, or as much of its beginning as does; nothing if that is less than two letters. */
function elide(text, width) {
  if (widthOf(text) <= width) return text;
  let [fits, fails] = [0, text.length];
  while (fails - fits > 1) {
    const middle = (fits + fails) >> 1;
    if (widthOf(text.slice(0, middle) + "…") <= width) fits = middle;
    else fails = middle;
  }
  return fits < 2 ? "" : text.slice(0, fits).trimEnd() + "…";
}

/** A text that begins with a capital and ends with a period. */
const sentence = (text) => text && text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
