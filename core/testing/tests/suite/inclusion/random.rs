//! Random pairs of labelled transition systems. A specification is drawn by itself, or made of the implementation by changes, so
//! that all rungs of the ladder are frequent.

use refmap::internal::mix;

use super::oracle::Lts;

/// Random numbers that depend on a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        (((mix(self.0) >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// True once in so many times.
    fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }
}

/// Greatest sizes of what is drawn.
#[derive(Clone, Copy)]
pub struct Size {
    pub states: u32,
    pub labels: u32,
}

/// A system.
fn draw(random: &mut Random, size: Size, invisible: u32) -> Lts {
    let states = 1 + random.below(size.states);
    let labels = 1 + random.below(size.labels);
    let number = states + random.below(states * 2);
    let steps = (0..number).map(|_| {
        (
            random.below(states),
            label(random, labels, invisible),
            random.below(states),
        )
    });
    let steps = steps.collect();
    Lts {
        states,
        initial: random.below(states),
        steps,
    }
}

fn label(random: &mut Random, labels: u32, invisible: u32) -> Option<String> {
    (!random.once_in(invisible)).then(|| format!("l{}", random.below(labels)))
}

/// A pair of an implementation and a specification.
pub fn pair(seed: u64, size: Size) -> [Lts; 2] {
    let mut random = Random::new(seed);
    let invisible = 2 + random.below(6);
    let implementation = draw(&mut random, size, invisible);
    let mut specification = implementation.clone();
    match random.below(4) {
        0 => specification = draw(&mut random, size, invisible),
        1 => {
            for _ in 0..1 + random.below(4) {
                // The one of some states that has the most to choose from.
                let some: [u32; 3] = [(); 3].map(|()| random.below(specification.states));
                let choices = |state: &u32| {
                    let steps = specification.steps.iter();
                    steps.filter(|(from, ..)| from == state).count()
                };
                let state = some.into_iter().max_by_key(choices);
                split(
                    &mut random,
                    &mut specification,
                    state.expect("there are some"),
                );
            }
        }
        _ => {
            for _ in 0..random.below(6) {
                change(&mut random, &mut specification, size, invisible);
            }
        }
    }
    [implementation, specification]
}

/// Changes a system a little. Most changes keep its traces, or add some.
fn change(random: &mut Random, system: &mut Lts, size: Size, invisible: u32) {
    let number = system.steps.len() as u32;
    let state = random.below(system.states);
    let some = (number > 0).then(|| random.below(number) as usize);
    match (random.below(8), some) {
        // A step is taken out.
        (0, Some(at)) => {
            system.steps.remove(at);
        }
        // A step goes by way of a new state, and shows what it shows before or after.
        (1 | 2, Some(at)) => {
            let (from, label, to) = system.steps[at].clone();
            let between = system.states;
            system.states += 1;
            let [first, second] = if random.once_in(2) {
                [None, label]
            } else {
                [label, None]
            };
            system.steps[at] = (from, first, between);
            system.steps.push((between, second, to));
        }
        (3 | 4, _) => split(random, system, state),
        // Two states are one.
        (5, _) => {
            let other = random.below(system.states);
            for (from, _, to) in &mut system.steps {
                for end in [from, to] {
                    if *end == other {
                        *end = state;
                    }
                }
            }
            if system.initial == other {
                system.initial = state;
            }
        }
        _ => {
            let step = (
                state,
                label(random, size.labels, invisible),
                random.below(system.states),
            );
            system.steps.push(step);
        }
    }
}

/// Splits a state: each of its steps is one of either half, and each step to it leads to either; so a choice is made earlier.
fn split(random: &mut Random, system: &mut Lts, state: u32) {
    let half = system.states;
    system.states += 1;
    for (from, ..) in &mut system.steps {
        if *from == state && random.once_in(2) {
            *from = half;
        }
    }
    let to_it = system.steps.iter().filter(|(_, _, to)| *to == state);
    let copies: Vec<_> = to_it
        .map(|(from, label, _)| (*from, label.clone(), half))
        .collect();
    system.steps.extend(copies);
}
