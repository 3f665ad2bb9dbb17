//! A page with a checker: it checks what is dropped, opened or pasted. The checker here only records what it was asked; the real ones
//! are tested with the server and with WebAssembly.

use crate::browser::driver::key;
use crate::browser::pages::Shown;
use crate::command::MP;
use serde_json::json;

/// A checker that answers with the page's own document; a text that begins with `bad` is an error, and one with `slow` never ends.
const CHECKER: &str = r##"
    window.asked = [];
    window.stopped = 0;
    window.tribunalChecker = {
        kind: "http",
        ready: Promise.resolve(),
        stop() { window.stopped++; },
        check(name, bytes, request) {
            const text = new TextDecoder().decode(bytes);
            window.asked.push({ name, text, request: JSON.parse(request) });
            if (text.startsWith("slow")) return new Promise(() => {});
            if (text.startsWith("bad")) return Promise.resolve('{"error":"x.txt:1:1: expected <b>"}');
            const given = JSON.parse(document.querySelector("#document").textContent);
            return Promise.resolve(JSON.stringify({ document: given, histories: 3, more: false }));
        },
    };"##;

#[test]
fn what_is_dropped_opened_or_pasted_is_checked() {
    let Some(shown) = Shown::of("mp.txt", MP, &[]) else { return };
    shown.browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": CHECKER}));
    shown.open("model=ra");
    assert_eq!(shown.browser.eval("document.querySelector('#checker').hidden"), false);
    let drop = |text: &str| {
        shown.browser.run(
            "const data = new DataTransfer();
             data.items.add(new File([arguments[0]], 'x.txt'));
             dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));",
            &[json!(text)],
        )
    };
    drop("T0: W x 1");
    shown.browser.wait("!document.querySelector('#picker').hidden");
    assert_eq!(shown.text("#of"), "of 3");
    shown.wait_text("#question", "ra: inconsistent");
    let request = json!({"models": "all", "texts": {}, "index": 0, "spec": null, "format": null});
    assert_eq!(
        shown.browser.eval("asked"),
        json!([{"name": "x.txt", "text": "T0: W x 1", "request": request}])
    );

    // Another model, another history of the file.
    shown.browser.run("document.querySelector('#models').value = 'sc, tso'", &[]);
    shown.browser.click("#again");
    shown.browser.wait("asked.length === 2 && asked[1].request.models === 'sc, tso'");
    shown.browser.click("#later");
    shown.browser.wait("asked.length === 3 && asked[2].request.index === 1");
    shown.browser.wait("document.querySelector('#which').value === '2'");
    shown.browser.press("c");
    shown.browser.wait("asked.length === 4 && asked[3].request.index === 1");

    // Errors are one line of text, and leave what was there.
    drop("bad");
    shown.browser.wait("!document.querySelector('#notice').hidden");
    assert_eq!(shown.text("#notice span"), "x.txt:1:1: expected <b>");
    assert!(shown.count("#drawing .event") > 0);
    shown.browser.click("#notice button");
    // It can be asked again, say with another specification.
    shown.browser.run("document.querySelector('#spec').value = 'queue'", &[]);
    shown.browser.click("#again");
    shown.browser.wait("asked.length === 6 && asked[5].text === 'bad' && asked[5].request.spec === 'queue'");

    // Work shows, and can be stopped.
    drop("slow");
    shown.browser.wait("!document.querySelector('#work').hidden");
    shown.browser.click("#stop");
    shown.browser.wait("stopped === 1 && document.querySelector('#work').hidden");

    // Pasted text, and a file from the chooser.
    shown.browser.run(
        "const data = new DataTransfer();
         data.setData('text/plain', 'T0: R x 0');
         document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));",
        &[],
    );
    shown.browser.wait("asked.at(-1).text === 'T0: R x 0'");
    shown.place.write("chosen.txt", "T0: W y 1");
    shown.browser.run("document.querySelector('#file').hidden = false", &[]);
    shown.browser.type_into("#file", &shown.place.path("chosen.txt").display().to_string());
    shown.browser.wait("asked.at(-1).name === 'chosen.txt' && asked.at(-1).text === 'T0: W y 1'");
    shown.browser.press(key::ESCAPE);
    shown.no_errors();
}
