//! One JSON object a line for other programs: every [`Event`], with `type` first and stable field names.
//!
//! Fields are only ever added. Absent values are `null`; times are seconds; a question that a program cannot answer is
//! reported as `question` with the answer that was taken.

use std::io::{ErrorKind, Write};

use serde_json::{Value, json};

use super::{Answer, Event, Question, Ui};

pub struct Json<W: Write + Send> {
    out: W,
    yes_always: bool,
    on_closed: Option<Box<dyn FnOnce() + Send>>,
    closed: bool,
}

impl<W: Write + Send> Json<W> {
    pub fn new(out: W, yes_always: bool) -> Self {
        Self {
            out,
            yes_always,
            on_closed: None,
            closed: false,
        }
    }

    /// Called once when the reader of the output has gone away; after that nothing is written any more.
    pub fn on_closed(mut self, hook: impl FnOnce() + Send + 'static) -> Self {
        self.on_closed = Some(Box::new(hook));
        self
    }

    fn line(&mut self, value: &Value) {
        if self.closed {
            return;
        }
        let written = writeln!(self.out, "{value}").and_then(|()| self.out.flush());
        if written.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            self.closed = true;
            if let Some(hook) = self.on_closed.take() {
                hook();
            }
        }
    }
}

impl<W: Write + Send> Ui for Json<W> {
    fn show(&mut self, event: Event) {
        // The end of a reply brings no text of its own.
        if matches!(&event, Event::Reply { text, .. } if text.is_empty()) {
            return;
        }
        self.line(&to_json(&event));
    }

    fn ask(&mut self, question: &Question) -> Answer {
        let answer = super::unattended_answer(question, self.yes_always);
        self.line(&json!({
            "type": "question",
            "text": question.text,
            "detail": question.detail,
            "answer": answer_word(answer),
        }));
        answer
    }
}

fn answer_word(answer: Answer) -> String {
    match answer {
        Answer::Yes => "yes".to_string(),
        Answer::No => "no".to_string(),
        Answer::Choice(key) => key.to_string(),
    }
}

/// The object of one event.
pub fn to_json(event: &Event) -> Value {
    match event {
        Event::Session {
            version,
            root,
            model,
            edit_format,
            files,
            git,
        } => json!({
            "type": "session", "version": version, "root": root, "model": model, "edit_format": edit_format,
            "files": files, "git": git,
        }),
        Event::Map { text, tokens, files } => {
            json!({ "type": "map", "text": text, "tokens": tokens, "files": files })
        }
        Event::Request {
            number,
            model,
            tokens,
            parts,
        } => {
            let parts: serde_json::Map<String, Value> = parts
                .iter()
                .map(|(name, tokens)| (name.clone(), json!(tokens)))
                .collect();
            json!({ "type": "request", "number": number, "model": model, "tokens": tokens, "parts": parts })
        }
        Event::Text(text) | Event::Reply { text, .. } => json!({ "type": "text", "text": text }),
        Event::Reasoning(text) => json!({ "type": "reasoning", "text": text }),
        Event::ReplyEnd { finish } => json!({ "type": "reply_end", "finish": finish }),
        Event::Edit {
            path,
            kind,
            state,
            strategy,
            line,
            detail,
        } => json!({
            "type": "edit", "path": path, "kind": kind, "state": state, "strategy": strategy, "line": line,
            "detail": detail,
        }),
        Event::Diff(diff) => json!({ "type": "diff", "diff": diff }),
        Event::Command { purpose, command, dir } => {
            json!({ "type": "command", "purpose": purpose, "command": command, "dir": dir })
        }
        Event::Output(text) => json!({ "type": "output", "text": text }),
        Event::Lint { path, passed, output } => {
            json!({ "type": "lint", "path": path, "passed": passed, "output": output })
        }
        Event::Test {
            passed,
            exit_code,
            summary,
            output,
        } => json!({
            "type": "test", "passed": passed, "exit_code": exit_code, "summary": summary, "output": output,
        }),
        Event::Commit { id, message, paths } => {
            json!({ "type": "commit", "id": id, "message": message, "paths": paths })
        }
        Event::Undo { text } => json!({ "type": "undo", "text": text }),
        Event::Usage {
            input,
            output,
            cached,
            cost,
            saved,
            session_cost,
            estimated,
        } => json!({
            "type": "usage", "input": input, "output": output, "cached": cached, "cost": cost,
            "saved": saved, "session_cost": session_cost, "estimated": estimated,
        }),
        Event::Waiting { reason, wait } => {
            json!({ "type": "waiting", "reason": reason, "seconds": wait.as_secs_f64() })
        }
        Event::Note(text) => json!({ "type": "note", "message": text }),
        Event::Warning(text) => json!({ "type": "warning", "message": text }),
        Event::Error { message, hint } => json!({ "type": "error", "message": message, "hint": hint }),
        Event::Print(text) => json!({ "type": "print", "text": text }),
        Event::Done {
            exit_code,
            requests,
            reflections,
            summary,
            edits,
        } => {
            let edits: serde_json::Map<String, Value> =
                edits.iter().map(|(name, count)| (name.clone(), json!(count))).collect();
            json!({
                "type": "done", "exit_code": exit_code, "requests": requests, "reflections": reflections,
                "summary": summary, "edits": edits,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn one_object_a_line() {
        let mut out = Vec::new();
        let mut ui = Json::new(&mut out, false);
        ui.show(Event::Text("two\nlines".to_string()));
        ui.show(Event::Done {
            exit_code: 1,
            requests: 2,
            reflections: 1,
            summary: "not done".to_string(),
            edits: vec![("exact".to_string(), 2)],
        });
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "{\"type\":\"text\",\"text\":\"two\\nlines\"}\n\
             {\"type\":\"done\",\"exit_code\":1,\"requests\":2,\"reflections\":1,\"summary\":\"not done\",\"edits\":{\"exact\":2}}\n"
        );
    }

    #[test]
    fn questions_are_answered_without_waiting() {
        let mut question = Question {
            text: "Run it?".to_string(),
            detail: String::new(),
            default: Answer::Yes,
            yes_always_applies: false,
            choices: Vec::new(),
        };
        assert_eq!(Json::new(Vec::new(), false).ask(&question), Answer::No);
        assert_eq!(Json::new(Vec::new(), true).ask(&question), Answer::No);
        question.yes_always_applies = true;
        assert_eq!(Json::new(Vec::new(), false).ask(&question), Answer::No);
        assert_eq!(Json::new(Vec::new(), true).ask(&question), Answer::Yes);
    }

    struct Gone(Arc<AtomicUsize>);

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Err(ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_goes_away_is_told_once_and_written_to_no_more() {
        let writes = Arc::new(AtomicUsize::new(0));
        let told = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&told);
        let mut ui = Json::new(Gone(Arc::clone(&writes)), false).on_closed(move || {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        for _ in 0..3 {
            ui.show(Event::Note("x".to_string()));
        }
        assert_eq!((writes.load(Ordering::Relaxed), told.load(Ordering::Relaxed)), (1, 1));
    }
}
