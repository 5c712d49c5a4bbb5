//! Cost of liveness beside the exploration that records the graph: of a system of ten million states and a hundred million
//! steps, all of which are in one component.
//!
//! `cargo bench -p refmap --bench liveness [-- DIGITS]`. It prints figures, and compares them with nothing.

#![allow(clippy::print_stdout, missing_docs)]

use std::fs;
use std::time::Instant;

use refmap::Strength;
use refmap::TransitionSystem;
use refmap::internal::explore::{Explored, NodeId, Options, Record, explore};
use refmap::internal::liveness::{Claim, Conditions, Question, violation};
use refmap::internal::{Bits, Steps};
use refmap_testing::Labelling;
use serde::Serialize;

/// Decimal digits. The first only counts up; the next three count up and down, and the others up.
struct Counter {
    digits: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct Number(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "counter", source = "this bench")]
enum Count {
    Up(u8),
    Down(u8),
}

impl TransitionSystem for Counter {
    type State = Number;
    type Action = Count;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Number)) {
        visit(Number(0));
    }

    fn candidates(&self, _: &Number, visit: &mut impl FnMut(Count)) {
        for digit in 0..self.digits {
            visit(Count::Up(digit as u8));
            if (1..4).contains(&digit) {
                visit(Count::Down(digit as u8));
            }
        }
    }

    fn fire(&self, count: &Count, Number(number): &mut Number) -> Option<()> {
        let place = 10_u32.pow(digit(count));
        let value = *number / place % 10;
        let then = match count {
            Count::Up(_) => (value + 1) % 10,
            Count::Down(_) => (value + 9) % 10,
        };
        *number = *number - value * place + then * place;
        Some(())
    }

    fn observe(&self, _: &Number) {}
}

/// The digit of a step.
fn digit((Count::Up(digit) | Count::Down(digit)): &Count) -> u32 {
    u32::from(*digit)
}

/// The most memory that the process has held.
fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes << 10)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let digits = arguments.find_map(|argument| argument.parse().ok());
    let system = Counter {
        digits: digits.unwrap_or(7),
    };
    let options = Options {
        record: Record::Graph,
        threads: 1,
        ..Options::default()
    };
    let started = Instant::now();
    let explored: Explored<Counter, ()> = explore(&system, &Labelling(digit), &options);
    let exploration = started.elapsed().as_secs_f64();
    let graph = explored
        .graph
        .as_ref()
        .expect("there is room for the graph");
    let (states, steps) = (explored.states(), graph.len());
    println!("{states} states, {steps} steps, explored in {exploration:.1} s");
    println!(
        "graph: {:.2} bytes a step",
        graph.bytes() as f64 / steps as f64
    );

    let fair = |_| Strength::Weak;
    let first = |id: u32| {
        explored
            .state(&system, NodeId(id).into())
            .expect("states are kept")
            .0
            % 10
    };
    // Of one more, which stands for states that were not expanded.
    let zero = Bits::of(states + 1, |id| (id as usize) < states && first(id) == 0);
    let questions = [
        (
            "the first digit is zero infinitely often",
            Claim::AlwaysEventually(zero.clone()),
        ),
        (
            "the first digit is zero from some time on",
            Claim::EventuallyAlways {
                premise: None,
                conclusion: zero,
            },
        ),
    ];
    for (name, claim) in questions {
        let mut conditions = Conditions::new((0..system.digits).map(fair));
        for digit in 0..system.digits as usize {
            conditions.class([digit]);
        }
        // So that the peak is that of the decision.
        let is_reset = fs::write("/proc/self/clear_refs", "5").is_ok();
        let before = peak_bytes().filter(|_| is_reset);
        let started = Instant::now();
        // The class of a step is its label.
        let classes: Vec<u32> = (0..conditions.classes()).collect();
        let steps = Steps::of(graph, &classes);
        let question = Question::of(&claim, steps, &[0], &|_, _, _| false);
        let found = violation(steps, &[0], &conditions, &question);
        let decision = started.elapsed().as_secs_f64();
        let verdict = match found {
            Some(lasso) => format!("violated by a loop of {} states", lasso.loop_length()),
            None => "holds".to_owned(),
        };
        println!("{name}: {verdict}");
        println!(
            "  {decision:.1} s, {:.2} of the exploration",
            decision / exploration
        );
        if let (Some(before), Some(after)) = (before, peak_bytes()) {
            let a_state = (after - before) as f64 / states as f64;
            println!("  peak memory grew by {a_state:.1} bytes a state");
        }
    }
}
