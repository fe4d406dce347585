//! Joins everything below: the only place where values and the outside meet. A [`Session`] is one project, one model,
//! one chat. `turn.rs` is the loop; the other files are its steps.

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use crate::chat::budget::Counter;
use crate::chat::history::History;
use crate::chat::history::Turn;
use crate::chat::message::Message;
use crate::chat::message::Role;
use crate::chat::modes;
use crate::chat::modes::Environment;
use crate::chat::modes::Mode;
use crate::edit_format::EditFormat;
use crate::files::Root;
use crate::files::journal::Journal;
use crate::git::Repo;
use crate::llm::Charged;
use crate::llm::Model;
use crate::llm::Thinking;
use crate::llm::Usage;
use crate::models::ModelSettings;
use crate::models::cost::Tokens;
use crate::repo_map::MapText;
use crate::store::sessions::Log;
use crate::store::sessions::Sessions;
use crate::store::state_dir::Dirs;
use crate::terminal::Event;
use crate::terminal::Ui;
use crate::test_report;
use crate::tokens;

use baseline::Baseline;
use compaction::Summarising;
use fit::Lacks;
use keepalive::KeepAlive;
use map::MapRequest;
use spending::Deadline;
use spending::Price;
use watched::ErrorCount;
use watched::Watched;

mod actions;
mod apply_step;
mod architect;
mod ask;
mod asking;
mod attachments;
mod baseline;
mod blame;
mod chat_files;
mod commit_step;
mod compaction;
mod context;
mod continuing;
mod conventions;
pub mod diff;
pub mod disk;
mod excerpts;
mod file_parts;
mod files_in;
mod fit;
mod helpers;
mod interrupt;
mod keepalive;
pub mod map;
mod offers;
mod pages;
mod record;
mod reflection;
mod review;
mod rungs;
mod sandbox;
mod settle;
mod spending;
mod tally;
mod testing;
mod turn;
mod turns;
mod undo;
mod verify;
mod watched;

pub use chat_files::ChatFiles;
pub use chat_files::ReadOnly;
pub use conventions::RuleFile;
pub use files_in::Added;
pub use helpers::Helper;
pub use interrupt::Interrupt;
pub use keepalive::Pings;
pub use rungs::Rungs;
pub use spending::Limits;
pub use spending::Purpose;
pub use spending::Spending;
pub use turn::TurnEnd;
pub use turns::TurnChange;
pub use undo::Walk;

/// A model with what is known about it.
#[derive(Clone)]
pub struct Seat {
    /// Shared with the threads that ask it in the background.
    pub model: Arc<dyn Model>,
    pub settings: ModelSettings,
}

impl Seat {
    /// None when the price is not known. What runs on the user's own machine costs nothing.
    fn price(&self, usage: &Usage) -> Option<Price> {
        let tokens = Tokens {
            input: usage.input,
            output: usage.output,
            cached_input: usage.cached_input,
            cache_write: usage.cache_write,
            reasoning: usage.reasoning,
        };
        match usage.charged {
            Charged::Dollars(cost) => return Some(Price { cost, saved: 0.0 }),
            Charged::Unknown => return None,
            Charged::ByPrice => {}
        }
        let free = self.settings.local.then(Price::default);
        self.settings
            .prices
            .map(|prices| Price {
                cost: prices.cost(tokens),
                saved: prices.saved(tokens),
            })
            .or(free)
    }
}

