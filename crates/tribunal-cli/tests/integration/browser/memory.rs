//! The page of a memory.

use crate::browser::driver::key;
use crate::browser::pages::Shown;
use crate::command::{MISSED, SB, several};

#[test]
fn the_matrix_is_on_top_and_switches_models() {
    let Some(shown) = Shown::example("litmus/sb.txt", &[]) else { return };
    assert_eq!(shown.text("#title"), "SB");
    assert_eq!(shown.text("#source"), "sb.txt:6");
    assert_eq!(shown.count(".chip"), 19);
    assert_eq!(shown.text(".chip[data-question=sc] .answer"), "no");
    assert_eq!(shown.text(".chip[data-question=tso] .answer"), "yes");
    shown.browser.click(".chip[data-question=sc]");
    shown.wait_text("#question", "sc: inconsistent");
    assert_eq!(shown.count(".chip[aria-checked=true]"), 1);
    assert!(shown.count("#lines li") > 0);
    assert!(shown.count(".arrow.wrong") >= 2);
    assert_eq!(shown.count(".edge.mo"), 1, "only in the legend");
    shown.browser.click(".chip[data-question=tso]");
    shown.wait_text("#question", "tso: consistent");
    shown
        .browser
        .wait("document.querySelectorAll('#drawing .arrow.wrong, #drawing .event.wrong').length === 0");
    // Keys: from model to model, and with arrows within the group.
    shown.browser.press("[");
    shown.wait_text("#question", "sc: inconsistent");
    shown.browser.press("]");
    shown.wait_text("#question", "tso: consistent");
    shown.browser.click(".chip[data-question=tso]");
    shown.browser.press(key::RIGHT);
    shown.wait_text("#question", "pso: consistent");
    shown.browser.wait("document.activeElement.dataset.question === 'pso'");
    shown.no_errors();
}

#[test]
fn a_violation_is_stepped_through() {
    let Some(shown) = Shown::example("litmus/iriw.txt", &["--model", "sc"]) else { return };
    assert_eq!(shown.count("#drawing .event.step"), 0);
    assert!(shown.places("#drawing .event.wrong").len() >= 4);
    let steps = shown.count("#lines li");
    assert!(steps >= 2, "{steps} steps");
    let mut seen = Vec::new();
    for step in 1..=steps {
        shown.browser.press(key::RIGHT);
        shown.wait_text("#count", &format!("step {step} of {steps}"));
        shown.browser.wait("document.querySelectorAll('#lines [aria-current]').length === 1");
        seen.push(shown.places("#drawing .event.step"));
    }
    seen.dedup();
    assert!(seen.len() >= 2, "the events shown change: {seen:?}");
    assert!(seen.iter().any(|places| places.len() >= 2), "{seen:?}");
    shown.wait_for("#next[disabled]");
    shown.browser.press(key::LEFT);
    shown.wait_text("#count", &format!("step {} of {steps}", steps - 1));
    shown.browser.click("#next");
    shown.wait_text("#count", &format!("step {steps} of {steps}"));
    shown.browser.press(key::HOME);
    shown.wait_text("#count", &format!("step 1 of {steps}"));
    shown.browser.click("#lines li:nth-child(2) .line");
    shown.wait_text("#count", &format!("step 2 of {steps}"));
    shown.browser.press(key::ESCAPE);
    shown.browser.wait("document.querySelectorAll('.step').length === 0");
    shown.no_errors();
}

#[test]
fn a_refutation_by_cases_folds() {
    let Some(shown) = Shown::example("separations/wsc-not-sc.txt", &["--model", "sc"]) else { return };
    let all = shown.count("#lines li");
    shown.wait_for(".folder[aria-expanded=true]");
    shown.browser.click(".folder[aria-expanded=true]");
    shown.wait_for(".folder[aria-expanded=false]");
    let folded = shown.count("#lines li");
    assert!(folded < all, "{folded} of {all} lines");
    // A link to a line that is folded away unfolds it.
    shown.browser.run("location.hash = `model=sc&step=${arguments[0]}`", &[all.into()]);
    shown.wait_text("#count", &format!("step {all} of {all}"));
    shown.wait_for("#lines [aria-current=step]");
    shown.no_errors();
}

