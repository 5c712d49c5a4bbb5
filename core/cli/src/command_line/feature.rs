//! Features of this crate: what is compiled in with one alone is known without it, too, and says what brings it.

use clap::Arg;
use clap::builder::ValueParser;

/// Features, each by its name in the manifest.
macro_rules! features {
    ($($(#[$documentation:meta])* $feature:ident = $name:literal,)*) => {
        /// Feature of this crate.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Feature {
            $($(#[$documentation])* $feature,)*
        }

        impl Feature {
            fn name(self) -> &'static str {
                match self {
                    $(Self::$feature => $name,)*
                }
            }

            /// True if it is compiled in.
            pub const fn is_on(self) -> bool {
                match self {
                    $(Self::$feature => cfg!(feature = $name),)*
                }
            }
        }
    };
}

features! {
    /// Checks of every number of members.
    AnyNumber = "any-number",
    /// States that go to disk.
    Disk = "disk",
    /// Searches of several processes.
    Distributed = "distributed",
    /// Liveness of explicit systems.
    Graph = "graph",
    /// Tests and recorded histories of concurrent objects.
    Histories = "histories",
    /// Comparisons without a mapping.
    Inclusion = "inclusion",
    /// Pages of HTML, and the explorer in the browser.
    Pictures = "pictures",
    /// Programs under memory models.
    Programs = "programs",
    /// Scripts and manual pages for a shell.
    Shell = "shell",
}

/// Command that a feature brings.
pub(super) struct Brought {
    pub name: &'static str,
    about: &'static str,
    feature: Feature,
}

const fn brought(name: &'static str, about: &'static str, feature: Feature) -> Brought {
    Brought {
        name,
        about,
        feature,
    }
}

pub(super) const LITMUS: Brought = brought(
    "litmus",
    "Runs litmus tests of the herd tools, X86 and X86_64, under a memory model",
    Feature::Programs,
);
pub(super) const FENCES: Brought = brought(
    "fences",
    "Every minimal set of fences that mends a program under a memory model",
    Feature::Programs,
);
pub(super) const GRAPH: Brought = brought(
    "graph",
    "Decides liveness properties of explicit transition systems under fairness",
    Feature::Graph,
);
pub(super) const INCLUDE: Brought = brought(
    "include",
    "Compares two systems without a mapping, and says which variable a mapping lacks",
    Feature::Inclusion,
);
pub(super) const COMPLETIONS: Brought = brought(
    "completions",
    "A script with which a shell completes commands, checks and options",
    Feature::Shell,
);
pub(super) const MAN: Brought = brought(
    "man",
    "A manual page, of the program or of a command",
    Feature::Shell,
);
pub(super) const EXPLORE: Brought = brought(
    "explore",
    "Steps through one refinement in the browser",
    Feature::Pictures,
);
pub(super) const STRESS: Brought = brought(
    "stress",
    "Drives an implementation on real threads, and looks for what may not happen",
    Feature::Histories,
);
pub(super) const VALIDATE: Brought = brought(
    "validate",
    "Whether a recorded history is a behaviour of a specification",
    Feature::Histories,
);

/// Commands that features bring.
const COMMANDS: [Brought; 9] = [
    LITMUS,
    GRAPH,
    INCLUDE,
    COMPLETIONS,
    MAN,
    EXPLORE,
    FENCES,
    STRESS,
    VALIDATE,
];

/// The program with the commands, too, that are not compiled in: each says which feature brings it.
pub(super) fn with_missing(program: clap::Command) -> clap::Command {
    let missing = COMMANDS.iter().filter(|command| !command.feature.is_on());
    program.subcommands(missing.map(Brought::refused))
}

/// Tests that a command is compiled in.
pub(super) fn validate(command: &str) -> Result<(), clap::Error> {
    let mut missing = COMMANDS.iter().filter(|command| !command.feature.is_on());
    match missing.find(|brought| brought.name == command) {
        Some(brought) => Err(refusal(&brought.feature.missing(brought.name))),
        None => Ok(()),
    }
}

impl Brought {
    /// The command, without its arguments.
    pub fn command(&self) -> clap::Command {
        clap::Command::new(self.name).about(self.about)
    }

    /// The command as it is without the feature, whatever its arguments.
    fn refused(&self) -> clap::Command {
        let words = Arg::new("words")
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true)
            .hide(true);
        clap::Command::new(self.name)
            .about(self.feature.described(self.about))
            .disable_help_flag(true)
            .arg(words)
    }
}

/// Error: an option or a command is not compiled in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{asked} needs the feature {0:?} of refmap-cli, without which this program was built: `cargo add refmap-cli --features {0}` adds it to the \
     line of refmap-cli in Cargo.toml",
    .feature.name()
)]
pub(super) struct MissingFeature {
    /// Option or command.
    asked: String,
    feature: Feature,
}

