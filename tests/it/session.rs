//! Whole sessions: real files, real git, real commands; only the model and the user are scripted.
//!
//! `fixtures/session/<case>/`: `repo/` (the tree at the start), `script.toml` (what the user types, what the model answers),
//! `transcript.txt` (what happened), `expected/` (the tree at the end, missing when it is as at the start) and, with git,
//! `log.txt` (the commits, newest first, and what is uncommitted).

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use codriver::files::Root;
use codriver::git::Repo;
use codriver::llm::scripted::ScriptedModel;
use codriver::llm::scripted::ScriptedReply;
use codriver::models::Catalog;
use codriver::models::ModelSettings;
use codriver::models::Prices;
use codriver::repl;
use codriver::session::Connected;
use codriver::session::Interrupt;
use codriver::session::Limits;
use codriver::session::Options;
use codriver::session::Parts;
use codriver::session::Pings;
use codriver::session::Seat;
use codriver::session::Session;
use codriver::shell::sandbox;
use codriver::shell::sandbox::Strength;
use codriver::store::state_dir::Dirs;
use codriver::terminal::Answer;
use codriver::terminal::Event;
use codriver::terminal::scripted::CTRL_C;
use codriver::terminal::scripted::Record;
use codriver::terminal::scripted::Scripted;
use serde::Deserialize;

use crate::support;
use crate::support::repo::TestRepo;

/// `script.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    /// What rule the case shows.
    about: String,
    #[serde(default = "yes")]
    git: bool,
    /// Files of the chat at the start.
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    read_only: Vec<String>,
    /// Lines the user types: messages and commands. `!!sh: SCRIPT` is not typed but done behind codriver's back;
    /// `!!rest` is a pause in which all that waits for one gets done.
    say: Vec<String>,
    #[serde(default)]
    answers: Vec<String>,
    #[serde(default)]
    replies: Vec<ScriptedReply>,
    /// Of the editor model; None: the main model carries plans out itself.
    editor_replies: Option<Vec<ScriptedReply>>,
    /// What the user saves when a text is opened in their editor.
    #[serde(default)]
    edits: Vec<String>,
    /// The architect's plans are carried out without asking.
    #[serde(default)]
    accept_plans: bool,
    /// There is no model at all.
    #[serde(default)]
    no_model: bool,
    /// Commit messages of the weak model.
    #[serde(default)]
    commit_messages: Vec<String>,
    /// What else the weak model answers, after those.
    #[serde(default)]
    weak_replies: Vec<ScriptedReply>,
    /// Milliseconds between two characters of the weak model.
    #[serde(default)]
    weak_pace: u64,
    /// Tokens that the models take.
    #[serde(default)]
    window: Option<u32>,
    /// Tokens that a reply may have.
    #[serde(default)]
    max_output: Option<u32>,
    #[serde(default)]
    prefill: bool,
    #[serde(default)]
    vision: bool,
    #[serde(default)]
    prompt_cache: bool,
    /// Pings that keep the cache alive, one a millisecond.
    #[serde(default)]
    pings: usize,
    /// Dollars a million tokens: input, output.
    #[serde(default)]
    price: Option<(f64, f64)>,
    #[serde(default)]
    history_tokens: Option<usize>,
    #[serde(default)]
    map_tokens: Option<usize>,
    #[serde(default)]
    lint: Option<String>,
    #[serde(default)]
    test: Option<String>,
    #[serde(default)]
    test_baseline: bool,
    #[serde(default)]
    max_reflections: Option<usize>,
    #[serde(default)]
    max_requests: Option<usize>,
    #[serde(default)]
    max_cost: Option<f64>,
    /// Milliseconds.
    #[serde(default)]
    max_time: Option<u64>,
    #[serde(default)]
    auto_commits: Option<bool>,
    #[serde(default)]
    dry_run: bool,
    #[serde(default)]
    format: Option<String>,
    /// Run in the folder after the first commit, to make files dirty or staged.
    #[serde(default)]
    setup: Option<String>,
    /// Shows the requests in the transcript (their last message).
    #[serde(default)]
    show_requests: bool,
    /// Shows what each request's system message says from this text on.
    #[serde(default)]
    show_system_from: Option<String>,
    /// Shows what stands above each question.
    #[serde(default)]
    show_details: bool,
    /// Rule files that the user named.
    #[serde(default)]
    conventions: Vec<String>,
    /// The project's own rules count without asking.
    #[serde(default)]
    trust: bool,
    /// Whether commands run in a sandbox; a case that wants one is left out where the system has none. None: where it has.
    #[serde(default)]
    sandbox: Option<bool>,
    /// Folder below the root that the user starts in.
    #[serde(default)]
    cwd: String,
}