#[test]
fn edges_are_switched_on_and_off() {
    let Some(shown) = Shown::example("litmus/mp.txt", &["--model", "rc20"]) else { return };
    assert_eq!(shown.count("#drawing .event.init"), 0, "initial writes are drawn on request");
    assert_eq!(shown.count("#drawing .edge.fr"), 0, "and so is fr");
    assert_eq!(shown.count("#edges [data-edge=deps]"), 0, "there is no switch for what the history has not");
    shown.browser.press("i");
    shown.browser.press("f");
    for (name, key) in [("po", "p"), ("rf", "r"), ("mo", "m"), ("fr", "f")] {
        let edge = format!("#drawing .edges .edge.{name}");
        let gone = format!("document.querySelector({edge:?}) === null");
        shown.wait_for(&edge);
        assert_eq!(shown.count("#drawing .edges .name"), 0, "colors tell the kinds apart");
        shown.browser.click(&format!("[data-edge={name}]"));
        shown.browser.wait(&gone);
        shown.browser.press(key);
        shown.wait_for(&edge);
        shown.browser.press(key);
        shown.browser.wait(&gone);
    }
    assert!(shown.count("#drawing .event.init") > 0);
    shown.browser.press("i");
    shown.browser.wait("document.querySelectorAll('#drawing .event.init').length === 0");
    shown.browser.wait("/edges=(chosen,?)?(deps)?(&|$)/.test(decodeURIComponent(location.hash))");
    shown.no_errors();
}

#[test]
fn an_event_tells_of_itself() {
    let Some(shown) = Shown::example("litmus/mp.txt", &["--model", "rc20"]) else { return };
    let event = "#drawing [aria-label='T1:0 R y 1']";
    shown.browser.hover(event);
    shown.browser.wait("!document.querySelector('#details').hidden");
    let told = shown.text("#details");
    assert!(told.starts_with("T1:0 R y 1"), "{told}");
    assert!(told.contains("reads fromT0:1 W y 1"), "{told}");
    assert!(told.contains("line9"), "{told}");
    shown.wait_for("#drawing .near .arrow.rf");
    // The same by keys: into the thread to the left.
    shown.browser.click(event);
    shown.browser.press("h");
    shown.browser.wait("document.querySelector('#said').textContent.startsWith('T0:')");
    shown.browser.press("j");
    shown.browser.wait("document.querySelector('#said').textContent.startsWith('T0:1 W y 1')");
    shown.no_errors();
}

#[test]
fn links_lead_back_to_what_was_shown() {
    let Some(shown) = Shown::example("litmus/sb.txt", &[]) else { return };
    shown.open("model=ccm&step=1&edges=po");
    shown.wait_text("#question", "ccm: inconsistent");
    shown.browser.wait("document.querySelector('#count').textContent.startsWith('step 1 of')");
    shown.wait_for("#lines li:first-child [aria-current=step]");
    assert_eq!(shown.browser.eval("document.querySelector('[data-edge=rf]').checked"), false);
    assert_eq!(shown.browser.eval("document.querySelector('[data-edge=po]').checked"), true);
    // The address follows what is shown.
    shown.browser.click(".chip[data-question=tso]");
    shown.browser.wait("location.hash.startsWith('#model=tso&edges=po&at=')");
    shown.browser.press("+++");
    let zoom = "tribunal.state.view.zoom";
    let settled = format!("{zoom} > 2 && location.hash.endsWith(`,${{Number({zoom}.toPrecision(3))}}`)");
    let address = shown.browser.wait(&format!("{settled} && location.hash.slice(1)"));
    let view = shown.browser.eval("tribunal.state.view.zoom").as_f64().expect("a zoom");
    shown.open(address.as_str().expect("an address"));
    shown.wait_text("#question", "tso: consistent");
    let again = shown.browser.wait("tribunal.state.view.zoom").as_f64().expect("a zoom");
    assert!((view - again).abs() < 0.02 * view, "{view} {again}");
    // A changed address is followed without loading; one that makes no sense is not.
    shown.browser.run("location.hash = 'model=sc&step=2'", &[]);
    shown.wait_text("#question", "sc: inconsistent");
    shown.open("model=nobody&step=99999&edges=%3Cb%3E,zz&at=a,b,c");
    shown.browser.wait("document.querySelectorAll('#drawing .event').length >= 4");
    shown.no_errors();
}

