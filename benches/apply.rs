//! Reading and placing: 1,000 blocks on a file of 1 MB, blocks that overlap each other, a block that is nowhere in 50,000
//! lines, and how all that grows.

#![allow(missing_docs)] // criterion's macros make public functions

use std::hint::black_box;

use codriver::apply;
use codriver::apply::Content;
use codriver::apply::Contents;
use codriver::apply::Plan;
use codriver::edit_format;
use codriver::edit_format::Hints;
use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;

const PATH: &str = "src/road.rs";

/// A text with repeats, as source has them: 40 bytes a line on average.
fn source(n_lines: usize) -> Vec<String> {
    (0..n_lines)
        .map(|n| match n % 10 {
            0 => format!("pub fn stage_{n}(crew: &Crew, road: &Road) -> Time {{"),
            3 => "    let now = clock.now();".to_owned(),
            5 => String::new(),
            8 => "    }".to_owned(),
            9 => "}".to_owned(),
            k => format!("    let split_{n} = crew.split({k}) + road.length({n});"),
        })
        .collect()
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A reply of blocks of six lines all over the file, out of order and clear of each other, each with one line more.
fn reply(lines: &[String], n_blocks: usize) -> String {
    let mut out = String::new();
    for block in 0..n_blocks {
        // 7919 is a prime: each block has a place of its own.
        let at = (block * 7919) % n_blocks * (lines.len() / n_blocks);
        let old = text(&lines[at..at + 6]);
        let new = text(&lines[at..at + 3]) + &format!("    note({block});\n") + &text(&lines[at + 3..at + 6]);
        out.push_str(&format!(
            "{PATH}\n```rust\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n\n"
        ));
    }
    out
}

fn plan(reply: &str, contents: &Contents) -> Plan {
    let hints = Hints {
        chat_files: vec![PATH.to_owned()],
        known_files: vec![PATH.to_owned()],
        ..Hints::default()
    };
    let format = edit_format::by_name("diff").expect("the format is in the table");
    apply::plan(&format.parse(reply, &hints), &hints, contents)
}

fn contents(lines: &[String]) -> Contents {
    Contents::from([(PATH.to_owned(), Content::Text(text(lines)))])
}

fn parse_and_plan(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse and plan");
    group.sample_size(10);
    // 25,000 lines are 1 MB.
    for (n_lines, n_blocks) in [
        (25_000, 1_000),
        (25_000, 250),
        (25_000, 4_000),
        (6_250, 1_000),
        (100_000, 1_000),
    ] {
        let lines = source(n_lines);
        let (reply, contents) = (reply(&lines, n_blocks), contents(&lines));
        assert!(plan(&reply, &contents).is_complete());
        group.bench_function(
            BenchmarkId::new(format!("{n_blocks} blocks"), format!("{n_lines} lines")),
            |b| {
                b.iter(|| plan(black_box(&reply), black_box(&contents)));
            },
        );
    }
    group.finish();
}

/// Blocks that overlap each other: each begins one line below another one, and five of its lines are that one's, too.
fn overlapping(c: &mut Criterion) {
    let mut group = c.benchmark_group("overlapping blocks");
    group.sample_size(10);
    for n_blocks in [1_000, 4_000] {
        let lines = source(n_blocks + 6);
        let (reply, contents) = (reply(&lines, n_blocks), contents(&lines));
        assert!(plan(&reply, &contents).is_complete());
        group.bench_function(BenchmarkId::from_parameter(n_blocks), |b| {
            b.iter(|| plan(black_box(&reply), black_box(&contents)));
        });
    }
    group.finish();
}

fn nowhere(c: &mut Criterion) {
    let mut group = c.benchmark_group("300 lines that are nowhere");
    group.sample_size(10);
    let strange: Vec<String> = (0..300)
        .map(|n| format!("    walk({n}, &mut somewhere_else);"))
        .collect();
    let like: Vec<String> = source(300).iter().map(|line| line.replace("split", "spilt")).collect();
    for (name, old) in [("unlike", strange), ("alike", like)] {
        let reply = format!(
            "{PATH}\n```\n<<<<<<< SEARCH\n{}=======\nx\n>>>>>>> REPLACE\n```\n",
            text(&old)
        );
        for n_lines in [12_500, 50_000] {
            let contents = contents(&source(n_lines));
            assert_eq!(plan(&reply, &contents).failures.len(), 1);
            group.bench_function(BenchmarkId::new(name, format!("{n_lines} lines")), |b| {
                b.iter(|| plan(black_box(&reply), black_box(&contents)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, parse_and_plan, overlapping, nowhere);
criterion_main!(benches);
