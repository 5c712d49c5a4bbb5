//! Options that the checks offer, where somebody reads them: a check is asked by its instances, which may not be made in time.

use std::sync::atomic::AtomicBool;

use super::attended::attended;
use super::error::CommandError;
use super::grammar::Offered;
use super::program::Program;
use super::status::Status;
use crate::catalogue::{Abilities, Check};
use refmap::explore::{Limits, Watchdog};
use refmap::internal::calling;

/// Does the rest of a command with the questions that each check can be asked, as far as it is named: others, and all once the command is
/// cancelled before it is known, are taken to have all.
pub(super) fn with_offered(
    program: Program<'_>,
    cancel: &AtomicBool,
    is_named: impl Fn(&Check) -> bool + Sync,
    rest: impl FnOnce(&Offered<'_>) -> Result<Status, CommandError>,
) -> Result<Status, CommandError> {
    let ask = |_: &Watchdog| {
        let named = program.catalogue.checks.iter();
        let named = named.filter(|check| is_named(check));
        let asked = named.map(|check| {
            let abilities = || check.abilities();
            (
                check.name,
                calling("the function that makes an instance", abilities),
            )
        });
        asked.collect::<Vec<_>>()
    };
    attended(
        program,
        "options",
        Limits::default(),
        cancel,
        ask,
        |asked| {
            let asked = asked.unwrap_or_else(|held_up| {
                held_up.tell();
                Vec::new()
            });
            rest(&|check| {
                let mut asked = asked.iter();
                let abilities = asked.find(|(name, _)| *name == check.name);
                abilities.map_or_else(Abilities::all, |(_, abilities)| abilities.clone())
            })
        },
    )
}
