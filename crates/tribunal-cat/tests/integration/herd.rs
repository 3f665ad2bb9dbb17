//! herd's own models elaborate. They are read from `TRIBUNAL_HERD`, directories with herd's library (and the catalog's models of the
//! kernel and of LISA, where they are wanted too): `cargo xtask litmus` names them.

use std::path::{Path, PathBuf};
use tribunal_cat::{Architecture, Directories, Environment, Model};

/// Model, its bell file, and the architectures whose tests it is for.
const MODELS: &[(&str, &str, &[Architecture])] = {
    use Architecture::*;
    &[
        ("sc.cat", "", &[C, X86, X86_64, Ppc, Arm, AArch64, RiscV, Mips, Bpf]),
        ("uniproc.cat", "", &[X86_64, Ppc, Arm, AArch64, RiscV]),
        ("x86tso.cat", "", &[X86, X86_64]),
        ("tso.cat", "", &[X86, X86_64]),
        ("x86tso-mixed.cat", "", &[X86_64]),
        ("rc11.cat", "", &[C]),
        ("c11_simp.cat", "", &[C]),
        ("c11_partialSC.cat", "", &[C]),
        ("c11_orig.cat", "", &[C]),
        ("simple-c11.cat", "", &[C]),
        ("riscv.cat", "", &[RiscV]),
        ("riscv-tso.cat", "", &[RiscV]),
        ("riscv-total.cat", "", &[RiscV]),
        ("ppc.cat", "", &[Ppc]),
        ("arm.cat", "", &[Arm]),
        ("mips.cat", "", &[Mips]),
        ("bpf.cat", "", &[Bpf]),
        ("aarch64-v8.cat", "", &[AArch64]),
        ("aarch64.cat", "", &[AArch64]),
        ("linux-kernel.cat", "linux-kernel.bell", &[C]),
        ("tutorial.cat", "tutorial.bell", &[Lisa]),
        ("tiger.cat", "tiger.bell", &[Lisa]),
        ("kittens.cat", "kittens.bell", &[Lisa]),
        ("jaguar.cat", "jaguar.bell", &[Lisa]),
    ]
};

#[test]
#[ignore = "needs herd's files: cargo xtask litmus"]
fn herds_models_elaborate() {
    let directories =
        std::env::var_os("TRIBUNAL_HERD").expect("TRIBUNAL_HERD names directories of herd's files");
    // Each directory is a library of its own.
    for directory in std::env::split_paths(&directories) {
        let (elaborated, failed) = elaborate(&directory);
        assert_eq!(failed, 0, "{}", directory.display());
        assert!(elaborated > 0, "{} has none of herd's models", directory.display());
    }
}

/// Elaborates the models of a directory: how many plans there are, and how many were refused.
fn elaborate(directory: &PathBuf) -> (usize, usize) {
    let (mut elaborated, mut failed) = (0, 0);
    for &(file, bell, architectures) in MODELS {
        let path = directory.join(file);
        let mut library = Directories::new([directory], |path: &Path| std::fs::read(path));
        let Some(text) = library.text(&path).expect("readable") else {
            eprintln!("left out: there is no {}", path.display());
            continue;
        };
        let model = if bell.is_empty() {
            Model::parse(&text, file, &mut library)
        } else {
            let bell_text = library.text(&directory.join(bell)).expect("readable").expect("a bell file");
            Model::parse_with_bell((&text, file), (&bell_text, bell), &mut library)
        };
        let model = match model {
            Ok(model) => model,
            Err(error) => {
                failed += 1;
                eprintln!("{file}: {error}");
                continue;
            }
        };
        for &architecture in architectures {
            let mut environment = Environment::of(architecture);
            if file.starts_with("linux") {
                environment = environment.with_variant("lkmmv2");
            }
            let start = std::time::Instant::now();
            match model.plan(&environment) {
                Ok(plan) => {
                    elaborated += 1;
                    eprintln!(
                        "{file} {}: {} nodes, {} fixpoints, {} choices, {} checks, {:?}",
                        architecture.name(),
                        plan.nodes.len(),
                        plan.fixpoints.len(),
                        plan.choices.len(),
                        plan.checks.len(),
                        start.elapsed(),
                    )
                }
                Err(error) => {
                    failed += 1;
                    eprintln!("{file} {}: {error}", architecture.name());
                }
            }
        }
    }
    (elaborated, failed)
}
