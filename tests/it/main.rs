//! One test program: each area has a module, `support` holds what they share. Fixtures are folders of plain files;
//! `UPDATE_FIXTURES=1` writes expected files that are missing or differ (read the diff before committing it).

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod apply;
mod apply_command;
mod cli;
mod commit_message;
mod context;
mod edit_format;
mod edit_matrix;
mod files;
mod git;
mod journal;
mod keys;
mod languages;
mod layering;
mod lint;
mod llm;
mod map;
mod models;
mod one_shot;
mod prompts;
mod repl;
mod sandbox;
mod session;
mod shell;
mod support;
mod tables;
mod test_report;
mod web;