/// How a session behaves; plain values, taken from the configuration by the front end.
#[derive(Debug, Clone)]
pub struct Options {
    pub auto_commits: bool,
    /// A `Co-authored-by` trailer names the model in commits.
    pub co_author: bool,
    pub auto_lint: bool,
    /// (language or None for every file, command); the file's path is appended.
    pub lint_commands: Vec<(Option<String>, String)>,
    pub auto_test: bool,
    /// The tests run beside the first request, too, so that it is known what failed before.
    pub test_baseline: bool,
    pub test_command: Option<String>,
    /// Linters, tests and suggested commands run in a sandbox, where the system has one.
    pub sandbox: bool,
    /// Folders that they may write beside the project, temporary folders and caches; relative to where the user started,
    /// `~` is the home folder.
    pub sandbox_write: Vec<PathBuf>,
    /// Limit of one lint, test or run command.
    pub command_limit: Duration,
    /// Requests that hand a failure back, a turn.
    pub max_reflections: usize,
    /// Ceiling of the repository map in tokens; 0 turns it off.
    pub map_tokens: usize,
    /// Without files in the chat the map may be wider: the user set no ceiling.
    pub map_may_widen: bool,
    /// Tokens of history beyond which old turns are summarised, and at most so many in a request; None: by the window.
    pub history_tokens: Option<usize>,
    pub pings: Pings,
    pub limits: Limits,
    pub dry_run: bool,
    /// The diff is shown before anything is written, and the user agrees or not.
    pub show_diffs: bool,
    /// Every hunk is asked about.
    pub review: bool,
    /// The diff is shown after each write.
    pub print_diffs: bool,
    pub suggest_commands: bool,
    /// Names of the rule files that are looked for in the project (`AGENTS.md`).
    pub convention_names: Vec<String>,
    /// Rule files that the user named: they need no trust in the project.
    pub conventions: Vec<PathBuf>,
    /// The project's own rules are followed without asking.
    pub trust: bool,
    /// The architect's plans are carried out without asking.
    pub accept_plans: bool,
    /// The edit format in which plans are carried out; None: what suits the editor model.
    pub editor_format: Option<String>,
    pub thinking: Thinking,
    /// How web pages are fetched.
    pub web: crate::web::Options,
    /// The language of commit messages, if not English.
    pub commit_language: Option<String>,
    /// What `/help` answers from, in Markdown.
    pub documentation: String,
    /// Every setting with its value and origin, one a line.
    pub settings: String,
    /// Environment variables that commands do not get (keys).
    pub hidden_env: Vec<String>,
    /// About the machine, for the model; the session adds the project.
    pub environment: Environment,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            auto_commits: true,
            co_author: true,
            auto_lint: true,
            lint_commands: Vec::new(),
            auto_test: false,
            test_baseline: false,
            test_command: None,
            sandbox: true,
            sandbox_write: Vec::new(),
            command_limit: Duration::from_secs(600),
            max_reflections: 3,
            map_tokens: 1024,
            map_may_widen: true,
            history_tokens: None,
            pings: Pings::default(),
            limits: Limits::default(),
            dry_run: false,
            show_diffs: false,
            review: false,
            print_diffs: false,
            suggest_commands: true,
            convention_names: vec![crate::chat::conventions::USUAL_NAME.to_owned()],
            conventions: Vec::new(),
            trust: false,
            accept_plans: false,
            editor_format: None,
            thinking: Thinking::default(),
            web: crate::web::Options::default(),
            commit_language: None,
            documentation: crate::chat::documentation::README.to_owned(),
            settings: String::new(),
            hidden_env: Vec::new(),
            environment: Environment::default(),
        }
    }
}

/// What a model's name leads to.
pub struct Connected {
    pub main: Seat,
    /// For commit messages and summaries; None: the main model does it.
    pub weak: Option<Seat>,
    /// Carries out the architect's plans; None: the main model does it.
    pub editor: Option<Seat>,
    pub format: &'static dyn EditFormat,
}

/// Makes the models for a name; the front end knows keys and servers.
pub type Connect = Box<dyn Fn(&str, &Thinking) -> Result<Connected>>;

/// What a session is made of.
pub struct Parts {
    pub root: Root,
    /// Where the user started; paths are typed relative to it and commands run in it.
    pub cwd: PathBuf,
    pub dirs: Dirs,
    pub git: Option<Repo>,
    pub models: Option<Connected>,
    pub connect: Connect,
    pub options: Options,
    /// Only files below this folder are listed and mapped (relative to the root; empty: all).
    pub subtree: String,
    pub ui: Box<dyn Ui>,
    pub interrupt: Interrupt,
}

