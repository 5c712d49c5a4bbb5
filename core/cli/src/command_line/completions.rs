//! `completions`: prints a script with which a shell completes commands, checks, parameters and values.

use std::io::{self, Write};

use clap::{Arg, Command};
use clap_complete::{Shell, generate};

use super::feature;

pub(super) fn grammar() -> Command {
    feature::COMPLETIONS.command()
        .after_help(
            "To install it, have the shell read it when it starts. In ~/.bashrc: \
             source <(PROGRAM completions bash). In ~/.zshrc, after compinit: source <(PROGRAM completions zsh). \
             For fish: PROGRAM completions fish > ~/.config/fish/completions/PROGRAM.fish.",
        )
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .help("The shell")
                .required(true)
                .value_parser(clap::value_parser!(Shell)),
        )
}

/// Prints the script for a program with this grammar.
pub(super) fn print(mut grammar: Command, shell: Shell, output: &mut dyn Write) -> io::Result<()> {
    let name = grammar.get_name().to_owned();
    let mut script = Vec::new();
    generate(shell, &mut grammar, name, &mut script);
    output.write_all(&script)
}
