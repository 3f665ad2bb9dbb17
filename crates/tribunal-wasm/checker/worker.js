// The checker's worker. Its first message is the WebAssembly; the others are histories, each with an id. After a failure the
// instance is in an unknown state, and the page ends the worker.
let memory;

onmessage = ({ data: { wasm, id, name, bytes, request } }) => {
  try {
    if (wasm) {
      ({ memory } = wasm_bindgen.initSync({ module: wasm }));
      postMessage({ ready: true });
    } else {
      const answer = wasm_bindgen.check(name, bytes, request);
      postMessage({ id, answer, memory: memory.buffer.byteLength });
    }
  } catch (error) {
    postMessage({ failure: String(error?.message ?? error) });
  }
};
