//! Inclusion where the subset construction explodes, and on large explicit systems.
//!
//! `cargo bench -p refmap --bench inclusion [-- STATES]`. It prints figures, and compares them with nothing.
//!
//! The scalable pairs: a specification that guesses that an `a` was the n-th letter before the end, and chooses after `c` what
//! comes then; an implementation that guesses nothing, and chooses late. Inclusion holds and no simulation does. After a word the
//! specification can be in a state for each of the last letters that were an `a`: 2ⁿ sets. Of these the antichain keeps the least.

#![allow(clippy::print_stdout, missing_docs)]

use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

use refmap::explore::Limits;
use refmap::inclusion::{Comparison, Inclusion};
use refmap::internal::inclusion::{LabelledGraph, LabelledStep, Labels, StepLabel, check_graphs};

/// Steps of a system, its initial state being 0.
#[derive(Clone, Default)]
struct Steps {
    states: u32,
    steps: Vec<LabelledStep>,
}

impl Steps {
    fn step(&mut self, from: u32, label: StepLabel, to: u32) {
        self.states = self.states.max(from + 1).max(to + 1);
        self.steps.push(LabelledStep { from, label, to });
    }

    fn graph(&self) -> LabelledGraph {
        LabelledGraph::new(self.states, 0, &self.steps).expect("its states are in range")
    }
}

/// The letters of the scalable pairs.
struct Letters {
    a: StepLabel,
    b: StepLabel,
    c: StepLabel,
    d: StepLabel,
    e: StepLabel,
}

fn letters(labels: &mut Labels) -> Letters {
    let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(|text| labels.label(text));
    Letters { a, b, c, d, e }
}

/// The implementation and the specification of a size.
fn scalable(n: u32, letters: &Letters) -> [Steps; 2] {
    let Letters { a, b, c, d, e } = *letters;
    let mut implementation = Steps::default();
    for letter in [a, b] {
        implementation.step(0, letter, 0);
    }
    implementation.step(0, c, 1);
    implementation.step(1, d, 2);
    implementation.step(1, e, 2);
    let mut specification = Steps::default();
    for letter in [a, b] {
        specification.step(0, letter, 0);
        for at in 4..n + 3 {
            specification.step(at, letter, at + 1);
        }
    }
    specification.step(0, a, 4);
    specification.step(0, c, 1);
    specification.step(0, c, 2);
    specification.step(1, d, 3);
    specification.step(2, e, 3);
    [implementation, specification]
}

/// Number of the sets that the subset construction of a system without invisible steps has.
fn subsets(system: &Steps) -> usize {
    let initial = BTreeSet::from([0]);
    let mut met = HashSet::from([initial.clone()]);
    let mut waiting = vec![initial];
    while let Some(set) = waiting.pop() {
        let steps = system.steps.iter().filter(|step| set.contains(&step.from));
        let labels: HashSet<StepLabel> = steps.clone().map(|step| step.label).collect();
        for label in labels {
            let steps = steps.clone().filter(|step| step.label == label);
            let next: BTreeSet<u32> = steps.map(|step| step.to).collect();
            if met.insert(next.clone()) {
                waiting.push(next);
            }
        }
    }
    met.len()
}

/// A number below a bound, from a stream.
fn below(stream: &mut u64, bound: u32) -> u32 {
    *stream = refmap::internal::mix(*stream);
    (((*stream >> 32) * u64::from(bound)) >> 32) as u32
}

/// A system of random steps with some labels, ten a state.
fn random(states: u32, of: &[StepLabel], invisible: u32, stream: &mut u64) -> Steps {
    let mut system = Steps::default();
    for from in 0..states {
        for _ in 0..10 {
            let label = if below(stream, 100) < invisible {
                StepLabel::INVISIBLE
            } else {
                of[below(stream, of.len() as u32) as usize]
            };
            let to = below(stream, states);
            system.step(from, label, to);
        }
    }
    system
}

fn told(name: &str, started: Instant, inclusion: &Inclusion) {
    println!(
        "{name}: {} on rung {:?}, length {:?}, {} pairs, {:.2} s",
        inclusion.verdict,
        inclusion.rung,
        inclusion.trace_length,
        inclusion.pairs,
        started.elapsed().as_secs_f64()
    );
}

fn compare(name: &str, systems: [&Steps; 2], labels: &Labels) {
    if let Some(row) = std::env::args().nth(2)
        && !name.contains(&row)
    {
        return;
    }
    let [implementation, specification] = systems.map(Steps::graph);
    let started = Instant::now();
    let comparison = Comparison {
        limits: Limits {
            seconds: Some(60.0),
            ..Limits::default()
        },
        ..Comparison::default()
    };
    let inclusion = check_graphs(&implementation, &specification, labels, &comparison);
    let inclusion = inclusion.expect("nothing is on disk");
    told(name, started, &inclusion);
}

fn main() {
    let states = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let states = states.unwrap_or(100_000);
    let mut labels = Labels::new();
    let letters = letters(&mut labels);
    for n in [4, 8, 12, 16, 64, 1024] {
        let [implementation, specification] = &scalable(n, &letters);
        compare(
            &format!("scalable {n}"),
            [implementation, specification],
            &labels,
        );
        if n <= 16 {
            let started = Instant::now();
            let sets = subsets(specification);
            let seconds = started.elapsed().as_secs_f64();
            println!("    the subset construction has {sets} sets, {seconds:.2} s");
        }
    }
    let many: Vec<StepLabel> = (0..50)
        .map(|number| labels.label(&format!("l{number}")))
        .collect();
    let stream = &mut 1;
    for (name, labels_of, invisible) in [
        ("2 labels", &many[..2], 0),
        ("50 labels, a tenth invisible", &many[..], 10),
        ("50 labels, half invisible", &many[..], 50),
    ] {
        let one = random(states, labels_of, invisible, stream);
        let other = random(states, labels_of, invisible, stream);
        compare(&format!("{name}: in itself"), [&one, &one], &labels);
        compare(&format!("{name}: in another"), [&one, &other], &labels);
    }
    // The specification has a step more in each tenth state, or the implementation has one step more.
    for (name, number, invisible) in [
        ("2 labels", 2, 0),
        ("5 labels", 5, 0),
        ("10 labels", 10, 0),
        ("10 labels, a tenth invisible", 10, 10),
        ("50 labels", 50, 0),
        ("50 labels, half invisible", 50, 50),
    ] {
        let labels_of = &many[..number];
        let one = random(states, labels_of, invisible, stream);
        let mut more = one.clone();
        for from in (0..states).step_by(10) {
            let label = labels_of[below(stream, number as u32) as usize];
            more.step(from, label, below(stream, states));
        }
        compare(&format!("{name}: with steps added"), [&one, &more], &labels);
        let mut less = one.clone();
        less.steps.remove(less.steps.len() / 2);
        compare(&format!("{name}: without a step"), [&one, &less], &labels);
    }
    // Each state has one step for each of ten labels; the specification lacks one.
    let mut one = Steps::default();
    for from in 0..states {
        for label in &many[..10] {
            let to = below(stream, states);
            one.step(from, *label, to);
        }
    }
    let mut other = one.clone();
    other.steps.remove(other.steps.len() / 2);
    compare("deterministic: in itself", [&one, &one], &labels);
    compare("deterministic: without a step", [&one, &other], &labels);
}
