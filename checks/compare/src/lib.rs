//! Measures refmap in every mode, and other model checkers at the same model.
//!
//! Every search is a process of its own, so that its memory and its CPU time are its own, and are
//! measured in the same way for all. What the numbers mean is said on the page of the benches.

mod arguments;
mod contender;
mod failure;
mod instance;
mod machine;
mod measurement;
mod models;
mod modes;
mod number;
mod outcome;
mod page;
mod peer;
mod spin;
mod stateright;
mod table;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use arguments::{Arguments, Destination, Request};
use contender::Contender;
use failure::Failure;
use instance::{Instance, LARGE, SMALL};
use modes::modes;
use outcome::Outcome;
use peer::Absent;
use stateright::Stateright;

/// The bench: `program` is refmap, and `folder` is where peers are built.
pub fn main(program: &Path, folder: &Path) -> ExitCode {
    match arguments::parse(std::env::args_os()) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(request)) => {
            let done = match request {
                Request::Compare(arguments) => {
                    compare(program, folder, &arguments).map_err(|failure| failure.to_string())
                }
                Request::Search(instance, claims, storage) => {
                    models::search(instance, claims, storage)
                }
            };
            match done {
                Ok(()) => ExitCode::SUCCESS,
                Err(failure) => {
                    eprintln!("error: {failure}");
                    ExitCode::FAILURE
                }
            }
        }
        Err(error) => error.exit(),
    }
}

/// Searches the smallest instance in every mode of `program`, which is refmap. How many modes there are.
///
/// # Errors
///
/// What is wrong with the first that does not find the known counts.
pub fn every_mode(program: &Path) -> Result<usize, String> {
    let mut modes = modes(program, SMALL);
    for mode in &mut modes {
        mode.search(SMALL).map_err(|failure| failure.to_string())?;
    }
    Ok(modes.len())
}

/// Measures what is asked for, and shows it.
fn compare(program: &Path, folder: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let mut absent = Vec::new();
    let mut stateright = Vec::new();
    if arguments
        .instances
        .iter()
        .any(|instance| *instance != LARGE)
    {
        let built = stateright::built(&folder.join("stateright"));
        sort(built, &mut stateright, &mut absent);
    }
    let mut outcomes = Vec::new();
    for instance in &arguments.instances {
        let runs = if *instance == LARGE {
            1
        } else {
            arguments.runs
        };
        outcomes.push(outcome(program, *instance, runs, &stateright, &mut absent)?);
    }
    let text = text(arguments, &outcomes, &absent);
    show(&text)?;
    match arguments.destination {
        Destination::Terminal => Ok(()),
        Destination::Page => page::write(&page::path(), &text),
    }
}

/// Searches an instance with all that can, again and again, each in its turn: what disturbs the
/// machine for a while then disturbs all of them.
fn outcome(
    program: &Path,
    instance: Instance,
    runs: u32,
    stateright: &[Stateright],
    absent: &mut Vec<Absent>,
) -> Result<Outcome, Failure> {
    let folder = tempfile::tempdir().map_err(|error| Failure::File {
        path: std::env::temp_dir(),
        error,
    })?;
    let mut contenders = modes(program, instance);
    if instance != LARGE {
        let spin = spin::contenders(instance, folder.path());
        sort(spin, &mut contenders, absent);
        contenders.extend(stateright.iter().map(|peer| peer.contender(instance)));
    }
    for number in 1..=runs {
        for contender in &mut contenders {
            let Contender {
                program,
                claims,
                storage,
                threads,
                ..
            } = &*contender;
            eprintln!("{instance} {number}/{runs}: {program}, {claims}, {storage}, {threads}");
            contender.search(instance)?;
        }
    }
    Ok(Outcome {
        instance,
        contenders,
    })
}

/// Parts the peers that are there from those that are not, and says of each of these why, once.
fn sort<T>(
    peers: impl IntoIterator<Item = Result<T, Absent>>,
    there: &mut Vec<T>,
    absent: &mut Vec<Absent>,
) {
    for peer in peers {
        match peer {
            Ok(peer) => there.push(peer),
            Err(missing) if absent.iter().all(|known| known.peer != missing.peer) => {
                eprintln!("left out: {}: {}", missing.peer, missing.why);
                absent.push(missing);
            }
            Err(_) => (),
        }
    }
}

/// The machine, the tables, and who is left out of them.
fn text(arguments: &Arguments, outcomes: &[Outcome], absent: &[Absent]) -> String {
    let mut parts = vec![format!("{}\n", machine::description().join("\n"))];
    let runs = match arguments.runs {
        1 => "Each search was made once.".to_owned(),
        runs if arguments.instances.contains(&LARGE) => {
            format!("Each search was made {runs} times, but that of {LARGE} once.")
        }
        runs => format!("Each search was made {runs} times."),
    };
    parts[0].push_str(&format!("{runs}\n"));
    for outcome in outcomes {
        parts.push(outcome.searches().render(arguments.style));
        parts.extend(outcome.peers().map(|peers| peers.render(arguments.style)));
    }
    for Absent { peer, why } in absent {
        parts.push(format!("Left out: {peer}: {why}\n"));
    }
    parts.join("\n")
}

fn show(text: &str) -> Result<(), Failure> {
    let written = write!(io::stdout(), "{text}");
    written.map_err(|error| Failure::File {
        path: "standard output".into(),
        error,
    })
}
