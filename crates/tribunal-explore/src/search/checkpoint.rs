//! How far a search is, in a file, so that another one goes on from there.
//!
//! One worker goes through the tree of what is tried in a fixed order. Where it is follows from the path of what comes next: what is before that path is done, what is behind it is not. So a
//! checkpoint is that path and what was counted until then, and going on takes one run for each step of the path. With several workers there is no such place.

use super::revisit::{Item, Path};
use crate::options::Checkpoint;
use std::fs;
use std::io;
use std::path::PathBuf;

/// Where a search was, and what it had counted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) steps: Vec<u32>,
    pub(super) counts: Counts,
}

/// Executions, blocked ones, and those outside of the bound; whether some were left out by the bound, and by the program, as 0 or 1; executions with mo.
pub(super) type Counts = [u64; 6];

/// How an item stands to where a search was.
pub(super) enum Stands {
    /// It is done.
    Before,
    /// It leads there.
    Above,
    /// It is what comes next.
    There,
    /// It comes later.
    Behind,
}

impl Kept {
    fn parse(text: &str) -> Option<Kept> {
        let mut lines = text.lines();
        let numbers = |line: Option<&str>, name: &str| -> Option<Vec<u64>> {
            let rest = line?.strip_prefix(name)?;
            rest.split_whitespace().map(|number| number.parse().ok()).collect()
        };
        if lines.next() != Some(Checkpoint::HEAD) {
            return None;
        }
        let counts = numbers(lines.next(), "counts")?.try_into().ok()?;
        let steps = numbers(lines.next(), "path")?;
        let steps = steps.into_iter().map(|step| step.try_into().ok()).collect::<Option<_>>()?;
        Some(Kept { steps, counts })
    }

    fn text(&self) -> String {
        let joined = |numbers: &mut dyn Iterator<Item = u64>| -> String {
            numbers.map(|number| format!(" {number}")).collect()
        };
        let counts = joined(&mut self.counts.iter().copied());
        let path = joined(&mut self.steps.iter().map(|&step| u64::from(step)));
        format!("{}\ncounts{counts}\npath{path}\n", Checkpoint::HEAD)
    }

    /// How an item stands to it.
    pub(super) fn of(&self, item: &Item) -> Stands {
        let steps = item.path.steps();
        match steps.iter().zip(&self.steps).find(|(a, b)| a != b) {
            // The later something is found, the earlier it is done.
            Some((a, b)) if a > b => Stands::Before,
            None if steps.len() < self.steps.len() => Stands::Above,
            None if steps.len() == self.steps.len() => Stands::There,
            _ => Stands::Behind,
        }
    }
}

/// The file of a search.
pub(super) struct Keeper {
    file: PathBuf,
    interval: u64,
    /// How many runs there were when it was last written.
    written: u64,
}

impl Keeper {
    pub(super) fn new(checkpoint: &Checkpoint) -> Self {
        Keeper { file: checkpoint.file.clone(), interval: checkpoint.interval.max(1), written: 0 }
    }

    /// What the file has, if there is one. Something else than a checkpoint is left as it is until it is written over.
    pub(super) fn kept(&mut self) -> Option<Kept> {
        let kept = Kept::parse(&fs::read_to_string(&self.file).ok()?)?;
        self.written = runs(&kept.counts);
        Some(kept)
    }

    /// Whether it is time to write.
    pub(super) fn is_due(&self, runs: u64) -> bool {
        runs >= self.written.saturating_add(self.interval)
    }

    /// Writes where the search is.
    pub(super) fn keep(&mut self, next: &Path, counts: Counts) {
        self.written = runs(&counts);
        let text = Kept { steps: next.steps(), counts }.text();
        // Whoever reads it finds the old one or the new one.
        let mut new = self.file.clone().into_os_string();
        new.push(".new");
        self.tell(fs::write(&new, text).and_then(|()| fs::rename(&new, &self.file)));
    }

    /// The search is over, and nothing is left to go on with.
    pub(super) fn finish(&self) {
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => self.tell(removed),
        }
    }

    /// The search goes on without its file.
    fn tell(&self, done: io::Result<()>) {
        if let Err(error) = done {
            eprintln!("{}: the checkpoint could not be written: {error}", self.file.display());
        }
    }
}

fn runs(counts: &Counts) -> u64 {
    counts[..3].iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for steps in [vec![], vec![3], vec![0, 12, 4]] {
            let kept = Kept { steps, counts: [7, 0, 1, 1, 0, 9] };
            assert_eq!(Kept::parse(&kept.text()), Some(kept));
        }
        assert_eq!(Kept::parse("t1.m:SWLiUi"), None);
        assert_eq!(Kept::parse("tribunal checkpoint 1\ncounts 1 2\npath 1\n"), None);
    }
}
