//! What the model is asked to be, and what it is told about the machine it works for.

/// What a reply is in a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yields {
    /// Edits, in the session's format.
    Edits,
    /// Text for the user.
    Answer,
    /// A plan that the editor model carries out.
    Plan,
    /// Names of files that belong into the chat.
    Files,
}

/// One way of working.
#[derive(Debug, PartialEq, Eq)]
pub struct Mode {
    /// As in `/code` and `--chat-mode`.
    pub name: &'static str,
    /// What it does, for help texts: a phrase without a full stop.
    pub summary: &'static str,
    /// First part of the system message.
    pub prompt: &'static str,
    pub yields: Yields,
    /// Wants the map of the repository.
    pub map: bool,
    /// Is about the user's project. False: about codriver itself.
    pub project: bool,
}

impl Mode {
    /// Replies hold edits, so the instructions of the edit format belong to the prompt.
    pub fn edits(&self) -> bool {
        self.yields == Yields::Edits
    }
}

/// Every mode that a user can choose, in the order of the help.
pub static MODES: &[Mode] = &[
    Mode {
        name: "code",
        summary: "changes the files as you ask",
        prompt: include_str!("prompts/code.md"),
        yields: Yields::Edits,
        map: true,
        project: true,
    },
    Mode {
        name: "ask",
        summary: "answers questions and changes nothing",
        prompt: include_str!("prompts/ask.md"),
        yields: Yields::Answer,
        map: true,
        project: true,
    },
    Mode {
        name: "architect",
        summary: "plans a change, which the editor model then carries out",
        prompt: include_str!("prompts/architect.md"),
        yields: Yields::Plan,
        map: true,
        project: true,
    },
    Mode {
        name: "context",
        summary: "chooses the files that a change needs",
        prompt: include_str!("prompts/context.md"),
        yields: Yields::Files,
        map: true,
        project: true,
    },
    Mode {
        name: "help",
        summary: "answers questions about codriver itself",
        prompt: include_str!("prompts/help.md"),
        yields: Yields::Answer,
        map: false,
        project: false,
    },
];

/// The mode of the model that carries out an architect's plan.
pub static EDITOR: Mode = Mode {
    name: "editor",
    summary: "carries out a plan",
    prompt: include_str!("prompts/editor.md"),
    yields: Yields::Edits,
    map: false,
    project: true,
};

/// The mode of that name.
pub fn by_name(name: &str) -> Option<&'static Mode> {
    MODES.iter().find(|mode| mode.name == name)
}

/// What the front end knows about the machine and the project. Empty fields are left out of the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// `Linux x86_64`.
    pub platform: String,
    /// `bash`.
    pub shell: String,
    /// The human language to answer in, such as `German`.
    pub language: String,
    /// `2026-11-30`. A day, not an hour: the prompt must stay the same for the provider's cache.
    pub date: String,
    /// None: not said. False: the folder is not in a git repository.
    pub git: Option<bool>,
    /// What is run after each change, by what it is for.
    pub lint_command: String,
    pub test_command: String,
}

impl Environment {
    /// The block that closes the system message; empty when nothing is known.
    pub fn render(&self) -> String {
        let mut lines = Vec::new();
        let mut say = |what: &str, value: &str| {
            if !value.trim().is_empty() {
                lines.push(format!("- {what}: {}", value.trim()));
            }
        };
        say("Platform", &self.platform);
        say("Shell", &self.shell);
        say("Date", &self.date);
        say("Lint command, run after your edits", &self.lint_command);
        say("Test command, run after your edits", &self.test_command);
        match self.git {
            Some(true) => say("Version control", "git; your edits are committed for you"),
            Some(false) => say("Version control", "none"),
            None => {}
        }
        say("Answer in this language", &self.language);
        if lines.is_empty() {
            return String::new();
        }
        format!("The user's environment:\n{}", lines.join("\n"))
    }
}

/// Said to models that leave code out.
pub const LAZY_NUDGE: &str = "Write every line of code that is needed. Never leave a comment such as `... rest of the code` or \
     `TODO: implement` in place of code.";

/// Said to models that do more than was asked.
pub const OVEREAGER_NUDGE: &str = "Change only what the request needs. Leave all other code, comments and formatting as they are, \
     even where you would have written them differently.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_has_a_prompt_and_its_own_name() {
        assert!(EDITOR.prompt.trim().len() > 100 && by_name(EDITOR.name).is_none());
        for (idx, mode) in MODES.iter().enumerate() {
            assert!(mode.prompt.trim().len() > 100, "{}", mode.name);
            assert!(!mode.summary.ends_with('.'), "{}", mode.name);
            assert!(MODES[..idx].iter().all(|other| other.name != mode.name));
            assert_eq!(by_name(mode.name), Some(mode));
        }
        assert_eq!(by_name("nonsense"), None);
    }

    #[test]
    fn environment_leaves_out_what_is_not_known() {
        assert_eq!(Environment::default().render(), "");
        let environment = Environment {
            platform: "Linux x86_64".into(),
            git: Some(false),
            test_command: "cargo test".into(),
            ..Environment::default()
        };
        assert_eq!(
            environment.render(),
            "The user's environment:\n- Platform: Linux x86_64\n- Test command, run after your edits: cargo test\n\
             - Version control: none"
        );
    }
}
