//! Ranking and rendering on made-up projects of growing size: the graph, and a whole map for a request with a file in the chat.

use std::hint::black_box;
use std::sync::Arc;

use codriver::repo_map::corpus::{Corpus, Entry, Record};
use codriver::repo_map::facts::Facts;
use codriver::repo_map::graph::Graph;
use codriver::repo_map::history::History;
use codriver::repo_map::tags::{self, Limits};
use codriver::repo_map::words::Query;
use codriver::repo_map::{self, Ask, ChatFile};
use codriver::{languages, tokens};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

/// Distinct files; larger projects repeat them under other paths with other names in them.
const DISTINCT: usize = 500;

fn text(n: usize) -> String {
    (0..20)
        .map(|j| {
            let (call, width) = ((n * 31 + j * 17) % DISTINCT, j % 6);
            format!(
                "class Worker{n}x{j}(Base{call}):\n    def handle_job_{n}_{j}(self, queue, retries={width}):\n        return step_{call}_{j}(queue, retries)\n\n\ndef step_{n}_{j}(queue, retries):\n{}    return queue\n\n\n",
                "    queue.push(retries)\n".repeat(width)
            )
        })
        .collect()
}

fn facts(text: &str) -> Facts {
    let language = languages::by_path("a.py").expect("Python is a language");
    let tags = tags::tags(language, text, &Limits::default()).expect("the text is plain");
    Facts::of_source(text, &tags, tokens::count)
}

fn corpus(files: usize) -> Corpus {
    let records: Vec<_> = (0..DISTINCT).map(|n| facts(&text(n)).encode()).collect();
    let entries = (0..files).map(|n| Entry {
        path: Arc::from(format!("app/part{}/module{n}.py", n % 97)),
        path_tokens: 8,
        record: Record::whole(records[n % DISTINCT].clone()),
    });
    Corpus::new(entries.collect())
}

fn ask() -> Ask {
    Ask {
        chat: vec![ChatFile {
            path: "app/part3/module3.py".into(),
            text: text(3),
        }],
        query: Query::new("a job that failed must be handled again by the same worker, at most three retries"),
        tokens: 1024,
    }
}

fn map(c: &mut Criterion) {
    let history = History::default();
    let mut group = c.benchmark_group("map");
    group.sample_size(10);
    for files in [1_000, 10_000, 50_000] {
        let corpus = corpus(files);
        let graph = Graph::new(&corpus);
        let ask = ask();
        group.bench_function(BenchmarkId::new("graph", files), |b| {
            b.iter(|| Graph::new(black_box(&corpus)))
        });
        group.bench_function(BenchmarkId::new("request", files), |b| {
            b.iter(|| repo_map::map(&corpus, &history, Some(&graph), black_box(&ask), &|_, _| Vec::new()));
        });
    }
    let sample = text(1);
    group.bench_function("facts of a file", |b| b.iter(|| facts(black_box(&sample))));
    group.finish();
}

criterion_group!(benches, map);
criterion_main!(benches);