fn yes() -> bool {
    true
}

#[test]
fn sessions_play_as_recorded() {
    support::check_all("session", check);
}

fn check(case: &Path) -> Result<(), String> {
    let script: Script = toml::from_str(&fs::read_to_string(case.join("script.toml")).map_err(|e| e.to_string())?)
        .map_err(|error| error.to_string())?;
    assert!(!script.about.is_empty());
    if script.sandbox == Some(true) && sandbox::strength() < Strength::WritesAndNetwork {
        support::left_out(&format!("{}: no Landlock with network here", case.display()));
        return Ok(());
    }
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let repo = script.git.then(TestRepo::new);
    let root = match &repo {
        Some(repo) => repo.root().to_path_buf(),
        None => folder.path().canonicalize().map_err(|e| e.to_string())?,
    };
    support::copy_tree(&case.join("repo"), &root);
    if let Some(repo) = &repo {
        repo.commit("Start");
    }
    if let Some(setup) = &script.setup {
        sh(setup, &root);
    }
    let state = tempfile::tempdir().map_err(|e| e.to_string())?;
    let transcript = play(&script, &root, state.path());
    let mut results = vec![support::expect_file(&case.join("transcript.txt"), &transcript)];
    results.push(expect_tree(&case.join("expected"), &case.join("repo"), &root));
    if let Some(repo) = &repo {
        let commits = repo.git(&["log", "--format=* %s", "--name-status"]);
        let log = format!("{commits}\n{}", repo.git(&["status", "--porcelain"]));
        results.push(support::expect_file(&case.join("log.txt"), &log));
    }
    let failed: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\n"))
    }
}

/// Does something in the folder that codriver does not know of.
fn sh(script: &str, root: &Path) {
    let status = std::process::Command::new("sh")
        .arg("-ec")
        .arg(script)
        .current_dir(root)
        .status()
        .expect("sh runs");
    assert!(status.success(), "`{script}` failed");
}

/// A session with its scripted ends.
pub(crate) struct Stage {
    pub(crate) session: Session,
    pub(crate) main: Arc<ScriptedModel>,
    pub(crate) weak: Arc<ScriptedModel>,
    pub(crate) editor: Option<Arc<ScriptedModel>>,
    pub(crate) record: Arc<Mutex<Record>>,
}

