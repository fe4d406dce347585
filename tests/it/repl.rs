//! The prompt and the console in a real terminal: this test program starts itself again inside a pseudo-terminal, with
//! one of the programs at the end of this page to run, and types.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use codriver::terminal::completion::{Argument, CommandRow, Words};
use codriver::terminal::console::{Console, Options as ConsoleOptions};
use codriver::terminal::input::{Input, Line, Options};
use codriver::terminal::{Answer, EnterKey, Event, Keys, Question, Ui};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Which program this process is; see the end of this page.
const PROGRAM: &str = "CODRIVER_TEST_PROGRAM";

/// Nothing takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// A pseudo-terminal with a program in it.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: Arc<Mutex<vt100::Parser>>,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    fn start(program: &str, columns: u16, env: &[(&str, &str)]) -> Self {
        let size = PtySize {
            rows: 24,
            cols: columns,
            ..PtySize::default()
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        command.args([&format!("repl::{program}"), "--exact", "--nocapture"]);
        command.env(PROGRAM, program);
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let nonzero = |n: u16| std::num::NonZero::new(n).unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(nonzero(24), nonzero(columns), 5000)));
        let written = Arc::new(Mutex::new(Vec::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (screen_of_reader, written_of_reader) = (Arc::clone(&screen), Arc::clone(&written));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n) = reader.read(&mut bytes) {
                if n == 0 {
                    break;
                }
                screen_of_reader.lock().unwrap().process(&bytes[..n]);
                written_of_reader.lock().unwrap().extend_from_slice(&bytes[..n]);
            }
        });
        Self {
            keyboard: pair.master.take_writer().unwrap(),
            master: pair.master,
            child,
            screen,
            written,
        }
    }

    /// The line editor, its prompt on the screen.
    fn editor(env: &[(&str, &str)]) -> Self {
        let terminal = Self::start("program_editor", 60, env);
        terminal.until("a prompt", |screen| {
            screen.lines().last().is_some_and(|line| line.starts_with('>'))
        });
        terminal
    }

    fn send(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Everything written so far, as text.
    fn output(&self) -> String {
        String::from_utf8_lossy(&self.written.lock().unwrap()).into_owned()
    }

    fn screen(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    fn cursor(&self) -> (u16, u16) {
        self.screen.lock().unwrap().screen().cursor_position()
    }

    fn until(&self, what: &str, reached: impl Fn(&str) -> bool) {
        let start = Instant::now();
        while !reached(&self.screen()) {
            assert!(
                start.elapsed() < PATIENCE,
                "no {what}; the screen is\n{}\nafter\n{:?}",
                self.screen(),
                self.output()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn until_screen_has(&self, text: &str) {
        self.until(text, |screen| screen.contains(text));
    }

    /// The messages that the editor gave so far.
    fn messages(&self) -> Vec<String> {
        self.output()
            .lines()
            .filter_map(|line| {
                line.split_once("GOT ")?
                    .1
                    .trim_end()
                    .strip_suffix(" END")
                    .map(str::to_string)
            })
            .collect()
    }

    /// Waits for the next message.
    fn until_message(&self, n: usize) -> String {
        self.until("message", |_| self.messages().len() >= n);
        self.messages()[n - 1].clone()
    }

    fn until_left(mut self) {
        self.until_screen_has("LEFT");
        self.child.wait().unwrap();
    }
}

/// Longer than anything that counts as part of a paste, as a person's next key is.
fn a_moment_later() {
    std::thread::sleep(Duration::from_millis(200));
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It has usually ended by itself.
        let _ = self.child.kill();
    }
}

#[test]
fn a_bracketed_paste_is_one_message_that_waits_for_enter() {
    let mut terminal = Terminal::editor(&[]);
    terminal.send("see \u{1b}[200~one\r\ntwo\nthree\u{1b}[201~");
    terminal.until_screen_has("three");
    assert_eq!(terminal.messages(), Vec::<String>::new());
    terminal.send("\r");
    assert_eq!(terminal.until_message(1), r#""see one\ntwo\nthree""#);
}

#[test]
fn a_burst_of_lines_without_brackets_is_one_message_that_waits_for_enter() {
    for burst in [
        "one\rtwo\rthree",
        "one\rtwo\rthree\r",
        "one\ntwo\nthree\n",
        "one\r\ntwo\r\nthree",
    ] {
        let mut terminal = Terminal::editor(&[]);
        terminal.send(burst);
        terminal.until_screen_has("> one\ntwo\nthree");
        a_moment_later();
        assert_eq!(terminal.messages(), Vec::<String>::new(), "{burst:?}");
        terminal.send("\r");
        assert_eq!(terminal.until_message(1), r#""one\ntwo\nthree""#, "{burst:?}");
    }
}

#[test]
fn a_long_burst_loses_nothing() {
    let mut terminal = Terminal::editor(&[]);
    let lines: Vec<String> = (0..60)
        .map(|n| format!("line {n} with a few more words in it"))
        .collect();
    terminal.send(&lines.join("\r"));
    terminal.until_screen_has("line 59 with a few more words in it");
    a_moment_later();
    terminal.send("\r");
    let message: String = serde_json::from_str(&terminal.until_message(1)).unwrap();
    assert_eq!(message, lines.join("\n"));
}

#[test]
fn a_line_that_comes_with_its_enter_is_sent() {
    let mut terminal = Terminal::editor(&[]);
    terminal.send("hello\r");
    assert_eq!(terminal.until_message(1), r#""hello""#);
    terminal.send("again\r");
    assert_eq!(terminal.until_message(2), r#""again""#);
}

#[test]
fn wide_characters_take_their_columns_however_their_bytes_come() {
    let mut terminal = Terminal::editor(&[]);
    for byte in "計画書".bytes() {
        terminal.keyboard.write_all(&[byte]).unwrap();
        terminal.keyboard.flush().unwrap();
    }
    terminal.until_screen_has("計画書");
    terminal.until("the cursor behind them", |_| terminal.cursor().1 == 2 + 6);
    terminal.send("\u{1b}[D\u{7f}");
    terminal.until_screen_has("計書");
    terminal.until("the cursor between them", |_| terminal.cursor().1 == 2 + 2);
    terminal.send("👩\u{200d}👧");
    terminal.until_screen_has("👩");
    terminal.send("\u{7f}");
    terminal.until("the emoji gone", |screen| !screen.contains('👩'));
    terminal.send("\r");
    assert_eq!(terminal.until_message(1), "\"計書\"");
}

#[test]
fn ctrl_c_keeps_the_text_in_the_history() {
    let mut terminal = Terminal::editor(&[]);
    terminal.send("half a thought");
    terminal.until_screen_has("half a thought");
    terminal.send("\u{3}");
    terminal.until("a fresh prompt", |screen| {
        screen.lines().last().is_some_and(|line| line.trim_end() == ">")
    });
    terminal.send("\u{1b}[A");
    terminal.until("the text again", |screen| screen.matches("half a thought").count() == 2);
    terminal.send("\r");
    assert_eq!(terminal.until_message(1), r#""half a thought""#);
}

#[test]
fn ctrl_c_leaves_on_the_second_press_on_an_empty_line() {
    let mut terminal = Terminal::editor(&[]);
    terminal.send("\u{3}");
    terminal.until_screen_has("again");
    terminal.until("a fresh prompt", |screen| {
        screen.lines().last().is_some_and(|line| line.trim_end() == ">")
    });
    terminal.send("\u{3}");
    terminal.until_left();
}

#[test]
fn ctrl_d_leaves() {
    let mut terminal = Terminal::editor(&[]);
    terminal.send("\u{4}");
    terminal.until_left();
}

#[test]
fn lines_are_held_together_by_braces_backslash_and_alt_enter() {
    let mut terminal = Terminal::editor(&[]);
    for (lines, message) in [(vec!["{", "a", "b", "}"], r#""a\nb""#), (vec!["a\\", "b"], r#""a\nb""#)] {
        let before = terminal.messages().len();
        for line in lines {
            terminal.send(line);
            terminal.until(line, |screen| {
                screen
                    .lines()
                    .last()
                    .is_some_and(|last| last.trim_end().ends_with(line))
            });
            terminal.send("\r");
        }
        assert_eq!(terminal.until_message(before + 1), message);
    }
    terminal.send("x\u{1b}\ry");
    terminal.until("a second line", |screen| screen.lines().last() == Some("y"));
    terminal.send("\r");
    assert_eq!(terminal.until_message(3), r#""x\ny""#);
}

#[test]
fn enter_and_alt_enter_can_be_swapped_and_swapped_back() {
    let mut terminal = Terminal::editor(&[("CODRIVER_TEST_MULTILINE", "1")]);
    terminal.send("a");
    terminal.until_screen_has("> a");
    terminal.send("\r");
    terminal.send("b");
    terminal.until("a second line", |screen| screen.lines().last() == Some("b"));
    terminal.send("\u{1b}\r");
    assert_eq!(terminal.until_message(1), r#""a\nb""#);
    // A command needs no Alt.
    terminal.send("/swap");
    terminal.until_screen_has("> /swap");
    a_moment_later();
    terminal.send("\r");
    assert_eq!(terminal.until_message(2), r#""/swap""#);
    terminal.send("c");
    terminal.until_screen_has("> c");
    terminal.send("\u{1b}\r");
    terminal.send("d");
    terminal.until("a second line again", |screen| screen.lines().last() == Some("d"));
    a_moment_later();
    terminal.send("\r");
    assert_eq!(terminal.until_message(3), r#""c\nd""#);
}

#[test]
fn tab_completes_commands_files_and_identifiers() {
    let mut terminal = Terminal::editor(&[]);
    terminal.send("/ad");
    terminal.until_screen_has("> /ad");
    terminal.send("\t");
    terminal.until_screen_has("> /add");
    terminal.send("src/li");
    terminal.until_screen_has("src/li");
    terminal.send("\t");
    terminal.until_screen_has("> /add src/lib.rs");
    terminal.send("\r");
    assert_eq!(terminal.until_message(1), r#""/add src/lib.rs ""#);
}

#[test]
fn ctrl_x_ctrl_e_opens_the_users_editor() {
    let mut terminal = Terminal::editor(&[("VISUAL", "sed -i s/old/new/")]);
    terminal.send("old text");
    terminal.until_screen_has("old text");
    terminal.send("\u{18}\u{5}");
    terminal.until_screen_has("new text");
    terminal.send("\r");
    assert_eq!(terminal.until_message(1), r#""new text""#);
}

#[test]
fn vi_keys_edit_when_asked_for() {
    let mut terminal = Terminal::editor(&[("CODRIVER_TEST_VI", "1")]);
    terminal.send("one two");
    terminal.until_screen_has("one two");
    terminal.send("\u{1b}");
    // ESC counts as a key of its own once nothing follows it.
    terminal.until("normal mode", |_| terminal.cursor().1 == 2 + 6);
    terminal.send("bcwnew");
    terminal.until_screen_has("one new");
    terminal.send("\r");
    assert_eq!(terminal.until_message(1), r#""one new""#);
}

#[test]
fn the_history_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/history");
    let env = [("CODRIVER_TEST_HISTORY", path.to_str().unwrap())];
    let mut terminal = Terminal::editor(&env);
    terminal.send("remember me\r");
    terminal.until_message(1);
    terminal.send("\u{4}");
    terminal.until_left();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let mut terminal = Terminal::editor(&env);
    terminal.send("\u{1b}[A");
    terminal.until_screen_has("remember me");
}

#[test]
fn a_question_takes_ctrl_c_and_ctrl_d_for_no() {
    for (keys, answer) in [
        ("\u{3}", "No"),
        ("\u{4}", "No"),
        ("y\r", "Yes"),
        ("\r", "Yes"),
        ("n\r", "No"),
    ] {
        let mut terminal = Terminal::start("program_question", 60, &[]);
        terminal.until_screen_has("Apply them? [Y/n]");
        terminal.send(keys);
        terminal.until_screen_has(&format!("ANSWER {answer}"));
    }
}

#[test]
fn what_is_typed_ahead_of_a_question_is_no_answer_to_it_and_waits_at_the_next_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let mut terminal = Terminal::start("program_typed_ahead", 60, &[("CODRIVER_TEST_GO", go.to_str().unwrap())]);
    terminal.until_screen_has("WORKING");
    terminal.send("y\rthen thas\u{7f}\u{7f}is");
    terminal.until_screen_has("then this");
    std::fs::write(&go, "").unwrap();
    terminal.until_screen_has("Apply them? [Y/n]");
    terminal.send("n\r");
    terminal.until_screen_has("ANSWER No");
    terminal.until_screen_has("> y\nthen this");
    terminal.send("\r");
    assert_eq!(terminal.until_message(1), r#""y\nthen this""#);
}

#[test]
fn a_long_reply_is_written_once_also_when_the_window_changes() {
    let terminal = Terminal::start("program_reply", 40, &[]);
    let text = || codriver::terminal::style::strip_codes(&terminal.output());
    terminal.until("half of the reply", |_| text().contains("line 0200"));
    terminal
        .master
        .resize(PtySize {
            rows: 20,
            cols: 33,
            ..PtySize::default()
        })
        .unwrap();
    terminal.until("all of the reply", |_| text().contains("REPLY OVER"));
    let output = text();
    for n in 0..400 {
        assert_eq!(output.matches(&format!("line {n:04} ")).count(), 1, "line {n}");
    }
    // No cursor movement and nothing erased: scrollback stays what it was.
    let raw = terminal.output();
    let codes: Vec<&str> = raw.split('\u{1b}').skip(1).collect();
    for code in codes {
        let end = code.find(|c: char| c.is_ascii_alphabetic()).unwrap();
        assert_eq!(&code[end..=end], "m", "{code:?}");
    }
}

#[test]
fn without_a_terminal_lines_are_read_as_they_come() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["repl::program_editor", "--exact", "--nocapture"])
        .env(PROGRAM, "program_editor")
        .stdin(std::fs::File::open(fixture("script.txt")).unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let messages: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("GOT ")).collect();
    assert_eq!(messages, [r#""/add a.py" END"#, r#""fix\nboth" END"#, r#""/exit" END"#]);
    assert!(text.contains("LEFT"), "{text}");
}

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/terminal")
        .join(name)
}

// The programs. As tests of their own they have nothing to do.

fn is_program(name: &str) -> bool {
    std::env::var(PROGRAM).is_ok_and(|program| program == name)
}

/// Reads messages until the user leaves and prints each as JSON.
#[test]
fn program_editor() {
    if !is_program("program_editor") {
        return;
    }
    let row = |name: &str, argument| CommandRow {
        name: name.to_string(),
        summary: String::new(),
        argument,
    };
    let commands = vec![row("/add", Argument::Files), row("/drop", Argument::ChatFiles)];
    let words = Words {
        files: vec!["README.md".to_string(), "src/lib.rs".to_string()],
        ..Words::default()
    };
    let options = Options {
        history: std::env::var_os("CODRIVER_TEST_HISTORY").map(Into::into),
        keys: Keys {
            vi: std::env::var_os("CODRIVER_TEST_VI").is_some(),
            enter: EnterKey::new(std::env::var_os("CODRIVER_TEST_MULTILINE").is_some()),
        },
        term: std::env::var("TERM").ok(),
        ..Options::default()
    };
    let enter = options.keys.enter.clone();
    let mut input = Input::new(options, commands, Arc::new(Mutex::new(words))).unwrap();
    while let Line::Text(text) = input.read("").unwrap() {
        if text == "/swap" {
            enter.swap();
        }
        println!("GOT {} END", serde_json::to_string(&text).unwrap());
    }
    println!("LEFT");
    std::process::exit(0);
}

#[test]
fn program_question() {
    if !is_program("program_question") {
        return;
    }
    let mut console = Console::new(ConsoleOptions {
        interactive: true,
        ..ConsoleOptions::default()
    });
    let answer = console.ask(&Question {
        text: "Apply them?".to_string(),
        detail: String::new(),
        default: Answer::Yes,
        yes_always_applies: true,
        choices: Vec::new(),
    });
    println!("ANSWER {answer:?}");
    std::process::exit(0);
}

/// Asks a question once a file is there, then reads a message.
#[test]
fn program_typed_ahead() {
    if !is_program("program_typed_ahead") {
        return;
    }
    println!("WORKING");
    let go = std::env::var_os("CODRIVER_TEST_GO").unwrap();
    while !Path::new(&go).exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut console = Console::new(ConsoleOptions {
        interactive: true,
        ..ConsoleOptions::default()
    });
    let answer = console.ask(&Question {
        text: "Apply them?".to_string(),
        detail: String::new(),
        default: Answer::Yes,
        yes_always_applies: true,
        choices: Vec::new(),
    });
    println!("ANSWER {answer:?}");
    let options = Options {
        term: std::env::var("TERM").ok(),
        ..Options::default()
    };
    let mut input = Input::new(options, Vec::new(), Arc::default()).unwrap();
    if let Line::Text(text) = input.read("").unwrap() {
        println!("GOT {} END", serde_json::to_string(&text).unwrap());
    }
    std::process::exit(0);
}

#[test]
fn program_reply() {
    if !is_program("program_reply") {
        return;
    }
    let mut console = Console::new(ConsoleOptions {
        colour: true,
        live: true,
        interactive: true,
        ..ConsoleOptions::default()
    });
    console.show(Event::Text("# Plan\n\n```rust\n".to_string()));
    for n in 0..400 {
        let words = "word ".repeat(n % 11);
        for piece in ["li".to_string(), format!("ne {n:04} {words}"), "**end**\n".to_string()] {
            console.show(Event::Text(piece));
        }
    }
    console.show(Event::Text("```\n".to_string()));
    console.show(Event::ReplyEnd {
        finish: "stop".to_string(),
    });
    console.show(Event::Note("REPLY OVER".to_string()));
    drop(console);
    std::process::exit(0);
}
