//! codriver: a pair programmer for the terminal. It reads the map of a repository to a language model, takes the
//! model's edits as plain text, puts them into the files exactly where they belong or not at all, commits them,
//! runs lint and tests, and hands the failures back.
//!
//! This page is the map of the house.
//!
//! # Layers
//!
//! Arrows only point down; `tests/it/layering.rs` holds them.
//!
//! ```text
//!  5   main --> cli --> repl --> commands                     what the user touches
//!               |
//!  4         session                                          joins everything below
//!               |
//!  3   files  git  llm  web  shell  terminal  store           the outside, one module per thing outside
//!               |
//!  2   edit_format <-- apply     chat <-- commit_message      values only
//!      languages <-- repo_map, lint, policy
//!      models    test_report
//!               |
//!  1   text  tokens
//! ```
//!
//! Of level 3, `llm` speaks in the values of `chat` and `models`, `terminal` in those of `edit_format`, `store` in those of
//! `chat` and `repo_map`; the others know level 1 alone.
//!
//! # The main job, in four pure steps
//!
//! ```text
//! reply --edit_format.parse--> Parsed { edits, problems }
//! edits + contents --apply::plan--> Plan { writes, failures }
//! failures + problems --apply::report--> text for the model
//! source --repo_map::tags--> tags --graph--> --rank--> --render--> map text
//! ```
//!
//! `session/turn.rs` is the loop: ask, parse, plan, write, check, commit, test, reflect or stop.
//!
//! # Invariants
//!
//! - Reading a reply never fails; it returns edits and problems.
//! - Nothing is written before the whole reply has been planned; a plan is a value and can be shown.
//! - An edit lands at the one place it can mean, or it is refused. It never moves to another file than the one it names.
//! - Level 2 only computes: no files, clock, environment, network, printing (clippy's `disallowed_*`, see `.clippy.toml`).
//! - Level 3 modules do not use each other; `session` joins them.
//! - Only `terminal` prints. Only `git` runs git. Only `files` writes the user's files.
//! - Ranking and rendering give the same bytes for the same input.
//! - No code asks what a model is called; it asks [`models::ModelSettings`].
//!
//! # Glossary
//!
//! - *chat file*: a file whose whole text the model sees and may edit; *read-only file*: one that it sees and may not edit.
//! - *edit*: one change that a reply asks for; *hunk*: one (old lines, new lines) pair of a modification.
//! - *ladder*, *rung*: the matchers from exact to lax, and one of them; the strategy of an edit is the rung that placed it.
//! - *plan*: what a reply would do to the files; *staged*: planned, but held back because another edit of the reply failed.
//! - *turn*: one user message until done, with all its *reflections* (requests that hand a failure back).
//! - *journal*: the record of every turn's file changes, before and after; what `/undo` walks.
//! - *conventions*, *rules*: what the user and the project ask of whoever works on it (`AGENTS.md`).
//! - *trust*: the user's yes to the project's own rules, kept for each project.
//! - *seat*: a model with what is known about it. *Weak model*: the cheap one, for commit messages and summaries; *editor
//!   model*: carries out an architect's plan; *fallback*: is asked when the main one fails for good.
//! - *sandbox*: what linters, tests and suggested commands run in; they read everything and write where they may.
//! - *attachment*: a picture or PDF file in the chat; *page*: the text of a web page that the user named.
//! - *compaction*: a summary takes the place of old turns; *pinned*: a turn that keeps its words.
//! - *fitting*: making a request small enough for the model's window before it is sent; *continuation*: the rest of a reply
//!   that was cut.
//!
//! # To add a ...
//!
//! | to add | write | one row in | cases |
//! |---|---|---|---|
//! | edit format | `src/edit_format/<name>.rs`, `src/edit_format/prompts/<name>.md` | `EDIT_FORMATS` in `edit_format/mod.rs` | `fixtures/edit_format/<name>/` |
//! | matcher (a laxer way to find old lines) | `src/apply/matchers/<name>.rs` | `LADDER` in `apply/ladder.rs` | `fixtures/apply/` |
//! | language | `queries/<name>/tags.scm`, the grammar in `Cargo.toml` | `LANGUAGES` in `languages/table.rs` | `fixtures/languages/<name>/` |
//! | model, or provider with a known protocol | - | `model-settings.toml` | - |
//! | protocol | `src/llm/<api>.rs` | `APIS` in `llm/mod.rs` | `fixtures/llm/<api>/` |
//! | mode (what a reply is taken for) | `src/chat/prompts/<name>.md` | `MODES` in `chat/modes.rs` | `fixtures/session/` |
//! | setting (flag, variable and key at once) | the place that heeds it | `settings!` in `cli/settings.rs` | - |
//! | test runner | `src/test_report/<name>.rs` | `RUNNERS` in `test_report/mod.rs` | `fixtures/test_report/<name>/` |
//! | slash command | `src/commands/<name>.rs` | `COMMANDS` in `commands/mod.rs` | `fixtures/session/` |

// 1 base
pub mod text;
pub mod tokens;

// 2 values only
pub mod apply;
pub mod chat;
pub mod commit_message;
pub mod edit_format;
pub mod languages;
pub mod lint;
pub mod models;
pub mod policy;
pub mod repo_map;
pub mod test_report;

// 3 the outside
pub mod files;
pub mod git;
pub mod llm;
pub mod shell;
pub mod store;
pub mod terminal;
pub mod web;

// 4 joins everything below
pub mod session;

// 5 what the user touches
pub mod cli;
pub mod commands;
pub mod repl;
