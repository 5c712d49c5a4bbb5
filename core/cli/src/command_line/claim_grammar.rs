//! Grammar of the commands of claims, which is that of the command line.

use std::collections::BTreeMap;

use super::{arguments, grammar};
use crate::catalogue::{Arguments, Check, InputError, one_line};
use refmap::obligation::Settings;

/// Grammars of the checks whose claims are read.
// PERF: to make one takes longer than to parse a claim by it, and a check has many claims.
#[derive(Default)]
pub(crate) struct ClaimGrammar {
    commands: BTreeMap<&'static str, clap::Command>,
}

impl ClaimGrammar {
    /// Reads the words of a claim after the name of its check.
    ///
    /// # Errors
    ///
    /// If an argument or an option is unknown, out of range, or missing without a default.
    pub fn read(
        &mut self,
        check: &Check,
        words: &[String],
    ) -> Result<(Arguments, Settings<'static>), InputError> {
        let command = self.commands.entry(check.name);
        let command = command.or_insert_with(|| grammar::claim(check));
        match command.try_get_matches_from_mut(words) {
            Ok(matches) => {
                let asked = arguments::asked(&matches);
                let asked = asked.map_err(|error| InputError::Usage(one_line(&error)))?;
                Ok((check.parameters.arguments(matches), asked))
            }
            Err(error) => Err(check.parameters.refusal(check.name, command, &error)),
        }
    }
}
