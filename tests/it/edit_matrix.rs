//! The same changes written in every edit format, under every decoration, fence, line ending and encoding that models
//! and files have: the files must come out the same each time.
//!
//! A change is data ([`Step`]); each format has one writer, which writes as a model that keeps to the format would. The
//! odder a way of writing is, the more it belongs to `fixtures/`; here are the products of the usual ones.

use std::collections::BTreeMap;

use codriver::apply;
use codriver::apply::Content;
use codriver::apply::Contents;
use codriver::apply::WriteKind;
use codriver::edit_format;
use codriver::edit_format::Hints;

type Texts = BTreeMap<String, String>;

/// One thing that a reply does. Old and new text of a hunk are whole lines; the old text stands in the file once.
#[derive(Debug, Clone)]
enum Step {
    Modify {
        path: String,
        hunks: Vec<(String, String)>,
    },
    Create {
        path: String,
        text: String,
    },
    Delete {
        path: String,
    },
    Rename {
        from: String,
        to: String,
        hunks: Vec<(String, String)>,
    },
}

const FORMATS: [&str; 5] = ["diff", "diff-fenced", "udiff", "whole", "patch"];

const ROOT: &str = "/home/me/shop";

const CART: &str = "\
import json

RATE = 0.2


def total(items):
    price = sum(item.price for item in items)
    return price * (1 + RATE)


def save(items, path):
    with open(path, 'w') as file:
        json.dump(items, file)


def names(items):
    return [item.name for item in items]
";

fn modify(path: &str, hunks: &[(&str, &str)]) -> Step {
    Step::Modify {
        path: path.to_owned(),
        hunks: owned(hunks),
    }
}

fn owned(hunks: &[(&str, &str)]) -> Vec<(String, String)> {
    hunks
        .iter()
        .map(|(old, new)| (old.to_string(), new.to_string()))
        .collect()
}

fn create(path: &str, text: &str) -> Step {
    Step::Create {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}

/// What the changes below do to `src/cart.py`.
const RATE: (&str, &str) = (
    "RATE = 0.2\n\n\ndef total(items):\n",
    "RATE = 0.25\n\n\ndef total(items):\n",
);
const SORTED: (&str, &str) = (
    "def names(items):\n    return [item.name for item in items]\n",
    "def names(items):\n    return sorted(item.name for item in items)\n",
);

fn changes() -> Vec<(&'static str, Vec<Step>)> {
    let cart = "src/cart.py";
    vec![
        ("a line in the middle", vec![modify(cart, &[RATE])]),
        ("the last line", vec![modify(cart, &[SORTED])]),
        ("two places", vec![modify(cart, &[RATE, SORTED])]),
        ("two places out of order", vec![modify(cart, &[SORTED, RATE])]),
        (
            "lines added",
            vec![modify(
                cart,
                &[(
                    "    price = sum(item.price for item in items)\n",
                    "    price = sum(item.price for item in items)\n    if price < 0:\n        raise ValueError(price)\n",
                )],
            )],
        ),
        (
            "the first line",
            vec![modify(cart, &[("import json\n", "import json\nimport os\n")])],
        ),
        (
            "lines removed",
            vec![modify(
                cart,
                &[(
                    "def save(items, path):\n    with open(path, 'w') as file:\n        json.dump(items, file)\n\n\ndef names(items):\n",
                    "def names(items):\n",
                )],
            )],
        ),
        (
            "a new file",
            vec![create("src/money.py", "def rounded(x):\n    return round(x, 2)\n")],
        ),
        (
            "a new file beside a change",
            vec![
                create("src/money.py", "def rounded(x):\n    return round(x, 2)\n"),
                modify(cart, &[RATE]),
            ],
        ),
        (
            "two files",
            vec![
                modify(cart, &[RATE]),
                modify("docs/notes.txt", &[("second\n", "the second\n")]),
            ],
        ),
        (
            "a file deleted",
            vec![
                Step::Delete {
                    path: "docs/notes.txt".to_owned(),
                },
                modify(cart, &[SORTED]),
            ],
        ),
        (
            "a file renamed",
            vec![Step::Rename {
                from: "docs/notes.txt".to_owned(),
                to: "docs/old/notes.txt".to_owned(),
                hunks: Vec::new(),
            }],
        ),
        (
            "a file renamed and changed",
            vec![Step::Rename {
                from: cart.to_owned(),
                to: "src/basket.py".to_owned(),
                hunks: owned(&[RATE]),
            }],
        ),
    ]
}

fn files() -> Texts {
    Texts::from([
        ("src/cart.py".to_owned(), CART.to_owned()),
        ("docs/notes.txt".to_owned(), "first\nsecond\nthird\n".to_owned()),
    ])
}

/// The files after the steps, by plain replacement of text.
fn expected(before: &Texts, steps: &[Step], ending: &str, open: bool) -> Texts {
    let mut files = before.clone();
    let stored = |text: &str| text.replace('\n', ending);
    let with = |text: String, hunks: &[(String, String)]| {
        let padded = if open { format!("{text}{ending}") } else { text };
        let changed = hunks.iter().fold(padded, |text, (old, new)| {
            assert_eq!(text.matches(&stored(old)).count(), 1, "{old}");
            text.replacen(&stored(old), &stored(new), 1)
        });
        match changed.strip_suffix(ending) {
            Some(cut) if open => cut.to_owned(),
            _ => changed,
        }
    };
    for step in steps {
        match step {
            Step::Modify { path, hunks } => {
                let text = files.remove(path).unwrap();
                files.insert(path.clone(), with(text, hunks));
            }
            Step::Create { path, text } => {
                files.insert(path.clone(), text.clone());
            }
            Step::Delete { path } => {
                files.remove(path);
            }
            Step::Rename { from, to, hunks } => {
                let text = files.remove(from).unwrap();
                files.insert(to.clone(), with(text, hunks));
            }
        }
    }
    files
}

// How a reply writes the steps.

/// What varies in the writing.
#[derive(Clone, Copy)]
struct Style<'s> {
    /// `{}` stands for the path; the line above a fence.
    title: &'s str,
    /// Opening and closing line of a fence.
    fence: (&'s str, &'s str),
}