impl Feature {
    /// Description of what it brings, without it.
    fn described(self, about: &str) -> String {
        format!("{about} [feature {:?} of refmap-cli]", self.name())
    }

    /// Error where something is asked for that it brings.
    pub fn missing(self, asked: impl Into<String>) -> MissingFeature {
        MissingFeature {
            asked: asked.into(),
            feature: self,
        }
    }

    /// The option, which is refused if the feature is not compiled in.
    pub fn option(self, arg: Arg) -> Arg {
        if self.is_on() { arg } else { self.refused(arg) }
    }

    /// The option as it is without the feature.
    fn refused(self, arg: Arg) -> Arg {
        let missing = self.missing(format!("--{}", arg.get_id()));
        let help = arg.get_help().map(ToString::to_string);
        arg.help(self.described(&help.unwrap_or_default()))
            .value_parser(ValueParser::new(move |_: &str| {
                Err::<(), _>(missing.clone())
            }))
    }
}

/// The error of a command, or in its place that an option needs a feature.
pub(super) fn with_feature(error: clap::Error) -> clap::Error {
    use std::error::Error;
    let missing = error.source().and_then(|source| source.downcast_ref());
    match missing {
        Some(missing) => refusal(missing),
        None => error,
    }
}

/// Refusal of a command that needs a feature.
pub(super) fn refusal(missing: &MissingFeature) -> clap::Error {
    clap::Error::raw(
        clap::error::ErrorKind::ArgumentConflict,
        format!("{missing}\n"),
    )
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    /// The tests are built with all features, so that without them nothing is asked but what is asked here.
    #[test]
    fn what_a_feature_brings_says_so_without_it() {
        let hosts = Arg::new("hosts").long("hosts").help("A list");
        let command = Command::new("check").arg(Feature::Distributed.refused(hosts));
        let mut with_explore = Command::new("program")
            .subcommand(command)
            .subcommand(EXPLORE.refused());
        let refused = with_explore
            .clone()
            .try_get_matches_from(["program", "check", "--hosts", "file"])
            .map_err(with_feature)
            .expect_err("it is refused");
        assert_eq!(
            refused.to_string(),
            "error: --hosts needs the feature \"distributed\" of refmap-cli, without which this program was built: \
             `cargo add refmap-cli --features distributed` adds it to the line of refmap-cli in Cargo.toml\n"
        );
        for words in [
            &["program", "explore"][..],
            &["program", "explore", "c", "--at", "3"],
        ] {
            let parsed = with_explore.clone().try_get_matches_from(words);
            assert!(parsed.is_ok_and(|of| of.subcommand_name() == Some("explore")));
        }
        let help = with_explore.render_help().to_string();
        assert!(help.contains(
            "Steps through one refinement in the browser [feature \"pictures\" of refmap-cli]"
        ));
        // Other errors are left as they are.
        let other = with_explore.try_get_matches_from(["program", "check", "--host"]);
        let other = other.expect_err("there is no such option");
        assert_eq!(
            with_feature(other).kind(),
            clap::error::ErrorKind::UnknownArgument
        );
    }
}
