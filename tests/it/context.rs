//! What requests hold over a whole session: a beginning that stays the same, and a history that gets shorter meanwhile.

use std::fs;
use std::path::Path;

use codriver::chat::message::Message;
use codriver::chat::message::Part;
use codriver::repl::obey;
use codriver::session::Purpose;
use codriver::terminal::Event;

use crate::session::Script;
use crate::session::Stage;
use crate::session::open;

struct Place {
    root: tempfile::TempDir,
    state: tempfile::TempDir,
}

impl Place {
    fn with(files: &[(&str, &str)]) -> Self {
        let place = Self {
            root: tempfile::tempdir().unwrap(),
            state: tempfile::tempdir().unwrap(),
        };
        for (name, text) in files {
            fs::write(place.root.path().join(name), text).unwrap();
        }
        place
    }

    fn open(&self, script: &str) -> Stage {
        let script: Script = toml::from_str(&format!("about = \"x\"\ngit = false\nsay = []\n{script}")).unwrap();
        let root: &Path = &self.root.path().canonicalize().unwrap();
        open(&script, root, self.state.path())
    }
}

/// What a command printed.
fn printed(stage: &mut Stage, command: &str) -> String {
    let before = stage.record.lock().unwrap().events.len();
    obey(&mut stage.session, command);
    let record = stage.record.lock().unwrap();
    let prints = record.events[before..].iter().filter_map(|event| match event {
        Event::Print(text) => Some(text.as_str()),
        _ => None,
    });
    prints.collect()
}

/// All texts of a request, and the place where its map begins (its length when it has none).
fn text_of(messages: &[Message]) -> (String, usize) {
    let text: String = messages.iter().map(|message| message.text() + "\n").collect();
    let map = text.find("Map of the repository").unwrap_or(text.len());
    (text, map)
}

const EDIT: &str = "a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n";

#[test]
fn consecutive_requests_begin_with_the_same_text_up_to_the_map() {
    let library: String = (0..20).map(|n| format!("def helper_{n}(): pass\n")).collect();
    let place = Place::with(&[("a.py", "x = 1\n"), ("lib.py", &library), ("more.py", &library)]);
    let mut stage =
        place.open("files = [\"a.py\"]\nreplies = [{ text = \"one\" }, { text = \"two\" }, { text = \"three\" }]\n");
    for message in ["what is `helper_3`?", "and `helper_7` in more?", "and now?"] {
        obey(&mut stage.session, message);
    }
    let texts: Vec<(String, usize)> = stage
        .main
        .requests()
        .iter()
        .map(|request| text_of(&request.messages))
        .collect();
    for pair in texts.windows(2) {
        let ((before, map), (after, later_map)) = (&pair[0], &pair[1]);
        assert!(*map < before.len(), "there is a map");
        assert_eq!(before[..*map], after[..*map]);
        assert!(later_map > map, "the history stands before the map");
    }
}

#[test]
fn a_file_that_is_edited_does_not_move_the_others() {
    let place = Place::with(&[("a.py", "x = 1\n"), ("b.py", "y = 1\n")]);
    let again = EDIT.replace("x = 2", "x = 3").replace("x = 1", "x = 2");
    let replies: String = [EDIT, &again, "done"]
        .map(|text| format!("[[replies]]\ntext = '''\n{text}'''\n"))
        .concat();
    let mut stage = place.open(&format!("files = [\"a.py\", \"b.py\"]\n{replies}"));
    for message in ["two", "three", "and now?"] {
        obey(&mut stage.session, message);
    }
    let requests = stage.main.requests();
    let end_of_b = |n: usize| {
        let (text, _) = text_of(&requests[n].messages);
        let at = text.find("y = 1\n").unwrap();
        text[..at].to_owned()
    };
    // The first edit moves `a.py` behind `b.py`, and there it stays.
    assert_ne!(end_of_b(0), end_of_b(1));
    assert_eq!(end_of_b(1), end_of_b(2));
    assert!(text_of(&requests[2].messages).0.contains("x = 3\n"));
}

#[test]
fn a_picture_goes_as_it_is_and_stands_in_no_history() {
    let place = Place::with(&[("a.py", "x = 1\n")]);
    let png = include_bytes!("../../fixtures/session/pictures_go_to_models_that_see/repo/shot.png");
    fs::write(place.root.path().join("shot.png"), png).unwrap();
    let mut stage = place.open("vision = true\nreplies = [{ text = \"blue\" }, { text = \"still blue\" }]\n");
    for line in ["/add shot.png", "/ask what is it?", "/ask and now?"] {
        obey(&mut stage.session, line);
    }
    for request in stage.main.requests() {
        let files: Vec<&Part> = request
            .messages
            .iter()
            .flat_map(|message| &message.parts)
            .filter(|part| matches!(part, Part::File { .. }))
            .collect();
        let [Part::File { name, media_type, data }] = files[..] else {
            panic!("one picture: {files:?}");
        };
        assert_eq!((name.as_str(), media_type.as_str()), ("shot.png", "image/png"));
        assert!(data.starts_with("iVBORw0KGgo"));
    }
}

