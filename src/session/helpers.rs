//! Which models a session talks to, and how much they think: changing them while the chat goes on.

use super::Seat;
use super::Session;
use crate::edit_format;
use crate::edit_format::EditFormat;
use crate::llm::Thinking;
use crate::models::Reasoning;
use crate::terminal::Event;

/// A model beside the main one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Helper {
    /// Carries out plans.
    Editor,
    /// Writes commit messages and summaries.
    Weak,
}

impl Helper {
    pub fn words(self) -> &'static str {
        match self {
            Helper::Editor => "editor model",
            Helper::Weak => "weak model",
        }
    }
}

impl Session {
    /// Changes the model by name; an unknown or unusable one leaves everything as it is.
    pub fn change_model(&mut self, name: &str) {
        match (self.connect)(name, &self.options.thinking) {
            Ok(connected) => {
                self.main = Some(connected.main);
                self.weak = connected.weak;
                self.editor = connected.editor;
                self.format = connected.format;
                self.announce();
            }
            Err(error) => self.stays_as_it_is("model", name, &error),
        }
    }

    /// The name of a helper; None when the main model does its work.
    pub fn helper_name(&self, which: Helper) -> Option<String> {
        let seat: &Option<Seat> = match which {
            Helper::Editor => &self.editor,
            Helper::Weak => &self.weak,
        };
        seat.as_ref().map(|seat| seat.settings.name.clone())
    }

    /// Changes a helper by name; an unknown or unusable one leaves everything as it is.
    pub fn change_helper(&mut self, which: Helper, name: &str) {
        match (self.connect)(name, &self.options.thinking) {
            Ok(connected) => {
                let name = connected.main.settings.name.clone();
                match which {
                    Helper::Editor => self.editor = Some(connected.main),
                    Helper::Weak => self.weak = Some(connected.main),
                }
                self.ui
                    .show(Event::Note(format!("The {} is {name} now.", which.words())));
            }
            Err(error) => self.stays_as_it_is(which.words(), name, &error),
        }
    }

    fn stays_as_it_is(&mut self, what: &str, name: &str, error: &anyhow::Error) {
        self.ui.show(Event::Error {
            message: format!("the {what} stays as it is: {error:#}"),
            hint: Some(format!("`codriver models {name}` searches the known ones")),
        });
    }

    pub fn thinking(&self) -> &Thinking {
        &self.options.thinking
    }

    /// Changes how much the models think, from the next request on.
    pub fn change_thinking(&mut self, thinking: Thinking) {
        let Some(seat) = &self.main else {
            self.options.thinking = thinking;
            return;
        };
        let name = seat.settings.name.clone();
        let takes_none = matches!(seat.settings.reasoning, Reasoning::None | Reasoning::Always);
        match (self.connect)(&name, &thinking) {
            Ok(connected) => {
                self.main = Some(connected.main);
                self.options.thinking = thinking;
                if takes_none {
                    self.ui.show(Event::Warning(format!(
                        "It is not known whether {name} takes this setting; it is sent where the protocol has a field for it."
                    )));
                } else {
                    self.ui.show(Event::Note(format!("{name} thinks so from now on.")));
                }
            }
            Err(error) => self.stays_as_it_is("model", &name, &error),
        }
    }

    /// How edits are written.
    pub fn edit_format(&self) -> &'static dyn EditFormat {
        self.format
    }

    /// How edits are written from now on. False when there is no such format.
    pub fn set_format(&mut self, name: &str) -> bool {
        let found: Option<&'static dyn EditFormat> = edit_format::by_name(name);
        let found = found.filter(|format| format.prompts().is_some());
        if let Some(format) = found {
            self.format = format;
        }
        found.is_some()
    }
}
