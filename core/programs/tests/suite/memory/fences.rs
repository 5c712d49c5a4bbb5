//! Tests that fences are monotone, and that a synthesis agrees with an exhaustive search over sets of places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use refmap::AbstractSteps::{self, One};
use refmap::obligation::Selection;
use refmap::{Refinement, Settings, Verdict, check};
use refmap_programs::store_buffers::Buffered;
use refmap_programs::synthesis::{Answer, Scenario, synthesise};
use refmap_programs::{
    Action, Instruction, Machine, MemoryModel, Operand, Outcome, Program, State, ThreadEnd, Value,
    ends, outcomes,
};

use crate::memory::generator::{Mixture, Random, program};

/// An upper bound on the states of the random programs.
const STATES: u64 = 2_000_000;

const MIXTURE: Mixture = Mixture {
    threads: 2,
    instructions: 4,
    exclusive: true,
    atomic: true,
    places: true,
};

fn names(program: &Program) -> Vec<&str> {
    let places = program.places.iter();
    places.map(|place| place.name.as_str()).collect()
}

/// The places whose bit is set.
fn chosen<'a>(places: &[&'a str], bits: u64) -> Vec<&'a str> {
    let numbered = places.iter().enumerate();
    numbered
        .filter(|(number, _)| bits >> number & 1 == 1)
        .map(|(_, place)| *place)
        .collect()
}

fn fenced(program: &Program, places: &[&str]) -> Program {
    program
        .clone()
        .with_fences(places.iter().copied())
        .expect("these are its places")
}

/// The lemma of the synthesis as a refinement: it maps a program with more fences to the one with fewer by erasing
/// the pending fences that only the former has.
struct Erasing {
    more: Machine,
    fewer: Machine,
    /// Per place, whether only the former has its fence.
    erased: Vec<bool>,
}

impl Erasing {
    fn is_erased(&self, thread: usize, at: u16) -> bool {
        let code = &self.more.program().threads[thread].code;
        match code[usize::from(at)] {
            Instruction::Fence {
                place: Some(place), ..
            } => self.erased[usize::from(place)],
            _ => false,
        }
    }

    /// Number of erased instructions among those pending before `position`.
    fn erased_before(&self, state: &State, thread: usize, position: u16) -> u16 {
        let before = state.threads[thread].pending[..usize::from(position)].iter();
        before.filter(|of| self.is_erased(thread, of.at)).count() as u16
    }
}

impl Refinement for Erasing {
    type Implementation = Machine;
    type Specification = Machine;

    fn implementation(&self) -> &Machine {
        &self.more
    }

    fn specification(&self) -> &Machine {
        &self.fewer
    }

    fn map(&self, state: &State) -> State {
        let mut mapped = state.clone();
        for (number, thread) in mapped.threads.iter_mut().enumerate() {
            let thread = Arc::make_mut(thread);
            let moved = |operand: &mut Operand| {
                if let Operand::Awaited(position) = operand {
                    *position -= self.erased_before(state, number, *position);
                }
            };
            thread.registers.iter_mut().for_each(moved);
            let pending = thread.pending.iter_mut();
            pending
                .flat_map(|of| of.operands.iter_mut())
                .for_each(moved);
            thread
                .pending
                .retain(|pending| !self.is_erased(number, pending.at));
        }
        mapped
    }

    fn abstract_steps(&self, from: &State, action: &Action, _: &State) -> AbstractSteps<Action> {
        let mut answer = action.clone();
        let thread = usize::from(action.thread);
        answer.position -= self.erased_before(from, thread, action.position);
        One(answer)
    }
}

/// Checks the lemma on `seeds`, and returns the number of cases in which the fences made a difference.
fn check_the_lemma(seeds: std::ops::Range<u64>) -> usize {
    let mut told_apart = 0;
    for seed in seeds {
        let program = program(seed, MIXTURE);
        let places = names(&program);
        let mut random = Random(seed);
        let more = random.next() | random.next();
        let fewer = more & random.next() & random.next();
        let (more, fewer) = (chosen(&places, more), chosen(&places, fewer));
        for model in MemoryModel::ALL {
            let refinement = Erasing {
                more: Machine::new(fenced(&program, &more), model),
                fewer: Machine::new(fenced(&program, &fewer), model),
                erased: places
                    .iter()
                    .map(|place| more.contains(place) && !fewer.contains(place))
                    .collect(),
            };
            let settings = Settings {
                threads: 1,
                obligations: Selection::only(["observation", "initiality", "simulation"]),
                ..Settings::default()
            };
            let report = check(&refinement, &settings).expect("it is checked");
            assert_eq!(
                report.verdict,
                Some(Verdict::Holds),
                "{model}, {more:?} and {fewer:?}\n{program}\n{report}"
            );
            // A state is terminal if and only if its image is.
            let stops = ends(&refinement.more, STATES, None).expect("it is small");
            for state in stops.states {
                let mut steps = 0;
                let mapped = refinement.map(&state);
                refmap::TransitionSystem::next(&refinement.fewer, &mapped, &mut |_, _| steps += 1);
                assert_eq!(steps, 0, "{model}\n{program}\n{state:?}");
            }
            let fewer = outcomes(&refinement.fewer, STATES).expect("it is small");
            let more = outcomes(&refinement.more, STATES).expect("it is small");
            assert!(more.is_subset(&fewer), "{model}\n{program}");
            told_apart += usize::from(more != fewer);
        }
    }
    told_apart
}

#[test]
fn what_a_program_does_with_more_fences_it_does_with_fewer() {
    let told_apart = check_the_lemma(0..150);
    assert!(told_apart > 10, "{told_apart}");
}