/// Whether the exported SVG is well-formed, what it draws and whether its style needs nothing from elsewhere.
pub const EXPORTED: &str = "(() => {
    const text = tribunal.svg();
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    const labels = [...parsed.querySelectorAll('.label')].map(label => label.textContent);
    return {
        wrong: parsed.querySelector('parsererror')?.textContent ?? null,
        root: parsed.documentElement.localName,
        places: parsed.querySelectorAll('[data-place]').length,
        labels,
        painted: [...parsed.querySelectorAll('.box')].every(box => /^rgb/.test(box.getAttribute('fill'))),
        alone: !/var\\(|url\\(|href|<script|<style|light-dark/.test(text),
    };
})()";

#[test]
fn the_drawing_is_exported_as_svg() {
    let Some(shown) = Shown::of("sb.txt", SB, &["--model", "sc"]) else { return };
    let exported = shown.browser.eval(EXPORTED);
    assert_eq!(exported["wrong"], serde_json::Value::Null);
    assert_eq!(exported["root"], "svg");
    assert_eq!(exported["places"].as_u64(), Some(shown.count("#drawing [data-place]")));
    for label in ["W x 1", "R y 0", "W y 1", "R x 0"] {
        assert!(exported["labels"].as_array().expect("labels").contains(&label.into()), "{label}");
    }
    assert_eq!((&exported["painted"], &exported["alone"]), (&true.into(), &true.into()));
    // The button and the key give a file.
    let directory = shown.place.path("");
    let downloads = serde_json::json!({"behavior": "allow", "downloadPath": directory});
    shown.browser.devtools("Browser.setDownloadBehavior", downloads);
    shown.browser.press("e");
    let file = shown.place.path("SB-sc.svg");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !file.exists() && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(shown.place.read("SB-sc.svg").ends_with("</svg>\n"));
    shown.no_errors();
}

#[test]
fn it_is_dark_for_those_who_prefer_it() {
    let Some(shown) = Shown::of("sb.txt", SB, &[]) else { return };
    let ground = || {
        let script =
            "getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)[0]";
        shown.browser.eval(script).as_u64().expect("a colour")
    };
    let light = ground();
    assert!(light > 200, "{light}");
    shown.browser.prefer_dark(true);
    shown.browser.wait("document.querySelector('#theme').textContent === 'Light'");
    assert!(ground() < 60);
    // A choice of one's own goes before, and stays.
    shown.browser.press("t");
    shown.wait_text("#theme", "Dark");
    assert_eq!(ground(), light);
    shown.open("");
    shown.wait_text("#theme", "Dark");
    assert_eq!(ground(), light);
    shown.browser.click("#theme");
    shown.wait_text("#theme", "Light");
    assert!(ground() < 60);
    shown.no_errors();
}

#[test]
fn the_keyboard_does_everything() {
    let Some(shown) = Shown::of("missed.txt", MISSED, &[]) else { return };
    shown.browser.press("?");
    shown.browser.wait("document.querySelector('#keys').open");
    assert!(shown.text("#keys").contains("next step"));
    assert!(!shown.text("#keys").contains("open a file"), "there is no checker");
    shown.browser.press(key::ESCAPE);
    shown.browser.wait("!document.querySelector('#keys').open");
    // All that can be clicked can be reached, and has a name.
    let nameless = shown.browser.eval(
        "[...document.querySelectorAll('button, input, select')].filter(control => control.checkVisibility() &&
            !(control.textContent.trim() || control.getAttribute('aria-label') || control.labels?.length)).length",
    );
    assert_eq!(nameless, 0);
    let mut reached = Vec::new();
    for _ in 0..30 {
        shown.browser.press(key::TAB);
        let focus = "(({ id, className, dataset }) => id || className || dataset.edge || '')";
        let focus = shown.browser.eval(&format!("{focus}(document.activeElement)"));
        reached.push(focus.as_str().expect("text").to_string());
    }
    for wanted in ["theme", "export", "help", "chip inconsistent", "po", "closer", "drawing", "next", "line"]
    {
        assert!(reached.iter().any(|id| id == wanted), "{wanted} is not among {reached:?}");
    }
    let zoom = || shown.browser.eval("tribunal.state.view.zoom").as_f64().expect("a zoom");
    let before = zoom();
    shown.browser.press("+");
    shown.browser.wait(&format!("tribunal.state.view.zoom > {before}"));
    shown.browser.press("0");
    shown.browser.wait(&format!("Math.abs(tribunal.state.view.zoom - {before}) < 0.01"));
    shown.no_errors();
}