/// One project, one chat.
pub struct Session {
    root: Root,
    cwd: PathBuf,
    dirs: Dirs,
    git: Option<Repo>,
    journal: Journal,
    main: Option<Seat>,
    weak: Option<Seat>,
    editor: Option<Seat>,
    format: &'static dyn EditFormat,
    connect: Connect,
    mode: &'static Mode,
    files: ChatFiles,
    history: History,
    /// A summary of old turns that is being written.
    summarising: Option<Summarising>,
    /// After a summary that would not do: no other one before the history has more tokens.
    summarise_above: usize,
    /// Tokens by content, each text counted once a session.
    counts: Counter<'static>,
    /// What the last request lacked.
    lacks: Lacks,
    /// The beginning of the last request, to be kept in the provider's cache.
    cached: Vec<Message>,
    keepalive: Option<KeepAlive>,
    /// Files that the model does not get, with the reason: each is told once.
    left_out: BTreeSet<String>,
    /// The map of the turn that runs.
    turn_map: Option<(MapRequest, MapText)>,
    /// The last message got no answer and is not part of the conversation.
    unsent: Option<String>,
    /// The user pressed Ctrl-C at a question since they said something.
    is_stopped: bool,
    /// Turns whose files were taken back, newest last: what a redo brings again.
    taken_back: Vec<Turn>,
    map: map::MapService,
    rules: conventions::Rules,
    /// The last plan that was not carried out.
    waiting_plan: Option<architect::WaitingPlan>,
    /// Files that the user was asked about and did not want in the chat or changed.
    declined: BTreeSet<String>,
    spending: Spending,
    /// What the requests of turns are for.
    purpose: Purpose,
    /// Of the turn that runs.
    deadline: Option<Deadline>,
    /// Reflections of the session so far.
    reflections: usize,
    /// The last test command and what came of it, as far as its runner is known.
    last_tests: Option<(String, test_report::Report)>,
    baseline: Baseline,
    /// The turn that runs repairs what the tests found: they themselves are not changed without a yes.
    repairs_tests: bool,
    /// Tests that are shown for this turn, to be read.
    tests_to_read: Vec<String>,
    rungs: Rungs,
    /// What commands in a sandbox may write; None: it is not looked up yet.
    writable: Option<Vec<PathBuf>>,
    log: Log,
    log_failed: bool,
    options: Options,
    ui: Box<dyn Ui>,
    errors: ErrorCount,
    interrupt: Interrupt,
}

impl Session {
    /// Opens the journal and puts right what a crash left half done.
    pub fn new(parts: Parts) -> Result<Self> {
        let journal = Journal::open(&parts.dirs.journal())?;
        let map = map::MapService::new(map::MapSource {
            root: parts.root.path().to_path_buf(),
            cache_dir: Some(parts.dirs.cache.clone()),
            subtree: parts.subtree,
        });
        let (main, weak, editor, format) = match parts.models {
            Some(connected) => (Some(connected.main), connected.weak, connected.editor, connected.format),
            None => (None, None, None, default_format()),
        };
        let interrupt = parts.interrupt.clone();
        let git = parts.git.map(|git| {
            git.with_limit(parts.options.command_limit)
                .stopped_by(move || interrupt.tripped())
        });
        let errors = ErrorCount::default();
        let rules = conventions::Rules::new(&parts.dirs.state, &parts.root);
        let log = Sessions::new(parts.dirs.state.join("sessions")).start(parts.root.path());
        let mut session = Self {
            root: parts.root,
            cwd: parts.cwd,
            dirs: parts.dirs,
            git,
            journal,
            main,
            weak,
            editor,
            format,
            connect: parts.connect,
            mode: modes::by_name("code").expect("`code` is a row of MODES"),
            files: ChatFiles::default(),
            history: History::default(),
            summarising: None,
            summarise_above: 0,
            counts: Counter::new(&tokens::count),
            lacks: Lacks::default(),
            cached: Vec::new(),
            keepalive: None,
            left_out: BTreeSet::new(),
            turn_map: None,
            unsent: None,
            is_stopped: false,
            taken_back: Vec::new(),
            map,
            rules,
            waiting_plan: None,
            declined: BTreeSet::new(),
            spending: Spending::default(),
            purpose: Purpose::Chat,
            deadline: None,
            reflections: 0,
            last_tests: None,
            baseline: Baseline::default(),
            repairs_tests: false,
            tests_to_read: Vec::new(),
            rungs: Rungs::default(),
            writable: None,
            log,
            log_failed: false,
            options: parts.options,
            ui: Box::new(Watched {
                ui: parts.ui,
                errors: errors.clone(),
            }),
            errors,
            interrupt: parts.interrupt,
        };
        let recovered = session.journal.recover(&session.root)?;
        if !recovered.is_empty() {
            session.ui.show(Event::Warning(format!(
                "The last run ended in the middle of a write; {} put back as before it.",
                recovered.join(", ")
            )));
        }
        session.settle();
        Ok(session)
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Where the session keeps its state.
    pub fn state_dir(&self) -> &Path {
        &self.dirs.state
    }

    pub fn files(&self) -> &ChatFiles {
        &self.files
    }

    pub fn mode(&self) -> &'static Mode {
        self.mode
    }

