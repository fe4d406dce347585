//! The command line: what may be typed and what was. Flags of settings come from the table in `settings.rs`; the rest
//! stands here. Nothing is looked up or opened.

use std::path::PathBuf;

use clap::builder::StyledStr;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args as _, Command as ClapCommand, FromArgMatches as _, Subcommand};

use super::exit_code::Exit;
use super::settings::{SETTINGS, Setting, Takes, Values};

/// What was typed, besides the settings.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    /// Files for the chat, which the model may edit
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// One more file for the chat
    #[arg(long = "file", value_name = "FILE")]
    pub more_files: Vec<PathBuf>,

    /// Carry out this message and exit; `-` reads it from standard input
    #[arg(
        short,
        long,
        value_name = "TEXT",
        help_heading = "One-shot",
        allow_hyphen_values = true
    )]
    pub message: Option<String>,

    /// Carry out the message in this file and exit
    #[arg(
        short = 'f',
        long,
        value_name = "FILE",
        help_heading = "One-shot",
        conflicts_with = "message"
    )]
    pub message_file: Option<PathBuf>,

    /// Lint the given files (else the changed ones), let the model repair them, and exit
    #[arg(long, help_heading = "One-shot")]
    pub lint: bool,

    /// Run the tests, let the model repair what fails, and exit
    #[arg(long, help_heading = "One-shot")]
    pub test: bool,

    /// Continue an earlier session, the last one or the one with this number (`codriver sessions`)
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", require_equals = false)]
    pub resume: Option<String>,

    /// Do what the lines of this file say before anything else (as `/load` does)
    #[arg(long, value_name = "FILE")]
    pub load: Option<PathBuf>,

    /// Read settings from this file in place of the user's `config.toml`
    #[arg(short, long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Print every setting and where its value comes from, and exit
    #[arg(long)]
    pub show_config: bool,
}

#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Put a model's reply into the files, without a model
    Apply(ApplyArgs),
    /// Print the repository map
    Map(MapArgs),
    /// List models with their windows, prices and edit formats, and which have a key
    Models(ModelsArgs),
    /// List the providers that have a key, or put a key into the system's keyring
    Keys(KeysArgs),
    /// Play a whole session on a sample repository, without key or network
    Demo(DemoArgs),
    /// Take the last turn back
    Undo,
    /// Bring the turn back that was undone last
    Redo,
    /// List the sessions of this project
    Sessions,
    /// Print the completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

#[derive(Debug, Clone, clap::Args)]
pub struct ApplyArgs {
    /// The reply; `-` reads standard input
    pub reply: PathBuf,
    /// Folder that all paths are relative to
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// Edit format of the reply
    #[arg(long, value_name = "FORMAT", default_value = "auto",
          value_parser = ["diff", "diff-fenced", "udiff", "whole", "patch", "auto"])]
    pub format: String,
    /// File that the model was given, relative to the root
    #[arg(long = "file", value_name = "PATH")]
    pub files: Vec<String>,
    /// Write what fits even when some edits fail (the exit code is still 1)
    #[arg(long)]
    pub partial: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Say what would be done and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Clone, clap::Args)]
pub struct MapArgs {
    /// Folder of the project
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// Size of the map in tokens
    #[arg(long, value_name = "N")]
    pub tokens: Option<usize>,
    /// File of the chat: it steers the map and is not shown in it
    #[arg(long = "file", value_name = "PATH")]
    pub files: Vec<String>,
    /// Words that steer the map
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub mention: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// List the files that were left out, and why
    #[arg(long)]
    pub verbose: bool,
}