#[test]
fn names_are_text_whatever_they_say() {
    let hostile = r#"{"kind":"memory","name":"</script><script>window.hit=1</script>","threads":[
        {"name":"<img src=x onerror=window.hit=2>","events":[
          {"op":"write","loc":"</svg><script>window.hit=3</script>","value":1},
          {"op":"read","loc":"'\"><svg onload=window.hit=4>","value":0}]},
        {"name":"\u202egnihton\u0000\u0007","events":[
          {"op":"write","loc":"'\"><svg onload=window.hit=4>","value":1},
          {"op":"read","loc":"</svg><script>window.hit=3</script>","value":0}]}]}"#;
    let Some(shown) = Shown::of("<b>&amp;.json", hostile, &["--model", "sc,tso"]) else { return };
    assert!(shown.text("#title").contains("</script>"));
    shown.browser.press(key::RIGHT);
    shown.browser.hover("#drawing .event");
    shown.browser.wait("!document.querySelector('#details').hidden");
    let exported = shown.browser.eval(EXPORTED);
    assert_eq!(exported["wrong"], serde_json::Value::Null);
    assert_eq!(shown.browser.eval("window.hit ?? null"), serde_json::Value::Null);
    assert_eq!(shown.count("img, iframe, [onload], [onerror]"), 0);
    assert_eq!(shown.count("script"), 2, "the document and the page's own");
    let marks = shown.browser.eval("/[\\u0000-\\u0008\\u202a-\\u202e]/.test(document.body.innerText)");
    assert_eq!(marks, false);
    shown.no_errors();
}

#[test]
fn of_a_large_history_only_what_is_in_view_is_in_the_page() {
    let place = crate::command::Place::new();
    let arguments = "generate machine --machine pso --events 60000 --threads 8 --locations 32 -o pso.txt";
    place.run(&arguments.split(' ').collect::<Vec<_>>());
    let Some(shown) = Shown::of("pso.txt", place.read("pso.txt"), &["--model", "tso"]) else { return };
    shown.wait_text("#question", "tso: inconsistent");
    assert!(shown.text("#window").contains("of the 60,000 events"), "{}", shown.text("#window"));
    shown.wait_for("#drawing .event.wrong");
    shown.wait_for("#strip .marks");
    let nodes = || shown.count("*");
    assert!(nodes() < 2000, "{} elements", nodes());
    // The same where all of it is in view, and on the way there.
    for _ in 0..12 {
        shown.browser.press("-");
        assert!(nodes() < 2000, "{} elements", nodes());
    }
    shown.browser.press("0");
    shown.wait_for("#drawing .event.far");
    assert!(nodes() < 2000, "{} elements", nodes());
    let paint = "(() => { const { drawing, view } = tribunal.state, start = performance.now();
        drawing.paint(view, { width: 1000, height: 700 }); return performance.now() - start; })()";
    let took = shown.browser.eval(paint).as_f64().expect("a time");
    assert!(took < 1000.0, "{took} ms");
    shown.browser.press("v");
    shown.wait_for("#drawing .event.wrong .label");
    // The strip leads from one end of what the page has to the other.
    let click = |part: f64| {
        shown.browser.run(
            "const strip = document.querySelector('#strip'), box = strip.getBoundingClientRect();
             const clientY = box.top + arguments[0] * box.height;
             strip.setPointerCapture = () => {};
             strip.dispatchEvent(new PointerEvent('pointerdown', { pointerId: 1, clientX: box.x + 5, clientY }));",
            &[part.into()],
        )
    };
    click(0.999);
    shown.browser.wait("tribunal.state.view.y > 0.9 * tribunal.state.drawing.height - 1000");
    click(0.001);
    shown.browser.wait("tribunal.state.view.y < 0.1 * tribunal.state.drawing.height");
    shown.no_errors();
}

#[test]
fn a_page_without_a_checker_says_how_to_get_one() {
    let Some(shown) = Shown::of("several.txt", several(&[SB, MISSED]), &["--index", "1"]) else { return };
    assert_eq!(shown.text("#title"), "missed");
    assert_eq!(shown.browser.eval("document.querySelector('#checker').hidden"), true);
    shown.browser.run(
        "const data = new DataTransfer();
         data.items.add(new File(['T0: W x 1'], 'x.txt'));
         dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
         dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));",
        &[],
    );
    shown.browser.wait("document.querySelector('#notice').textContent.includes('tribunal serve')");
    shown.no_errors();
}

