//! The page with the checker inside: one file that anyone can host, and that works from a disk.
//!
//! The WebAssembly is compressed and written as base64, and the worker that runs it is a script in the page, since a page
//! from a disk may fetch nothing.

use crate::{cargo, has_target, run, target_directory};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use wasm_bindgen_cli_support::Bindgen;

/// The platform of WebAssembly in browsers.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// Engines and readers do not recurse, but some keep large arrays on the stack, for which 1 MB would be little.
const STACK: usize = 4 << 20;
const WORKER: &str = include_str!("../../crates/tribunal-wasm/checker/worker.js");
const CHECKER: &str = include_str!("../../crates/tribunal-wasm/checker/page.js");

/// Builds the page and gives its path.
pub fn build() -> Result<PathBuf, String> {
    has_target(TARGET).map_err(|why| format!("error: {why}"))?;
    let target = target_directory()?;
    run(cargo()
        .args(["rustc", "-p", "tribunal-wasm", "--lib", "--profile", "page", "--target", TARGET])
        .arg("--target-dir")
        .arg(&target)
        .args(["--", "-C", &format!("link-arg=-zstack-size={STACK}")]))?;
    let built = target.join(TARGET).join("page/tribunal_wasm.wasm");
    let directory = target.join("page-files");
    let (script, wasm) = bound(&built, &directory)?;
    let page = tribunal_view::page(None, &checker(&script, &packed(&wasm))?);
    let path = target.join("page/tribunal.html");
    let written = std::fs::create_dir_all(target.join("page")).and_then(|()| std::fs::write(&path, &page));
    written.map_err(|error| format!("error: {}: {error}", path.display()))?;
    println!("{}: {} kB, of which {} kB WebAssembly", path.display(), page.len() >> 10, wasm.len() >> 10);
    Ok(path)
}

/// The script that binds the WebAssembly to JavaScript, and the WebAssembly, smaller if there is a wasm-opt.
fn bound(built: &Path, directory: &Path) -> Result<(String, Vec<u8>), String> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(built).typescript(false).remove_name_section(true).remove_producers_section(true);
    bindgen.omit_default_module_path(true);
    let generated = bindgen.no_modules(true).and_then(|bindgen| bindgen.generate(directory));
    generated.map_err(|error| format!("error: wasm-bindgen: {error:#}"))?;
    let wasm = directory.join("tribunal_wasm_bg.wasm");
    if Command::new("wasm-opt").arg("--version").output().is_ok() {
        run(Command::new("wasm-opt").args(["-O3", "--all-features"]).arg(&wasm).arg("-o").arg(&wasm))?;
    }
    let read =
        |file: &Path| std::fs::read(file).map_err(|error| format!("error: {}: {error}", file.display()));
    let script = String::from_utf8(read(&directory.join("tribunal_wasm.js"))?);
    Ok((script.map_err(|error| format!("error: {error}"))?, read(&wasm)?))
}

/// The markup that defines `window.tribunalChecker`.
fn checker(script: &str, wasm: &str) -> Result<String, String> {
    for part in [script, WORKER, CHECKER] {
        if ["</script", "<!--"].iter().any(|end| part.to_ascii_lowercase().contains(end)) {
            return Err("error: a script would end in its middle: it contains `</script` or `<!--`".into());
        }
    }
    Ok(format!(
        "<script type=\"text/plain\" id=\"checker-worker\">\n{script}\n{WORKER}</script>\n\
         <script type=\"text/plain\" id=\"checker-wasm\">{wasm}</script>\n<script>\n{CHECKER}</script>"
    ))
}

/// Bytes as text: gzip, then base64.
fn packed(bytes: &[u8]) -> String {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let gzip = gzip.write_all(bytes).and_then(|()| gzip.finish()).expect("memory takes everything");
    base64(&gzip)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, at| bits << 8 | u32::from(three.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= three.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_as_the_standard_says() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
