//! Pictures and PDF files in the chat: found by their first bytes, kept within the providers' limits, given to models that
//! see and left out for those that do not.

use std::path::Path;

use anyhow::Result;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::Added;
use super::Session;
use crate::chat::mentions;
use crate::chat::prompt::Content;
use crate::chat::prompt::FileText;
use crate::files;
use crate::models::ModelSettings;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;

/// Providers take 5 MB of base64 a picture.
const MAX_PICTURE_BYTES: u64 = 3_750_000;
/// ... and 32 MB a request.
const MAX_PDF_BYTES: u64 = 20_000_000;

const PDF: &str = "application/pdf";

/// A file that goes to the model as it is.
pub(super) struct Attachment {
    pub(super) media_type: &'static str,
    bytes: Vec<u8>,
}

impl Attachment {
    /// What it is called in a sentence.
    fn kind(&self) -> &'static str {
        if self.media_type == PDF {
            "a PDF file"
        } else {
            "a picture"
        }
    }

    /// Why that model cannot have it; None when it can.
    fn refused_by(&self, settings: Option<&ModelSettings>) -> Option<String> {
        let settings = settings?;
        let takes = if self.media_type == PDF {
            settings.pdf
        } else {
            settings.vision
        };
        (!takes).then(|| format!("is {}, and {} takes none", self.kind(), settings.name))
    }

    fn too_large(&self) -> Option<String> {
        let most = if self.media_type == PDF {
            MAX_PDF_BYTES
        } else {
            MAX_PICTURE_BYTES
        };
        let bytes = self.bytes.len() as u64;
        (bytes > most).then(|| format!("is {} of {bytes} bytes, and providers take {most}", self.kind()))
    }

    fn content(&self) -> Content {
        Content::Attachment {
            media_type: self.media_type.to_owned(),
            data: BASE64_STANDARD.encode(&self.bytes),
        }
    }
}

/// The file as an attachment; None when it is neither a picture that providers take nor a PDF file.
pub(super) fn read(path: &Path) -> Option<Attachment> {
    let head = files::bytes_anywhere(path, 16).ok()?;
    let media_type = media_type(&head)?;
    // One byte more tells that it is too large.
    let bytes = files::bytes_anywhere(path, MAX_PDF_BYTES + 1).ok()?;
    Some(Attachment { media_type, bytes })
}

fn media_type(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some(PDF),
        _ => None,
    }
}

impl Session {
    /// Takes a picture or PDF file into the chat, read-only; None when it is no such file.
    pub(super) fn add_attachment(&mut self, name: &str, path: &Path) -> Option<Added> {
        let attachment = read(path)?;
        let sees = "`codriver models` tells which models see; `/model NAME` takes another";
        let refused = |why: String, hint: Option<&str>| {
            Some(Added::Refused {
                name: name.to_owned(),
                why,
                hint: hint.map(str::to_owned),
            })
        };
        if let Some(why) = attachment.refused_by(self.main_settings()) {
            return refused(why, Some(sees));
        }
        if let Some(why) = attachment.too_large() {
            return refused(why, Some("make it smaller"));
        }
        Some(if self.files.add_read_only(name, path.to_path_buf()) {
            Added::ReadOnly(name.to_owned())
        } else {
            Added::Already(name.to_owned())
        })
    }

    /// A read-only file of the chat as the request holds it, when it is an attachment: `Some(None)` leaves it out, with a word.
    pub(super) fn attached(&mut self, name: &str, path: &Path) -> Option<Option<FileText>> {
        let attachment = read(path)?;
        let why = attachment
            .refused_by(self.main_settings())
            .or_else(|| attachment.too_large());
        if let Some(why) = why {
            if self.left_out.insert(format!("{name} {why}")) {
                self.ui.show(Event::Warning(format!("`{name}` {why}; it is left out.")));
            }
            return Some(None);
        }
        Some(Some(FileText {
            path: name.to_owned(),
            content: attachment.content(),
        }))
    }

    /// Offers the pictures and PDF files whose paths stand in a message (pasted, or dropped on the terminal).
    pub(super) fn offer_attachments(&mut self, message: &str) -> Result<()> {
        const ENDINGS: [&str; 6] = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"];
        let looks_like_one = |name: &&str| {
            let lower = name.to_ascii_lowercase();
            ENDINGS.iter().any(|ending| lower.ends_with(ending))
        };
        let whole = message.trim().trim_matches(['\'', '"']).to_owned();
        let mut names: Vec<String> = mentions::candidates(message).into_iter().collect();
        names.push(whole);
        for name in names.iter().map(String::as_str).filter(looks_like_one) {
            let path = self.cwd.join(name);
            let shown = self
                .root
                .relative(Path::new(name), &self.cwd)
                .unwrap_or_else(|| name.to_owned());
            if self.files.is_read_only(&shown) || self.declined.contains(&shown) || read(&path).is_none() {
                continue;
            }
            let answer = self.put(&Question {
                text: format!("Show `{shown}` to the model?"),
                detail: String::new(),
                default: Answer::Yes,
                yes_always_applies: true,
                choices: Vec::new(),
            });
            if self.is_stopped {
                return Ok(());
            }
            if answer != Answer::Yes {
                self.declined.insert(shown);
            } else if let Some(Added::Refused { name, why, hint }) = self.add_attachment(&shown, &path) {
                self.ui.show(Event::Error {
                    message: format!("`{name}` {why}"),
                    hint,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_first_bytes_say() {
        assert_eq!(media_type(b"\x89PNG\r\n\x1a\n"), Some("image/png"));
        assert_eq!(media_type(b"RIFF\x01\x02\x03\x04WEBPVP8 "), Some("image/webp"));
        assert_eq!(media_type(b"%PDF-1.7"), Some(PDF));
        assert_eq!(media_type(b"<svg>"), None);
        assert_eq!(media_type(b""), None);
    }
}
