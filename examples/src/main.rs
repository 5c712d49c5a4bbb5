//! Tutorials on refinement, in reading order, and the program that runs them: `refmap-examples NAME`.
//!
//! Each is a page that reads from top to bottom, with a `main` of its own. `collector` and `page` are shared
//! by several of them.

#![allow(clippy::print_stdout, reason = "the reports are the output")]

mod barrier;
mod ben_ari_level_1;
#[cfg(test)]
mod book;
mod clock;
mod collector;
mod elimination;
mod fences;
mod handshake;
mod induction;
mod leases;
mod obligations;
mod own_specification;
#[cfg(test)]
mod page;
mod peterson;
mod prophecy;
mod reading_a_report;
mod remembering;
mod seqlock;
mod stack;
mod starvation;
mod tickets;
mod two_phase_commit;
mod your_code;
mod yrc;

use std::process::ExitCode;

/// A tutorial and its entry point.
struct Example {
    name: &'static str,
    about: &'static str,
    main: fn(),
}

/// The tutorials in reading order, numbered from 1.
#[rustfmt::skip]
const EXAMPLES: [Example; 21] = [
    Example { name: "clock", about: "a clock with two hands refines one with an hour hand", main: clock::main },
    Example { name: "ben_ari_level_1", about: "a collector that colours collects only garbage", main: ben_ari_level_1::main },
    Example { name: "handshake", about: "a handshake on two wires refines a one-place buffer", main: handshake::main },
    Example { name: "two_phase_commit", about: "a protocol with a set of messages, stated by derives", main: two_phase_commit::main },
    Example { name: "reading_a_report", about: "what a failed check looks like, and how to read it", main: reading_a_report::main },
    Example { name: "elimination", about: "a stack in which a push and a pop meet: one step that simulates two", main: elimination::main },
    Example { name: "tickets", about: "a ring buffer: threads that are alike, and tickets of which the differences matter", main: tickets::main },
    Example { name: "remembering", about: "a thermometer that has forgotten what its log has: history and stuttering variables", main: remembering::main },
    Example { name: "prophecy", about: "a clerk who decides later than his specification, and a better specification", main: prophecy::main },
    Example { name: "induction", about: "an invariant that is true and not inductive, and the one that explains it", main: induction::main },
    Example { name: "yrc", about: "a module that proves nothing, and the design that it is about", main: yrc::main },
    Example { name: "peterson", about: "mutual exclusion under SC and not under TSO, and the fences that mend it", main: peterson::main },
    Example { name: "seqlock", about: "a protocol of your own under every memory model", main: seqlock::main },
    Example { name: "leases", about: "a server that lends one thing to two clients, as processes that meet", main: leases::main },
    Example { name: "stack", about: "a lock-free stack, recorded on real threads and validated", main: stack::main },
    Example { name: "your_code", about: "a queue of your own against a ready specification, under schedules and on threads", main: your_code::main },
    Example { name: "own_specification", about: "a deque and a map that tells its length, stated by you and held against code", main: own_specification::main },
    Example { name: "barrier", about: "the one execution that a write barrier is for", main: barrier::main },
    Example { name: "fences", about: "two fences of a collector, and a memory that needs neither", main: fences::main },
    Example { name: "starvation", about: "a desk that starves a client, and the fairness that mends it", main: starvation::main },
    Example { name: "obligations", about: "one fault for each obligation, and the report in which it fails", main: obligations::main },
];

/// The parsed command line.
enum Request {
    List,
    Run(&'static Example),
}

fn main() -> ExitCode {
    match request(std::env::args().skip(1)) {
        Ok(Request::List) => print!("{}", list()),
        Ok(Request::Run(example)) => (example.main)(),
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// # Errors
///
/// What is wrong with the arguments, and what is allowed.
fn request(arguments: impl IntoIterator<Item = String>) -> Result<Request, String> {
    let mut arguments = arguments.into_iter();
    let Some(wanted) = arguments.next() else {
        return Ok(Request::List);
    };
    if let Some(more) = arguments.next() {
        return Err(format!(
            "one example at a time: `{more}` is one argument too many"
        ));
    }
    let is_wanted = |(number, example): &(usize, &Example)| {
        example.name == wanted || number.to_string() == wanted
    };
    match (1..).zip(&EXAMPLES).find(is_wanted) {
        Some((_, example)) => Ok(Request::Run(example)),
        None => Err(format!(
            "there is no example `{wanted}`; there are, by name or by number:\n\n{}",
            list()
        )),
    }
}

/// The usage text: one line for each example.
fn list() -> String {
    let line = |(number, Example { name, about, .. }): (usize, &Example)| {
        format!("{number:>2}  {name:<17}  {about}\n")
    };
    (1..).zip(&EXAMPLES).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<Request, String> {
        request(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn an_example_is_run_by_name_or_by_number() {
        for (number, example) in (1..).zip(&EXAMPLES) {
            for line in [example.name.to_owned(), format!("{number}")] {
                let run = asked(&line);
                assert!(matches!(run, Ok(Request::Run(run)) if run.name == example.name));
            }
        }
        assert!(matches!(asked(""), Ok(Request::List)));
    }

    #[test]
    fn what_is_no_example_is_refused_with_those_that_are() {
        for wrong in ["22", "0", "Clock", "01_clock"] {
            let message = asked(wrong).err().expect("there is no such example");
            assert!(message.contains(&format!("`{wrong}`")), "{message}");
            assert!(message.contains("21  obligations "), "{message}");
        }
        let message = asked("clock yrc").err().expect("there are two");
        assert!(message.contains("`yrc`"), "{message}");
    }

    /// A page that is not listed does not compile: its `main` would be dead code.
    #[test]
    fn the_readme_lists_the_examples_in_their_order() {
        let rows = include_str!("../README.md").lines();
        let rows =
            rows.filter_map(|line| line.split('`').nth(1).filter(|_| line.starts_with("| ")));
        assert_eq!(
            rows.collect::<Vec<_>>(),
            EXAMPLES.map(|example| example.name)
        );
    }
}
