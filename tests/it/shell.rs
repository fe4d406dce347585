//! Real processes: limits, groups, output.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use std::time::Instant;

use codriver::shell;
use codriver::shell::End;
use codriver::shell::Job;
use codriver::shell::Outcome;
use codriver::shell::Sandbox;
use tokio_util::sync::CancellationToken;

fn job(script: &str, dir: &Path) -> Job {
    Job {
        script: script.to_string(),
        dir: dir.to_path_buf(),
        env: BTreeMap::new(),
        time_limit: Duration::from_secs(60),
        output_limit: 64 * 1024,
        sandbox: IN_A_SANDBOX.get().then(|| Sandbox {
            writable: vec![std::env::temp_dir()],
            network: false,
        }),
    }
}

thread_local! {
    /// Whether the jobs of this test run in a sandbox.
    static IN_A_SANDBOX: Cell<bool> = const { Cell::new(false) };
}

#[test]
fn all_of_this_holds_in_a_sandbox_too() {
    IN_A_SANDBOX.set(true);
    both_outputs_come_in_order_and_the_code_is_kept();
    the_folder_is_the_one_asked_for_and_rc_files_have_no_effect();
    a_script_of_many_lines_is_one_script();
    there_is_no_input_and_no_terminal();
    variables_are_set_and_taken_away();
    a_command_that_never_ends_is_stopped_with_its_children();
    #[cfg(target_os = "linux")]
    a_child_in_a_session_of_its_own_is_stopped_too();
    cancelling_stops_at_once();
    a_command_cancelled_before_its_start_does_not_start();
    what_a_finished_command_left_in_the_background_is_ended();
    a_signal_is_told_apart_from_a_code();
    huge_output_is_cut_and_the_failure_in_its_middle_kept();
    colours_and_progress_bars_are_gone();
    a_folder_that_is_not_there_is_named();
    runs_within_an_async_program();
}

fn run(script: &str) -> Outcome {
    let dir = tempfile::tempdir().unwrap();
    run_job(&job(script, dir.path()))
}

fn run_job(job: &Job) -> Outcome {
    shell::run(job, &CancellationToken::new(), &mut |_| {}).unwrap()
}

#[test]
fn both_outputs_come_in_order_and_the_code_is_kept() {
    let outcome = run("echo one; echo two >&2; echo three; exit 3");
    assert_eq!(outcome.output, "one\ntwo\nthree\n");
    assert_eq!(outcome.end, End::Exit(3));
    assert!(!outcome.succeeded());
    assert!(run("true").succeeded());
}

#[test]
fn the_folder_is_the_one_asked_for_and_rc_files_have_no_effect() {
    let dir = tempfile::tempdir().unwrap();
    let rc = dir.path().join("rc");
    std::fs::write(&rc, "cd /; echo from rc\n").unwrap();
    std::fs::write(dir.path().join(".bashrc"), "cd /; echo from rc\n").unwrap();
    let web = dir.path().join("web");
    std::fs::create_dir(&web).unwrap();
    let mut job = job("pwd -P", &web);
    job.env
        .insert("HOME".to_string(), Some(dir.path().display().to_string()));
    let outcome = run_job(&job);
    assert_eq!(
        outcome.output.trim_end(),
        web.canonicalize().unwrap().display().to_string()
    );
}

#[test]
fn a_script_of_many_lines_is_one_script() {
    let outcome = run("# a comment with 'one quote\ncat <<'END'\nx $HOME\n\"y\nEND\necho 'a\nb'\n");
    assert_eq!(outcome.output, "x $HOME\n\"y\na\nb\n");
}

#[test]
fn there_is_no_input_and_no_terminal() {
    let outcome = run("if read line; then echo got it; else echo none; fi; (: </dev/tty) 2>/dev/null || echo no tty");
    assert_eq!(outcome.output, "none\nno tty\n");
}

#[test]
fn variables_are_set_and_taken_away() {
    let dir = tempfile::tempdir().unwrap();
    let mut job = job("echo \"[$SET][${PATH:-gone}][$PAGER]\"", dir.path());
    job.env.insert("SET".to_string(), Some("yes".to_string()));
    job.env.insert("PATH".to_string(), None);
    let outcome = run_job(&job);
    // A shell without PATH uses one of its own, or none.
    assert!(outcome.output.starts_with("[yes]["), "{}", outcome.output);
    assert!(outcome.output.ends_with("[cat]\n"), "{}", outcome.output);
    assert!(!outcome.output.contains(&std::env::var("PATH").unwrap()));
}