/// Opens the session of a script in a folder.
pub(crate) fn open(script: &Script, root: &Path, state: &Path) -> Stage {
    let main = Arc::new(ScriptedModel::from_replies(script.replies.clone()));
    let mut weak_replies: Vec<ScriptedReply> = script.commit_messages.iter().map(ScriptedReply::text).collect();
    weak_replies.extend(script.weak_replies.iter().cloned());
    let weak = ScriptedModel::from_replies(weak_replies);
    let weak = Arc::new(match script.weak_pace {
        0 => weak,
        pace => weak.paced(1, Duration::from_millis(pace)),
    });
    let editor = script
        .editor_replies
        .clone()
        .map(ScriptedModel::from_replies)
        .map(Arc::new);
    let settings = ModelSettings {
        // The last message of a request is what the case wants to see.
        reminder: false,
        context_window: script.window,
        max_output: script.max_output,
        prefill: script.prefill,
        vision: script.vision,
        prompt_cache: script.prompt_cache,
        // Models on the user's own machine cost nothing.
        local: script.price.is_none(),
        prices: script.price.map(|(input, output)| Prices {
            input,
            output,
            ..Prices::default()
        }),
        ..Catalog::builtin().resolve("scripted/test").expect("any name resolves")
    };
    let ui = Scripted::new(script.answers.iter().map(|answer| match answer.as_str() {
        "yes" => Answer::Yes,
        "no" => Answer::No,
        "ctrl-c" => CTRL_C,
        key => Answer::Choice(key.chars().next().expect("an answer is not empty")),
    }))
    .editing(script.edits.clone());
    let record = ui.record();
    let root = Root::new(root).expect("the folder exists");
    let mut session = Session::new(Parts {
        cwd: root.path().join(&script.cwd),
        git: Repo::discover(root.path()).expect("a readable repository"),
        root,
        dirs: Dirs {
            state: state.join("state"),
            cache: state.join("cache"),
            config: state.join("config"),
        },
        models: (!script.no_model).then(|| Connected {
            main: Seat {
                model: Arc::<ScriptedModel>::clone(&main),
                settings: settings.clone(),
            },
            weak: Some(Seat {
                model: Arc::<ScriptedModel>::clone(&weak),
                settings: settings.clone(),
            }),
            editor: editor.clone().map(|editor| Seat {
                model: editor,
                settings: ModelSettings {
                    name: "scripted/editor".to_owned(),
                    ..settings.clone()
                },
            }),
            format: codriver::edit_format::by_name(script.format.as_deref().unwrap_or("diff")).expect("a known format"),
        }),
        connect: Box::new(|name, _| connect(name)),
        options: Options {
            lint_commands: script.lint.iter().map(|command| (None, command.clone())).collect(),
            auto_test: script.test.is_some(),
            test_baseline: script.test_baseline,
            test_command: script.test.clone(),
            history_tokens: script.history_tokens,
            pings: Pings {
                most: script.pings,
                every: Duration::from_millis(1),
            },
            map_tokens: script.map_tokens.unwrap_or(1024),
            max_reflections: script.max_reflections.unwrap_or(3),
            limits: Limits {
                max_requests: script.max_requests,
                max_cost: script.max_cost,
                max_time: script.max_time.map(Duration::from_millis),
            },
            auto_commits: script.auto_commits.unwrap_or(true),
            dry_run: script.dry_run,
            print_diffs: true,
            sandbox: script.sandbox.unwrap_or(sandbox::strength() > Strength::Nothing),
            command_limit: Duration::from_secs(60),
            conventions: script.conventions.iter().map(PathBuf::from).collect(),
            trust: script.trust,
            accept_plans: script.accept_plans,
            settings: "model  scripted/test  default\nstream  true  default\n".to_owned(),
            ..Options::default()
        },
        subtree: String::new(),
        ui: Box::new(ui),
        interrupt: Interrupt::default(),
    })
    .expect("a session opens");
    for file in &script.files {
        session.add(file).expect("add works");
    }
    for file in &script.read_only {
        session.add_read_only(file).expect("add works");
    }
    Stage {
        session,
        main,
        weak,
        editor,
        record,
    }
}

fn play(script: &Script, root: &Path, state: &Path) -> String {
    let Stage {
        mut session,
        main,
        weak: _,
        editor,
        record,
    } = open(script, root, state);
    let shown_root = session.root().to_string_lossy().into_owned();
    let mut transcript = String::new();
    let mut shown = 0;
    for line in &script.say {
        transcript.push_str(&format!("> {line}\n"));
        if line == "!!rest" {
            session.rest();
            session.wake(true);
            transcript.push_str(&render(&record.lock().expect("no panic"), &mut shown));
            continue;
        }
        if let Some(behind) = line.strip_prefix("!!sh: ") {
            sh(behind, session.root());
            continue;
        }
        let obeyed = repl::obey(&mut session, line);
        let record = record.lock().expect("no panic");
        transcript.push_str(&render(&record, &mut shown));
        transcript.push_str(&format!("= {obeyed:?}\n"));
    }
    if script.show_requests {
        let of_editor = editor.iter().flat_map(|editor| editor.requests());
        for (idx, request) in main.requests().into_iter().chain(of_editor).enumerate() {
            let last = request
                .messages
                .last()
                .map(codriver::chat::message::Message::text)
                .unwrap_or_default();
            transcript.push_str(&format!("--- request {} ends with\n{}\n", idx + 1, last.trim_end()));
        }
    }
    if let Some(from) = &script.show_system_from {
        for (idx, request) in main.requests().iter().enumerate() {
            let text = request.messages[0].text();
            let shown = text.find(from).map_or("(not said)", |at| &text[at..]);
            transcript.push_str(&format!(
                "--- request {} has in its system message\n{}\n",
                idx + 1,
                shown.trim_end()
            ));
        }
    }
    let questions = &record.lock().expect("no panic").questions;
    for (question, answer) in questions {
        transcript.push_str(&format!("--- asked: {} {answer:?}\n", question.text));
        if script.show_details {
            transcript.push_str(&indent(&question.detail));
        }
    }
    mask(&transcript.replace(&shown_root, "ROOT"))
}

