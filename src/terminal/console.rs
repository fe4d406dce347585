//! Shows a session to a person.
//!
//! Text is written as it arrives and never written again; there is no repainting, so scrollback and resizing are the
//! terminal's own affair. The only thing that is ever erased is the one status line under a wait or an edit that is still
//! coming. With and without colours the text is the same.
//!
//! Answers of models, output of commands and names of files pass through [`style::sanitize`]. Warnings and errors go
//! to standard error, everything else to standard output.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::answers::{choices_label, choices_legend, read_choice};
use super::figures::{human, plural, progress_line, request_line, usage_line};
use super::input::Answered;
use super::markdown::diff_tint;
use super::reply::ReplyView;
use super::screen::{Screen, Ticker, lock};
use super::style::{Palette, Tint, fit, sanitize, wrap_words};
use super::{Answer, Copied, EnterKey, Event, Question, Ui, clipboard, tty, unattended_answer};
use crate::edit_format::{Progress, UnderWay};

/// A question is asked again this often when the answer is none of its choices; then it is a no.
const MAX_UNCLEAR_ANSWERS: usize = 3;

/// How far an edit is, is shown this often.
const PROGRESS_PACE: Duration = Duration::from_millis(80);

/// How to show things, and whom to.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub colour: bool,
    /// Standard output is a terminal that can erase a line: waits show a running clock.
    pub live: bool,
    /// Somebody sits at the keyboard and may be asked.
    pub interactive: bool,
    pub yes_always: bool,
    /// Show the map's text too.
    pub verbose: bool,
    /// The user's own editor; else `$VISUAL` and `$EDITOR`.
    pub editor: Option<String>,
    /// Shared with the line editor of the prompt.
    pub enter: EnterKey,
}

/// Reads one line of answer.
pub type ReadAnswer = Box<dyn FnMut(&str) -> Answered + Send>;

pub struct Console {
    screen: Arc<Mutex<Screen>>,
    options: Options,
    palette: Palette,
    reply: ReplyView,
    read_answer: ReadAnswer,
    speaking: Speaking,
    ticker: Option<Ticker>,
    /// When the status line of an edit was drawn last.
    drawn: Option<Instant>,
    /// Ctrl-C was the answer to the last question.
    was_stopped: bool,
}

/// Who wrote the unfinished text on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaking {
    Nobody,
    Reply,
    Reasoning,
    Command,
}

impl Console {
    /// Writes to standard output and standard error and asks at the terminal.
    pub fn new(options: Options) -> Self {
        let colour = options.colour;
        let ask = move |prompt: &str| super::input::read_answer(prompt, colour);
        Self::with_streams(options, Box::new(io::stdout()), Box::new(io::stderr()), Box::new(ask))
    }

    pub fn with_streams(
        options: Options,
        out: Box<dyn Write + Send>,
        err: Box<dyn Write + Send>,
        read_answer: ReadAnswer,
    ) -> Self {
        let palette = Palette { colour: options.colour };
        Self {
            screen: Arc::new(Mutex::new(Screen::new(out, err))),
            options,
            palette,
            reply: ReplyView::new(palette),
            read_answer,
            speaking: Speaking::Nobody,
            ticker: None,
            drawn: None,
            was_stopped: false,
        }
    }

    /// Called once when the reader of standard output has gone away; after that nothing is written any more.
    pub fn on_closed(self, hook: impl FnOnce() + Send + 'static) -> Self {
        lock(&self.screen).on_closed = Some(Box::new(hook));
        self
    }

    /// Writes a piece of a longer text; a change of speaker begins on a new line, after a blank one.
    fn stream(&mut self, speaker: Speaking, piece: &str) {
        if piece.is_empty() {
            return;
        }
        self.begin_stream(speaker);
        let painted = match speaker {
            Speaking::Reply => self.reply.push_text(piece),
            _ => self.palette.paint(Tint::Dim, &sanitize(piece)),
        };
        lock(&self.screen).write(&painted);
    }

