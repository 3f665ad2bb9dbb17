// Checking in the page: a history is typed, chosen from the examples, dropped, opened or pasted, and checked by WebAssembly in the page or
// by the server it came from. A page without a checker shows the one history that it has.

const checker = window.tribunalChecker ?? null;
const NO_CHECKER = "This page shows one history and cannot check others. `tribunal serve` opens a page that can.";

const EDITABLE = 256 << 10; // bytes of a file that is put into the text box
const LINK = 6000; // characters of a history in a link

// What was checked last: its name, its bytes, which of the histories in it, and whether it is an example. A file that is not in the text
// box is `held`.
let source = null;
let held = null;
// Only the answer to the last request counts.
let awaited = 0;

// Models written in cat, by file name.
const texts = {};

function notify(text, kind = "error") {
  const notice = byId("notice");
  notice.hidden = !text;
  notice.className = kind;
  notice.firstElementChild.textContent = plain(text ?? "");
}

byId("notice").querySelector("button").addEventListener("click", () => notify(null));

const wanted = (index) => ({
  models: byId("models").value.trim() || "all",
  texts,
  index,
  spec: byId("spec").value.trim() || null,
  format: byId("format").value || null,
});

/** Checks a history and shows its verdicts. What is shown meanwhile, and after an error, is not of this history: it is dimmed. */
async function check(name, bytes, index = 0, { example = false, visit = true } = {}) {
  if (!checker) return notify(NO_CHECKER);
  const turn = ++awaited;
  const { histories, more } = source?.bytes === bytes ? source : { histories: 1, more: false };
  source = { name, bytes, index, histories, more, example, held };
  notify(null);
  outdate(true);
  work(`checking ${plain(name)}`);
  try {
    await checker.ready;
    const answer = JSON.parse(await checker.check(name, bytes, JSON.stringify(wanted(index))));
    if (turn !== awaited) return;
    if (answer.error) {
      notify(answer.error);
      return pointAtError(name, answer.error);
    }
    Object.assign(source, { histories: answer.histories, more: answer.more });
    const shared = held ? null : await packed(index);
    if (turn !== awaited) return;
    state.shared = shared;
    if (visit) enter(source);
    show(answer.document);
    outdate(false);
  } catch (error) {
    if (turn === awaited) notify(String(error?.message ?? error));
  } finally {
    if (turn === awaited) {
      work(null);
      renderPicker();
    }
  }
}

/** Selects the line in the text that an error names: `sb.txt:3:9: ...`. */
function pointAtError(name, error) {
  const [, line] = error.startsWith(`${name}:`) ? (error.slice(name.length).match(/^:(\d+)/) ?? []) : [];
  if (!line || held) return;
  const lines = byId("text").value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  byId("text").focus({ preventScroll: true });
  byId("text").setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}

function work(words) {
  byId("work").hidden = !words;
  byId("doing").textContent = words ?? "";
  byId("stop").hidden = typeof checker?.stop !== "function";
  document.body.classList.toggle("working", Boolean(words));
}

/** Checks what is in the text box, or the file that is not in it. */
function again() {
  if (held) return check(held.name, held.bytes, source?.bytes === held.bytes ? source.index : 0);
  const text = byId("text").value;
  if (!text.trim()) return notify("There is no history to check yet: type one, choose an example, or open a file.");
  // A text that was not edited stays at its history; one that began as an example is that example no more.
  const same = source && new TextDecoder().decode(source.bytes) === text;
  if (same) return check(source.name, source.bytes, source.index, { example: source.example });
  return check(source && !source.example ? source.name : "history.txt", encoded(text));
}

const encoded = (text) => new TextEncoder().encode(text);

/** Puts a text into the box and checks it. */
function checkText(name, text, how) {
  hold(null);
  byId("text").value = text;
  return check(name, encoded(text), 0, how);
}

/** Says whether what is drawn is of another text than the one in the box. */
function outdate(is) {
  document.body.classList.toggle("outdated", is && Boolean(state.document));
}

/** Keeps a file that is not put into the text box. */
function hold(file) {
  held = file;
  byId("held").hidden = !file;
  byId("text").hidden = Boolean(file);
  if (file) byId("held").firstElementChild.textContent = `${plain(file.name)}, ${kilobytes(file.bytes.length)}: not shown as text.`;
}

