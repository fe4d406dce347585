//! The keys that differ from rustyline's own, and what they tell about how fast text comes in.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustyline::history::FileHistory;
use rustyline::{
    Cmd, ConditionalEventHandler, Editor, Event, EventContext, EventHandler, KeyCode, KeyEvent, Modifiers, RepeatCount,
};

use super::line_helper::LineHelper;
use super::tty;

/// Two keys closer than this were not typed one by one.
pub(super) const TYPED_GAP: Duration = Duration::from_millis(3);

/// A carriage return and a line feed closer than this are one line end, even if a line was entered between them.
const LINE_END_GAP: Duration = Duration::from_millis(100);

/// What of the keys is for the user to choose.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    pub vi: bool,
    pub enter: EnterKey,
}

/// What Enter does and what Alt-Enter: one sends, the other begins a new line. Shared by the line editor and whoever swaps
/// them.
#[derive(Debug, Clone, Default)]
pub struct EnterKey(Arc<AtomicBool>);

impl EnterKey {
    pub fn new(begins_line: bool) -> Self {
        Self(Arc::new(AtomicBool::new(begins_line)))
    }

    /// Whether Enter begins a new line.
    pub fn begins_line(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Swaps the two keys. Returns whether Enter begins a new line from now on.
    pub fn swap(&self) -> bool {
        !self.0.fetch_xor(true, Ordering::Relaxed)
    }
}

/// What is known about the line under way besides what rustyline tells.
#[derive(Debug, Default)]
pub(super) struct Typing {
    /// The text as it stands; an interrupted line is only known from here.
    pub(super) text: String,
    /// The Enter that ended the line came together with the key before it.
    pub(super) enter_in_burst: bool,
    /// The line was interrupted to be opened in the user's own editor.
    pub(super) wants_editor: bool,
    last_key: Option<Instant>,
    /// The last key was a carriage return.
    after_return: bool,
}

impl Typing {
    pub(super) fn begin(&mut self, initial: &str) {
        self.text = initial.to_string();
        self.enter_in_burst = false;
        self.wants_editor = false;
    }

    /// Notes a key; gives the time since the one before it.
    fn key(&mut self) -> Duration {
        let now = Instant::now();
        let last = self.last_key.replace(now);
        last.map_or(Duration::MAX, |last| now.duration_since(last))
    }
}

/// Binds the keys of codriver.
pub(super) fn bind(editor: &mut Editor<LineHelper, FileHistory>, keys: &Keys, typing: &Arc<Mutex<Typing>>) {
    let handler = |role: Role, is_line_feed: bool| {
        EventHandler::Conditional(Box::new(Key {
            role,
            is_line_feed,
            enter: keys.enter.clone(),
            typing: Arc::clone(typing),
        }))
    };
    let conditional = |role: Role| handler(role, false);
    let enter = KeyEvent(KeyCode::Enter, Modifiers::NONE);
    let alt_enter = KeyEvent(KeyCode::Enter, Modifiers::ALT);
    editor.bind_sequence(enter, conditional(Role::Enter));
    // Line ends of a paste, and of what was typed while the terminal was in its usual mode, come as line feeds.
    editor.bind_sequence(KeyEvent::ctrl('J'), handler(Role::Enter, true));
    editor.bind_sequence(alt_enter, conditional(Role::AltEnter));
    editor.bind_sequence(KeyEvent(KeyCode::Tab, Modifiers::NONE), conditional(Role::Tab));
    let open_editor = vec![KeyEvent::ctrl('X'), KeyEvent::ctrl('E')];
    editor.bind_sequence(Event::KeySeq(open_editor), conditional(Role::OpenEditor));
    editor.bind_sequence(Event::Any, conditional(Role::Other));
}

/// A key whose meaning depends on what came before it or still comes.
struct Key {
    role: Role,
    /// Enter as a line feed (Ctrl-J).
    is_line_feed: bool,
    enter: EnterKey,
    typing: Arc<Mutex<Typing>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Enter,
    AltEnter,
    Tab,
    OpenEditor,
    Other,
}

impl ConditionalEventHandler for Key {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let mut typing = self.typing.lock().unwrap_or_else(PoisonError::into_inner);
        let gap = typing.key();
        let in_burst = gap < TYPED_GAP;
        let is_return = self.role == Role::Enter && !self.is_line_feed;
        let after_return = std::mem::replace(&mut typing.after_return, is_return);
        if self.is_line_feed && after_return && gap < LINE_END_GAP {
            // The second half of a line end that came as both.
            return Some(Cmd::Noop);
        }
        match self.role {
            Role::Other => None,
            // A tab that indents a line, in a paste or a longer text, is text.
            Role::Tab if indents(context, in_burst) => Some(Cmd::SelfInsert(1, '\t')),
            Role::Tab => None,
            // A command is carried out all the same.
            Role::Enter if self.enter.begins_line() && !is_command(context.line()) => Some(Cmd::Newline),
            Role::AltEnter if self.enter.begins_line() => Some(Cmd::AcceptLine),
            Role::AltEnter => Some(Cmd::Newline),
            Role::Enter if tty::has_input(TYPED_GAP) => Some(Cmd::Newline),
            Role::Enter => {
                typing.enter_in_burst = in_burst;
                None
            }
            Role::OpenEditor => {
                typing.wants_editor = true;
                Some(Cmd::Interrupt)
            }
        }
    }
}

/// Whether only white space stands before the cursor on its line, and it is a line of a text.
fn indents(context: &EventContext, in_burst: bool) -> bool {
    let before = &context.line()[..context.pos()];
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim().is_empty() && (in_burst || before.contains('\n'))
}

fn is_command(line: &str) -> bool {
    line.starts_with('/') && !line.contains('\n')
}