    /// Writes a piece of a reply that may hold edits.
    fn read_reply(&mut self, piece: &str, lines: &[Progress], under_way: UnderWay) {
        if piece.is_empty() && lines.is_empty() {
            return;
        }
        self.begin_stream(Speaking::Reply);
        let painted = self.reply.push(piece, lines, under_way);
        lock(&self.screen).write(&painted);
        self.show_progress();
    }

    fn begin_stream(&mut self, speaker: Speaking) {
        if self.speaking == speaker {
            return;
        }
        self.end_stream();
        match speaker {
            Speaking::Command => lock(&self.screen).fresh_line(),
            _ => lock(&self.screen).blank_line(),
        }
        self.speaking = speaker;
    }

    /// The status line while an edit comes in of which nothing can be shown yet.
    fn show_progress(&mut self) {
        if !self.options.live || self.drawn.is_some_and(|drawn| drawn.elapsed() < PROGRESS_PACE) {
            return;
        }
        if let Some(status) = self.reply.status() {
            let status = fit(&status, tty::columns().saturating_sub(1));
            lock(&self.screen).status(&self.palette.paint(Tint::Dim, &status));
            self.drawn = Some(Instant::now());
        }
    }

    fn end_stream(&mut self) {
        let rest = match self.speaking {
            Speaking::Nobody => return,
            Speaking::Reply => self.reply.finish(),
            _ => String::new(),
        };
        let was_reply = self.speaking != Speaking::Command;
        self.speaking = Speaking::Nobody;
        let mut screen = lock(&self.screen);
        screen.write(&rest);
        screen.fresh_line();
        if was_reply {
            screen.blank_next = true;
        }
    }

    /// Writes whole lines to standard output.
    fn say(&mut self, tint: Tint, text: &str) {
        self.end_stream();
        let safe = sanitize(text);
        let body = safe.strip_suffix('\n').unwrap_or(&safe);
        let painted = self.palette.paint(tint, body);
        lock(&self.screen).line(&painted);
    }

    /// Writes sentences of our own, broken between words where there is a screen.
    fn tell(&mut self, tint: Tint, text: &str) {
        let text = self.wrapped(text);
        self.say(tint, &text);
    }

    fn wrapped(&self, text: &str) -> String {
        if self.options.live {
            wrap_words(text, tty::columns())
        } else {
            text.to_string()
        }
    }

    /// Writes one line of several looks.
    fn say_pieces(&mut self, pieces: &[(Tint, &str)]) {
        self.end_stream();
        let mut line = String::new();
        for (tint, text) in pieces {
            self.palette.paint_into(&mut line, *tint, &sanitize(text));
        }
        lock(&self.screen).line(&line);
    }

    /// Writes whole lines to standard error, the first word in colour.
    fn complain(&mut self, tint: Tint, label: &str, text: &str, hint: Option<&str>) {
        self.end_stream();
        let mut lines = self.labelled(tint, label, text);
        if let Some(hint) = hint.filter(|hint| !hint.is_empty()) {
            lines.push_str(&self.labelled(Tint::Strong, "hint", hint));
        }
        lock(&self.screen).error(&lines);
    }

    /// `label: text`, the label in colour.
    fn labelled(&self, tint: Tint, label: &str, text: &str) -> String {
        let line = self.wrapped(&format!("{label}: {}", sanitize(text).trim_end()));
        let rest = line.strip_prefix(label).unwrap_or_default();
        format!("{}{rest}\n", self.palette.paint(tint, label))
    }

    fn diff(&mut self, diff: &str) {
        self.end_stream();
        let painted = paint_diff(self.palette, diff);
        lock(&self.screen).line(painted.trim_end_matches('\n'));
    }

    fn session(&mut self, event: Event) {
        let Event::Session {
            version,
            root,
            model,
            edit_format,
            files,
            git,
        } = event
        else {
            return;
        };
        let model = model.unwrap_or_else(|| "no model".to_string());
        let git = if git { "git" } else { "no git" };
        let name = format!("codriver {version}");
        let line = self.wrapped(&format!("{name} · {model} · {edit_format} · {git} · {root}"));
        let rest = line.strip_prefix(&name).unwrap_or_default();
        self.say_pieces(&[(Tint::Strong, &name), (Tint::Plain, rest)]);
        if !files.is_empty() {
            self.tell(Tint::Plain, &format!("files: {}", files.join(", ")));
        }
    }

