//! Puts a request together: its parts in their order, each counted.
//!
//! ```text
//! system      mode, edit format, conventions, environment        } the same all session long
//! examples    pairs of request and good reply                    }
//! read-only   files to look at                                   } change when files are added or dropped
//! chat files  files to edit, in full, as they are now            }
//!             then parts of files to edit, and those that were
//!             changed in this chat                               } change with an edit
//! history     earlier turns                                      } grows at its end
//! map         of the rest of the repository                      } another one for each message
//! request     this turn's messages so far
//! reminder    of the edit format
//! ```
//!
//! What changes least stands first, so that a provider's cache can reuse the beginning: the request after a question has
//! all of the last one in front of it but its map. There are no made-up answers of
//! the assistant between the parts: neighbours of one role are merged on the way out (see [`super::roles`]), so the model
//! reads context and request as one message of the user.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::message::Message;
use super::message::Part;
use super::message::Role;
use super::modes;
use super::roles;
use crate::text::fence;
use crate::tokens::pictures;

/// Tokens that a message costs beside its text. The providers' real figures lie between 3 and 7.
pub const MESSAGE_OVERHEAD: usize = 4;

/// What an image costs whose size cannot be told.
const IMAGE_TOKENS: usize = 1_600;

/// Base64 bytes of a PDF that cost one token, about (a page is some 2,000 tokens and 50 kB).
const PDF_BYTES_PER_TOKEN: usize = 33;

/// The parts of a request. Empty ones are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// What the model is asked to be: [`modes::Mode::prompt`].
    pub mode: String,
    /// How edits are written. `{open}` and `{close}` are replaced by the fence here, in the examples and the reminder.
    pub format: String,
    /// What the project asks of whoever works on it (`AGENTS.md`), weakest first.
    pub conventions: Vec<FileText>,
    /// [`modes::Environment::render`].
    pub environment: String,
    /// (what a user says, what a good reply is).
    pub examples: Vec<(String, String)>,
    pub read_only_files: Vec<FileText>,
    pub map: String,
    pub chat_files: Vec<FileText>,
    /// Chat files of which only parts are shown.
    pub partial_files: Vec<FileText>,
    /// Chat files that were changed since they are in the chat, the one that was changed last at the end.
    pub changed_files: Vec<FileText>,
    /// Earlier turns, oldest first.
    pub history: Vec<Message>,
    /// This turn so far; ends with what the model shall answer.
    pub request: Vec<Message>,
    /// Repeated after the request for models that need it.
    pub reminder: String,
}

/// A file as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    /// Relative to the root, with `/`.
    pub path: String,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Text(String),
    Excerpts(Excerpts),
    /// `media_type` as in `image/png` or `application/pdf`; `data` is base64.
    Attachment {
        media_type: String,
        data: String,
    },
}

/// Parts of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpts {
    /// `lines 1 to 14 and 119 to 262 of 2400`.
    pub lines: String,
    /// The texts of the parts, from top to bottom.
    pub parts: Vec<String>,
    /// Names of definitions in what is not shown.
    pub others: Vec<String>,
}

impl Content {
    /// The texts that are quoted; none of an attachment.
    pub fn texts(&self) -> &[String] {
        match self {
            Self::Text(text) => std::slice::from_ref(text),
            Self::Excerpts(excerpts) => &excerpts.parts,
            Self::Attachment { .. } => &[],
        }
    }
}

impl FileText {
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            content: Content::Text(text.into()),
        }
    }
}

/// How the parts are put together; mostly quirks of the model.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Fence that no quoted file contains (see `text::fence`): "```" or longer, or a pair of tags.
    pub open: &'a str,
    pub close: &'a str,
    /// Examples inside the system message instead of as messages of their own.
    pub examples_in_system: bool,
    /// False: the server refuses the system role; its text goes in front of the first message of the user.
    pub system_role: bool,
    pub reminder: bool,
    /// Marks the ends of the stable beginnings for the provider's cache (at most four marks).
    pub cache_marks: bool,
    /// Put in front of the system message.
    pub prefix: &'a str,
    pub lazy: bool,
    pub overeager: bool,
    /// The mode edits files: says so when none has been given yet.
    pub edits: bool,
    /// How the model counts pictures.
    pub pictures: pictures::Rule,
    pub count: &'a dyn Fn(&str) -> usize,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            open: "```",
            close: "```",
            examples_in_system: false,
            system_role: true,
            reminder: true,
            cache_marks: false,
            prefix: "",
            lazy: false,
            overeager: false,
            edits: true,
            pictures: pictures::Rule::default(),
            count: &crate::tokens::count,
        }
    }
}

