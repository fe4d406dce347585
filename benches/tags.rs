//! How fast tags are read: parse and query of one thread, by language. `CODRIVER_BENCH_DIR=/some/repository` reads real code
//! in place of the samples of the tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, hint};

use codriver::languages::{self, Language};
use codriver::repo_map::tags::{Limits, definitions, identifiers, tags};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Enough text of a language for a steady figure.
const ENOUGH: usize = 4 << 20;

fn benchmark(criterion: &mut Criterion) {
    let texts = texts();
    let mut group = criterion.benchmark_group("tags");
    group.sample_size(10);
    for (name, files) in &texts {
        let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
        group.throughput(Throughput::Bytes(bytes as u64));
        for (what, read) in [("", tags as fn(&_, &_, &_) -> _), (" definitions", definitions)] {
            group.bench_function(format!("{name}{what}"), |bencher| {
                bencher.iter(|| {
                    for (language, text) in files {
                        let _ = hint::black_box(read(language, text, &Limits::default()));
                    }
                });
            });
        }
    }
    group.finish();

    let all: Vec<&String> = texts.values().flatten().map(|(_, text)| text).collect();
    let mut group = criterion.benchmark_group("identifiers");
    group.throughput(Throughput::Bytes(all.iter().map(|text| text.len() as u64).sum()));
    group.bench_function("all", |bencher| {
        bencher.iter(|| {
            for text in &all {
                hint::black_box(identifiers(text));
            }
        });
    });
    group.finish();
}

type Texts = BTreeMap<&'static str, Vec<(&'static Language, String)>>;

fn texts() -> Texts {
    let dir = std::env::var_os("CODRIVER_BENCH_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/languages"),
        PathBuf::from,
    );
    let mut texts = Texts::new();
    collect(&dir, &mut texts);
    texts
}

fn collect(dir: &Path, texts: &mut Texts) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            collect(&path, texts);
        } else if let Some(language) = languages::by_path(&path.to_string_lossy())
            && let Ok(text) = fs::read_to_string(&path)
        {
            let files = texts.entry(language.name).or_default();
            if files.iter().map(|(_, text)| text.len()).sum::<usize>() < ENOUGH {
                files.push((language, text));
            }
        }
    }
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
