//! Whether a round of repair brought anything.

use std::collections::BTreeSet;

use super::Report;
use super::TestId;

/// What changed between two reports of the same tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Failed before, not any more.
    pub fixed: Vec<TestId>,
    pub still_failing: Vec<TestId>,
    /// Failed only now: by the edit, or flaky.
    pub newly_failing: Vec<TestId>,
    n_failed_before: usize,
    n_failed_after: usize,
    /// Tests can run again that could not, or the other way round.
    mended: bool,
    broke: bool,
}

impl Progress {
    pub fn between(before: &Report, after: &Report) -> Self {
        let old: BTreeSet<&TestId> = before.failed.iter().collect();
        let new: BTreeSet<&TestId> = after.failed.iter().collect();
        let owned = |ids: Vec<&&TestId>| ids.into_iter().map(|id| (*id).clone()).collect();
        Self {
            // Where nothing could run, a test that is not named was not fixed.
            fixed: if after.broken {
                Vec::new()
            } else {
                owned(old.difference(&new).collect())
            },
            still_failing: owned(old.intersection(&new).collect()),
            newly_failing: owned(new.difference(&old).collect()),
            n_failed_before: before.n_failed,
            n_failed_after: after.n_failed,
            mended: before.broken && !after.broken,
            broke: !before.broken && after.broken,
        }
    }

    /// Another round is worth it: fewer tests fail than before, or tests run again that could not.
    pub fn is_progress(&self) -> bool {
        !self.broke && (self.mended || self.n_failed_after < self.n_failed_before)
    }

    /// Of the tests that failed before the edit none fails because of it, and nothing fails that did not before:
    /// what is left is not this edit's work.
    pub fn is_no_worse(&self) -> bool {
        !self.broke && self.newly_failing.is_empty() && self.n_failed_after <= self.n_failed_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(failed: &[&str], broken: bool) -> Report {
        let mut report = Report::new("pytest").with_failed(failed.iter().map(|name| (*name).to_string()));
        report.broken = broken;
        report
    }

    #[test]
    fn names_what_changed() {
        let progress = Progress::between(&report(&["a", "b"], false), &report(&["b", "c"], false));
        let names = |ids: &[TestId]| ids.iter().map(ToString::to_string).collect::<Vec<String>>();
        assert_eq!(names(&progress.fixed), ["a"]);
        assert_eq!(names(&progress.still_failing), ["b"]);
        assert_eq!(names(&progress.newly_failing), ["c"]);
        assert!(!progress.is_progress() && !progress.is_no_worse());
    }

    #[test]
    fn fewer_failures_are_progress_and_code_that_does_not_run_is_none() {
        let both = report(&["a", "b"], false);
        let one = report(&["a"], false);
        let none_ran = report(&[], true);
        assert!(Progress::between(&both, &one).is_progress());
        assert!(!Progress::between(&one, &one).is_progress());
        assert!(Progress::between(&one, &one).is_no_worse());
        assert!(!Progress::between(&both, &none_ran).is_progress());
        assert!(Progress::between(&both, &none_ran).fixed.is_empty());
        assert!(Progress::between(&none_ran, &both).is_progress());
    }
}
