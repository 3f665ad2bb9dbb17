// The checker inside the page: WebAssembly in a worker, so that the page stays responsive and can stop it.
(() => {
  // The memory of WebAssembly never shrinks: a larger worker is replaced when it is idle.
  const LARGE = 512 << 20;

  /** The text of an element that only carries data; the element is removed. */
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

  const script = URL.createObjectURL(new Blob([taken("checker-worker")], { type: "text/javascript" }));
  const wasm = unpacked(taken("checker-wasm"));

  let worker = null;
  let last = 0;
  const checks = new Map();

  /** Ends the worker; checks in progress fail with this error. */
  function end(error) {
    worker?.then((process) => process.terminate()).catch(() => {});
    worker = null;
    for (const { reject } of checks.values()) reject(new Error(error));
    checks.clear();
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
      process.onerror = (event) => failed(event.message ?? "the worker does not start");
      process.onmessage = ({ data }) => {
        if (data.ready) return resolve(process);
        if (data.failure !== undefined) return failed(data.failure);
        checks.get(data.id)?.resolve(data.answer);
        checks.delete(data.id);
        if (data.memory > LARGE && checks.size === 0) end("");
      };
      process.postMessage({ wasm: module });
    });
  }

  async function check(name, bytes, request) {
    const mine = (worker ??= started());
    const process = await mine;
    if (mine !== worker) throw new Error("Stopped.");
    const id = ++last;
    return new Promise((resolve, reject) => {
      checks.set(id, { resolve, reject });
      process.postMessage({ id, name, bytes, request });
    });
  }

  worker = started();
  window.tribunalChecker = { kind: "wasm", ready: worker.then(() => {}), check, stop: () => end("Stopped.") };
})();