const PLAIN: Style<'static> = Style {
    title: "{}",
    fence: ("```", "```"),
};

fn titled(style: Style<'_>, path: &str, content: &str) -> String {
    let (open, close) = style.fence;
    format!("{}\n{open}\n{content}{close}\n\n", style.title.replace("{}", path))
}

fn block(old: &str, new: &str) -> String {
    format!("<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
}

fn written(format: &str, before: &Texts, steps: &[Step], style: Style<'_>) -> String {
    match format {
        "diff" => blocks(steps, &|path, block| titled(style, path, block)),
        "diff-fenced" => blocks(steps, &|path, block| {
            format!("```\n{}\n{block}```\n\n", style.title.replace("{}", path))
        }),
        "udiff" => format!(
            "```diff\n{}```\n",
            steps.iter().map(|step| diff(before, step)).collect::<String>()
        ),
        "whole" => whole(before, steps, style),
        _ => format!(
            "*** Begin Patch\n{}*** End Patch\n",
            steps.iter().map(patch).collect::<String>()
        ),
    }
}

fn blocks(steps: &[Step], in_fence: &dyn Fn(&str, &str) -> String) -> String {
    let all = |path: &str, hunks: &[(String, String)]| -> String {
        hunks
            .iter()
            .map(|(old, new)| in_fence(path, &block(old, new)))
            .collect()
    };
    steps
        .iter()
        .map(|step| match step {
            Step::Modify { path, hunks } => all(path, hunks),
            Step::Create { path, text } => in_fence(path, &block("", text)),
            Step::Delete { path } => format!("*** Delete File: {path}\n\n"),
            Step::Rename { from, to, hunks } => format!("*** Move File: {from} -> {to}\n\n{}", all(to, hunks)),
        })
        .collect()
}

fn whole(before: &Texts, steps: &[Step], style: Style<'_>) -> String {
    let new_text = |path: &str, hunks: &[(String, String)]| -> String {
        let replaced = |text: String, (old, new): &(String, String)| text.replacen(old.as_str(), new, 1);
        hunks.iter().fold(before[path].clone(), replaced)
    };
    steps
        .iter()
        .map(|step| match step {
            Step::Modify { path, hunks } => titled(style, path, &new_text(path, hunks)),
            Step::Create { path, text } => titled(style, path, text),
            Step::Delete { path } => format!("*** Delete File: {path}\n\n"),
            Step::Rename { from, to, hunks } if hunks.is_empty() => format!("*** Move File: {from} -> {to}\n\n"),
            Step::Rename { from, to, hunks } => {
                format!(
                    "*** Move File: {from} -> {to}\n\n{}",
                    titled(style, to, &new_text(from, hunks))
                )
            }
        })
        .collect()
}

/// Lines with their sign: those that both sides begin and end with are context.
fn signed((old, new): &(String, String)) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = (old.len() - head).min(new.len() - head);
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    let mark = |sign: char, lines: &[&str]| lines.iter().map(|line| format!("{sign}{line}\n")).collect::<String>();
    [
        mark(' ', &old[..head]),
        mark('-', &old[head..old.len() - tail]),
        mark('+', &new[head..new.len() - tail]),
        mark(' ', &old[old.len() - tail..]),
    ]
    .concat()
}