#[test]
fn what_makes_a_history_allowed_is_said() {
    let Some(shown) = Shown::example("litmus/sb.txt", &[]) else { return };
    shown.browser.click(".chip[data-question=tso]");
    shown.wait_text("#question", "tso: consistent");
    // The cycle of sc is drawn, with the steps that tso does not have.
    shown.browser.wait("document.querySelectorAll('#drawing .arrow.contrast').length === 4");
    assert_eq!(shown.count("#drawing .arrow.contrast.missing"), 2);
    assert!(shown.text("#contrast").starts_with("sc forbids this history "), "{}", shown.text("#contrast"));
    let lines = shown.text("#lines");
    assert!(
        lines.starts_with("tso does not have step (1): ")
            && lines.contains("sc forbids it: store buffering: "),
        "{lines}"
    );
    shown.browser.press(key::HOME);
    shown.wait_for("#drawing .arrow.contrast.step.missing");
    shown.no_errors();
}

#[test]
fn marks_and_models_are_explained() {
    let Some(shown) = Shown::example("litmus/sb.txt", &[]) else { return };
    // It opens on the model that people ask for first.
    shown.wait_text("#question", "sc: inconsistent");
    assert!(shown.text("#about").starts_with("Sequential consistency: "), "{}", shown.text("#about"));
    let sentences = "[...document.querySelectorAll('.chip')].every((chip) => chip.title.length > 20)";
    assert_eq!(shown.browser.eval(sentences), true);
    let told = shown.browser.eval("document.querySelector('.chip[data-question=tso]').title");
    assert!(told.as_str().expect("text").starts_with("Total store order: "), "{told}");
    let legend = shown.text("#legend");
    for words in
        ["read", "write", "po program order", "fr from read", "the violation: sc allows no such cycle"]
    {
        assert!(legend.contains(words), "{words} is not in {legend}");
    }
    assert!(!legend.contains("fence"), "only what is drawn: {legend}");
    shown.no_errors();
}

#[test]
fn a_large_history_is_folded_to_its_violation() {
    let place = crate::command::Place::new();
    let arguments = "generate machine --machine pso --events 3000 --threads 8 --locations 16 -o pso.txt";
    place.run(&arguments.split(' ').collect::<Vec<_>>());
    let Some(shown) = Shown::of("pso.txt", place.read("pso.txt"), &["--model", "tso"]) else { return };
    shown.wait_text("#question", "tso: inconsistent");
    // All of the cycle is in view, with its threads in their order.
    shown.browser.wait("tribunal.state.drawing.folded");
    let hidden = shown.browser.eval(
        "[...tribunal.shownAnswer().cycle.flatMap(({ from, to }) => [from, to])].filter((place) => {
            const { x, y, zoom } = tribunal.state.view, box = tribunal.state.drawing.boxOf(place);
            const stage = document.querySelector('#stage');
            return box.x < x || box.y < y || box.x + box.width > x + stage.clientWidth / zoom ||
                box.y + box.height > y + stage.clientHeight / zoom;
        }).length",
    );
    assert_eq!(hidden, 0);
    let order = shown
        .browser
        .eval("tribunal.state.drawing.drawnThreads.every((t, at, all) => at === 0 || all[at - 1] < t)");
    assert_eq!(order, true);
    assert!(shown.text("#window").starts_with("Only the "), "{}", shown.text("#window"));
    shown.browser.press("0");
    shown.browser.wait("!tribunal.state.drawing.folded && location.hash.includes('part=all')");
    shown.browser.press("v");
    shown.browser.wait("tribunal.state.drawing.folded");
    shown.no_errors();
}