    fn edit(&mut self, event: Event) {
        let Event::Edit {
            path,
            kind,
            state,
            strategy,
            line,
            detail,
        } = event
        else {
            return;
        };
        let tint = match state.as_str() {
            "applied" => Tint::Good,
            "staged" => Tint::Marker,
            _ => Tint::Error,
        };
        let place = match line {
            Some(line) => format!(" {path}:{line}"),
            None if path.is_empty() => String::new(),
            None => format!(" {path}"),
        };
        let how: Vec<&str> = [kind.as_str(), strategy.as_str()]
            .into_iter()
            .filter(|word| !matches!(*word, "" | "exact"))
            .collect();
        let how = if how.is_empty() {
            String::new()
        } else {
            format!(" ({})", how.join(", "))
        };
        self.say_pieces(&[(tint, &state), (Tint::Plain, &format!("{place}{how}"))]);
        if !detail.is_empty() {
            let indented: Vec<String> = detail.lines().map(|line| format!("  {line}")).collect();
            self.tell(Tint::Dim, &indented.join("\n"));
        }
    }

    fn lint(&mut self, path: &str, passed: bool, output: &str) {
        let subject = if path.is_empty() {
            "lint".to_string()
        } else {
            format!("lint {path}")
        };
        let (tint, word) = if passed {
            (Tint::Good, "passed")
        } else {
            (Tint::Error, "failed")
        };
        self.say_pieces(&[(Tint::Plain, &format!("{subject}: ")), (tint, word)]);
        if !passed && !output.trim().is_empty() {
            self.say(Tint::Dim, output);
        }
    }

    fn test(&mut self, passed: bool, exit_code: Option<i32>, summary: &str) {
        let (tint, word) = if passed {
            (Tint::Good, "passed")
        } else {
            (Tint::Error, "failed")
        };
        let code = match exit_code {
            Some(code) if !passed => format!(" (exit code {code})"),
            _ => String::new(),
        };
        let summary = if summary.is_empty() {
            String::new()
        } else {
            format!(": {summary}")
        };
        self.say_pieces(&[
            (Tint::Plain, "tests "),
            (tint, word),
            (Tint::Plain, &format!("{code}{summary}")),
        ]);
    }

    /// Starts the status line under a wait. `text` gives it for the seconds that have passed; None ends it.
    fn tick(&mut self, text: impl Fn(u64) -> Option<String> + Send + 'static) {
        if self.options.live {
            self.ticker = Some(Ticker::start(Arc::clone(&self.screen), self.palette, text));
        }
    }

    fn stop_ticker(&mut self) {
        if let Some(ticker) = self.ticker.take() {
            ticker.stop(&self.screen);
        }
    }

    fn put_question(&mut self, question: &Question) -> Answer {
        let text = self.wrapped(&format!("{} {}", sanitize(&question.text), choices_label(question)));
        let (above, last) = text.rsplit_once('\n').unwrap_or(("", &text));
        for _ in 0..MAX_UNCLEAR_ANSWERS {
            if !above.is_empty() {
                self.say(Tint::Prompt, above);
            }
            let text = match (self.read_answer)(&format!("{last} ")) {
                Answered::Text(text) => text,
                Answered::Stopped => {
                    self.was_stopped = true;
                    return Answer::No;
                }
                Answered::Ended => return Answer::No,
            };
            if let Some(answer) = read_choice(question, &text) {
                return answer;
            }
            self.say(Tint::Plain, &choices_legend(question));
        }
        Answer::No
    }
}

