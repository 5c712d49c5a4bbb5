//! Numbers of states past 32 bits. A search is made to leave a gap in the numbers after its initial states, and is compared with one
//! that leaves none.

mod passes;

use std::cell::Cell;

use super::segments::BLOCK;
use super::*;
use crate::state::{Kept, Limits as Ranges, Shape, Sink, Source, State};
use crate::statement::system::TransitionSystem;
use crate::walk::random::Generator;

thread_local! {
    /// Number of blocks of numbers that a search on this thread leaves out after those of its initial states.
    pub static GAP: Cell<usize> = const { Cell::new(0) };
}

const MOST: u64 = (1 << 40) - 1;
const ONE_WORD: u32 = 40;
const TWO_WORDS: u32 = 80;
const CODE: u32 = 0;

/// A number, written into so many bits, or into as many as it takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Number<const BITS: u32>(u64);

impl<const BITS: u32, S: ?Sized> State<S> for Number<BITS> {
    const KEPT: Kept = Kept::Encoded;

    fn shape(_: &S, _: Ranges) -> Shape {
        Shape::by_hand((BITS != CODE).then_some(BITS))
    }

    fn write(&self, _: &S, _: Ranges, sink: &mut impl Sink) {
        sink.number(MOST, self.0);
        if BITS != ONE_WORD {
            sink.number(MOST, MOST - self.0);
        }
    }

    fn read(_: &S, _: Ranges, source: &mut impl Source) -> Self {
        let number = source.number(MOST);
        if BITS != ONE_WORD {
            source.number(MOST);
        }
        Self(number)
    }
}

/// Numbers, each of which leads to some others.
struct Web<const BITS: u32> {
    initial: u64,
    targets: Vec<Vec<u64>>,
}

impl<const BITS: u32> Web<BITS> {
    /// A random one of so many numbers.
    fn new(generator: &mut Generator, numbers: usize) -> Self {
        let targets = (0..numbers).map(|number| {
            let mut targets: Vec<_> = [2 * number + 1, 2 * number + 2]
                .into_iter()
                .filter(|_| generator.below(4) > 0)
                .collect();
            targets.extend((0..generator.below(3)).map(|_| generator.below(numbers)));
            targets.retain(|target| *target < numbers);
            targets.into_iter().map(|target| target as u64).collect()
        });
        let targets = targets.collect();
        Self {
            targets,
            initial: 1 + generator.below(5) as u64,
        }
    }
}

impl<const BITS: u32> TransitionSystem for Web<BITS> {
    type State = Number<BITS>;
    type Action = usize;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Number<BITS>)) {
        (0..self.initial).map(Number).for_each(visit);
    }

    fn candidates(&self, from: &Number<BITS>, visit: &mut impl FnMut(usize)) {
        (0..self.targets[from.0 as usize].len()).for_each(visit);
    }

    fn fire(&self, position: &usize, state: &mut Number<BITS>) -> Option<()> {
        *state = Number(*self.targets[state.0 as usize].get(*position)?);
        Some(())
    }

    fn observe(&self, _: &Number<BITS>) {}
}

/// Places that were looked at, and the numbers there; ends where one of these is met.
struct Watching {
    last: u64,
}

impl<const BITS: u32> Visitor<Web<BITS>> for Watching {
    type Tally = Vec<(Place, u64)>;
    type Image = ();

    fn tally(&self) -> Self::Tally {
        Vec::new()
    }

    fn merge(&self, into: &mut Self::Tally, mut from: Self::Tally) {
        into.append(&mut from);
        into.sort_unstable();
    }

    fn examine(&self, tally: &mut Self::Tally, place: Place, state: &Number<BITS>) {
        tally.push((place, state.0));
    }

    fn image(&self, _: &mut Self::Tally, _: &Number<BITS>) {}

    fn step(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        _: (&Number<BITS>, &()),
        _: &usize,
        to: &Number<BITS>,
    ) -> u32 {
        tally.push((place, to.0));
        0
    }

    fn leave(&self, _: &mut Self::Tally, _: Place, _: &Number<BITS>, _: u32) {}

    fn panicked(&self, _: &mut Self::Tally, _: Place, panic: Panic) {
        panic!("{panic:?}");
    }

    fn stop(&self, tally: &Self::Tally) -> Option<u32> {
        let met = tally.iter().find(|(_, number)| *number == self.last);
        met.map(|(place, _)| place.length)
    }
}

/// All that is said of an exploration, with the numbers that it has without a gap.
#[derive(Debug, PartialEq)]
struct Said<const BITS: u32> {
    looked_at: Vec<(Place, u64)>,
    /// Per state, or per some of them, the states of the behaviour to it.
    behaviours: Vec<(Place, Vec<Number<BITS>>)>,
    states: u64,
    initial_states: u64,
    transitions: u64,
    depth: u32,
    end: End,
}

/// Choices with which a search is made.
#[derive(Clone, Copy, Debug)]
struct Variation {
    threads: usize,
    spills: bool,
    limits: Limits,
    last: u64,
}