#[test]
fn a_command_that_never_ends_is_stopped_with_its_children() {
    let dir = tempfile::tempdir().unwrap();
    let mut job = job(
        "echo started; (sleep 1000 & echo $! > child; wait) & sleep 1000",
        dir.path(),
    );
    job.time_limit = Duration::from_millis(1500);
    let outcome = run_job(&job);
    assert_eq!(outcome.end, End::TimedOut);
    assert_eq!(outcome.output, "started\n");
    assert_gone(dir.path());
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_in_a_session_of_its_own_is_stopped_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut job = job("setsid sh -c 'echo $$ > child; sleep 1000' & wait", dir.path());
    job.time_limit = Duration::from_millis(1500);
    assert_eq!(run_job(&job).end, End::TimedOut);
    assert_gone(dir.path());
}

#[test]
fn cancelling_stops_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("(sleep 1000 & echo $! > child; wait) & echo ready; wait", dir.path());
    let cancel = CancellationToken::new();
    let started = Instant::now();
    let token = cancel.clone();
    let child = dir.path().join("child");
    let outcome = shell::run(&job, &cancel, &mut |_| {
        // The child is known before it is stopped.
        while std::fs::read_to_string(&child).map_or(true, |text| text.is_empty()) {
            std::thread::yield_now();
        }
        token.cancel();
    })
    .unwrap();
    assert_eq!(outcome.end, End::Cancelled);
    assert_eq!(outcome.output, "ready\n");
    assert!(started.elapsed() < Duration::from_secs(30));
    assert_gone(dir.path());
}

#[test]
fn a_command_cancelled_before_its_start_does_not_start() {
    let dir = tempfile::tempdir().unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = shell::run(&job("touch started", dir.path()), &cancel, &mut |_| {}).unwrap();
    assert_eq!(outcome.end, End::Cancelled);
    assert!(!dir.path().join("started").exists());
}

#[test]
fn what_a_finished_command_left_in_the_background_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let outcome = run_job(&job("sleep 1000 & echo $! > child; echo done", dir.path()));
    assert_eq!((outcome.end, outcome.output.as_str()), (End::Exit(0), "done\n"));
    assert_gone(dir.path());
}

/// The process whose number stands in `child` is gone (or a zombie that its parent's heir has not reaped yet).
fn assert_gone(dir: &Path) {
    let pid = std::fs::read_to_string(dir.join("child")).unwrap();
    let stat = format!("/proc/{}/stat", pid.trim());
    for _ in 0..2000 {
        let state = std::fs::read_to_string(&stat).ok();
        match state.as_deref().and_then(|text| text.rsplit(')').next()) {
            None => return,
            Some(rest) if rest.trim_start().starts_with('Z') => return,
            Some(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    panic!("process {pid} is still there");
}

#[test]
fn a_signal_is_told_apart_from_a_code() {
    assert_eq!(run("kill -9 $$").end, End::Signal(9));
}

#[test]
fn huge_output_is_cut_and_the_failure_in_its_middle_kept() {
    let dir = tempfile::tempdir().unwrap();
    let job = job(
        "i=0; while [ $i -lt 30000 ]; do echo \"line $i of many\"; i=$((i+1)); \
         if [ $i = 15000 ]; then echo 'FAILED test_middle - AssertionError'; fi; done",
        dir.path(),
    );
    let mut seen = 0;
    let outcome = shell::run(&job, &CancellationToken::new(), &mut |text| seen += text.len()).unwrap();
    assert!(
        outcome.output.len() <= job.output_limit + 200,
        "{}",
        outcome.output.len()
    );
    assert!(outcome.output.contains("FAILED test_middle"));
    assert!(outcome.output.starts_with("line 0 of many\n"));
    assert!(outcome.output.ends_with("line 29999 of many\n"));
    assert!(outcome.dropped > 0);
    assert!(seen > 500_000, "what is shown is not cut");
}

#[test]
fn colours_and_progress_bars_are_gone() {
    let outcome = run(r"printf '\033[31mred\033[0m\n 10%%\r 99%%\r100%%\n\377\n'");
    assert_eq!(outcome.output, "red\n100%\n\u{fffd}\n");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let error = shell::run(
        &job("true", Path::new("/nowhere/at/all")),
        &CancellationToken::new(),
        &mut |_| {},
    )
    .unwrap_err();
    assert_eq!(error.to_string(), "failed to start `true` in `/nowhere/at/all`");
}

#[test]
fn runs_within_an_async_program() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let outcome = runtime.block_on(async { run("echo inside") });
    assert_eq!(outcome.output, "inside\n");
}
