//! `include/tribunal.h` is what cbindgen makes of the crate.

use std::path::Path;

/// Set it to write the header instead of comparing it.
const UPDATE: &str = "TRIBUNAL_UPDATE_HEADER";

#[test]
fn the_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml is there");
    let bindings = cbindgen::Builder::new().with_crate(root).with_config(config).generate();
    let mut header = Vec::new();
    bindings.expect("the crate parses").write(&mut header);
    let header = String::from_utf8(header).expect("the sources are UTF-8");
    // A type that is renamed keeps a space of its own.
    let header = header.replace("const char * ", "const char *");
    let path = root.join("include/tribunal.h");
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, header).expect("the header can be written");
        return;
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == header,
        "{} is stale; this writes it anew:\n  {UPDATE}=1 cargo test -p tribunal-c --test integration header",
        path.display()
    );
}
