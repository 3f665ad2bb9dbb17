//! A pair (po-mm, rf-mm) as text.

use crate::model::{Keep, Preserved};
use std::fmt::Write;

/// The model that the pair stands for, in cat.
pub(crate) fn text(pair: &Preserved) -> String {
    let mut text = format!("(* The pair {pair}: what it keeps of program order and of reads-from. *)\n\n");
    let mut kept = Vec::new();
    let kinds = [(pair.rr, "R", "R"), (pair.rw, "R", "W"), (pair.wr, "W", "R"), (pair.ww, "W", "W")];
    for (keep, from, to) in kinds {
        let po = match keep {
            Keep::Never => continue,
            Keep::SameLocation => "po-loc",
            Keep::Always => "po",
        };
        // An RMW counts as a read and as a write, or as neither.
        let without = if pair.rmws { "" } else { " \\ RMW" };
        kept.push(format!("[{from}{without}]; {po}; [{to}{without}]"));
    }
    kept.extend(pair.dependencies.then(|| "deps".to_owned()));
    kept.extend(pair.times.then(|| "ended".to_owned()));
    let ppo = if kept.is_empty() { "0".to_owned() } else { kept.join("\n  | ") };
    let rf = if pair.internal_rf { "rf" } else { "rfe" };
    let po_loc = if pair.load_hazards { "(po-loc \\ ((R \\ W) * (R \\ W)))" } else { "po-loc" };
    let _ = write!(
        text,
        "let ppo = {ppo}\n\
         let fenced = [M]; po; [F & SC]; po; [M]\n  \
           | [R]; po; [F & (ACQ | ACQ_REL)]; po; [M]\n  \
           | [M]; po; [F & (REL | ACQ_REL)]; po; [W]\n\n\
         acyclic {po_loc} | rf | co | fr as per-location\n\
         acyclic ppo | fenced | {rf} | co | fr as global\n"
    );
    if pair.dependencies {
        text.push_str("acyclic deps | rf as thin-air\n");
    }
    text
}
