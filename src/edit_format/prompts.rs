//! Takes a format's prompt file apart.
//!
//! ```text
//! <!-- system -->      how to write edits
//! <!-- user -->        an example: what a user says
//! <!-- reply -->         and a good reply
//! <!-- reminder -->    what is repeated after the request
//! ```

use super::Prompts;
use crate::text::fence::Fence;

pub(super) fn read(file: &str) -> Prompts {
    let mut prompts = Prompts {
        system: String::new(),
        examples: Vec::new(),
        reminder: String::new(),
    };
    for part in file.split("<!-- ").skip(1) {
        let (name, text) = part.split_once(" -->").unwrap_or((part, ""));
        let text = text.trim().to_string();
        match name {
            "system" => prompts.system = text,
            "user" => prompts.examples.push((text, String::new())),
            "reply" => {
                if let Some((_, reply)) = prompts.examples.last_mut() {
                    *reply = text;
                }
            }
            "reminder" => prompts.reminder = text,
            _ => {}
        }
    }
    prompts
}

impl Prompts {
    /// The same instructions with `{open}` and `{close}` replaced by the fence that the prompt's files are quoted in.
    pub fn with_fence(&self, fence: &Fence) -> Self {
        let fill = |text: &str| text.replace("{open}", &fence.open).replace("{close}", &fence.close);
        Self {
            system: fill(&self.system),
            examples: self
                .examples
                .iter()
                .map(|(user, reply)| (fill(user), fill(reply)))
                .collect(),
            reminder: fill(&self.reminder),
        }
    }
}