impl Ui for Console {
    fn show(&mut self, event: Event) {
        self.stop_ticker();
        match event {
            Event::Session { .. } => self.session(event),
            Event::Map { text, tokens, files } => {
                let (tokens, files) = (human(tokens as u64), plural(files, "file"));
                self.say(Tint::Dim, &format!("map: {files}, {tokens} tokens"));
                if self.options.verbose {
                    self.say(Tint::Dim, &text);
                }
            }
            Event::Request {
                number,
                model,
                tokens,
                parts,
            } => {
                self.tell(Tint::Dim, &request_line(number, &model, tokens, &parts));
                self.tick(|seconds| Some(format!("waiting for the model, {seconds} s (Ctrl-C stops)")));
            }
            Event::Text(text) => self.stream(Speaking::Reply, &text),
            Event::Reply { text, lines, under_way } => self.read_reply(&text, &lines, under_way),
            Event::Reasoning(text) => self.stream(Speaking::Reasoning, &text),
            Event::ReplyEnd { finish } => {
                self.end_stream();
                // What the user stopped they know of.
                if !matches!(finish.as_str(), "" | "stop" | "cancelled") {
                    self.complain(
                        Tint::Warning,
                        "warning",
                        &format!("the reply ended early: {finish}"),
                        None,
                    );
                }
            }
            Event::Edit { .. } => self.edit(event),
            Event::Diff(diff) => self.diff(&diff),
            Event::Command { command, .. } => {
                self.say_pieces(&[(Tint::Prompt, "$ "), (Tint::Strong, &command)]);
            }
            Event::Output(text) => self.stream(Speaking::Command, &text),
            Event::Lint { path, passed, output } => self.lint(&path, passed, &output),
            Event::Test {
                passed,
                exit_code,
                summary,
                ..
            } => self.test(passed, exit_code, &summary),
            Event::Commit { id, message, .. } => {
                let id: String = id.chars().take(7).collect();
                let subject = message.lines().next().unwrap_or_default();
                self.say_pieces(&[
                    (Tint::Plain, "commit "),
                    (Tint::Code, &id),
                    (Tint::Plain, &format!(" {subject}")),
                ]);
            }
            Event::Undo { text } => self.tell(Tint::Plain, &text),
            Event::Usage { .. } => {
                let line = usage_line(&event);
                self.tell(Tint::Dim, &line);
            }
            Event::Waiting { reason, wait } => {
                let total = wait.as_secs_f64().ceil() as u64;
                self.tell(
                    Tint::Dim,
                    &format!("{reason}: trying again in {total} s (Ctrl-C stops)"),
                );
                self.tick(move |seconds| {
                    let left = total.checked_sub(seconds).filter(|left| *left > 0)?;
                    Some(format!("trying again in {left} s"))
                });
            }
            Event::Note(text) => self.tell(Tint::Plain, &text),
            Event::Warning(text) => self.complain(Tint::Warning, "warning", &text, None),
            Event::Error { message, hint } => self.complain(Tint::Error, "error", &message, hint.as_deref()),
            Event::Print(text) => self.tell(Tint::Plain, &text),
            Event::Done { exit_code, summary, .. } => {
                self.end_stream();
                if !summary.is_empty() {
                    let tint = if exit_code == 0 { Tint::Plain } else { Tint::Error };
                    self.tell(tint, &summary);
                }
            }
        }
    }

    fn progress(&mut self, doing: &str, done: usize, total: usize) {
        if !self.options.live {
            return;
        }
        self.stop_ticker();
        self.end_stream();
        let line = fit(&progress_line(doing, done, total), tty::columns().saturating_sub(1));
        lock(&self.screen).status(&self.palette.paint(Tint::Dim, &line));
    }

    fn ask(&mut self, question: &Question) -> Answer {
        self.stop_ticker();
        self.end_stream();
        lock(&self.screen).clear_status();
        self.was_stopped = false;
        if !question.detail.is_empty() {
            if looks_like_diff(&question.detail) {
                self.diff(&question.detail);
            } else {
                self.say(Tint::Plain, &question.detail);
            }
        }
        if self.options.interactive && !(self.options.yes_always && question.yes_always_applies) {
            return self.put_question(question);
        }
        let answer = unattended_answer(question, self.options.yes_always);
        let word = match answer {
            Answer::Yes => "yes (--yes-always)",
            _ => "no (nobody to ask)",
        };
        self.say_pieces(&[(Tint::Plain, &format!("{} ", question.text)), (Tint::Strong, word)]);
        answer
    }

