//! The whole map of made-up repositories of growing size, from the files on disk to the text: read for the first time, in a new
//! process, after a change, and for one more message. `CODRIVER_BENCH_FILES=1000,50000` chooses the sizes.

#[path = "../tests/it/support/made_up.rs"]
mod made_up;

use std::hint::black_box;
use std::path::Path;

use codriver::session::map::{MapRequest, MapService, MapSource};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tokio_util::sync::CancellationToken;

/// A larger project is not read from nothing again and again: that would take minutes.
const MOST_COLD: usize = 10_000;

fn service(root: &Path, cache: &Path) -> MapService {
    MapService::new(MapSource {
        root: root.to_path_buf(),
        cache_dir: Some(cache.to_path_buf()),
        subtree: String::new(),
    })
}

fn map(service: &mut MapService, message: &str) {
    let request = MapRequest {
        chat_files: Vec::new(),
        message: message.to_string(),
        tokens: 1024,
    };
    let map = service
        .map(&request, &CancellationToken::new())
        .expect("the project can be read");
    assert!(map.files > 0);
    black_box(map);
}

fn growth(c: &mut Criterion) {
    let sizes = std::env::var("CODRIVER_BENCH_FILES").unwrap_or_else(|_| "1000,10000,50000".to_string());
    let mut group = c.benchmark_group("growth");
    group.sample_size(10);
    for files in sizes.split(',').filter_map(|size| size.trim().parse::<usize>().ok()) {
        let (root, cache) = (folder(), folder());
        made_up::lay_out(root.path(), files);
        group.throughput(Throughput::Elements(files as u64));
        if files <= MOST_COLD {
            group.bench_function(BenchmarkId::new("cold", files), |b| {
                b.iter_batched(
                    folder,
                    |cache| {
                        map(&mut service(root.path(), cache.path()), "merge the ledger");
                        cache
                    },
                    BatchSize::PerIteration,
                );
            });
        }
        let mut first = service(root.path(), cache.path());
        map(&mut first, "merge the ledger");
        first.save();
        group.bench_function(BenchmarkId::new("new process", files), |b| {
            b.iter(|| map(&mut service(root.path(), cache.path()), "update the report of a device"));
        });
        group.bench_function(BenchmarkId::new("same process", files), |b| {
            b.iter(|| map(&mut first, "update the report of a device"));
        });
        let (path, text) = made_up::files(files).nth(files / 2).expect("there are files");
        let mut n = 0;
        group.bench_function(BenchmarkId::new("one file changed", files), |b| {
            b.iter_batched(
                || {
                    n += 1;
                    std::fs::write(root.path().join(&path), format!("{text}\n# {n}\n")).expect("the file is written");
                },
                |()| map(&mut service(root.path(), cache.path()), "merge the ledger"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

criterion_group!(benches, growth);
criterion_main!(benches);