fn hunks_of(hunks: &[(String, String)]) -> String {
    hunks
        .iter()
        .map(|hunk| format!("@@ ... @@\n{}", signed(hunk)))
        .collect()
}

fn prefixed(sign: char, text: &str) -> String {
    text.lines().map(|line| format!("{sign}{line}\n")).collect()
}

fn diff(before: &Texts, step: &Step) -> String {
    match step {
        Step::Modify { path, hunks } => format!("--- a/{path}\n+++ b/{path}\n{}", hunks_of(hunks)),
        Step::Create { path, text } => {
            format!(
                "--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{} @@\n{}",
                text.lines().count(),
                prefixed('+', text)
            )
        }
        Step::Delete { path } => {
            let text = &before[path];
            format!(
                "--- a/{path}\n+++ /dev/null\n@@ -1,{} +0,0 @@\n{}",
                text.lines().count(),
                prefixed('-', text)
            )
        }
        Step::Rename { from, to, hunks } => {
            let header = format!("diff --git a/{from} b/{to}\nrename from {from}\nrename to {to}\n");
            match hunks.is_empty() {
                true => header,
                false => format!("{header}--- a/{from}\n+++ b/{to}\n{}", hunks_of(hunks)),
            }
        }
    }
}

fn patch(step: &Step) -> String {
    let body = |hunks: &[(String, String)]| {
        hunks
            .iter()
            .map(|hunk| format!("@@\n{}", signed(hunk)))
            .collect::<String>()
    };
    match step {
        Step::Modify { path, hunks } => format!("*** Update File: {path}\n{}", body(hunks)),
        Step::Create { path, text } => format!("*** Add File: {path}\n{}", prefixed('+', text)),
        Step::Delete { path } => format!("*** Delete File: {path}\n"),
        Step::Rename { from, to, hunks } => format!("*** Update File: {from}\n*** Move to: {to}\n{}", body(hunks)),
    }
}

// Reading it.

/// The files after a reply, or what failed.
fn applied(asked: &str, reply: &str, before: &Texts) -> Result<Texts, String> {
    let paths: Vec<String> = before.keys().cloned().collect();
    let hints = Hints {
        chat_files: paths.clone(),
        known_files: paths,
        root: Some(ROOT.to_owned()),
        ..Hints::default()
    };
    let format = edit_format::by_name(asked).ok_or("no such format")?;
    let parsed = format.parse(reply, &hints);
    let contents: Contents = apply::paths_to_read(&parsed, &hints)
        .into_iter()
        .map(|path| {
            let text = before.get(&path).cloned();
            (path, text.map_or(Content::Absent, Content::Text))
        })
        .collect();
    let plan = apply::plan(&parsed, &hints, &contents);
    if let Some(failure) = plan.failures.first() {
        return Err(format!("{:?}: {}", failure.path, failure.reason));
    }
    let mut after = before.clone();
    for write in plan.writes {
        if let WriteKind::Move { from } = &write.kind {
            after.remove(from);
        }
        match write.after {
            Some(text) => after.insert(write.path, text),
            None => after.remove(&write.path),
        };
    }
    Ok(after)
}