    fn was_stopped(&self) -> bool {
        self.was_stopped
    }

    fn edit(&mut self, text: &str) -> Option<String> {
        self.stop_ticker();
        self.end_stream();
        lock(&self.screen).clear_status();
        if !self.options.interactive {
            return None;
        }
        match super::input::edit_externally(self.options.editor.as_deref(), text) {
            Ok(text) => Some(text),
            Err(error) => {
                self.complain(
                    Tint::Error,
                    "error",
                    &format!("failed to run the editor: {error}"),
                    None,
                );
                None
            }
        }
    }

    fn copy(&mut self, text: &str) -> Copied {
        if clipboard::by_program(text, &|name| std::env::var(name).ok()) {
            return Copied::Clipboard;
        }
        if !self.options.live {
            return Copied::Nowhere;
        }
        lock(&self.screen).code(&clipboard::code(text));
        Copied::Terminal
    }

    fn enter_key(&self) -> Option<EnterKey> {
        self.options.interactive.then(|| self.options.enter.clone())
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.stop_ticker();
        self.end_stream();
    }
}

/// A unified diff in colours.
pub fn paint_diff(palette: Palette, diff: &str) -> String {
    let mut out = String::new();
    for line in sanitize(diff).split_inclusive('\n') {
        palette.paint_into(&mut out, diff_tint(line), line);
    }
    out
}

fn looks_like_diff(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("@@ "))
}