/// Output and end of each thread.
type Shown = Vec<(Vec<Value>, u8)>;

/// Observable part of the outcomes: the output and the end of each thread.
fn shown(outcomes: &BTreeSet<Outcome>) -> BTreeSet<Shown> {
    let seen = |end: ThreadEnd| match end {
        ThreadEnd::Stuck | ThreadEnd::CutOff => 0,
        ThreadEnd::Ended => 1,
        ThreadEnd::Failed(_) => 2,
        ThreadEnd::Faulty(_) => 3,
    };
    let of = |outcome: &Outcome| {
        let threads = outcome.threads.iter();
        threads
            .map(|thread| (thread.output.clone(), seen(thread.end)))
            .collect()
    };
    outcomes.iter().map(of).collect()
}

fn by_the_machine(program: &Program, model: MemoryModel) -> BTreeSet<Outcome> {
    let machine = Machine::new(program.clone(), model);
    outcomes(&machine, STATES).expect("it is small")
}

/// Robustness decided without a refinement: every final output under a model extends to a final output under SC,
/// and no thread blocks for ever. Under TSO and PSO this does not use the machine.
fn is_robust(program: &Program, model: MemoryModel, strong: &BTreeSet<Shown>) -> bool {
    let weak = match Buffered::new(program.clone(), model) {
        Err(_) => by_the_machine(program, model),
        Ok(buffered) => {
            let ends = ends(&buffered, STATES, None).expect("it is small");
            let states = ends.states.iter();
            states.map(|state| buffered.outcome(state)).collect()
        }
    };
    let deadlock = |outcome: &Outcome| {
        let ends = |end| outcome.threads.iter().any(|thread| thread.end == end);
        ends(ThreadEnd::Stuck) && !ends(ThreadEnd::CutOff)
    };
    if weak.iter().any(deadlock) {
        return false;
    }
    shown(&weak).iter().all(|weak| {
        strong.iter().any(|strong| {
            weak.iter().zip(strong).all(|(less, more)| match less.1 {
                0 => more.0.starts_with(&less.0),
                _ => less == more,
            })
        })
    })
}

/// Whether `full` has the effect of `set`: it contains each of its places, or a full fence there.
fn does_all_of(full: &[&str], set: &[&str]) -> bool {
    set.iter().all(|place| {
        let (point, _) = place.split_once(':').expect("it has a kind");
        full.contains(place) || full.contains(&format!("{point}:full").as_str())
    })
}

/// Minimal sets by exhaustive search: no other sufficient set has a smaller effect, or the same effect with fewer
/// places.
fn by_trying_all(program: &Program, model: MemoryModel) -> Vec<Vec<&str>> {
    let places = names(program);
    let strong = shown(&by_the_machine(program, MemoryModel::Sc));
    let sets = (0..1 << places.len()).map(|bits| chosen(&places, bits));
    let enough: Vec<_> = sets
        .filter(|set| is_robust(&fenced(program, set), model, &strong))
        .collect();
    let is_less = |less: &[&str], more: &[&str]| {
        does_all_of(more, less)
            && (!does_all_of(less, more)
                || less.len() < more.len() && less.iter().all(|place| more.contains(place)))
    };
    let minimal = |set: &&Vec<&str>| !enough.iter().any(|other| is_less(other, set));
    enough.iter().filter(minimal).cloned().collect()
}

/// Compares on `seeds`, and returns the number of results by their number of fences.
fn compare(seeds: std::ops::Range<u64>) -> BTreeMap<usize, usize> {
    let models = [
        MemoryModel::Tso,
        MemoryModel::PsoNo,
        MemoryModel::RmoFull,
        MemoryModel::RmoNo,
    ];
    let mut answers = BTreeMap::new();
    for seed in seeds {
        let program = program(seed, MIXTURE);
        // Most programs need no fence under any model; one of twenty of those is enough.
        let strong = shown(&by_the_machine(&program, MemoryModel::Sc));
        let none = fenced(&program, &[]);
        if seed % 20 > 0 && is_robust(&none, MemoryModel::RmoNo, &strong) {
            continue;
        }
        for model in models {
            let mut expected = by_trying_all(&program, model);
            let scenario =
                Scenario::robust("robust", program.clone(), STATES).expect("it is small");
            let settings = Settings {
                threads: 1,
                ..Settings::default()
            };
            let found = synthesise(&[scenario], model, &settings).expect("it is searched");
            if let Answer::Incomplete(_) = found.answer {
                panic!("{found}");
            }
            let sets = found.sets().iter();
            let mut sets: Vec<Vec<&str>> = sets
                .map(|set| set.fences.iter().map(String::as_str).collect())
                .collect();
            expected.sort();
            sets.sort();
            assert_eq!(sets, expected, "{model}\n{program}\n{found}");
            for set in found.sets() {
                assert_eq!(set.without.len(), set.fences.len());
            }
            *answers
                .entry(sets.first().map_or(99, Vec::len))
                .or_default() += 1;
        }
    }
    answers
}

#[test]
fn a_synthesis_finds_what_trying_all_sets_finds() {
    let answers = compare(0..100);
    // The comparison has value only if some programs need fences and fences suffice.
    let mended: usize = answers.range(1..99).map(|(_, count)| count).sum();
    assert!(mended > 7, "{answers:?}");
    assert!(answers.range(2..99).count() > 0, "{answers:?}");
}

#[test]
#[ignore = "takes ten seconds"]
fn slow_both_find_the_same_on_more_programs() {
    check_the_lemma(150..300);
    compare(100..400);
}

#[test]
#[ignore = "takes minutes"]
fn nightly_both_find_the_same_on_many_programs() {
    check_the_lemma(10_000..20_000);
    compare(10_000..15_000);
}
