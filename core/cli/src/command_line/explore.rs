//! `explore`: steps through a refinement in the browser.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use refmap::explore::Watch;
use refmap::internal::plain;
use refmap::obligation::Settings;
use refmap::obligation::stepper::Stepper;

use super::command::ExploreCommand;
use super::error::CommandError;
use super::include::Named;
use super::progress;
use super::status::Status;
use crate::catalogue::{Catalogue, InputError, validate};
use crate::pictures::explorer::{Explored, Server};
use crate::pictures::include::Within;

pub(super) fn run(
    catalogue: &Catalogue,
    command: &ExploreCommand,
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let check = catalogue.check(&command.check)?;
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
        let report = check.run(&command.arguments, &settings);
        bar.clear();
        report.map_err(|error| error.to_string())
    };
    let compare = |within: Within<'_>| {
        let watch = settings.watch;
        let inclusion = check.include(&command.arguments, command.limits, watch);
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
    };
    let server = Server::bind(command.listen)?;
    // Of what is wrong with an instance one is told before the address.
    let instance = check.build(&command.arguments)?;
    validate(&*instance, &settings).map_err(|error| catalogue.with_able(error))?;
    instance.declared(&settings).map_err(InputError::from)?;
    writeln!(
        output,
        "{}: {}\nCtrl-C ends it.",
        command.check,
        server.url(&command.at)
    )?;
    output.flush()?;
    let serve = &mut |stepper: Stepper<'_>| server.serve(stepper, &explored, cancel);
    instance
        .step_through(&settings, serve)
        .map_err(InputError::from)?;
    Ok(Status::Success)
}