/// Collects what differs, so that one run shows all.
#[derive(Default)]
struct Differences {
    n_cases: usize,
    found: Vec<String>,
}

impl Differences {
    fn check(&mut self, name: &str, asked: &str, reply: &str, before: &Texts, wanted: &Texts) {
        self.n_cases += 1;
        let what = match applied(asked, reply, before) {
            Ok(after) if after == *wanted => return,
            Ok(after) => {
                let differs = |path: &&String| after.get(*path) != wanted.get(*path);
                let paths: Vec<&String> = after.keys().chain(wanted.keys()).filter(differs).collect();
                let path = paths[0];
                format!("`{path}` is {:?}, not {:?}", after.get(path), wanted.get(path))
            }
            Err(reason) => reason,
        };
        self.found.push(format!("--- {name}\n{what}\n{reply}"));
    }

    fn tell(self) {
        let n_found = self.found.len();
        let shown: Vec<String> = self.found.into_iter().take(8).collect();
        assert!(
            n_found == 0,
            "{n_found} of {} cases\n{}",
            self.n_cases,
            shown.join("\n")
        );
        assert!(self.n_cases > 0);
    }
}

#[test]
fn every_format_makes_every_change_with_every_line_ending() {
    let mut differences = Differences::default();
    for (name, steps) in changes() {
        for format in FORMATS {
            let reply = written(format, &files(), &steps, PLAIN);
            for (ending, open) in [("\n", false), ("\r\n", false), ("\n", true), ("\r\n", true)] {
                let stored = |text: &String| {
                    let text = if open { text.trim_end() } else { text };
                    text.replace('\n', ending)
                };
                let before: Texts = files()
                    .iter()
                    .map(|(path, text)| (path.clone(), stored(text)))
                    .collect();
                let wanted = expected(&before, &steps, ending, open);
                for asked in [format, "auto"] {
                    for reply in [reply.clone(), reply.replace('\n', "\r\n"), reply.trim_end().to_owned()] {
                        let name = format!("{name}, {format} read as {asked}, {ending:?}, open {open}");
                        differences.check(&name, asked, &reply, &before, &wanted);
                    }
                }
            }
        }
    }
    differences.tell();
}

/// A model that answers in another format than asked is understood all the same, where the format has markers.
#[test]
fn every_format_with_markers_is_read_whatever_was_asked_for() {
    let mut differences = Differences::default();
    for (name, steps) in changes() {
        for format in ["diff", "diff-fenced", "udiff", "patch"] {
            let reply = written(format, &files(), &steps, PLAIN);
            let wanted = expected(&files(), &steps, "\n", false);
            for asked in FORMATS {
                differences.check(
                    &format!("{name}, {format} read as {asked}"),
                    asked,
                    &reply,
                    &files(),
                    &wanted,
                );
            }
        }
    }
    differences.tell();
}

const TITLES: &[&str] = &[
    "{}",
    "{}:",
    "`{}`",
    "`{}`:",
    "**{}**",
    "**{}:**",
    "**`{}`**",
    "*{}*",
    "# {}",
    "### {}",
    "### `{}`",
    "#### {}:",
    "1. {}",
    "2) `{}`",
    "### 1. `{}`",
    "- `{}`",
    "File: {}",
    "**File:** `{}`",
    "**File: {}**",
    "File path: `{}`",
    "Filename: {}",
    "### File: `{}`",
    "Update `{}`:",
    "In `{}`:",
    "Now {}:",
    "{} (changed)",
    "`{}` — the change",
    "// {}",
    "<!-- {} -->",
    "\"{}\"",
    "[{}]({})",
    "=== {} ===",
    "📄 {}",
    "> {}",
    "./{}",
    "/home/me/shop/{}",
    "shop/{}",
];

const FENCES: &[(&str, &str)] = &[
    ("```", "```"),
    ("```python", "```"),
    ("````", "````"),
    ("`````py", "`````"),
    ("~~~", "~~~"),
    ("~~~~python", "~~~~"),
    ("<source>", "</source>"),
    ("<code>", "</code>"),
];

