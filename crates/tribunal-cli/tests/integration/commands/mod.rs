//! The command as its users run it: what it prints, its exit status, what it leaves behind.

mod axe;
mod bad_input;
mod bad_objects;
// Programs are built and run.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod cargo;
mod case_study;
mod certificates;
mod check;
mod documents;
mod examples;
mod explain;
mod explore;
#[cfg(unix)]
mod files;
mod generate;
mod generate_transactions;
mod histories;
mod jepsen;
mod junit;
mod keep_going;
mod levels;
// Links and limits of the shell.
#[cfg(target_os = "linux")]
mod limits;
mod litmus;
mod monitor;
mod monitor_memory;
mod object_logs;
mod objects;
mod races;
mod record;
mod remarks;
// The same.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod run;
mod schema;
mod separate;
mod serve;
mod shrink;
mod streams;
mod transactions;
// Commands are run by a shell.
#[cfg(unix)]
mod transcripts;
mod verify;
mod view;
