//! Webs drawn at random: deep ones, wide ones and large ones, right or wrong in one place.

use std::collections::HashMap;
use std::sync::Arc;

use refmap_testing::Random;

use super::{Label, WORKERS, Weave, Web};
use crate::oracle::Oracle;

/// Arrangement of a web's states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One after the other, so that the search is as deep as there are states; steps lead back too.
    Deep,
    /// Some states have several hundred steps each.
    Wide,
    /// Levels of equal width, one after the other.
    Levels(usize),
}

/// Fault of a refinement, in a state or a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    Shown,
    Claim,
    Answer,
    Stuck,
    OfferedTwice,
}

const FAULTS: [Fault; 6] = [
    Fault::None,
    Fault::Shown,
    Fault::Claim,
    Fault::Answer,
    Fault::Stuck,
    Fault::OfferedTwice,
];

fn targets(rng: &mut Random, shape: Shape, states: usize, from: usize) -> Vec<usize> {
    let mut targets = Vec::new();
    match shape {
        Shape::Deep => {
            targets.extend((from + 1 < states).then_some(from + 1));
            for _ in 0..rng.below(3) {
                targets.push(rng.below(from + 1));
            }
        }
        Shape::Wide => {
            targets.extend((from + 1 < states).then_some(from + 1));
            if from % 97 == 3 {
                let most = 260 + rng.below(800);
                targets.extend((0..most).map(|_| rng.below(states)));
            }
        }
        Shape::Levels(width) => {
            let next = from + width;
            targets.extend((next < states).then_some(next));
            if next < states {
                targets.push((next - next % width + rng.below(width)).min(states - 1));
            }
            targets.push(rng.below(from + 1));
        }
    }
    targets.sort_unstable();
    targets.dedup();
    // The order of steps is that of no search.
    for place in 1..targets.len() {
        targets.swap(place, rng.below(place + 1));
    }
    targets
}

/// A refinement of so many states of a shape, packed in so many bits; what is wrong, and where, is drawn too.
pub fn draw(seed: u64, shape: Shape, states: usize, width: u32) -> (Weave, Fault) {
    let rng = &mut Random(seed);
    let blocks = 1 + rng.below(3);
    let mut weave = Weave {
        concrete: Web::new(states, width),
        specification: Web::new(blocks, 64),
        images: (0..states).map(|_| rng.below(blocks) as u32).collect(),
        answers: HashMap::new(),
        fails: Arc::new(vec![false; states]),
        environment: Vec::new(),
    };
    weave.specification.initial = (0..blocks as u32).collect();
    weave.specification.shown = (0..blocks).map(|_| rng.below(3) as u8).collect();
    weave.concrete.initial = match shape {
        Shape::Levels(width) => (0..width.min(states) as u32).collect(),
        _ => vec![0],
    };
    for from in 0..states {
        let image = weave.images[from];
        weave.concrete.shown[from] = weave.specification.shown[image as usize];
        let targets = targets(rng, shape, states, from);
        for (position, to) in targets.into_iter().enumerate() {
            let target = weave.images[to];
            let label = Label {
                rule: rng.below(2) as u8,
                process: rng.below(WORKERS.len()) as u8,
                argument: position as u16,
            };
            weave.concrete.steps[from].push((label, to as u32));
            if image == target && rng.percent(50) {
                continue;
            }
            let answer = Label {
                argument: target as u16,
                ..label
            };
            let stated = &mut weave.specification.steps[image as usize];
            if stated.iter().all(|(other, _)| *other != answer) {
                stated.push((answer, target));
            }
            weave.answers.insert((from as u32, label), answer);
        }
    }
    let fault = FAULTS[rng.below(FAULTS.len())];
    spoil(rng, &mut weave, fault);
    (weave, fault)
}

