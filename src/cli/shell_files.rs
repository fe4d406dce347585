//! What a shell wants of a program: completion scripts and the manual page.

use clap_complete::Shell;

use super::args;

/// The completion script for a shell.
pub fn completions(shell: Shell) -> String {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "codriver", &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The manual page, with every subcommand's options.
pub fn manual() -> std::io::Result<String> {
    let mut out = Vec::new();
    let mut command = args::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut out)?;
    for subcommand in command.get_subcommands() {
        let name = format!("codriver-{}", subcommand.get_name());
        let page = clap_mangen::Man::new(subcommand.clone().name(name));
        page.render_name_section(&mut out)?;
        page.render_synopsis_section(&mut out)?;
        page.render_options_section(&mut out)?;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}