/// A request that is ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    pub messages: Vec<Message>,
    /// Tokens by part, in the order above; parts that are empty are left out.
    pub sizes: Vec<(String, usize)>,
    /// Tokens of each file, to say what dropping it would save.
    pub files: Vec<FileSize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSize {
    pub path: String,
    pub tokens: usize,
    pub read_only: bool,
}

impl Assembled {
    /// Tokens of one part; 0 when it is not there.
    pub fn size(&self, part: &str) -> usize {
        let found = self.sizes.iter().find(|(name, _)| name == part);
        found.map_or(0, |(_, tokens)| *tokens)
    }

    /// Tokens of the whole request.
    pub fn total(&self) -> usize {
        self.sizes.iter().map(|(_, tokens)| tokens).sum()
    }
}

/// Puts the parts together.
pub fn assemble(parts: &Parts, options: &Options<'_>) -> Assembled {
    let mut builder = Builder {
        options,
        messages: Vec::new(),
        sizes: Vec::new(),
        files: Vec::new(),
    };
    builder.instructions(parts);
    builder.context(parts);
    builder.conversation(parts);
    builder.finish()
}

struct Builder<'a> {
    options: &'a Options<'a>,
    messages: Vec<Message>,
    sizes: Vec<(String, usize)>,
    files: Vec<FileSize>,
}

