//! `explore`: steps through a refinement in the browser.

use std::io::{self, Write};
use std::sync::atomic::AtomicBool;

use refmap::explore::{Watch, Watchdog};
use refmap::inclusion::Comparison;
use refmap::internal::plain;
use refmap::internal::stepper::Stepper;
use refmap::obligation::Settings;

use super::attended::attended_parts;
use super::command::ExploreCommand;
use super::error::CommandError;
use super::include::Named;
use super::program::Program;
use super::progress;
use super::status::Status;
use crate::catalogue::{InputError, validate};
use crate::pictures::explorer::{Explored, Server};
use crate::pictures::include::Within;
use crate::watchdogs::Watchdogs;

pub(super) fn run(
    program: Program<'_>,
    command: &ExploreCommand,
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let check = program.catalogue.check(&command.check)?;
    let settings = Settings {
        threads: command.threads,
        limits: command.limits,
        obligations: command.obligations.clone(),
        without: command.without.clone(),
        liveness: command.liveness,
        watch: Watch {
            cancel: Some(cancel),
            progress: None,
        },
        ..Settings::default()
    };
    let watchdogs = &Watchdogs::default();
    let parameters = command.arguments.values().iter();
    let parameters = parameters.map(|(name, value)| format!("{name} {}", plain(value)));
    let run = || {
        let bar = progress::Bar::new(false, &command.check, 0, command.limits);
        let settings = Settings {
            watch: Watch {
                cancel: Some(cancel),
                progress: Some(&|progress| bar.show(&command.check, progress)),
            },
            ..settings.clone()
        };
        let run = |_: &Watchdog| check.run(&command.arguments, &settings);
        let report = watchdogs.watching(&command.check, command.limits, run);
        bar.clear();
        report.map_err(|error| error.to_string())
    };
    let compare = |within: Within<'_>| {
        let compare = |_: &Watchdog| {
            let comparison = Comparison {
                threads: settings.threads,
                limits: command.limits,
                watch: settings.watch,
                ..Comparison::default()
            };
            check.include(&command.arguments, &comparison)
        };
        let inclusion = watchdogs.watching(&command.check, command.limits, compare);
        let inclusion = inclusion.map_err(|error| error.to_string())?;
        let named = Named::of_check(&command.check, &command.arguments, &inclusion);
        let html = named.html(&command.command, Some(within));
        html.map_err(|error| error.to_string())
    };
    let explored = Explored {
        check: &command.check,
        parameters: parameters.collect::<Vec<_>>().join("  "),
        command: &command.command,
        run: &run,
        compare: &compare,
        watchdogs,
    };
    let server = Server::bind(command.listen)?;
    attended_parts(
        program,
        watchdogs,
        cancel,
        output,
        |tell_address| -> Result<(), CommandError> {
            let build = |_: &Watchdog| -> Result<_, InputError> {
                let instance = check.build(&command.arguments)?;
                let valid = validate(&*instance, &settings);
                valid.map_err(|error| program.catalogue.with_able(check.name, error))?;
                instance.declared(&settings)?;
                Ok(instance)
            };
            // Of what is wrong with an instance one is told before the address.
            let instance = watchdogs.watching(&command.check, command.limits, build)?;
            tell_address(())?;
            let serve = &mut |stepper: Stepper<'_>| server.serve(stepper, &explored, cancel);
            let served = instance.step_through(&settings, serve);
            Ok(served.map_err(InputError::from)?)
        },
        |output, ()| -> io::Result<()> {
            writeln!(
                output,
                "{}: {}\nCtrl-C ends it.",
                command.check,
                server.url(&command.at)
            )?;
            output.flush()
        },
        |_, served| match served {
            Ok(served) => served.map(|()| Status::Success),
            Err(held_up) => {
                held_up.tell();
                Ok(Status::Incomplete)
            }
        },
    )
}
