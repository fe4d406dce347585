//! How fast a reply gets onto the screen: reading it for edits, markdown, colours, all that happens between the arrival of a
//! piece and the write to the terminal. A reply of 1 MB in pieces of four characters, as models send them.

#![allow(missing_docs)] // criterion's macros make public functions

use std::hint::black_box;
use std::io;

use codriver::edit_format;
use codriver::edit_format::Hints;
use codriver::edit_format::ReplyReader;
use codriver::terminal::Event;
use codriver::terminal::Ui;
use codriver::terminal::console::Console;
use codriver::terminal::console::Options;
use codriver::terminal::input::Answered;
use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::Throughput;
use criterion::criterion_group;
use criterion::criterion_main;

const BYTES: usize = 1 << 20;

/// Text with lists, code and emphasis.
fn prose(nth: usize) -> String {
    format!(
        "## Stage {nth}\n\nThe **split** of stage `{nth}` is read twice; the second reading loses the crew.\n\n\
         - first the road, then the time\n- see `src/road.rs` and *all* the rest of it\n\n\
         ```rust\nlet split = crew.split({nth});\n```\n\n"
    )
}

/// A SEARCH/REPLACE block.
fn block(nth: usize) -> String {
    let line = |n: usize, word: &str| format!("    let {word}_{n} = crew.split({n}) + road.length({nth});\n");
    let old: String = (0..12).map(|n| line(n, "split")).collect();
    let new: String = (0..12)
        .map(|n| line(n, if n % 4 == 0 { "time" } else { "split" }))
        .collect();
    format!("src/road.rs\n```rust\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n\n")
}

fn repeated(piece: fn(usize) -> String) -> String {
    let mut text = String::new();
    for nth in 0.. {
        if text.len() >= BYTES {
            break;
        }
        text.push_str(&piece(nth));
    }
    text
}

/// The pieces of a reply; all of it is ASCII.
fn pieces(reply: &str) -> Vec<&str> {
    (0..reply.len())
        .step_by(4)
        .map(|at| &reply[at..(at + 4).min(reply.len())])
        .collect()
}

fn show(pieces: &[&str]) {
    let options = Options {
        colour: true,
        live: true,
        ..Options::default()
    };
    let mut console = Console::with_streams(
        options,
        Box::new(io::sink()),
        Box::new(io::sink()),
        Box::new(|_| Answered::Ended),
    );
    let hints = Hints {
        chat_files: vec!["src/road.rs".to_owned()],
        ..Hints::default()
    };
    let format = edit_format::by_name("diff").expect("the format is in the table");
    let mut reader = ReplyReader::new(format, hints);
    for piece in pieces {
        let lines = reader.push(piece);
        console.show(Event::Reply {
            text: (*piece).to_owned(),
            lines,
            under_way: reader.under_way(),
        });
    }
}

fn render(c: &mut Criterion) {
    let mut group = c.benchmark_group("render");
    group.sample_size(10);
    let long_line = "word ".repeat(BYTES / 5);
    for (name, reply) in [
        ("prose", repeated(prose)),
        ("blocks", repeated(block)),
        ("one long line", long_line),
    ] {
        let pieces = pieces(&reply);
        group.throughput(Throughput::Bytes(reply.len() as u64));
        group.bench_function(BenchmarkId::new(name, "1 MB"), |b| b.iter(|| show(black_box(&pieces))));
    }
    group.finish();
}

criterion_group!(benches, render);
criterion_main!(benches);