/// Explores with a gap of so many blocks.
fn said<const BITS: u32>(web: &Web<BITS>, way: Variation, gap: usize) -> Said<BITS> {
    let first_after = if gap == 0 {
        web.initial
    } else {
        (gap * BLOCK) as u64
    };
    let beyond = first_after - web.initial;
    let number = |id: StateId| match id.0 {
        id if id < web.initial => id,
        id => {
            assert!(id >= first_after, "{id} is in the gap");
            id - beyond
        }
    };
    let place = |place: Place| Place {
        state: StateId(number(place.state)),
        ..place
    };
    GAP.set(gap);
    let spilling = way.spills.then(|| Spilling {
        folder: std::env::temp_dir(),
        from_bytes: Some(1000),
    });
    let limits = Limits {
        states: way.limits.states.map(|states| states + beyond),
        ..way.limits
    };
    let options = Options {
        threads: way.threads,
        limits,
        ..Options::default()
    };
    let means = Means {
        spill: spilling.as_ref(),
        ..Means::default()
    };
    let explored = explore_on(web, &Watching { last: way.last }, &options, means);
    GAP.set(0);
    let explored = explored.expect("there is a disk");
    let reached = first_after..explored.states() as u64;
    let ids = (0..web.initial).chain(reached);
    // Each of a small web, and some of a large one.
    let some = if web.targets.len() < BLOCK {
        1
    } else {
        BLOCK / 10
    };
    let ids = ids.step_by(some).map(StateId);
    let behaviours = ids.map(|id| {
        let trace = explored.trace(web, None, None, explored.place(id));
        let trace = trace.expect("the model is a function");
        let kept = explored.state(web, id);
        assert_eq!(kept.as_ref(), Some(trace.last()));
        (place(explored.place(id)), trace.states().cloned().collect())
    });
    let looked_at = explored
        .tally
        .iter()
        .map(|(at, number)| (place(*at), *number));
    let end = match explored.end.clone() {
        End::Limit(Limit::States(most)) => End::Limit(Limit::States(most - beyond)),
        end => end,
    };
    Said {
        looked_at: looked_at.collect(),
        behaviours: behaviours.collect(),
        states: explored.states() as u64 - beyond,
        initial_states: explored.initial_states,
        transitions: explored.transitions,
        depth: explored.depth,
        end,
    }
}

/// Blocks of the numbers of 32 bits.
const OF_32_BITS: usize = 1 << (32 - BLOCK.ilog2());

/// Searches past 32 bits say what the same ones before them say, if there is a set for so many states.
fn compare<const BITS: u32>(seed: u64, numbers: usize, spilling: &[bool]) {
    let mut generator = Generator::new(seed);
    let web = Web::<BITS>::new(&mut generator, numbers);
    let spills = spilling[generator.below(spilling.len())];
    let most = |generator: &mut Generator| {
        let some = generator.below(3) == 0;
        some.then(|| generator.below(numbers) as u64)
    };
    let way = Variation {
        spills,
        threads: 1 + generator.below(3),
        limits: Limits {
            states: most(&mut generator),
            depth: most(&mut generator).map(|depth| depth as u32 % 12),
            ..Limits::default()
        },
        last: most(&mut generator).unwrap_or(u64::MAX),
    };
    // The numbers of the first states after the gap are the last ones of 32 bits, or have one more.
    let gap = OF_32_BITS - generator.below(2);
    assert_eq!(said(&web, way, gap), said(&web, way, 0), "{seed} {way:?}");
}

/// A set of words has room for so many in memory, too.
const SETS_OF_WORDS: [bool; 2] = [false, true];
/// Longer states are looked for by their numbers, but where they go to disk.
const OTHERS: [bool; 1] = [true];

#[test]
fn numbers_past_32_bits_change_nothing() {
    for seed in 0..60 {
        compare::<ONE_WORD>(seed, 300, &SETS_OF_WORDS);
        compare::<TWO_WORDS>(seed, 300, &OTHERS);
        compare::<CODE>(seed, 300, &OTHERS);
    }
}

/// The gap ends within the numbers of 32 bits, and the search goes past them.
#[test]
fn large_searches_go_past_32_bits() {
    for seed in 0..2 {
        compare::<ONE_WORD>(seed, 3 * BLOCK, &SETS_OF_WORDS);
        compare::<TWO_WORDS>(seed, 3 * BLOCK, &OTHERS);
    }
}

/// A set that looks for states by their numbers has room for those of 32 bits, and says so.
#[test]
fn a_set_of_numbers_ends_at_32_bits() {
    let mut generator = Generator::new(2);
    let web = Web::<TWO_WORDS>::new(&mut generator, 3 * BLOCK);
    GAP.set(OF_32_BITS - 1);
    let explored = explore(&web, &Watching { last: u64::MAX }, &Options::default());
    GAP.set(0);
    let most = u64::from(u32::MAX);
    assert_eq!(explored.end, End::Limit(Limit::States(most)));
    assert_eq!(explored.states() as u64, most);
    let last = StateId(most - 1);
    let behaviour = explored.trace(&web, None, None, explored.place(last));
    let behaviour = behaviour.expect("the model is a function");
    assert_eq!(explored.state(&web, last).as_ref(), Some(behaviour.last()));
}