#[cfg(test)]
mod tests {
    use super::super::style::strip_codes;
    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What a console with these options writes, both streams in one.
    fn shown(options: Options, answers: &[Option<&str>], play: impl FnOnce(&mut Console)) -> String {
        let out = Shared::default();
        let mut answers: Vec<Option<String>> = answers.iter().rev().map(|text| text.map(str::to_string)).collect();
        let mut console = Console::with_streams(
            options,
            Box::new(out.clone()),
            Box::new(out.clone()),
            Box::new(move |_| answers.pop().flatten().map_or(Answered::Ended, Answered::Text)),
        );
        play(&mut console);
        drop(console);
        let bytes = out.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    fn question(default: Answer, yes_always_applies: bool) -> Question {
        Question {
            text: "Apply them?".to_string(),
            detail: String::new(),
            default,
            yes_always_applies,
            choices: vec![('e', "edit".to_string())],
        }
    }

    fn every_event() -> Vec<Event> {
        vec![
            Event::Session {
                version: "0.1.0".to_string(),
                root: "/p".to_string(),
                model: None,
                edit_format: "diff".to_string(),
                files: vec!["a.rs".to_string()],
                git: true,
            },
            Event::Map {
                text: "a.rs\n".to_string(),
                tokens: 1024,
                files: 1,
            },
            Event::Request {
                number: 2,
                model: "m".to_string(),
                tokens: 1234,
                parts: vec![("map".to_string(), 1024)],
            },
            Event::Reasoning("think".to_string()),
            Event::Text("# He".to_string()),
            Event::Text("ad\n**bold** `code`\n```diff\n-a\n+b\n```\nend".to_string()),
            Event::ReplyEnd {
                finish: "length".to_string(),
            },
            Event::Edit {
                path: "a.rs".to_string(),
                kind: "modify".to_string(),
                state: "failed".to_string(),
                strategy: String::new(),
                line: Some(3),
                detail: "no such lines".to_string(),
            },
            Event::Diff("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n".to_string()),
            Event::Command {
                purpose: "test".to_string(),
                command: "make test".to_string(),
                dir: "/p".to_string(),
            },
            Event::Output("running\n\u{1b}[2Jdone".to_string()),
            Event::Lint {
                path: "a.rs".to_string(),
                passed: false,
                output: "bad".to_string(),
            },
            Event::Test {
                passed: false,
                exit_code: Some(1),
                summary: "1 of 2 failed".to_string(),
                output: String::new(),
            },
            Event::Commit {
                id: "0123456789".to_string(),
                message: "Do it\n\nbody".to_string(),
                paths: Vec::new(),
            },
            Event::Usage {
                input: 1234,
                output: 310,
                cached: 800,
                cost: Some(0.004),
                saved: Some(0.002),
                session_cost: Some(0.02),
                estimated: false,
            },
            Event::Error {
                message: "failed to read `x`".to_string(),
                hint: Some("drop it".to_string()),
            },
            Event::Done {
                exit_code: 1,
                requests: 1,
                reflections: 0,
                summary: "not done".to_string(),
                edits: Vec::new(),
            },
        ]
    }

    #[test]
    fn plain_and_coloured_output_are_the_same_text() {
        let play = |console: &mut Console| every_event().into_iter().for_each(|event| console.show(event));
        let plain = shown(Options::default(), &[], play);
        let coloured = shown(
            Options {
                colour: true,
                ..Options::default()
            },
            &[],
            play,
        );
        assert!(!plain.contains('\u{1b}'));
        assert!(coloured.contains('\u{1b}'));
        assert_eq!(strip_codes(&coloured), plain);
        assert_eq!(
            plain,
            "codriver 0.1.0 · no model · diff · git · /p\nfiles: a.rs\nmap: 1 file, 1.0k tokens\n\
             request 2 to m: 1.2k tokens (map 1.0k)\n\nthink\n\n# Head\n**bold** `code`\n```diff\n-a\n+b\n```\nend\n\
             warning: the reply ended early: length\nfailed a.rs:3 (modify)\n  no such lines\n\
             --- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n$ make test\nrunning\n␛[2Jdone\nlint a.rs: failed\nbad\n\
             tests failed (exit code 1): 1 of 2 failed\ncommit 0123456 Do it\n\
             1.2k in (800 cached, saves $0.002) · 310 out · $0.004 this message · $0.02 session\n\
             error: failed to read `x`\nhint: drop it\nnot done\n"
        );
    }

    #[test]
    fn text_is_on_the_screen_when_show_returns() {
        let out = Shared::default();
        let mut console = Console::with_streams(
            Options::default(),
            Box::new(out.clone()),
            Box::new(io::sink()),
            Box::new(|_| Answered::Ended),
        );
        console.show(Event::Text("half a li".to_string()));
        assert_eq!(out.0.lock().unwrap().as_slice(), b"half a li");
    }

    #[test]
    fn nobody_to_ask_means_no_and_never_waits() {
        for (yes_always, applies, expected) in [
            (false, true, Answer::No),
            (true, false, Answer::No),
            (true, true, Answer::Yes),
        ] {
            let options = Options {
                yes_always,
                ..Options::default()
            };
            shown(options, &[], |console| {
                assert_eq!(console.ask(&question(Answer::Yes, applies)), expected);
            });
        }
    }

    #[test]
    fn answers_are_read_by_key_word_or_label() {
        let options = Options {
            interactive: true,
            ..Options::default()
        };
        let cases: &[(&[Option<&str>], Answer)] = &[
            (&[Some("")], Answer::Yes),
            (&[Some("YES")], Answer::Yes),
            (&[Some("n")], Answer::No),
            (&[Some("e")], Answer::Choice('e')),
            (&[Some("edit")], Answer::Choice('e')),
            (&[Some("yes but later"), Some("n")], Answer::No),
            (&[Some("?"), Some("?"), Some("?")], Answer::No),
            (&[None], Answer::No),
        ];
        for (answers, expected) in cases {
            shown(options.clone(), answers, |console| {
                assert_eq!(console.ask(&question(Answer::Yes, true)), *expected, "{answers:?}");
            });
        }
    }

    #[test]
    fn a_progress_line_goes_away_again() {
        let live = Options {
            live: true,
            ..Options::default()
        };
        let shown = shown(live, &[], |console| {
            console.progress("reading", 5, 10);
            console.show(Event::Note("Done.".to_string()));
        });
        let (line, rest) = shown.split_once("5 of 10").unwrap();
        assert!(line.starts_with('\r'), "{shown:?}");
        assert!(rest.contains("\r\u{1b}[KDone."), "{shown:?}");
    }
}
