//! The pictures in docs/. `TRIBUNAL_SCREENSHOTS=1 cargo xtask browser` updates them.

use crate::browser::pages::{Shown, root};

#[test]
fn screenshots() {
    let anew = std::env::var_os("TRIBUNAL_SCREENSHOTS").is_some();
    let pictures = [
        ("litmus/iriw.txt", "sc", "memory.png"),
        ("objects/weak-size.json", "causal", "object.png"),
        ("transactions/long-fork.json", "ser", "transactions.png"),
    ];
    for (example, model, file) in pictures {
        let Some(shown) = Shown::example(example, &[]) else { return };
        shown.browser.resize(1400, 800);
        shown.open(&format!("model={model}"));
        // What moves has come to rest once the address is written.
        shown.browser.wait("location.hash.includes('&at=')");
        let picture = shown.browser.screenshot();
        assert!(picture.len() < 200_000, "{file} has {} bytes", picture.len());
        if anew {
            std::fs::write(root().join("docs").join(file), &picture).expect("written");
        }
        shown.no_errors();
    }
}