#[test]
fn a_name_is_found_under_every_decoration_and_before_every_fence() {
    let mut differences = Differences::default();
    let steps = [
        vec![modify("src/cart.py", &[RATE])],
        vec![create("src/money.py", "def rounded(x):\n    return round(x, 2)\n")],
    ];
    for steps in &steps {
        let wanted = expected(&files(), steps, "\n", false);
        for format in ["diff", "whole"] {
            for title in TITLES {
                let is_new = matches!(steps[0], Step::Create { .. });
                // Nobody knows yet that the folder of that name is the project's.
                if is_new && title.starts_with("shop/") {
                    continue;
                }
                for fence in FENCES {
                    for between in ["", "\n"] {
                        let title = format!("{title}{between}");
                        let style = Style {
                            title: &title,
                            fence: *fence,
                        };
                        let reply = written(format, &files(), steps, style);
                        let name = format!("{title:?} {fence:?} {format}, new {is_new}");
                        differences.check(&name, format, &reply, &files(), &wanted);
                    }
                }
            }
        }
    }
    differences.tell();
}

#[test]
fn the_fence_line_may_name_the_file() {
    let mut differences = Differences::default();
    let steps = [modify("src/cart.py", &[RATE])];
    let wanted = expected(&files(), &steps, "\n", false);
    for format in ["diff", "whole"] {
        for info in [
            "{}",
            "python {}",
            "python:{}",
            "python title=\"{}\"",
            "python filename={}",
            "py ({})",
        ] {
            let open = format!("```{}", info.replace("{}", "src/cart.py"));
            let style = Style {
                title: "",
                fence: (&open, "```"),
            };
            let reply = written(format, &files(), &steps, style);
            differences.check(&format!("{info} {format}"), format, &reply, &files(), &wanted);
        }
    }
    differences.tell();
}

#[test]
fn what_stands_around_the_edits_makes_no_difference() {
    let around = [
        ("Here is the change.\n\n", ""),
        ("", "\nThat should do; see docs/notes.txt for the rest.\n"),
        (
            "I read `src/cart.py` and `docs/notes.txt`.\n\n",
            "\nRun the tests then:\n\n```bash\npython -m pytest\n```\n",
        ),
        (
            "<think>\nShould I change total()?\n\nsrc/cart.py\n```\n<<<<<<< SEARCH\nimport json\n=======\n>>>>>>> REPLACE\n```\n</think>\n\n",
            "",
        ),
        ("<thinking>The rate is wrong.</thinking>\n\n", ""),
        ("\n\n\n", "\n\n\n"),
        ("\u{feff}", ""),
        (
            "## Plan\n\n1. change the rate\n2. done\n\n---\n\n",
            "\n---\n\n**Note**: nothing else changes.\n",
        ),
    ];
    let mut differences = Differences::default();
    for (name, steps) in changes() {
        let wanted = expected(&files(), &steps, "\n", false);
        for format in FORMATS {
            for (above, below) in around {
                let reply = format!("{above}{}{below}", written(format, &files(), &steps, PLAIN));
                differences.check(&format!("{name}, {format}"), format, &reply, &files(), &wanted);
            }
        }
    }
    differences.tell();
}

#[test]
fn odd_paths_are_changed_and_created_in_every_format() {
    let paths = [
        "a.py",
        "Makefile",
        ".gitignore",
        "src/__init__.py",
        "routes/[lang]/(shop)/view.tsx",
        "été/計画.md",
        "docs/my notes.md",
        "my notes.txt",
        "deep/er/and/deep.er/file.d.ts",
        "name-with-dashes_and.dots.tar.gz.txt",
        "bin/run",
        "C++/main.cpp",
        "week #1/plan.md",
    ];
    let mut differences = Differences::default();
    for path in paths {
        let text = "first line of it\nsecond line of it\nthird line of it\n";
        let there = Texts::from([
            (path.to_owned(), text.to_owned()),
            ("b.txt".to_owned(), "b\n".to_owned()),
        ]);
        let absent = Texts::from([("b.txt".to_owned(), "b\n".to_owned())]);
        let cases = [
            (&there, modify(path, &[("second line of it\n", "another line\n")])),
            (&absent, create(path, text)),
        ];
        for (before, step) in cases {
            let steps = [step];
            let wanted = expected(before, &steps, "\n", false);
            for format in FORMATS {
                for asked in [format, "auto"] {
                    let reply = written(format, before, &steps, PLAIN);
                    differences.check(&format!("{path} {format} as {asked}"), asked, &reply, before, &wanted);
                }
            }
        }
    }
    differences.tell();
}

