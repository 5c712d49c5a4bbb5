//! Models for stateright, and the program that searches one of them: `peer-stateright MODEL SIZES…`.

mod ben_ari;
mod leader_election;
mod termination_detection;
mod two_phase_commit;

use std::fmt::Debug;
use std::hash::Hash;
use std::process::ExitCode;
use std::time::Instant;

use stateright::{Checker, Model};

use ben_ari::{Chi, Collector};
use leader_election::Ring;
use termination_detection::Safra;
use two_phase_commit::TwoPhaseCommit;

const USAGE: &str = "usage: peer-stateright ben-ari NODES SONS ROOTS [misprint]
       peer-stateright two-phase-commit MANAGERS
       peer-stateright leader-election NODES
       peer-stateright termination-detection NODES MESSAGES";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (arguments, after_appending) = match arguments.strip_suffix(&["misprint"]) {
        Some(arguments) => (arguments, Chi::TestI),
        None => (&arguments[..], Chi::ColourRoots),
    };
    let Some((model, sizes)) = arguments.split_first() else {
        return refused(USAGE);
    };
    let sizes: Option<Vec<u8>> = sizes.iter().map(|size| size.parse().ok()).collect();
    match (*model, sizes.as_deref()) {
        ("ben-ari", Some([nodes @ 1..=8, sons @ 1..=4, roots])) => {
            ben_ari(*nodes, *sons, *roots, after_appending)
        }
        ("two-phase-commit", Some([managers @ 1..=u8::MAX])) => check(TwoPhaseCommit(*managers)),
        ("leader-election", Some([nodes @ 1..=u8::MAX])) => check(Ring(*nodes)),
        ("termination-detection", Some([nodes @ 2..=u8::MAX, messages @ 0..=100])) => check(Safra {
            nodes: *nodes,
            messages: *messages,
        }),
        _ => refused(USAGE),
    }
}

fn refused(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}

fn ben_ari(nodes: u8, sons: u8, roots: u8, after_appending: Chi) -> ExitCode {
    if !(1..=nodes).contains(&roots) {
        return refused(&format!(
            "roots is {roots}, and must be from 1 to nodes, which is {nodes}"
        ));
    }
    // Each number of cells is a model of its own; these are the ones that a search can finish.
    macro_rules! check {
        ($($cells:literal)*) => {
            match nodes * sons {
                $($cells => check(Collector::<$cells> { nodes, sons, roots, after_appending }),)*
                cells => refused(&format!("{cells} cells are too many")),
            }
        };
    }
    check!(1 2 3 4 5 6 7 8 9 10 12)
}

/// Explores all states with one thread, and prints how many there were, or the violation that ended the search.
fn check<M>(model: M) -> ExitCode
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    let initial_states = model.init_states().len();
    let started = Instant::now();
    let checker = model.checker().threads(1).spawn_bfs().join();
    let seconds = started.elapsed().as_secs_f64();
    if let Some((claim, path)) = checker.discoveries().into_iter().next() {
        eprintln!(
            "violated: {claim}; after {} steps: {:?}",
            path.clone().into_actions().len(),
            path.last_state()
        );
        return ExitCode::FAILURE;
    }
    let states = checker.unique_state_count();
    // What stateright counts is the initial states and then every successor, new or not.
    let transitions = checker.state_count() - initial_states;
    println!(r#"{{"states":{states},"transitions":{transitions},"seconds":{seconds:.3}}}"#);
    ExitCode::SUCCESS
}
