//! Features of this crate: what is compiled in with one alone is known without it, too, and says which line of a manifest brings it.

use clap::Arg;
use clap::builder::ValueParser;

/// Feature of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// Searches of several processes.
    Distributed,
    /// Pages of HTML, and the explorer in the browser.
    Pictures,
}

/// Error: an option or a command is not compiled in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{asked} needs the feature {:?} of refmap-cli, without which this program was built; in its Cargo.toml: {}",
    .feature.name(), .feature.line()
)]
pub(super) struct MissingFeature {
    /// Option or command.
    asked: String,
    feature: Feature,
}

impl Feature {
    const ALL: [Self; 2] = [Self::Distributed, Self::Pictures];

    fn name(self) -> &'static str {
        match self {
            Self::Distributed => "distributed",
            Self::Pictures => "pictures",
        }
    }

    /// True if it is compiled in.
    pub const fn is_on(self) -> bool {
        match self {
            Self::Distributed => cfg!(feature = "distributed"),
            Self::Pictures => cfg!(feature = "pictures"),
        }
    }

    /// Line of a manifest that brings it, beside the features that there are.
    fn line(self) -> String {
        let features = Self::ALL.into_iter();
        let features = features.filter(|one| *one == self || one.is_on());
        let features: Vec<_> = features.map(Self::name).collect();
        format!(
            "refmap-cli = {{ version = {:?}, features = {features:?} }}",
            env!("CARGO_PKG_VERSION")
        )
    }

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

    /// A command as it is without the feature, whatever its arguments.
    #[cfg(any(test, not(feature = "pictures")))]
    pub fn command(self, name: &'static str, about: &str) -> clap::Command {
        let words = Arg::new("words")
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true)
            .hide(true);
        clap::Command::new(name)
            .about(self.described(about))
            .disable_help_flag(true)
            .arg(words)
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
            .subcommand(Feature::Pictures.command("explore", "A browser"));
        let refused = with_explore
            .clone()
            .try_get_matches_from(["program", "check", "--hosts", "file"])
            .map_err(with_feature)
            .expect_err("it is refused");
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            refused.to_string(),
            format!(
                "error: --hosts needs the feature \"distributed\" of refmap-cli, without which this program was built; in its Cargo.toml: \
                 refmap-cli = {{ version = {version:?}, features = [\"distributed\", \"pictures\"] }}\n"
            )
        );
        for words in [
            &["program", "explore"][..],
            &["program", "explore", "c", "--at", "3"],
        ] {
            let parsed = with_explore.clone().try_get_matches_from(words);
            assert!(parsed.is_ok_and(|of| of.subcommand_name() == Some("explore")));
        }
        let help = with_explore.render_help().to_string();
        assert!(help.contains("A browser [feature \"pictures\" of refmap-cli]"));
        // Other errors are left as they are.
        let other = with_explore.try_get_matches_from(["program", "check", "--host"]);
        let other = other.expect_err("there is no such option");
        assert_eq!(
            with_feature(other).kind(),
            clap::error::ErrorKind::UnknownArgument
        );
    }
}