/// The text of files that hold what formats are made of, on both sides of the change.
#[test]
fn content_that_looks_like_markers_is_content() {
    let samples = [
        (
            "fences in Markdown",
            "guide.md",
            "# Guide\n\nRun:\n\n```sh\nmake\n```\n\nor:\n\n```\nmake all\n```\n\nold end\n",
        ),
        (
            "an underlined heading",
            "guide.rst",
            "Guide\n=======\n\ntext\n\nPart\n-------\n\nold end\n",
        ),
        (
            "a conflict",
            "merge.txt",
            "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n\nold end\n",
        ),
        (
            "signs of a diff",
            "list.txt",
            "- one\n+ two\n--- three\n+++ four\n@@ five @@\nold end\n",
        ),
        (
            "stars of a patch",
            "stars.txt",
            "*** one ***\n** two\n*** Three: x\nold end\n",
        ),
        (
            "entities",
            "page.html",
            "<p>a &lt; b &amp;&amp; c</p>\n<p>&nbsp;</p>\nold end\n",
        ),
        (
            "dollars and backslashes",
            "re.py",
            "a = '$1 $& \\\\1 \\n \\0'\nb = r'\\d+$'\nold end\n",
        ),
        ("dots", "stub.py", "def f(): ...\n\nx = [...]\nold end\n"),
        ("tabs", "Makefile", "all:\n\tcc -o a a.c\n\n\told end\n"),
        ("trailing blanks", "soft.md", "one  \ntwo\t\n\nold end\n"),
    ];
    let mut differences = Differences::default();
    for (name, path, text) in samples {
        let before = Texts::from([(path.to_owned(), text.to_owned())]);
        let new = text.replace("old end", "new end");
        let steps = [modify(path, &[(text, &new)])];
        let wanted = expected(&before, &steps, "\n", false);
        for format in FORMATS {
            // A fence of three signs cannot hold Markdown whose samples have none of their own language.
            let style = Style {
                title: "{}",
                fence: ("````", "````"),
            };
            let reply = written(format, &before, &steps, style);
            differences.check(&format!("{name}, {format}"), format, &reply, &before, &wanted);
        }
        let step = [create("new/copy.txt", text)];
        let wanted = expected(&before, &step, "\n", false);
        for format in FORMATS {
            let style = Style {
                title: "{}",
                fence: ("````", "````"),
            };
            let reply = written(format, &before, &step, style);
            differences.check(
                &format!("{name} in a new file, {format}"),
                format,
                &reply,
                &before,
                &wanted,
            );
        }
    }
    differences.tell();
}

/// What no format may do, whatever it is written in.
#[test]
fn what_is_refused_is_refused_in_every_format() {
    let before = files();
    let refused = [
        (
            "lines that are nowhere",
            vec![modify("src/cart.py", &[("price = 7\n", "price = 8\n")])],
        ),
        ("a file outside", vec![create("../outside.py", "x = 1\n")]),
        ("an absolute path", vec![create("/etc/outside.conf", "x = 1\n")]),
        (
            "a file that is not there",
            vec![modify(
                "src/none.py",
                &[("RATE = 0.2\nWIDE = 1\n", "RATE = 0.3\nWIDE = 1\n")],
            )],
        ),
        (
            "a move over a file",
            vec![Step::Rename {
                from: "docs/notes.txt".to_owned(),
                to: "src/cart.py".to_owned(),
                hunks: Vec::new(),
            }],
        ),
        (
            "a good part beside a bad one",
            vec![modify("src/cart.py", &[RATE, ("nowhere = 1\n", "nowhere = 2\n")])],
        ),
    ];
    for (name, steps) in refused {
        for format in FORMATS {
            // A whole text has no lines that could be nowhere.
            let lines_only = matches!(&steps[0], Step::Modify { .. });
            if format == "whole" && lines_only {
                continue;
            }
            let reply = written(format, &before, &steps, PLAIN);
            let outcome = applied(format, &reply, &before);
            assert!(outcome.is_err(), "{name} in {format}\n{reply}");
        }
    }
}
