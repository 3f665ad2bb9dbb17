// Histories that are dropped, opened or pasted, and the court that judges them: WebAssembly in the page, or an endpoint of
// the server it came from. A page without either shows the one history that it has.

const court = window.tribunalCourt ?? null;
const NO_COURT = "This page shows one history and cannot check others: start `tribunal serve` for a page that can.";

// What was given last, to be judged again, perhaps with another specification if it could not be read; and which judgement
// is awaited, for only the last one counts.
let exhibit = null;
let awaited = 0;

// Models given as text, by the names of their files.
const texts = {};

function notify(text) {
  const notice = byId("notice");
  notice.hidden = !text;
  notice.firstElementChild.textContent = plain(text ?? "");
}

byId("notice").querySelector("button").addEventListener("click", () => notify(null));

const request = (index) =>
  JSON.stringify({
    models: byId("models").value.trim() || "all",
    texts,
    index,
    spec: byId("spec").value.trim() || null,
    format: byId("format").value || null,
  });

/** Has a history judged and shows what came of it. */
async function judge(name, bytes, index = 0) {
  if (!court) return notify(NO_COURT);
  const turn = ++awaited;
  const { histories, more } = exhibit?.bytes === bytes ? exhibit : { histories: 1, more: false };
  exhibit = { name, bytes, index, histories, more };
  notify(null);
  work(`checking ${plain(name)}`);
  try {
    await court.ready;
    const answer = JSON.parse(await court.hear(name, bytes, request(index)));
    if (turn !== awaited) return;
    if (answer.error) return notify(answer.error);
    Object.assign(exhibit, { histories: answer.histories, more: answer.more });
    show(answer.document);
  } catch (error) {
    if (turn === awaited) notify(String(error?.message ?? error));
  } finally {
    if (turn === awaited) {
      work(null);
      renderPicker();
    }
  }
}

function work(words) {
  byId("work").hidden = !words;
  byId("doing").textContent = words ?? "";
  byId("stop").hidden = typeof court?.stop !== "function";
  document.body.classList.toggle("working", Boolean(words));
}

/** Judges the last history again, perhaps another one of its file. */
function again(index = exhibit?.index ?? 0) {
  if (exhibit) judge(exhibit.name, exhibit.bytes, index);
  else notify("There is no history to check yet: drop one here, open one or paste one.");
}

async function open(file) {
  if (!court) return notify(NO_COURT);
  try {
    if (file.name.endsWith(".cat")) {
      texts[file.name] = await file.text();
      return exhibit ? again() : notify(`${file.name} will be asked of the next history.`);
    }
    await judge(file.name, new Uint8Array(await file.arrayBuffer()));
  } catch (error) {
    notify(`${file.name}: ${error?.message ?? error}`);
  }
}

const judgeText = (text) => judge("pasted.txt", new TextEncoder().encode(text));

/** Which of the file's histories is shown, where there are several. */
function renderPicker() {
  const several = exhibit !== null && exhibit.histories > 1;
  byId("picker").hidden = !several;
  if (!several) return;
  byId("which").value = exhibit.index + 1;
  byId("of").textContent = `of ${exhibit.histories}${exhibit.more ? " and more" : ""}`;
  byId("earlier").disabled = exhibit.index === 0;
  byId("later").disabled = !exhibit.more && exhibit.index + 1 >= exhibit.histories;
}

function pick(index) {
  if (!exhibit || !Number.isInteger(index)) return renderPicker();
  again(Math.max(0, exhibit.more ? index : Math.min(index, exhibit.histories - 1)));
}

byId("earlier").addEventListener("click", () => pick(exhibit.index - 1));
byId("later").addEventListener("click", () => pick(exhibit.index + 1));
byId("which").addEventListener("change", (event) => pick(Number.parseInt(event.target.value, 10) - 1));

byId("open").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", (event) => {
  const [file] = event.target.files;
  event.target.value = "";
  if (file) open(file);
});
byId("court").addEventListener("submit", (event) => {
  event.preventDefault();
  again();
});
byId("stop").addEventListener("click", () => {
  awaited++;
  work(null);
  court.stop();
  notify("Stopped.");
});
byId("judge").addEventListener("click", () => judgeText(byId("text").value));

const veil = byId("veil");
const carriesFile = (event) => event.dataTransfer?.types.includes("Files");

addEventListener("dragover", (event) => {
  if (!carriesFile(event)) return;
  event.preventDefault();
  veil.firstElementChild.textContent = court ? "Drop a history to check it, or a model (.cat) to check it against" : NO_COURT;
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
  judgeText(text);
});

/** What the page offers: all of it with a court, and an invitation while there is no history. */
function renderCourt() {
  byId("court").hidden = !court;
  byId("main").hidden = !state.document;
  byId("empty").hidden = Boolean(state.document);
  byId("export").hidden = !state.document;
  byId("text").hidden = !court;
  byId("judge").hidden = !court;
  byId("invitation").textContent = court
    ? "Native JSON, EDN, Axe traces, Jepsen's logs or the text form, perhaps compressed. It stays on this machine. Or type one:"
    : NO_COURT;
}

on(["document"], renderCourt);