const kilobytes = (bytes) => (bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1000).toLocaleString("en")} kB`);

/** The text of a file that can be edited: small and not compressed. */
function editable(bytes) {
  if (bytes.length > EDITABLE) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function open(file) {
  if (!checker) return notify(NO_CHECKER);
  try {
    if (file.name.endsWith(".cat")) {
      texts[file.name] = await file.text();
      return source ? again() : notify(`${file.name} will be checked with the next history.`, "note");
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    const text = editable(bytes);
    if (text !== null) return await checkText(file.name, text);
    hold({ name: file.name, bytes });
    await check(file.name, bytes);
  } catch (error) {
    notify(`${file.name}: ${error?.message ?? error}`);
  }
}

// A link holds the history, its name and what was asked, as JSON that is compressed and written in base64url.

/** What a link holds of the text in the box; nothing if it is too long for one. */
async function packed(index = source?.index ?? 0) {
  const { texts: models, ...rest } = wanted(index);
  const asked = Object.entries(rest).filter(([, value]) => value && value !== "all");
  const payload = { name: source?.name ?? "history.txt", text: byId("text").value, ...Object.fromEntries(asked) };
  if (Object.keys(models).length > 0) payload.texts = models;
  const json = encoded(JSON.stringify(payload));
  if (json.length > EDITABLE) return null;
  const bytes = new Uint8Array(await new Response(through(json, new CompressionStream("deflate-raw"))).arrayBuffer());
  const code = btoa(String.fromCharCode(...bytes.subarray(0, LINK))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return code.length <= LINK ? code : null;
}

const through = (bytes, transform) => new Blob([bytes]).stream().pipeThrough(transform);

/** The payload of a link. What is not a link's, or unpacks to too much, is an error. */
async function unpacked(code) {
  const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const chunks = [];
  let size = 0;
  for (const reader = through(bytes, new DecompressionStream("deflate-raw")).getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > EDITABLE) throw new Error("too large");
    chunks.push(value);
  }
  const payload = JSON.parse(await new Blob(chunks).text());
  if (typeof payload?.text !== "string") throw new Error("no history");
  return payload;
}

/** Checks the history of a link. */
async function openShared(code) {
  if (!checker) return notify(NO_CHECKER);
  let payload;
  try {
    payload = await unpacked(code);
  } catch {
    return notify("The link holds no history: it is damaged or incomplete.");
  }
  byId("models").value = String(payload.models ?? "all");
  byId("spec").value = String(payload.spec ?? "");
  byId("format").value = String(payload.format ?? "");
  for (const [file, text] of Object.entries(payload.texts ?? {})) texts[file] = String(text);
  hold(null);
  byId("text").value = payload.text;
  // The browser is at the link already.
  await check(String(payload.name ?? "history.txt"), encoded(payload.text), Number(payload.index) || 0, { visit: false });
}

// Back and Forward go from history to history. The browser keeps a number for each; what it stands for is kept here, since not every
// history fits into an address. The gallery has none.

const visited = [];
let visiting = null;

/** A history begins a place of its own, unless it is the one shown: what follows only changes the address. */
function enter(next) {
  const same = visiting !== null && visited[visiting].bytes === next.bytes && visited[visiting].index === next.index;
  if (!same) visiting = visited.push(next) - 1;
  go(same ? "replaceState" : "pushState", visiting);
}

/** Tells the browser where the page is. */
function go(how, place) {
  try {
    history[how](place, "", location.href.split("#")[0]);
  } catch {
    // Some places forbid it; the page works without.
  }
}

/** Shows what a place of the browser's stands for: a history, or the gallery. */
function revisit(place) {
  if (Number.isInteger(place) && visited[place]) {
    visiting = place;
    const { name, bytes, index, example, held: file } = visited[place];
    hold(file);
    if (!file) byId("text").value = new TextDecoder().decode(bytes);
    return check(name, bytes, index, { example, visit: false });
  }
  if (linked(location.hash).history) return followLink();
  return given ? show(given) : showGallery();
}

/** Goes back to the examples; the text stays. */
function showGallery() {
  awaited++;
  work(null);
  notify(null);
  outdate(false);
  source = null;
  visiting = null;
  state.shared = null;
  change("document", { document: null, drawing: null, step: null, cursor: null, hover: null });
  renderPicker();
}

if (checker) {
  addEventListener("popstate", (event) => revisit(event.state));
  byId("home").addEventListener("click", () => {
    go("pushState", null);
    showGallery();
  });
}

/** Copies a link that holds the history in the text box, or says that it is too large. */
async function share() {
  const code = held ? null : await packed();
  if (!code) return notify("This history is too large for a link. Share its file instead.");
  state.shared = code;
  const link = `${location.href.split("#")[0]}${address() || `#history=${code}`}`;
  try {
    history.replaceState(history.state, "", link);
  } catch {
    // Some places forbid it; the link works all the same.
  }
  try {
    await navigator.clipboard.writeText(link);
    notify("The link is copied. It holds the history and what is shown.", "note");
  } catch {
    notify(`Copy this link: ${link}`, "note");
  }
}

/** Which of the file's histories is shown, where there are several. */
function renderPicker() {
  const several = source !== null && source.histories > 1;
  byId("picker").hidden = !several;
  if (!several) return;
  byId("which").value = source.index + 1;
  byId("of").textContent = `of ${source.histories}${source.more ? " and more" : ""}`;
  byId("earlier").disabled = source.index === 0;
  byId("later").disabled = !source.more && source.index + 1 >= source.histories;
}

function pick(index) {
  if (!source || !Number.isInteger(index)) return renderPicker();
  const last = source.more ? Infinity : source.histories - 1;
  check(source.name, source.bytes, Math.max(0, Math.min(index, last)));
}

byId("earlier").addEventListener("click", () => pick(source.index - 1));
byId("later").addEventListener("click", () => pick(source.index + 1));
byId("which").addEventListener("change", (event) => pick(Number.parseInt(event.target.value, 10) - 1));

byId("open").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", (event) => {
  const [file] = event.target.files;
  event.target.value = "";
  if (file) open(file);
});
byId("checker").addEventListener("submit", (event) => {
  event.preventDefault();
  again();
});
byId("text").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  again();
});
byId("held").querySelector("button").addEventListener("click", () => {
  hold(null);
  byId("text").focus();
});
byId("share").addEventListener("click", share);
byId("stop").addEventListener("click", () => {
  awaited++;
  work(null);
  checker.stop();
  notify("Stopped. What is drawn was checked before.", "note");
});

const veil = byId("veil");
const carriesFile = (event) => event.dataTransfer?.types.includes("Files");

addEventListener("dragover", (event) => {
  if (!carriesFile(event)) return;
  event.preventDefault();
  veil.firstElementChild.textContent = checker ? "Drop a history to check it, or a model (.cat) to check it against" : NO_CHECKER;
  veil.hidden = false;
});
addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) veil.hidden = true;
});
addEventListener("drop", (event) => {
  if (!carriesFile(event)) return;
  event.preventDefault();
  veil.hidden = true;
  const [file] = event.dataTransfer.files;
  if (file) open(file);
});
addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain");
  if (!text?.trim() || event.target.closest?.("input, textarea")) return;
  if (checker) checkText("pasted.txt", text);
  else notify(NO_CHECKER);
});

// The examples: cards while there is no history, and a list above the text.

const gallery = JSON.parse(byId("gallery")?.textContent ?? "[]");

function renderGallery() {
  const examples = gallery.flatMap((group) => group.examples);
  const choice = (example) => html("option", { value: example.file }, example.name);
  byId("examples").replaceChildren(
    html("option", { value: "" }, "Examples"),
    ...gallery.map(({ group, examples: of }) => html("optgroup", { label: group }, of.map(choice))),
  );
  byId("examples").addEventListener("change", (event) => {
    const chosen = [...event.target.options].indexOf(event.target.selectedOptions[0]) - 1;
    event.target.value = "";
    if (chosen >= 0) begin(examples[chosen]);
  });
  byId("gallery-cards").replaceChildren(
    ...gallery.map(({ group, examples: of }) =>
      html("section", null, html("h3", null, group), html("div", { class: "cards" }, of.map(card))),
    ),
  );
  if (checker && examples.length > 0) byId("text").value = examples[0].text;

  function card(example) {
    const button = html(
      "button", { type: "button", class: "card", "data-example": example.file },
      html("strong", null, example.name), html("span", null, example.about),
    );
    button.addEventListener("click", () => begin(example));
    return button;
  }

  function begin({ file, text }) {
    byId("spec").value = "";
    byId("format").value = "";
    checkText(file, text, { example: true });
  }
}

/** What the page offers: all of it with a checker, and the examples while there is no history. */
function renderChecker() {
  byId("checker").hidden = !checker;
  byId("main").hidden = !state.document;
  byId("empty").hidden = Boolean(state.document);
  byId("export").hidden = !state.document;
  byId("home").hidden = !checker || !state.document;
  byId("invitation").textContent = checker
    ? "Choose an example, edit the text, or drop a file: native JSON, EDN, Axe traces, Jepsen logs or the text form, compressed or not. It stays on this machine."
    : NO_CHECKER;
}

renderGallery();
on(["document"], renderChecker);
