//! The order of roles that servers want: they alternate, the user begins, and system text stands in front or is folded in.

use super::message::Message;
use super::message::Part;
use super::message::Role;

/// Puts system text in front of the first message of the user, for servers that refuse the system role.
pub fn fold_system(messages: Vec<Message>) -> Vec<Message> {
    let (system, mut rest): (Vec<Message>, Vec<Message>) =
        messages.into_iter().partition(|message| message.role == Role::System);
    if system.is_empty() {
        return rest;
    }
    let cache = system.iter().any(|message| message.cache);
    let parts = system.into_iter().flat_map(|message| message.parts).collect();
    rest.insert(
        0,
        Message {
            role: Role::User,
            parts,
            cache,
        },
    );
    rest
}

/// One message for each change of role, as strict servers want it: neighbours of one role merged, system text at the
/// front, and the first of the rest from the user. Parts keep their borders; so do cache marks, as the list of
/// (message, part) after which one stands.
pub fn alternate(messages: &[Message]) -> Vec<Merged> {
    let mut merged: Vec<Merged> = Vec::new();
    let system_first = messages
        .iter()
        .filter(|message| message.role == Role::System)
        .chain(messages.iter().filter(|message| message.role != Role::System));
    for message in system_first {
        let parts: Vec<Part> = message.parts.iter().filter(|part| !is_blank(part)).cloned().collect();
        let first_of_talk = merged.last().is_none_or(|last| last.role == Role::System);
        if message.role == Role::Assistant && first_of_talk && !parts.is_empty() {
            merged.push(Merged::of_text(
                Role::User,
                "(The beginning of the conversation was left out.)",
            ));
        }
        if !parts.is_empty() {
            match merged.last_mut().filter(|last| last.role == message.role) {
                Some(last) => last.parts.extend(parts),
                None => merged.push(Merged::new(message.role, parts)),
            }
        }
        if message.cache
            && let Some(last) = merged.last_mut()
            && last.marks.last() != Some(&(last.parts.len() - 1))
        {
            last.marks.push(last.parts.len() - 1);
        }
    }
    merged
}

fn is_blank(part: &Part) -> bool {
    matches!(part, Part::Text { text } if text.trim().is_empty())
}

/// A message made of neighbours of one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub role: Role,
    /// Never empty, no blank texts.
    pub parts: Vec<Part>,
    /// Indices of parts after which the provider's cache may keep a beginning.
    pub marks: Vec<usize>,
}

impl Merged {
    /// Without marks.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            role,
            parts,
            marks: Vec::new(),
        }
    }

    /// One text.
    pub fn of_text(role: Role, text: impl Into<String>) -> Self {
        Self::new(role, vec![Part::Text { text: text.into() }])
    }

    /// The texts joined by a blank line.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                Part::File { .. } => None,
            })
            .collect();
        texts.join("\n\n")
    }

    /// The parts with texts between two marks joined, and whether a mark stands after each.
    pub fn blocks(&self) -> Vec<(Part, bool)> {
        let mut blocks: Vec<(Part, bool)> = Vec::new();
        for (idx, part) in self.parts.iter().enumerate() {
            let mark = self.marks.contains(&idx);
            match (part, blocks.last_mut()) {
                (Part::Text { text }, Some((Part::Text { text: open }, marked @ false))) => {
                    open.push_str("\n\n");
                    open.push_str(text);
                    *marked = mark;
                }
                _ => blocks.push((part.clone(), mark)),
            }
        }
        blocks
    }

    /// Whether there is anything but text.
    pub fn has_files(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::File { .. }))
    }
}