#[derive(Debug, Clone, clap::Args)]
pub struct ModelsArgs {
    /// Only models whose name holds this
    #[arg(value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub filter: String,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, clap::Args)]
pub struct KeysArgs {
    #[command(subcommand)]
    pub command: Option<KeysCommand>,
}

#[derive(Debug, Clone, Subcommand)]
pub enum KeysCommand {
    /// Put a provider's key into the system's keyring; it is asked for, or read from standard input
    Set {
        /// As in `provider/model`
        provider: String,
    },
    /// Take a provider's key out of the keyring
    Remove {
        /// As in `provider/model`
        provider: String,
    },
}

#[derive(Debug, Clone, clap::Args)]
pub struct DemoArgs {
    /// Hand the prompt to you afterwards
    #[arg(long)]
    pub interactive: bool,
    /// Play this sample instead of the first whose program is there
    #[arg(long, value_name = "PROGRAM", value_parser = ["python3", "cargo", "sh"])]
    pub sample: Option<String>,
}

#[derive(Debug, Clone, clap::Args)]
pub struct CompletionsArgs {
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// A whole command line.
#[derive(Debug, Clone)]
pub struct Typed {
    pub args: Args,
    pub command: Option<Command>,
    /// Settings that were given, as (key, texts).
    pub settings: Vec<(&'static str, Vec<String>)>,
}

/// Reads a command line. The error prints itself (help and version are errors of this kind, too).
pub fn parse(words: impl IntoIterator<Item = impl Into<std::ffi::OsString> + Clone>) -> Result<Typed, clap::Error> {
    let matches = command().try_get_matches_from(words)?;
    let args = Args::from_arg_matches(&matches)?;
    let command = match matches.subcommand_name() {
        Some(_) => Some(Command::from_arg_matches(&matches)?),
        None => None,
    };
    let settings = given_settings(&matches);
    Ok(Typed {
        args,
        command,
        settings,
    })
}

/// The whole command, for parsing, help, completions and the manual page.
pub fn command() -> ClapCommand {
    let command = Args::augment_args(ClapCommand::new("codriver"))
        .version(env!("CARGO_PKG_VERSION"))
        .about("A pair programmer for the terminal")
        .long_about(
            "A pair programmer for the terminal.\n\n\
             Reads the map of a repository to a language model, puts the model's edits exactly where they belong or \
             not at all, commits them, and runs lint and tests.\n\n\
             Without a command and without -m it opens a prompt. A file that is named like a command is written ./map.",
        )
        .after_help("`codriver --help` says more. `codriver demo` needs no key and no network.")
        .after_long_help(after_long_help())
        .disable_help_subcommand(true)
        .max_term_width(100);
    let command = Command::augment_subcommands(command).subcommand_required(false);
    SETTINGS
        .iter()
        .fold(command, |command, setting| command.args(flags(setting)))
}

/// The flags of one setting: `--key VALUE`, or `--key` and `--no-key`.
fn flags(setting: &'static Setting) -> Vec<Arg> {
    let default = Values::default().show(setting.key);
    let help = match (setting.takes, &default) {
        (Takes::One, Some(default)) => format!("{} [default: {default}]", setting.help),
        _ => setting.help.to_string(),
    };
    let mut arg = Arg::new(setting.key)
        .long(setting.key)
        .help(help)
        .help_heading(setting.group);
    if setting.short != ' ' {
        arg = arg.short(setting.short);
    }
    match setting.takes {
        Takes::One | Takes::Many => {
            let action = if setting.takes == Takes::Many {
                ArgAction::Append
            } else {
                ArgAction::Set
            };
            arg = arg.value_name(setting.value_name).action(action);
            if !setting.choices.is_empty() {
                arg = arg.value_parser(setting.choices.to_vec()).hide_possible_values(true);
            }
            vec![arg]
        }
        Takes::Switch => {
            let is_on = default.as_deref() == Some("true");
            let negative = negative_key(setting);
            let no = Arg::new(&negative)
                .long(&negative)
                .help(format!("Do not {}", lower_first(setting.help)))
                .help_heading(setting.group)
                .action(ArgAction::SetTrue)
                .overrides_with(setting.key)
                // Help shows the one of the pair that changes something.
                .hide(!is_on);
            vec![arg.action(ArgAction::SetTrue).overrides_with(&negative).hide(is_on), no]
        }
    }
}

fn negative_key(setting: &Setting) -> String {
    format!("no-{}", setting.key)
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_lowercase().chain(chars).collect())
        .unwrap_or_default()
}

fn given_settings(matches: &ArgMatches) -> Vec<(&'static str, Vec<String>)> {
    let typed = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let mut out = Vec::new();
    for setting in SETTINGS {
        match setting.takes {
            Takes::Switch => {
                for (id, value) in [(setting.key.to_string(), "true"), (negative_key(setting), "false")] {
                    if typed(&id) {
                        out.push((setting.key, vec![value.to_string()]));
                    }
                }
            }
            _ if typed(setting.key) => {
                let texts = matches.get_many::<String>(setting.key).into_iter().flatten();
                out.push((setting.key, texts.cloned().collect()));
            }
            _ => {}
        }
    }
    out
}

fn after_long_help() -> StyledStr {
    let mut text = String::from("Exit codes:\n");
    for (exit, meaning) in Exit::ALL {
        text.push_str(&format!("  {:>3}  {meaning}\n", exit.code()));
    }
    text.push_str(
        "\nEvery flag of a setting is also a variable (CODRIVER_AUTO_TEST=true) and a key in config.toml \
         (auto-test = true); flags win over variables, variables over the file. `codriver --show-config` tells where \
         each value comes from.\n\n\
         Without a terminal nothing is ever asked: the answer is no, or with --yes-always yes where only edits are \
         concerned.",
    );
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Typed {
        parse(std::iter::once("codriver").chain(line.split_whitespace())).unwrap()
    }

    #[test]
    fn the_command_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn files_flags_and_settings_are_told_apart() {
        let typed = typed("a.py --file b.py --model openai/x --no-git --read c.md --read d.md -v -m hello");
        assert_eq!(typed.args.files, [PathBuf::from("a.py")]);
        assert_eq!(typed.args.more_files, [PathBuf::from("b.py")]);
        assert_eq!(typed.args.message.as_deref(), Some("hello"));
        let setting = |key: &str| {
            typed
                .settings
                .iter()
                .find(|(name, _)| *name == key)
                .map(|(_, texts)| texts.clone())
        };
        assert_eq!(setting("model").unwrap(), ["openai/x"]);
        assert_eq!(setting("git").unwrap(), ["false"]);
        assert_eq!(setting("read").unwrap(), ["c.md", "d.md"]);
        assert_eq!(setting("verbose").unwrap(), ["true"]);
        assert_eq!(setting("stream"), None);
    }

    #[test]
    fn the_last_of_a_pair_of_switches_wins() {
        let last = |line: &str| typed(line).settings.last().unwrap().1.clone();
        assert_eq!(last("--git --no-git"), ["false"]);
        assert_eq!(last("--no-git --git"), ["true"]);
    }

    #[test]
    fn a_command_is_the_first_word_and_a_file_of_that_name_can_still_be_given() {
        assert!(matches!(typed("map").command, Some(Command::Map(_))));
        assert!(typed("./map a.py").command.is_none());
        assert_eq!(typed("-- map").args.files, [PathBuf::from("map")]);
        assert_eq!(
            typed("a.py map").args.files,
            [PathBuf::from("a.py"), PathBuf::from("map")]
        );
    }

    #[test]
    fn settings_go_with_commands_too() {
        let typed = typed("--no-git map --tokens 500");
        assert!(matches!(
            typed.command,
            Some(Command::Map(MapArgs { tokens: Some(500), .. }))
        ));
        assert_eq!(typed.settings, [("git", vec!["false".to_string()])]);
    }

    #[test]
    fn a_message_may_look_like_a_flag_or_be_standard_input() {
        assert_eq!(typed("-m -").args.message.as_deref(), Some("-"));
        assert_eq!(typed("-m --fix").args.message.as_deref(), Some("--fix"));
    }

    #[test]
    fn resume_takes_a_number_or_nothing() {
        assert_eq!(typed("--resume").args.resume.as_deref(), Some(""));
        assert_eq!(typed("--resume 7").args.resume.as_deref(), Some("7"));
        assert_eq!(typed("").args.resume, None);
    }

    #[test]
    fn a_misspelt_flag_gets_its_nearest_name() {
        let error = parse(["codriver", "--modle", "x"]).unwrap_err().to_string();
        assert!(error.contains("--model"), "{error}");
    }
}