/// `scripted/NAME` can be had and says nothing; no other model can.
fn connect(name: &str) -> anyhow::Result<Connected> {
    anyhow::ensure!(name.starts_with("scripted/"), "no model `{name}`");
    Ok(Connected {
        main: Seat {
            model: Arc::new(ScriptedModel::from_replies(Vec::new())),
            settings: Catalog::builtin().resolve(name)?,
        },
        weak: None,
        editor: None,
        format: codriver::edit_format::by_name("diff").expect("a known format"),
    })
}

/// Commit ids differ from run to run.
fn mask(text: &str) -> String {
    let id = regex::Regex::new(r"\b[0-9a-f]{7}(?:[0-9a-f]{33})?\b").expect("the pattern is right");
    id.replace_all(text, "COMMIT").into_owned()
}

fn render(record: &Record, shown: &mut usize) -> String {
    let mut text = String::new();
    for event in &record.events[*shown..] {
        let line = match event {
            Event::Text(_)
            | Event::Reply { .. }
            | Event::Reasoning(_)
            | Event::Usage { .. }
            | Event::Map { .. }
            | Event::Output(_) => continue,
            Event::Session { .. } => "session".to_owned(),
            Event::Request { number, model, .. } if model == "scripted/editor" => {
                format!("request {number} to {model}")
            }
            Event::Request { number, .. } => format!("request {number}"),
            Event::ReplyEnd { finish } => format!("reply ({finish})"),
            Event::Edit {
                path,
                kind,
                state,
                strategy,
                line,
                detail,
            } => {
                let line = line.map(|line| format!(" at line {line}")).unwrap_or_default();
                format!("edit {path} {kind} {state} {strategy}{line} {detail}")
            }
            Event::Diff(diff) => format!("diff\n{}", indent(diff)),
            Event::Command { purpose, command, .. } => format!("{purpose}: {command}"),
            Event::Lint { path, passed, .. } => format!("lint {path} {}", if *passed { "clean" } else { "red" }),
            Event::Test { passed, summary, .. } => format!("test {} {summary}", if *passed { "green" } else { "red" }),
            Event::Commit { message, paths, .. } => format!("commit {} [{}]", first_line(message), paths.join(", ")),
            Event::Undo { text } => format!("undo {text}"),
            Event::Note(text) => format!("note {text}"),
            Event::Warning(text) => format!("warning {text}"),
            Event::Error { message, hint } => format!("error {message} | {}", hint.as_deref().unwrap_or("")),
            Event::Print(text) => format!("print\n{}", indent(text)),
            Event::Waiting { reason, .. } => format!("waiting {reason}"),
            Event::Done { .. } => continue,
        };
        text.push_str(line.trim_end());
        text.push('\n');
    }
    *shown = record.events.len();
    text
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

fn indent(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {line}").trim_end().to_owned() + "\n")
        .collect()
}

/// The tree at the end against `expected/`, or against the start when there is none.
fn expect_tree(expected: &Path, start: &Path, actual: &Path) -> Result<(), String> {
    let found: Vec<(String, Vec<u8>)> = support::tree(actual)
        .into_iter()
        .filter(|(name, _)| !name.starts_with(".git/"))
        .collect();
    let wanted = if expected.exists() {
        support::tree(expected)
    } else {
        support::tree(start)
    };
    if found == wanted {
        return Ok(());
    }
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        let _ = fs::remove_dir_all(expected);
        for (name, bytes) in &found {
            let path = expected.join(name);
            fs::create_dir_all(path.parent().expect("it has a folder")).map_err(|e| e.to_string())?;
            fs::write(path, bytes).map_err(|e| e.to_string())?;
        }
        return Ok(());
    }
    let names = |tree: &[(String, Vec<u8>)]| {
        tree.iter()
            .map(|(name, bytes)| format!("== {name}\n{}\n", String::from_utf8_lossy(bytes)))
            .collect::<String>()
    };
    Err(format!(
        "the tree differs:\n{}",
        support::line_diff(&names(&wanted), &names(&found))
    ))
}
