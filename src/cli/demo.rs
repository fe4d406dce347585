//! `codriver demo`: plays a whole session on a small repository in a temporary folder. Only the model is scripted; files,
//! git and tests are real.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use anyhow::Result;
use anyhow::bail;

use crate::edit_format;
use crate::files::Root;
use crate::git::Repo;
use crate::llm::scripted::ScriptedModel;
use crate::llm::scripted::ScriptedReply;
use crate::models::Catalog;
use crate::repl;
use crate::session::Connected;
use crate::session::Interrupt;
use crate::session::Options;
use crate::session::Parts;
use crate::session::Seat;
use crate::session::Session;
use crate::store::state_dir::Dirs;
use crate::terminal::Event;
use crate::terminal::Ui;

/// What the user says in the demo.
const REQUEST: &str = "61.5 seconds are shown as 1:1.5, and ranking() forgets the penalties. Repair both.";

/// Said by the scripted model when its script has ended and the user goes on.
const BEYOND: &str = "I am only a script, and it has ended here. The commands work all the same: try `/ls`, `/map`, `/diff`, \
                      `/undo`, `/run git log --oneline`. With a model of your own I could go on.";

/// A sample project: its files, how it is tested, what the model answers.
struct Sample {
    /// The program that must be there to test it.
    needs: &'static str,
    test: &'static str,
    /// The file that is taken into the chat.
    edited: &'static str,
    files: &'static [(&'static str, &'static str)],
    replies: [&'static str; 3],
}

const COMMIT_MESSAGES: [&str; 2] = [
    "Show two digits of the seconds and count penalties",
    "Add penalties to the time instead of taking them off",
];

/// The first one whose program is there is played.
const SAMPLES: [Sample; 3] = [
    Sample {
        needs: "python3",
        // `-B`: two edits within a second that keep the size would be hidden by cached bytecode.
        test: "python3 -B -m unittest",
        edited: "stage_times.py",
        files: &[
            ("stage_times.py", include_str!("demo/python/stage_times.py")),
            ("report.py", include_str!("demo/python/report.py")),
            ("test_stage_times.py", include_str!("demo/python/test_stage_times.py")),
            (".gitignore", "__pycache__/\n"),
        ],
        replies: [
            include_str!("demo/python/reply-1.md"),
            include_str!("demo/python/reply-2.md"),
            include_str!("demo/python/reply-3.md"),
        ],
    },
    Sample {
        needs: "cargo",
        test: "cargo test --quiet --offline",
        edited: "src/stage_times.rs",
        files: &[
            ("Cargo.toml", include_str!("demo/rust/Cargo.toml.txt")),
            ("src/lib.rs", include_str!("demo/rust/lib.rs")),
            ("src/stage_times.rs", include_str!("demo/rust/stage_times.rs")),
            (".gitignore", "/target\nCargo.lock\n"),
        ],
        replies: [
            include_str!("demo/rust/reply-1.md"),
            include_str!("demo/rust/reply-2.md"),
            include_str!("demo/rust/reply-3.md"),
        ],
    },
    Sample {
        needs: "sh",
        test: "sh test.sh",
        edited: "stage_times.sh",
        files: &[
            ("stage_times.sh", include_str!("demo/shell/stage_times.sh")),
            ("test.sh", include_str!("demo/shell/test.sh")),
        ],
        replies: [
            include_str!("demo/shell/reply-1.md"),
            include_str!("demo/shell/reply-2.md"),
            include_str!("demo/shell/reply-3.md"),
        ],
    },
];

/// The session after the demo, for `--interactive`; the folder lives as long as it.
pub(super) struct Stage {
    pub(super) session: Session,
    _folder: tempfile::TempDir,
}

/// Plays the demo. `pace` is the pause between the pieces of a reply; `only` names a sample by the program it needs.
///
/// # Errors
/// When the temporary folder cannot be made or git is missing; a step that does not go as it should is an error too.
pub(super) fn play(ui: Box<dyn Ui>, interrupt: Interrupt, pace: Duration, only: Option<&str>) -> Result<Stage> {
    let sample = SAMPLES
        .iter()
        .find(|sample| only.map_or_else(|| is_there(sample.needs), |only| only == sample.needs))
        .context("neither python3 nor cargo nor sh is there to test the sample")?;
    let folder = tempfile::Builder::new()
        .prefix("codriver-demo-")
        .tempdir()
        .context("failed to make a temporary folder")?;
    let root = lay_out(sample, folder.path())?;
    let mut session = open(sample, &root, folder.path(), ui, interrupt, pace)?;
    session.announce();
    narrate(
        &mut session,
        &format!("A small repository in {}, whose tests fail.", root.display()),
    );
    for line in [format!("/add {}", sample.edited), "/map".to_owned(), REQUEST.to_owned()] {
        say(&mut session, &line)?;
    }
    narrate(
        &mut session,
        "Green. Each step was committed; the turn can be taken back as one:",
    );
    for line in ["/undo", "/redo", "/diff"] {
        say(&mut session, line)?;
    }
    session.ui().show(Event::Print(how_to_go_on()));
    Ok(Stage {
        session,
        _folder: folder,
    })
}

fn say(session: &mut Session, line: &str) -> Result<()> {
    session.ui().show(Event::Print(format!("\n> {line}\n")));
    repl::obey(session, line);
    if session.interrupt().tripped() {
        bail!("stopped");
    }
    Ok(())
}

fn narrate(session: &mut Session, text: &str) {
    session.ui().show(Event::Print(format!("\n# {text}\n")));
}

/// The sample as a git repository with one commit.
fn lay_out(sample: &Sample, folder: &Path) -> Result<PathBuf> {
    let root = folder.join("rally");
    for (name, text) in sample.files {
        let path = root.join(name);
        let parent = path.parent().context("a file has a folder")?;
        fs::create_dir_all(parent).with_context(|| format!("failed to make `{}`", parent.display()))?;
        fs::write(&path, text).with_context(|| format!("failed to write `{}`", path.display()))?;
    }
    for arguments in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["config", "user.name", "Demo Driver"],
        &["config", "user.email", "demo@example.com"],
        &["config", "commit.gpgsign", "false"],
        &["config", "core.hooksPath", ".git/hooks"],
        &["add", "--all"],
        &["commit", "--quiet", "-m", "Stage times of a rally"],
    ] {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(&root)
            .output()
            .context("failed to run git")?;
        if !output.status.success() {
            bail!(
                "`git {}` failed: {}",
                arguments.join(" "),
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
    }
    Ok(root)
}

fn open(
    sample: &Sample,
    root: &Path,
    folder: &Path,
    ui: Box<dyn Ui>,
    interrupt: Interrupt,
    pace: Duration,
) -> Result<Session> {
    let root = Root::new(root)?;
    let settings = Catalog::builtin().resolve("scripted/demo")?;
    let main = ScriptedModel::from_replies(sample.replies.iter().copied().map(ScriptedReply::text).collect())
        .then_always(ScriptedReply::text(BEYOND))
        .paced(16, pace);
    let weak = ScriptedModel::from_replies(COMMIT_MESSAGES.iter().copied().map(ScriptedReply::text).collect())
        .then_always(ScriptedReply::text("Change what the driver asked for"));
    Session::new(Parts {
        cwd: root.path().to_path_buf(),
        git: Repo::discover(root.path())?,
        root,
        dirs: Dirs {
            state: folder.join("state"),
            cache: folder.join("cache"),
            config: folder.join("config"),
        },
        models: Some(Connected {
            main: Seat {
                model: Arc::new(main),
                settings: settings.clone(),
            },
            weak: Some(Seat {
                model: Arc::new(weak),
                settings,
            }),
            editor: None,
            format: edit_format::by_name("diff").context("`diff` is a format")?,
        }),
        connect: Box::new(|_, _| {
            bail!("the demo has only its scripted model; leave it and start `codriver --model NAME`")
        }),
        options: Options {
            auto_test: true,
            test_baseline: false,
            test_command: Some(sample.test.to_owned()),
            print_diffs: true,
            suggest_commands: false,
            ..Options::default()
        },
        subtree: String::new(),
        ui,
        interrupt,
    })
}

fn is_there(program: &str) -> bool {
    Command::new(program)
        .arg(if program == "sh" { "-c" } else { "--version" })
        .args((program == "sh").then_some(":"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn how_to_go_on() -> String {
    "
# That was the demo; everything but the model was real. With a model of your own:

  a key             export OPENAI_API_KEY=...      then  codriver --model openai/gpt-5 FILE...
                    export ANTHROPIC_API_KEY=...   then  codriver --model sonnet FILE...
  a local server    codriver --model ollama/qwen3-coder FILE...
  any other         OPENAI_API_BASE=http://127.0.0.1:8000/v1 codriver --model openai/NAME FILE...

`codriver models` lists the models that are known and which of them have a key; `/help` lists the commands.
"
    .to_owned()
}