    pub fn set_mode(&mut self, mode: &'static Mode) {
        self.mode = mode;
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    pub fn spending(&self) -> &Spending {
        &self.spending
    }

    /// Requests of the session that handed a failure back.
    pub fn reflections(&self) -> usize {
        self.reflections
    }

    /// Errors that were shown so far.
    pub fn n_errors(&self) -> usize {
        self.errors.get()
    }

    /// How the session's edits were placed.
    pub fn rungs(&self) -> &Rungs {
        &self.rungs
    }

    /// The last message when it got no answer at all and is not part of the conversation: it can be sent again as it is.
    pub fn take_unsent(&mut self) -> Option<String> {
        self.unsent.take()
    }

    pub fn main_settings(&self) -> Option<&ModelSettings> {
        self.main.as_ref().map(|seat| &seat.settings)
    }

    pub fn has_git(&self) -> bool {
        self.git.is_some()
    }

    /// What the model said last.
    pub fn last_reply(&self) -> Option<String> {
        let messages = self.history.messages();
        let last = messages.iter().rev().find(|message| message.role == Role::Assistant);
        last.map(Message::text)
    }

    pub fn ui(&mut self) -> &mut dyn Ui {
        self.ui.as_mut()
    }

    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Nothing was said yet, or all of it was forgotten.
    pub fn is_fresh(&self) -> bool {
        self.history.turns.is_empty()
    }

    /// Forgets the conversation; files stay.
    pub fn clear_history(&mut self) {
        self.history = History::default();
        self.waiting_plan = None;
        self.stop_summarising();
        self.summarise_above = 0;
        self.record_history();
    }

    /// Starts reading the repository for the map, on a thread of its own.
    pub fn warm_up(&mut self) {
        if self.options.map_tokens > 0 {
            self.map.warm_up();
        }
    }

    /// Keeps what the map learnt for the next start, and how the session stands.
    pub fn close(&mut self) {
        self.map.save();
        self.stop_summarising();
        self.end_keep_alive(false);
        if !self.history.turns.is_empty() {
            self.record_state();
            self.prune_sessions();
        }
    }

    /// Tells the user what this session works with.
    pub fn announce(&mut self) {
        let event = Event::Session {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            root: self.root.path().display().to_string(),
            model: self.main.as_ref().map(|seat| seat.settings.name.clone()),
            edit_format: self.format.name().to_owned(),
            files: self.files.editable().to_vec(),
            git: self.git.is_some(),
        };
        self.ui.show(event);
    }
}

/// The format while there is no model.
fn default_format() -> &'static dyn EditFormat {
    crate::edit_format::by_name("diff").expect("`diff` is a row of EDIT_FORMATS")
}