/// Spoils one state, or one of its steps: a late one, the last one, or any.
fn spoil(rng: &mut Random, weave: &mut Weave, fault: Fault) {
    let oracle = Oracle::new(&*weave);
    let reached = oracle.states.len();
    let number = match rng.below(4) {
        0 => reached - 1,
        1 => reached - 1 - rng.below(reached.min(50)),
        _ => rng.below(reached),
    };
    let state = oracle.states[number].0;
    let steps = oracle.steps[number].len();
    let row = state as usize;
    match fault {
        Fault::None => (),
        Fault::Shown => weave.concrete.shown[row] ^= 4,
        Fault::Claim => Arc::make_mut(&mut weave.fails)[row] = true,
        Fault::Stuck => weave.concrete.steps[row].clear(),
        Fault::Answer if steps > 0 => {
            let step = if rng.percent(50) {
                steps - 1
            } else {
                rng.below(steps)
            };
            let (label, to) = weave.concrete.steps[row][step];
            let target = u32::from(weave.images[to as usize] != 1);
            // An answer that leads elsewhere, or nowhere.
            let argument = target as u16;
            weave
                .answers
                .insert((state, label), Label { argument, ..label });
        }
        Fault::OfferedTwice if steps > 0 => {
            let (label, _) = weave.concrete.steps[row][rng.below(steps)];
            let to = rng.below(weave.images.len()) as u32;
            weave.concrete.steps[row].push((label, to));
        }
        Fault::Answer | Fault::OfferedTwice => (),
    }
}

/// A refinement in which each worker may set a value from a state of rest, out of more than 64, and the implementation
/// offers it one of several times later only; one of the inputs may be left out.
///
/// The answer is the left-out input: the worker and the value, if any.
pub fn environment(seed: u64, inputs: usize) -> (Weave, Option<(u8, u16)>) {
    let rng = &mut Random(seed);
    let windows = 5 + rng.below(4);
    let mut weave = Weave {
        concrete: Web::new(2 * windows, 10),
        specification: Web::new(2, 64),
        images: (0..2 * windows as u32).map(|state| state % 2).collect(),
        answers: HashMap::new(),
        fails: Arc::new(vec![false; 2 * windows]),
        environment: WORKERS.to_vec(),
    };
    // Where all states are initial, one worker expands all of them at once, with several hundred steps.
    if rng.percent(50) {
        weave.concrete.initial = (0..2 * windows as u32).collect();
        weave.specification.initial = vec![0, 1];
    }
    let left_out = rng.percent(80).then(|| {
        // Those at the ends of words first.
        let ends = [0, 31, 32, 63, 64, 65, inputs - 1];
        let value = if rng.percent(50) {
            rng.pick(&ends)
        } else {
            rng.below(inputs)
        };
        (rng.below(WORKERS.len()) as u8, value as u16)
    });
    for process in 0..WORKERS.len() as u8 {
        let inputs = if process == 0 {
            inputs
        } else {
            1 + rng.below(70)
        };
        for value in 0..inputs as u16 {
            let label = Label {
                rule: 0,
                process,
                argument: value,
            };
            let window = rng.below(windows);
            for bit in 0..2u32 {
                let other = 1 - bit;
                weave.specification.steps[bit as usize].push((label, other));
                if left_out == Some((process, value)) {
                    continue;
                }
                let from = 2 * window as u32 + bit;
                let to = 2 * window as u32 + other;
                weave.concrete.steps[from as usize].push((label, to));
                weave.answers.insert((from, label), label);
            }
        }
    }
    let left_out = left_out.filter(|(process, value)| {
        let mut stated = weave.specification.steps[0].iter();
        stated.any(|(label, _)| (label.process, label.argument) == (*process, *value))
    });
    for from in 0..2 * windows {
        let turn = Label {
            rule: 1,
            process: rng.below(WORKERS.len()) as u8,
            argument: 0,
        };
        let to = (from + 2) % (2 * windows);
        weave.concrete.steps[from].push((turn, to as u32));
    }
    (weave, left_out)
}
