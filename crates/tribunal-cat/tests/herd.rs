//! herd's own models elaborate. They are read from `TRIBUNAL_HERD`, a directory with herd's library (and the catalogue's models of the
//! kernel and of LISA, where they are wanted too).

use std::path::{Path, PathBuf};
use tribunal_cat::{Architecture, Directories, Environment, Model};

/// Model, its bell file, the architectures whose tests it is for, and how many killing checks it has.
const MODELS: &[(&str, &str, &[Architecture], usize)] = {
    use Architecture::*;
    &[
        ("sc.cat", "", &[C, X86, X86_64, Ppc, Arm, AArch64, RiscV, Mips, Bpf], 2),
        ("uniproc.cat", "", &[X86_64, Ppc, Arm, AArch64, RiscV], 2),
        ("x86tso.cat", "", &[X86, X86_64], 3),
        ("tso.cat", "", &[X86, X86_64], 3),
        ("x86tso-mixed.cat", "", &[X86_64], 3),
        ("rc11.cat", "", &[C], 5),
        ("c11_simp.cat", "", &[C], 9),
        ("c11_partialSC.cat", "", &[C], 9),
        ("c11_orig.cat", "", &[C], 15),
        ("simple-c11.cat", "", &[C], 6),
        ("riscv.cat", "", &[RiscV], 4),
        ("riscv-tso.cat", "", &[RiscV], 4),
        ("riscv-total.cat", "", &[RiscV], 2),
        ("ppc.cat", "", &[Ppc], 6),
        ("arm.cat", "", &[Arm], 6),
        ("mips.cat", "", &[Mips], 3),
        ("bpf.cat", "", &[Bpf], 6),
        ("aarch64-v8.cat", "", &[AArch64], 3),
        ("aarch64.cat", "", &[AArch64], 7),
        ("linux-kernel.cat", "linux-kernel.bell", &[C], 10),
        ("tutorial.cat", "tutorial.bell", &[Lisa], 0),
        ("tiger.cat", "tiger.bell", &[Lisa], 1),
        ("kittens.cat", "kittens.bell", &[Lisa], 1),
        ("jaguar.cat", "jaguar.bell", &[Lisa], 1),
    ]
};

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    std::fs::read(path)
}

#[test]
fn herds_models_elaborate() {
    let Some(directory) = std::env::var_os("TRIBUNAL_HERD").map(PathBuf::from) else {
        return eprintln!("left out: TRIBUNAL_HERD names no directory of herd's files");
    };
    let mut failed = 0;
    for &(file, bell, architectures, _checks) in MODELS {
        let path = directory.join(file);
        let mut library = Directories::new([&directory], read);
        let Some(text) = library.text(&path).unwrap() else {
            eprintln!("left out: there is no {}", path.display());
            continue;
        };
        let model = if bell.is_empty() {
            Model::parse(&text, file, &mut library)
        } else {
            let bell_text = library.text(&directory.join(bell)).unwrap().unwrap();
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
                environment =
                    environment.with_variant("lkmmv2").with_empty("LF").with_empty("RL").with_empty("RU");
            }
            for scope in ["cta", "gpu", "system"] {
                environment = environment.with_relation(scope);
            }
            let start = std::time::Instant::now();
            match model.plan(&environment) {
                Ok(plan) => eprintln!(
                    "{file} {}: {} nodes, {} fixpoints, {} choices, {} checks, {:?}",
                    architecture.name(),
                    plan.nodes.len(),
                    plan.fixpoints.len(),
                    plan.choices.len(),
                    plan.checks.len(),
                    start.elapsed(),
                ),
                Err(error) => {
                    failed += 1;
                    eprintln!("{file} {}: {error}", architecture.name());
                }
            }
        }
    }
    assert_eq!(failed, 0);
}