#[test]
fn a_message_does_not_wait_for_a_summary() {
    let long = "word ".repeat(300);
    let place = Place::with(&[("a.py", "x = 1\n")]);
    let mut stage = place.open(&format!(
        "files = [\"a.py\"]\nhistory_tokens = 700\nweak_pace = 100\nweak_replies = [{{ text = \"I asked for words.\" }}]\nreplies = [{{ text = \"{long}\" }}, {{ text = \"{long}\" }}, {{ text = \"{long}\" }}, {{ text = \"ok\" }}, {{ text = \"ok\" }}]\n"
    ));
    for message in ["one", "two", "three"] {
        obey(&mut stage.session, message);
    }
    stage.session.rest();
    obey(&mut stage.session, "four");
    let of_four = stage.main.requests()[3].clone();
    assert!(!text_of(&of_four.messages).0.contains("I asked for words."));
    stage.session.wake(true);
    obey(&mut stage.session, "five");
    let of_five = stage.main.requests()[4].clone();
    let text = text_of(&of_five.messages).0;
    assert!(text.contains("I asked for words."), "{text}");
    assert!(text.contains("four"), "what was said meanwhile is there");
}

#[test]
fn turns_keep_their_pins_summaries_and_numbers_when_the_session_is_resumed() {
    let details = "detail ".repeat(100);
    let place = Place::with(&[("a.py", "x = 1\n")]);
    let script = format!(
        "files = [\"a.py\"]\nanswers = [\"yes\"]\nweak_replies = [{{ text = \"I asked about pears.\" }}]\n\
         [[replies]]\ntext = \"{details}\"\n[[replies]]\ntext = \"{details}\"\n\
         [[replies]]\ntext = \"\"\"\n{EDIT}\"\"\"\n"
    );
    let mut stage = place.open(&script);
    for line in [
        "/ask apples",
        "/ask pears",
        "/turns pin 1",
        "set x",
        "/compact",
        "!echo noted",
    ] {
        obey(&mut stage.session, line);
    }
    let turns = printed(&mut stage, "/turns");
    assert!(
        turns.contains("pinned") && turns.contains("summary") && turns.contains("noted"),
        "{turns}"
    );
    stage.session.close();
    drop(stage);

    let mut stage = place.open("");
    stage.session.resume(None).unwrap();
    assert_eq!(printed(&mut stage, "/turns"), turns);
    obey(&mut stage.session, "/undo");
    let turns = printed(&mut stage, "/turns");
    assert!(
        !turns.contains("set x"),
        "the undone turn left the conversation: {turns}"
    );
    assert_eq!(fs::read_to_string(place.root.path().join("a.py")).unwrap(), "x = 1\n");
}

#[test]
fn a_summary_costs_what_the_model_takes_that_wrote_it() {
    let long = "word ".repeat(300);
    let place = Place::with(&[("a.py", "x = 1\n")]);
    let script = format!(
        "files = [\"a.py\"]\nhistory_tokens = 500\nprice = [1.0, 2.0]\nweak_pace = 20\n\
         weak_replies = [{{ text = \"I asked for words.\" }}]\n\
         replies = [{{ text = \"{long}\" }}, {{ text = \"{long}\" }}, {{ text = \"{long}\" }}]\n"
    );
    let lines = ["one", "two", "three"];
    let mut stage = place.open(&script);
    for line in lines {
        obey(&mut stage.session, line);
    }
    stage.session.rest();
    obey(&mut stage.session, "/weak-model scripted/free");
    stage.session.wake(true);
    let summaries = *stage.session.spending().of(Purpose::Summary);
    assert_eq!((summaries.requests, summaries.unpriced), (1, 0));
    assert!(summaries.cost > 0.0, "{summaries:?}");
}

#[test]
fn a_summary_that_nobody_waits_for_is_paid_for_all_the_same() {
    let long = "word ".repeat(300);
    let place = Place::with(&[("a.py", "x = 1\n")]);
    let script = format!(
        "files = [\"a.py\"]\nhistory_tokens = 500\nprice = [1.0, 2.0]\n\
         weak_replies = [{{ text = \"I asked for words.\" }}]\n\
         replies = [{{ text = \"{long}\" }}, {{ text = \"{long}\" }}, {{ text = \"{long}\" }}]\n"
    );
    let mut stage = place.open(&script);
    for line in ["one", "two", "three"] {
        obey(&mut stage.session, line);
    }
    stage.session.rest();
    let mut patience = 1_000;
    while stage.weak.requests().is_empty() && patience > 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
        patience -= 1;
    }
    std::thread::sleep(std::time::Duration::from_millis(50));
    stage.session.clear_history();
    assert_eq!(stage.session.spending().of(Purpose::Summary).requests, 1);
}
