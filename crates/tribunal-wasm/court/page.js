// The court of a page that has the checker inside: WebAssembly in a worker, so that the page stays alive and can stop it.
(() => {
  // The memory of WebAssembly never shrinks: a worker with more than this is replaced when it is idle.
  const LARGE = 512 << 20;

  /** The text of an element that is there to carry it; it is needed once. */
  function taken(id) {
    const element = document.getElementById(id);
    element.remove();
    return element.textContent.trim();
  }

  async function unpacked(text) {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  const script = URL.createObjectURL(new Blob([taken("court-worker")], { type: "text/javascript" }));
  const wasm = unpacked(taken("court-wasm"));

  let worker = null;
  let last = 0;
  const hearings = new Map();

  /** Ends the worker, and all that waits for it with this error. */
  function end(error) {
    worker?.then((process) => process.terminate()).catch(() => {});
    worker = null;
    for (const { reject } of hearings.values()) reject(new Error(error));
    hearings.clear();
  }

  /** A worker that is ready. */
  async function started() {
    const module = await wasm;
    const process = new Worker(script);
    return new Promise((resolve, reject) => {
      const failed = (why) => {
        reject(new Error(why));
        process.terminate();
        end(`The checker failed: ${why}`);
      };
      process.onerror = (event) => failed(event.message ?? "the worker does not run");
      process.onmessage = ({ data }) => {
        if (data.ready) return resolve(process);
        if (data.failure !== undefined) return failed(data.failure);
        hearings.get(data.hearing)?.resolve(data.answer);
        hearings.delete(data.hearing);
        if (data.memory > LARGE && hearings.size === 0) end("");
      };
      process.postMessage({ wasm: module });
    });
  }

  async function hear(name, bytes, request) {
    const mine = (worker ??= started());
    const process = await mine;
    if (mine !== worker) throw new Error("Stopped.");
    const hearing = ++last;
    return new Promise((resolve, reject) => {
      hearings.set(hearing, { resolve, reject });
      process.postMessage({ hearing, name, bytes, request });
    });
  }

  worker = started();
  window.tribunalCourt = { kind: "wasm", ready: worker.then(() => {}), hear, stop: () => end("Stopped.") };
})();