#[test]
fn fingers_move_and_zoom() {
    let place = crate::command::Place::new();
    place.run(&["generate", "machine", "--events", "400", "-o", "long.txt"]);
    let Some(shown) = Shown::of("long.txt", place.read("long.txt"), &["--model", "sc"]) else { return };
    shown.browser.resize(390, 844);
    shown.browser.devtools(
        "Emulation.setTouchEmulationEnabled",
        serde_json::json!({"enabled": true, "maxTouchPoints": 2}),
    );
    shown.open("");
    let view =
        |key: &str| shown.browser.eval(&format!("tribunal.state.view.{key}")).as_f64().expect("a number");
    let stage = shown.browser.eval(
        "(() => { const { left, top, width, height } = document.querySelector('#stage').getBoundingClientRect();
            return [left + width / 2, top + height / 2]; })()",
    );
    let (x, y) = (stage[0].as_f64().expect("x"), stage[1].as_f64().expect("y"));
    let touch = |kind: &str, points: &[(f64, f64)]| {
        let points: Vec<_> =
            (0..).zip(points).map(|(id, &(x, y))| serde_json::json!({"x": x, "y": y, "id": id})).collect();
        shown
            .browser
            .devtools("Input.dispatchTouchEvent", serde_json::json!({"type": kind, "touchPoints": points}));
    };
    let before = view("y");
    touch("touchStart", &[(x, y)]);
    (1..=4).for_each(|step| touch("touchMove", &[(x, y - 20.0 * f64::from(step))]));
    touch("touchEnd", &[]);
    shown.browser.wait(&format!("tribunal.state.view.y > {before} + 20"));
    let before = view("zoom");
    touch("touchStart", &[(x - 30.0, y), (x + 30.0, y)]);
    for step in 1..=4 {
        let apart = 30.0 + 10.0 * f64::from(step);
        touch("touchMove", &[(x - apart, y), (x + apart, y)]);
    }
    touch("touchEnd", &[]);
    shown.browser.wait(&format!("tribunal.state.view.zoom > {before} * 1.5"));
    shown.no_errors();
}

#[test]
fn a_narrow_screen_shows_everything() {
    let name = "a history with a name that is much longer than a telephone is wide";
    let Some(shown) = Shown::of("sb.txt", SB.replace("name: SB", &format!("name: {name}")), &[]) else {
        return;
    };
    shown.browser.resize(390, 844);
    shown.open("");
    assert_eq!(shown.text("#title"), name);
    let whole = "(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
        scrollWidth <= clientWidth && scrollHeight <= clientHeight + 1)(document.querySelector('#title'))";
    assert_eq!(shown.browser.eval(whole), true, "the title is not cut off");
    let wide = shown.browser.eval("document.documentElement.scrollWidth").as_u64();
    assert!(wide <= Some(390), "nothing is wider than the screen: {wide:?}");
    let chosen = "(() => { const { left, right } = document.querySelector('.chip[aria-checked=true]').getBoundingClientRect();
        return left >= 0 && right <= 390; })()";
    assert_eq!(shown.browser.eval(chosen), true);
    // On paper there is no more than there is to read.
    shown.browser.devtools("Emulation.setEmulatedMedia", serde_json::json!({"media": "print"}));
    let printed =
        "['#title', '#drawing', '#question', '#lines', '.actions', '.tools', '#checker'].map((part) =>
        document.querySelector(part).checkVisibility())";
    assert_eq!(shown.browser.eval(printed), serde_json::json!([true, true, true, true, false, false, false]));
    shown.no_errors();
}

#[test]
fn nothing_is_said_twice() {
    // Without a name the history has that of its file.
    let Some(shown) = Shown::of("plain.txt", "T0: W x 1; R y 0\nT1: W y 1; R x 0\n", &[]) else { return };
    assert_eq!((shown.text("#title"), shown.text("#source")), ("plain.txt".into(), String::new()));
    shown.no_errors();
}

/// A step is of use only where the drawing is seen.
#[test]
fn on_a_phone_the_drawing_stays_in_sight_while_one_steps() {
    let Some(shown) = Shown::of("sb.txt", SB, &[]) else { return };
    shown.browser.resize(390, 844);
    shown.open("");
    // An explanation longer than the screen.
    shown.browser.run("document.querySelector('#lines').style.minHeight = '200vh'; scrollTo(0, 700);", &[]);
    shown.browser.wait("scrollY > 300");
    for _ in 0..4 {
        shown.browser.click("#next");
    }
    shown.browser.wait("document.querySelector('#count').textContent.startsWith('step 4')");
    let seen = |selector: &str| {
        let inside = "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)";
        shown.browser.eval(&format!("{inside}(document.querySelector({selector:?}).getBoundingClientRect())"))
    };
    for selector in ["#drawing .event.step", "#drawing", "#next", "#lines [aria-current]"] {
        assert_eq!(seen(selector), true, "{selector}");
    }
    let top = |selector: &str| {
        let edge =
            shown.browser.eval(&format!("document.querySelector({selector:?}).getBoundingClientRect().top"));
        edge.as_f64().expect("a number")
    };
    assert!(top("#lines [aria-current]") > top("#next"), "the line is not below the drawing");
    shown.no_errors();
}
