//! Names the shared library as programs that are linked with it look for it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        // The number changes when programs have to be compiled anew.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtribunal.so.0");
    }
}
