//! `man`: a manual page, of the program or of one of its commands. A page has no section of the version, which is in its
//! title.

use clap::{Arg, Command};
use clap_mangen::Man;

use refmap::internal::visible_lines;

use super::feature;

pub(super) fn grammar() -> Command {
    feature::MAN.command()
        .after_help(
            "To read it: PROGRAM man check | man -l -. To install it: PROGRAM man > \
             ~/.local/share/man/man1/PROGRAM.1, and PROGRAM man check > ~/.local/share/man/man1/PROGRAM-check.1.",
        )
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .help("The command, as check, or check and the name of a check")
                .num_args(0..),
        )
}

/// The page of a command, which is a path in the grammar of the program.
pub(super) fn page(mut grammar: Command, path: &[String]) -> Result<String, clap::Error> {
    grammar.build();
    let mut command = &grammar;
    for name in path {
        command = command.find_subcommand(name).ok_or_else(|| {
            let known = command.get_subcommands().map(Command::get_name);
            let known: Vec<_> = known.collect();
            let message = format!(
                "there is no command {name:?} of {}; there are: {}\n",
                command.get_display_name().unwrap_or(command.get_name()),
                known.join(", ")
            );
            clap::Error::raw(clap::error::ErrorKind::InvalidSubcommand, message)
        })?;
    }
    let man = Man::new(command.clone().mut_args(with_aliases));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if command.get_after_help().is_some() {
        man.render_extra_section(&mut page)?;
    }
    let page = String::from_utf8_lossy(&page);
    Ok(visible_lines(&page).into_owned())
}

/// Names the aliases of an option in its help, where a page would leave them out.
fn with_aliases(arg: Arg) -> Arg {
    let aliases = arg.get_visible_aliases().unwrap_or_default();
    if aliases.is_empty() {
        return arg;
    }
    let aliases: Vec<_> = aliases.iter().map(|alias| format!("--{alias}")).collect();
    let help = arg.get_help().map(ToString::to_string);
    let help = help.unwrap_or_default();
    arg.help(format!("{help} [aliases: {}]", aliases.join(", ")))
}
