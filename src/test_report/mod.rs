//! Test output by name: which tests failed, how many passed, whether a repair brings anything, and whether a failure is
//! the one that was there before. Reads text only; running tests is the session's, by `shell`.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::BTreeSet;

use serde::Serialize;

mod cargo;
mod dotnet;
mod elixir;
mod essence;
mod go;
mod java;
mod javascript;
mod junit_xml;
mod native;
mod pattern;
mod php;
mod progress;
mod python;
mod ruby;
mod signature;
mod tap;

pub use essence::essence;
pub use progress::Progress;
pub use signature::failure_signature;

/// A test as its runner names it, with the file, class or package where the runner says one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct TestId(pub String);

impl std::fmt::Display for TestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a run of tests came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The row in [`RUNNERS`] that read the output.
    pub runner: &'static str,
    /// Tests that passed, as far as the runner says (`go test` without `-v` does not).
    pub passed: usize,
    pub skipped: usize,
    /// Tests that failed, by the runner's own count where it gives one; never less than the names.
    pub n_failed: usize,
    /// Something kept tests from running at all: code that does not compile, a file that cannot be loaded, a crash.
    pub broken: bool,
    /// Failed tests by name, sorted, each once. May be fewer than failed: some output only counts.
    pub failed: Vec<TestId>,
}

impl Report {
    /// Nothing failed and nothing was kept from running. The exit code counts too: a run without any test is green here
    /// and red there.
    pub fn is_green(&self) -> bool {
        self.n_failed == 0 && !self.broken
    }

    fn new(runner: &'static str) -> Self {
        Self {
            runner,
            passed: 0,
            skipped: 0,
            n_failed: 0,
            broken: false,
            failed: Vec::new(),
        }
    }

    /// With these names: sorted, each once, counted if the count is not known to be higher.
    fn with_failed(mut self, names: impl IntoIterator<Item = String>) -> Self {
        let names: BTreeSet<String> = names
            .into_iter()
            .map(|name| name.trim().to_string())
            .filter(|name| !name.is_empty())
            .collect();
        self.failed = names.into_iter().map(TestId).collect();
        self.n_failed = self.n_failed.max(self.failed.len());
        self
    }
}

/// One kind of output: its name, and its reader, which gives None for output that is not of this kind.
pub struct Runner {
    pub name: &'static str,
    read: fn(&str) -> Option<Report>,
}

/// All kinds, in the order in which they are tried. Those that print others' output within their own come first.
pub const RUNNERS: &[Runner] = &[
    Runner {
        name: "nextest",
        read: cargo::nextest,
    },
    Runner {
        name: "cargo_test",
        read: cargo::cargo_test,
    },
    Runner {
        name: "pytest",
        read: python::pytest,
    },
    Runner {
        name: "unittest",
        read: python::unittest,
    },
    Runner {
        name: "jest",
        read: javascript::jest,
    },
    Runner {
        name: "vitest",
        read: javascript::vitest,
    },
    Runner {
        name: "mocha",
        read: javascript::mocha,
    },
    Runner {
        name: "node_test",
        read: javascript::node_test,
    },
    Runner {
        name: "go_test",
        read: go::go_test,
    },
    Runner {
        name: "surefire",
        read: java::surefire,
    },
    Runner {
        name: "gradle",
        read: java::gradle,
    },
    Runner {
        name: "dotnet",
        read: dotnet::dotnet,
    },
    Runner {
        name: "rspec",
        read: ruby::rspec,
    },
    Runner {
        name: "minitest",
        read: ruby::minitest,
    },
    Runner {
        name: "phpunit",
        read: php::phpunit,
    },
    Runner {
        name: "exunit",
        read: elixir::exunit,
    },
    Runner {
        name: "googletest",
        read: native::googletest,
    },
    Runner {
        name: "ctest",
        read: native::ctest,
    },
    Runner {
        name: "swift",
        read: native::swift,
    },
    Runner {
        name: "junit_xml",
        read: junit_xml::junit_xml,
    },
    Runner {
        name: "tap",
        read: tap::tap,
    },
];

/// Reads the output of a test run, colour codes already taken out; None when no runner's marks are in it, so that only
/// the exit code can tell. An output that holds several runs of one kind (test binaries, packages) is one report.
pub fn parse(output: &str) -> Option<Report> {
    RUNNERS.iter().find_map(|runner| (runner.read)(output))
}