impl Builder<'_> {
    fn instructions(&mut self, parts: &Parts) {
        let options = self.options;
        let in_fence = |text: &str| text.replace("{open}", options.open).replace("{close}", options.close);
        let mut system = Vec::new();
        let mut say = |text: &str| {
            if !text.trim().is_empty() {
                system.push(text.trim().to_owned());
            }
        };
        say(options.prefix);
        say(&parts.mode);
        say(&in_fence(&parts.format));
        if options.lazy {
            say(modes::LAZY_NUDGE);
        }
        if options.overeager {
            say(modes::OVEREAGER_NUDGE);
        }
        if options.examples_in_system && !parts.examples.is_empty() {
            say(&examples_text(&parts.examples, in_fence));
        }
        let rules = rules_text(&parts.conventions, options);
        say(&rules);
        say(&parts.environment);
        if !system.is_empty() {
            self.add("system", Message::system(system.join("\n\n")));
        }
        if !rules.is_empty() {
            let tokens = (options.count)(&rules);
            self.size("conventions", tokens);
            if let Some((_, all)) = self.sizes.first_mut() {
                *all = all.saturating_sub(tokens);
            }
        }
        if !options.examples_in_system {
            for (request, reply) in &parts.examples {
                self.add("examples", Message::user(in_fence(request).trim()));
                self.add("examples", Message::assistant(in_fence(reply).trim()));
            }
        }
        self.mark_last();
    }

    fn context(&mut self, parts: &Parts) {
        if !parts.examples.is_empty() && !self.options.examples_in_system {
            self.add(
                "examples",
                Message::user("The examples end here. From now on it is about the user's real project."),
            );
        }
        if !parts.read_only_files.is_empty() {
            self.add_files(
                "read-only files",
                "Files to read only. Use what they say; do not edit them:",
                &parts.read_only_files,
                true,
            );
        }
        // Four marks are all that providers take.
        let n_groups = [&parts.chat_files, &parts.partial_files, &parts.changed_files]
            .iter()
            .filter(|files| !files.is_empty())
            .count();
        if n_groups < 2 {
            self.mark_last();
        }
        if !parts.chat_files.is_empty() {
            let intro = if self.options.edits {
                "Files you may edit, in full and as they are now:"
            } else {
                "Files in full, as they are now:"
            };
            self.add_files("chat files", intro, &parts.chat_files, false);
            self.mark_last();
        }
        if !parts.partial_files.is_empty() {
            let intro = if self.options.edits {
                "Parts of files that you may edit, as they are now. The lines between the parts exist and stay as they are; you \
                 do not see them, so write no edit for them and never write such a file as a whole. When you need to see another \
                 definition of one of these files, name it in backticks as `path:name` and stop:"
            } else {
                "Parts of files, as they are now. The lines between the parts exist too; when you need to see another definition \
                 of one of these files, name it in backticks as `path:name`, say why, and stop:"
            };
            self.add_files("chat files", intro, &parts.partial_files, false);
            if parts.changed_files.is_empty() {
                self.mark_last();
            }
        }
        if !parts.changed_files.is_empty() {
            let intro = if self.options.edits {
                "Files you may edit that were changed in this conversation, in full and as they are now. The changes are \
                 in them already; where another message shows a file differently, this is right:"
            } else {
                "Files that were changed in this conversation, in full and as they are now. Where another message shows a \
                 file differently, this is right:"
            };
            self.add_files("chat files", intro, &parts.changed_files, false);
            self.mark_last();
        }
    }

    /// What steers towards the rest of the repository. It stands behind all that stays the same from one message to the next.
    fn map(&mut self, parts: &Parts) {
        let no_files = parts.chat_files.is_empty() && parts.partial_files.is_empty() && parts.changed_files.is_empty();
        if !parts.map.trim().is_empty() {
            let text = format!(
                "Map of the repository: other files that matter here, with some of their lines (`⋮` stands for lines left out, \
                 with names from them). You have not been given these files in full:\n\n{}",
                parts.map.trim_end()
            );
            self.add("map", Message::user(text));
        }
        if no_files && self.options.edits && (!parts.map.trim().is_empty() || !parts.read_only_files.is_empty()) {
            let text = "You have not been given any file to edit yet. When the request needs an existing file changed, \
                        name its full path in backticks and stop (of a long file you can have one definition alone: \
                        `path:name`). New files you can create at once.";
            self.add("chat files", Message::user(text));
        }
    }

    fn conversation(&mut self, parts: &Parts) {
        for message in &parts.history {
            self.add("history", message.clone());
        }
        if !parts.history.is_empty() {
            self.mark_last();
        }
        self.map(parts);
        for message in &parts.request {
            self.add("request", message.clone());
        }
        let fenced = parts
            .reminder
            .replace("{open}", self.options.open)
            .replace("{close}", self.options.close);
        let continues = self.messages.last().is_some_and(|last| last.role == Role::Assistant);
        if self.options.reminder && !fenced.trim().is_empty() && !continues {
            self.add("reminder", Message::user(fenced.trim()));
        }
    }

    fn finish(self) -> Assembled {
        let mut messages = self.messages;
        if !self.options.system_role {
            messages = roles::fold_system(messages);
        }
        Assembled {
            messages,
            sizes: self.sizes,
            files: self.files,
        }
    }

    fn add(&mut self, part: &str, mut message: Message) {
        message.cache = false;
        let tokens = message_tokens(&message, self.options.count);
        self.size(part, tokens);
        self.messages.push(message);
    }

    fn size(&mut self, part: &str, tokens: usize) {
        match self.sizes.iter_mut().find(|(name, _)| name == part) {
            Some((_, sum)) => *sum += tokens,
            None => self.sizes.push((part.to_owned(), tokens)),
        }
    }

    /// One message with a part for each run of text files and one for each attachment.
    fn add_files(&mut self, part: &str, intro: &str, files: &[FileText], read_only: bool) {
        let count = self.options.count;
        let mut text = intro.to_owned();
        let mut parts = Vec::new();
        let mut total = count(intro) + MESSAGE_OVERHEAD;
        for file in files {
            let tokens = match &file.content {
                Content::Text(_) | Content::Excerpts(_) => {
                    let quoted = quote(file, self.options);
                    let tokens = count(&quoted);
                    let _ = write!(text, "\n\n{quoted}");
                    tokens
                }
                Content::Attachment { media_type, data } => {
                    let _ = write!(text, "\n\n{}, attached:", file.path);
                    parts.push(Part::Text {
                        text: std::mem::take(&mut text).trim_start_matches('\n').to_owned(),
                    });
                    parts.push(Part::File {
                        name: file.path.clone(),
                        media_type: media_type.clone(),
                        data: data.clone(),
                    });
                    attachment_tokens(media_type, data, self.options.pictures)
                }
            };
            total += tokens;
            self.files.push(FileSize {
                path: file.path.clone(),
                tokens,
                read_only,
            });
        }
        let text = text.trim_start_matches('\n').to_owned();
        if !text.is_empty() {
            parts.push(Part::Text { text });
        }
        self.size(part, total);
        self.messages.push(Message {
            role: Role::User,
            parts,
            cache: false,
        });
    }

    fn mark_last(&mut self) {
        if !self.options.cache_marks {
            return;
        }
        if let Some(last) = self.messages.last_mut() {
            last.cache = true;
        }
    }
}

