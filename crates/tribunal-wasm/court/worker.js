// The court's worker: first comes the WebAssembly, then histories, each with the number of its hearing. What goes wrong in
// there leaves the instance in an unknown state, and whoever started the worker ends it.
let memory;

onmessage = ({ data: { wasm, hearing, name, bytes, request } }) => {
  try {
    if (wasm) {
      ({ memory } = wasm_bindgen.initSync({ module: wasm }));
      postMessage({ ready: true });
    } else {
      const answer = wasm_bindgen.hear(name, bytes, request);
      postMessage({ hearing, answer, memory: memory.buffer.byteLength });
    }
  } catch (error) {
    postMessage({ failure: String(error?.message ?? error) });
  }
};
