//! What a person reads of an HTML page, as plain text with a little Markdown: headings, lists, code. Any input gives some
//! text; it is for reading, not for rendering.

/// Elements whose text nobody reads.
const HIDDEN: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "iframe", "nav", "footer", "form", "button", "select", "head",
];

/// Elements that begin and end a line of their own.
const BLOCKS: &[&str] = &[
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "aside",
    "ul",
    "ol",
    "dl",
    "dt",
    "dd",
    "table",
    "tr",
    "blockquote",
    "figure",
    "figcaption",
    "details",
    "summary",
    "hr",
    "body",
    "html",
];

/// The text of a page.
pub fn to_text(html: &str) -> String {
    let mut page = Page::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        page.text(&rest[..at]);
        rest = &rest[at..];
        rest = match element(rest) {
            Some((tag, after)) if !tag.closes && HIDDEN.contains(&tag.name.as_str()) => {
                if tag.name == "head" {
                    page.title(after);
                }
                behind(after, &tag.name)
            }
            Some((tag, after)) => {
                page.tag(&tag);
                after
            }
            None => {
                page.text("<");
                &rest[1..]
            }
        };
    }
    page.text(rest);
    page.finish()
}

struct Tag {
    name: String,
    closes: bool,
}

/// The tag or comment that the text begins with, and what follows it; None for a bare `<`.
fn element(text: &str) -> Option<(Tag, &str)> {
    if let Some(comment) = text.strip_prefix("<!--") {
        let after = comment.find("-->").map_or("", |end| &comment[end + 3..]);
        return Some((tag("!", false), after));
    }
    let inner = &text[1..];
    let closes = inner.starts_with('/');
    let name_at = inner.trim_start_matches('/');
    if !name_at.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!' || c == '?') {
        return None;
    }
    let name: String = name_at
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect::<String>()
        .to_ascii_lowercase();
    let mut quote = None;
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (None, '>') => return Some((tag(&name, closes), &inner[at + 1..])),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    // A tag that never ends swallows the rest.
    Some((tag(&name, closes), ""))
}

fn tag(name: &str, closes: bool) -> Tag {
    Tag {
        name: name.to_owned(),
        closes,
    }
}

/// What follows the end of an element.
fn behind<'a>(text: &'a str, name: &str) -> &'a str {
    let end = format!("</{name}");
    let found = text.match_indices("</").find(|(at, _)| {
        text.get(*at..at + end.len())
            .is_some_and(|tag| tag.eq_ignore_ascii_case(&end))
    });
    match found {
        Some((at, _)) => text[at..].find('>').map_or("", |close| &text[at + close + 1..]),
        None => "",
    }
}

#[derive(Default)]
struct Page {
    out: String,
    /// Inside `<pre>`: every character counts.
    verbatim: bool,
    /// A blank is due before the next word.
    blank: bool,
}

impl Page {
    fn text(&mut self, text: &str) {
        let text = decoded(text);
        if self.verbatim {
            self.out.push_str(&text);
            return;
        }
        for c in text.chars() {
            if c.is_whitespace() {
                self.blank = true;
                continue;
            }
            if std::mem::take(&mut self.blank) && !self.out.is_empty() && !self.out.ends_with(['\n', ' ']) {
                self.out.push(' ');
            }
            self.out.push(c);
        }
    }

    fn tag(&mut self, tag: &Tag) {
        match tag.name.as_str() {
            "pre" if tag.closes != self.verbatim => {}
            "pre" => {
                self.line();
                self.out.push_str("```\n");
                self.verbatim = !tag.closes;
            }
            _ if self.verbatim => {}
            "br" => self.line(),
            "code" | "kbd" | "samp" => {
                if !tag.closes {
                    self.text("");
                    if std::mem::take(&mut self.blank) && !self.out.ends_with(['\n', ' ']) {
                        self.out.push(' ');
                    }
                }
                self.out.push('`');
            }
            "li" if !tag.closes => {
                self.line();
                self.out.push_str("- ");
            }
            "td" | "th" if tag.closes => {
                self.out.push_str(" |");
                self.blank = true;
            }
            name if name.len() == 2 && name.starts_with('h') && name.as_bytes()[1].is_ascii_digit() => {
                self.paragraph();
                if !tag.closes {
                    let depth = usize::from(name.as_bytes()[1] - b'0').clamp(1, 6);
                    self.out.push_str(&"#".repeat(depth));
                    self.out.push(' ');
                }
            }
            "p" | "blockquote" | "table" | "ul" | "ol" => self.paragraph(),
            name if BLOCKS.contains(&name) => self.line(),
            _ => {}
        }
    }

    fn line(&mut self) {
        self.blank = false;
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn paragraph(&mut self) {
        self.line();
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn title(&mut self, head: &str) {
        let lower = head.to_ascii_lowercase();
        let Some(start) = lower.find("<title") else { return };
        let Some((_, after)) = element(&head[start..]) else {
            return;
        };
        let title = after.split('<').next().unwrap_or_default();
        self.text(title);
        self.paragraph();
    }

    /// Without blanks at the ends of lines and without runs of empty lines.
    fn finish(mut self) -> String {
        if self.verbatim {
            self.tag(&tag("pre", true));
        }
        let mut text = String::new();
        let mut empty = 0;
        for line in self.out.lines().map(str::trim_end) {
            empty = if line.is_empty() { empty + 1 } else { 0 };
            if empty < 2 && !(text.is_empty() && line.is_empty()) {
                text.push_str(line);
                text.push('\n');
            }
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// Character references replaced; what is none stays.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| Some((end, reference(&rest[1..end])?))) {
            Some((end, c)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn reference(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| !c.is_control() || c.is_whitespace());
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "copy" => '©',
        "times" => '×',
        "rarr" => '→',
        "larr" => '←',
        "middot" => '·',
        "bull" => '•',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_page_reads_as_its_text() {
        let page = "<!doctype html><html><head><title>Slugs &amp; more</title><style>p{color:red}</style></head>\n\
             <body><nav><a href='/'>Home</a></nav><h1>Slugs</h1>\n<p>A <b>slug</b> is\n short. Call <code>slug()</code>.</p>\
             <ul><li>lower <em>case</em></li><li>no blanks</li></ul><pre><code>let a = 1 &lt; 2;\n  b();\n</code></pre>\
             <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>\
             <script>if (a < b) { x('</p>'); }</script><!-- <p>not this</p> --><p>End&#8230;</p></body></html>";
        assert_eq!(
            to_text(page),
            "Slugs & more\n\n# Slugs\n\nA slug is short. Call `slug()`.\n\n- lower case\n- no blanks\n\n```\nlet a = 1 < 2;\n  \
             b();\n```\n\na | b |\n1 | 2 |\n\nEnd…"
        );
    }

    #[test]
    fn what_is_no_markup_stays() {
        assert_eq!(to_text("a < b & c &unknown; <3"), "a < b & c &unknown; <3");
        assert_eq!(to_text("<p title='a > b'>x"), "x");
        assert_eq!(to_text("<script>never ends"), "");
        assert_eq!(to_text("<p"), "");
    }

    proptest! {
        #[test]
        fn any_input_gives_some_text(text in "[a-z<>/!\\-&;#'\" \n]{0,80}", more in any::<String>()) {
            let both = format!("{text}{more}");
            // Marks come for tags; nothing is said twice.
            prop_assert!(to_text(&text).len() <= 4 * text.len() + 16);
            prop_assert!(to_text(&both).len() <= 4 * both.len() + 16);
        }
    }
}