/// A file as it is quoted: its path on a line of its own, then its text in the fence.
fn quote(file: &FileText, options: &Options<'_>) -> String {
    let fenced = |text: &str| {
        let newline = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        format!("{}\n{}\n{text}{newline}{}", file.path, options.open, options.close)
    };
    match &file.content {
        Content::Text(text) => fenced(text),
        Content::Excerpts(excerpts) => {
            let mut quoted = format!("`{}`, {}:", file.path, excerpts.lines);
            for part in &excerpts.parts {
                let _ = write!(quoted, "\n\n{}", fenced(part));
            }
            if !excerpts.others.is_empty() {
                let _ = write!(quoted, "\n\nNot shown of it: {}", excerpts.others.join(", "));
            }
            quoted
        }
        Content::Attachment { .. } => file.path.clone(),
    }
}

fn quote_all(files: &[FileText], options: &Options<'_>) -> String {
    let quoted: Vec<String> = files.iter().map(|file| quote(file, options)).collect();
    quoted.join("\n\n")
}

/// The project's rules, as they stand in the system message; empty when there are none.
fn rules_text(files: &[FileText], options: &Options<'_>) -> String {
    if files.is_empty() {
        return String::new();
    }
    // Rules often quote code; the fence of the edits shall not have to grow for that.
    let fence = fence::choose(files.iter().flat_map(|file| file.content.texts()).map(String::as_str));
    let quoted_in = Options {
        open: &fence.open,
        close: &fence.close,
        ..*options
    };
    format!(
        "The project's own rules for whoever works on it. Follow them. Where two of them disagree the later one wins; what \
         the user asks for wins over all of them:\n\n{}",
        quote_all(files, &quoted_in)
    )
}

fn examples_text(examples: &[(String, String)], in_fence: impl Fn(&str) -> String) -> String {
    let mut text = String::from("Examples of a request and a good reply:");
    for (idx, (request, reply)) in examples.iter().enumerate() {
        let number = idx + 1;
        let _ = write!(
            text,
            "\n\n## Request {number}\n\n{}\n\n## Reply {number}\n\n{}",
            in_fence(request).trim(),
            in_fence(reply).trim()
        );
    }
    text.push_str("\n\n## End of the examples\n\nTheir files are not part of the user's project.");
    text
}

/// Tokens of one message.
pub fn message_tokens(message: &Message, count: &dyn Fn(&str) -> usize) -> usize {
    let parts: usize = message
        .parts
        .iter()
        .map(|part| match part {
            Part::Text { text } => count(text),
            Part::File { media_type, data, .. } => attachment_tokens(media_type, data, pictures::Rule::default()),
        })
        .sum();
    parts + MESSAGE_OVERHEAD
}

/// What an attachment costs; `data` is base64.
fn attachment_tokens(media_type: &str, data: &str, rule: pictures::Rule) -> usize {
    /// Base64 characters in which the size of any picture is told: some cameras put a preview in front.
    const HEAD: usize = 400_000;
    if !media_type.starts_with("image/") {
        return (data.len() / PDF_BYTES_PER_TOKEN).max(IMAGE_TOKENS);
    }
    // A multiple of four characters are whole bytes.
    let head = data.get(..data.len().min(HEAD)).unwrap_or_default();
    let size = BASE64_STANDARD
        .decode(head)
        .ok()
        .and_then(|bytes| imagesize::blob_size(&bytes).ok());
    size.map_or(IMAGE_TOKENS, |size| pictures::tokens(rule, size.width, size.height))
}
