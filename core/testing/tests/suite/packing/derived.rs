//! States that are derived: what is written is read, what does not fit is named, and a search finds with encoded states
//! what it finds with whole ones.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use refmap::explore::{StatesKept, Storage};
use refmap::internal::random_state;
use refmap::random::Generator;
use refmap::state::{Kept, Limits, Sink, Source};
use refmap::{
    Action, BoundedVec, Choices, IndexSet, Settings, State, TransitionSystem, TypeCorrect, Verdict,
    type_correct_states,
};
use refmap_testing::{Itself, Machine, checked, itself};
use serde::Serialize;

/// Everything that a state may be made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[state(system = Zoo)]
struct Animals {
    bytes: [u8; 3],
    #[state(range = -3..=system.most)]
    signed: i16,
    #[state(range = 5..6)]
    constant: u64,
    wide: (u64, i64, usize),
    letter: char,
    name: String,
    #[state(max_len = 4)]
    short: String,
    kind: Kind,
    maybe: Option<Box<Kind>>,
    #[state(len = system.cages, range = 0..=2)]
    cages: Vec<Option<u8>>,
    #[state(max_len = 3)]
    queue: VecDeque<Kind>,
    endless: Vec<Vec<bool>>,
    #[state(range = 0..10)]
    few: BTreeSet<u8>,
    kinds: BTreeSet<Kind>,
    many: BTreeSet<u16>,
    #[state(range = 1..=3)]
    table: BTreeMap<i8, u8>,
    words: BTreeMap<String, ()>,
    #[state(range = 1..=system.cages)]
    open: IndexSet,
    #[state(varint)]
    small: (u64, i64, Option<i8>),
    #[state(len = 2, range = 1..=4)]
    weights: BoundedVec<Weight, 3>,
    pairs: BoundedVec<(bool, bool), 5>,
}

/// Attributes of a field of this type apply to its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Weight(u16);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[state(system = Zoo)]
enum Kind {
    Bird,
    Fish {
        #[state(range = 0..system.cages)]
        cage: u8,
    },
    Pair(bool, #[state(range = 0..=2)] u8),
}

/// A type with a parameter is a state where the parameter is one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Twice<T>(T, T);

struct Zoo {
    most: i16,
    cages: u8,
}

const ZOO: Zoo = Zoo { most: 7, cages: 3 };

impl TransitionSystem for Zoo {
    type State = Animals;
    type Action = ();
    type Observation = ();

    fn initial(&self, _: &mut impl FnMut(Animals)) {}
    fn fire(&self, (): &(), _: &mut Animals) -> Option<()> {
        None
    }
    fn observe(&self, _: &Animals) {}
}

/// Numbers as they are written, each with its greatest value.
#[derive(Default)]
struct Numbers {
    written: Vec<(u64, u64)>,
    fits: bool,
    at: usize,
}

impl Sink for Numbers {
    fn number(&mut self, most: u64, value: u64) {
        assert!(value <= most);
        self.written.push((most, value));
    }

    fn misfit(&mut self, _: refmap::state::Misfit) {
        self.fits = false;
    }
}

impl Source for Numbers {
    fn number(&mut self, most: u64) -> u64 {
        let (written_as, value) = self.written[self.at];
        assert_eq!(most, written_as, "what is read is not what was written");
        self.at += 1;
        value
    }
}

fn written<S>(system: &S, state: &impl State<S>) -> Option<Numbers> {
    let mut numbers = Numbers {
        fits: true,
        ..Numbers::default()
    };
    state.write(system, Limits::NONE, &mut numbers);
    numbers.fits.then_some(numbers)
}

#[test]
fn what_is_written_is_read() {
    assert_eq!(<Animals as State<Zoo>>::KEPT, Kept::Encoded);
    let mut generator = Generator::new(3);
    for _ in 0..2000 {
        let state = random_state(&ZOO, &mut generator);
        let mut numbers = written(&ZOO, &state).expect("random states respect their ranges");
        let back = Animals::read(&ZOO, Limits::NONE, &mut numbers);
        assert_eq!(back, state);
        assert_eq!(numbers.at, numbers.written.len(), "all is read");
    }
}

/// A sequence of numbers is that of one state: two states that are written alike are the same.
#[test]
fn states_that_differ_are_written_differently() {
    let mut generator = Generator::new(4);
    let mut seen = BTreeMap::new();
    for _ in 0..2000 {
        let kind = Twice(
            Kind::read(&ZOO, Limits::NONE, &mut RandomNumbers(&mut generator)),
            Kind::read(&ZOO, Limits::NONE, &mut RandomNumbers(&mut generator)),
        );
        let numbers = written(&ZOO, &kind).expect("they are in range").written;
        let earlier = seen.entry(numbers).or_insert_with(|| kind.clone());
        assert_eq!(*earlier, kind);
    }
    // A bird, a fish in one of three cages, a pair of two and three: all of them twice.
    assert_eq!(seen.len(), (1 + 3 + 2 * 3) * (1 + 3 + 2 * 3));
}

struct RandomNumbers<'g>(&'g mut Generator);

impl Source for RandomNumbers<'_> {
    fn number(&mut self, most: u64) -> u64 {
        self.0.below(most as usize + 1) as u64
    }
}

#[test]
fn shapes_are_the_bits_that_values_take_at_most() {
    fn bits<T: State<Zoo>>(limits: Limits) -> Option<u32> {
        T::shape(&ZOO, limits).bits()
    }
    let none = Limits::NONE;
    assert_eq!(bits::<u8>(none), Some(8));
    assert_eq!(bits::<i64>(none), Some(64));
    assert_eq!(bits::<u8>(none.range(3..=3)), Some(0));
    assert_eq!(bits::<[bool; 5]>(none), Some(5));
    assert_eq!(bits::<Kind>(none), Some(2 + 3));
    assert_eq!(bits::<Vec<u8>>(none), None);
    assert_eq!(bits::<Vec<u8>>(none.len(3).range(0..4)), Some(6));
    assert_eq!(bits::<Vec<u8>>(none.max_len(3).range(0..4)), Some(2 + 6));
    assert_eq!(bits::<BTreeSet<u8>>(none.range(0..10)), Some(10));
    // Three variants, of at most six values.
    assert_eq!(bits::<BTreeSet<Kind>>(none), Some(18));
    assert_eq!(bits::<BTreeMap<u8, bool>>(none.range(0..4)), Some(4 + 4));
    assert_eq!(bits::<IndexSet>(none.range(0..5)), Some(5));
    assert_eq!(bits::<IndexSet>(none), Some(64));
    assert_eq!(bits::<Animals>(none), None);
}

/// Values out of range are refused, not truncated, at any depth.
#[test]
fn what_does_not_fit_is_not_written() {
    let mut generator = Generator::new(5);
    let change: [fn(&mut Animals); 13] = [
        |state| assert!(state.open.insert(0)),
        |state| assert!(state.open.insert(4)),
        |state| state.signed = 8,
        |state| state.signed = -4,
        |state| state.constant = 6,
        |state| state.short = "too long".to_owned(),
        |state| state.kind = Kind::Fish { cage: 3 },
        |state| state.cages = vec![None],
        |state| state.cages = vec![Some(3), None, None],
        |state| assert!(state.few.insert(10)),
        |state| assert!(state.table.insert(4, 1).is_none()),
        |state| state.weights[1] = Weight(5),
        |state| state.weights.clear(),
    ];
    for change in change {
        for _ in 0..10 {
            let mut state = random_state(&ZOO, &mut generator);
            change(&mut state);
            assert!(written(&ZOO, &state).is_none(), "{state:?}");
        }
    }
}

/// An integer of variable length has no bound, and every value.
#[test]
fn integers_of_variable_length_are_read() {
    let limits = Limits::NONE.varint();
    assert_eq!(<(u64, i64) as State<Zoo>>::shape(&ZOO, limits).bits(), None);
    let values = [0, 1, 7, 8, u64::MAX / 2, u64::MAX - 1, u64::MAX];
    for value in values.map(|value| (value, value as i64)) {
        let mut numbers = Numbers::default();
        State::<Zoo>::write(&value, &ZOO, limits, &mut numbers);
        let digits = numbers.written.len();
        assert_eq!(digits == 2, value.0 < 8 && value.1.abs() < 4, "{value:?}");
        let back = <(u64, i64) as State<Zoo>>::read(&ZOO, limits, &mut numbers);
        assert_eq!(back, value);
    }
}

/// A ring of counters, each of which is told to the next one. What it is kept as is a parameter.
pub struct Ring {
    nodes: u8,
    /// The greatest value of a counter is less.
    turns: u8,
    /// Bound of the range, which is right if it is `turns`.
    said: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
#[state(system = Ring)]
pub struct Counters {
    #[state(len = system.nodes, range = 0..system.said)]
    values: Vec<u8>,
    #[state(range = 0..system.nodes)]
    told: BTreeSet<u8>,
    last: Option<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action, State)]
#[action(system = Ring)]
#[rule(process = "node")]
#[process(0..system.nodes)]
pub enum Step {
    Count {
        #[process]
        node: u8,
    },
    #[rule(name = "hand_over", source = "a test")]
    Tell(#[action(range = 1..system.turns)] u8, #[process] u8),
    #[rule(process = "clock")]
    Reset,
}

impl TransitionSystem for Ring {
    type State = Counters;
    type Action = Step;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Counters)) {
        visit(Counters {
            values: vec![0; self.nodes.into()],
            told: BTreeSet::new(),
            last: None,
        });
    }

    fn fire(&self, step: &Step, state: &mut Counters) -> Option<()> {
        match *step {
            Step::Count { node } => {
                let value = &mut state.values[usize::from(node)];
                (*value + 1 < self.turns).then(|| *value += 1)?;
            }
            Step::Tell(value, node) => {
                let is_its_value = state.values[usize::from(node)] == value;
                (is_its_value && state.told.insert(node)).then_some(())?;
            }
            Step::Reset => state.told.clear(),
        }
        state.last = Some(*step);
        Some(())
    }

    fn observe(&self, _: &Counters) {}
}

pub fn ring(nodes: u8, said: u8) -> Itself<Ring> {
    Itself(Ring {
        nodes,
        turns: 3,
        said,
    })
}

fn report(refinement: &Itself<Ring>, storage: Storage, threads: usize) -> refmap::Report {
    let settings = Settings {
        storage,
        threads,
        ..Settings::default()
    };
    checked(refinement, &settings)
}

/// Of one word, of two, and of more than that.
#[test]
fn encoded_states_are_those_that_are_kept_whole() {
    for (nodes, bits, is_word) in [(2, 2 * 2 + 2 + 1 + 18, true), (3, 3 * 2 + 3 + 1 + 18, true)] {
        let whole = report(&ring(nodes, 3), Storage::Whole, 1);
        assert_eq!(whole.states_kept, Some(StatesKept::Whole));
        assert_eq!(whole.verdict, Some(Verdict::Holds), "{whole}");
        for threads in [1, 3] {
            let packed = report(&ring(nodes, 3), Storage::Packed, threads);
            assert_eq!(packed.states_kept.is_some(), is_word);
            assert_eq!(packed.states_kept, Some(StatesKept::Packed { bits }));
            let counts = |report: &refmap::Report| {
                (
                    report.states,
                    report.transitions,
                    report.depth,
                    report.verdict,
                )
            };
            assert_eq!(counts(&packed), counts(&whole));
            assert_eq!(packed.coverage, whole.coverage);
        }
    }
}

/// The text of a report, without its line breaks.
fn words(report: &refmap::Report) -> String {
    let text = report.to_string();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_value_out_of_range_is_a_violation_that_names_the_field() {
    let report = report(&ring(2, 2), Storage::Packed, 1);
    assert_eq!(report.verdict, Some(Verdict::Violated));
    let text = words(&report);
    assert!(
        text.contains("the state cannot be packed: `values[0]` is 2, and its range is 0 to 1"),
        "{text}"
    );
}

/// Of one size: all of them, each once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Lamp {
    is_on: bool,
    #[state(range = 1..=5)]
    colour: u8,
}

#[derive(Clone, Debug, Default)]
struct Lamps;

impl TransitionSystem for Lamps {
    type State = Lamp;
    type Action = ();
    type Observation = ();

    fn initial(&self, _: &mut impl FnMut(Lamp)) {}
    fn fire(&self, (): &(), _: &mut Lamp) -> Option<()> {
        None
    }
    fn observe(&self, _: &Lamp) {}
}

impl TypeCorrect for Lamps {}

#[test]
fn type_correct_states_are_derived() {
    let all = type_correct_states(&Lamps);
    let states: BTreeSet<_> = (0..all)
        .map(|number| Lamps.type_correct(&mut Choices::of(number)))
        .collect();
    assert_eq!((all, states.len()), (10, 10));
}

/// Generators for property tests draw each of the ten lamps.
#[test]
fn generators_draw_type_correct_states() {
    use proptest::strategy::{Strategy, ValueTree};
    use quickcheck::Arbitrary;

    let is_correct = |lamp: &Lamp| (1..=5).contains(&lamp.colour);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let lamps = refmap::random::strategy::type_correct(Lamps);
    let mut draw = || lamps.new_tree(&mut runner).expect("it draws").current();
    let drawn: BTreeSet<_> = (0..500).map(|_| draw()).collect();
    assert!(drawn.len() == 10 && drawn.iter().all(is_correct));
    let mut source = quickcheck::Gen::from_size_and_seed(10, 7);
    let mut draw = || refmap::random::arbitrary::TypeCorrectState::<Lamps>::arbitrary(&mut source);
    let drawn: BTreeSet<_> = (0..500).map(|_| draw().0).collect();
    assert!(drawn.len() == 10 && drawn.iter().all(is_correct));
}

/// All that has a bound, in two words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
#[state(system = Tour)]
struct Bounded {
    #[state(range = -3..=system.most)]
    signed: i16,
    #[state(range = 5..6)]
    constant: u64,
    #[state(constant = 3)]
    same: u8,
    twice: (bool, [bool; 2]),
    kind: Guest,
    maybe: Option<Box<Guest>>,
    #[state(len = system.cages, range = 0..=2)]
    cages: Vec<Option<u8>>,
    #[state(max_len = 3)]
    queue: VecDeque<Guest>,
    #[state(range = 0..10)]
    few: BTreeSet<u8>,
    #[state(max_len = 1)]
    many: BTreeSet<u16>,
    #[state(max_len = 2)]
    short: String,
    #[state(range = 1..=3)]
    table: BTreeMap<i8, u8>,
    #[state(range = 1..=system.cages)]
    open: IndexSet,
    #[state(range = 1..=4)]
    weights: BoundedVec<Weight, 3>,
    pairs: BoundedVec<(bool, bool), 5>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[state(system = Tour)]
enum Guest {
    Nobody,
    Child {
        #[state(range = 0..system.cages)]
        age: u8,
        #[state(constant = true)]
        is_small: bool,
    },
    Couple(bool, #[state(range = 0..=2)] u8),
}

/// A system that goes from each of some random states to each, so that its steps change anything.
struct Tour {
    most: i16,
    cages: u8,
    states: Vec<Bounded>,
}

impl Tour {
    fn new(count: u8) -> Self {
        let mut tour = Self {
            most: 7,
            cages: 3,
            states: Vec::new(),
        };
        let mut generator = Generator::new(17);
        let states = (0..count).map(|_| random_state(&tour, &mut generator));
        tour.states = states.collect();
        tour
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = Tour)]
enum Go {
    Go(#[action(range = 0..system.states.len())] u8),
}

impl TransitionSystem for Tour {
    type State = Bounded;
    type Action = Go;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Bounded)) {
        visit(self.states[0].clone());
    }

    fn fire(&self, Go::Go(number): &Go, state: &mut Bounded) -> Option<()> {
        state.clone_from(self.states.get(usize::from(*number))?);
        Some(())
    }

    fn observe(&self, _: &Bounded) {}
}

/// A target is written as the changes of its source, and is the state that it is when it is written by itself.
#[test]
fn a_state_is_the_same_from_wherever_it_is_reached() {
    let tour = Itself(Tour::new(60));
    let distinct: BTreeSet<_> = tour
        .0
        .states
        .iter()
        .map(|state| format!("{state:?}"))
        .collect();
    let bits = <Bounded as State<Tour>>::shape(&tour.0, Limits::NONE).bits();
    let bits = bits.expect("it is bounded");
    assert!((65..=128).contains(&bits), "{bits}");
    for storage in [Storage::Packed, Storage::Whole] {
        let settings = Settings {
            storage,
            ..Settings::default()
        };
        let report = checked(&tour, &settings);
        let kept = match storage {
            Storage::Packed => StatesKept::Packed { bits },
            _ => StatesKept::Whole,
        };
        assert_eq!(report.states_kept, Some(kept));
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!(report.states, distinct.len() as u64);
        assert_eq!(report.transitions, 60 * report.states);
    }
}

/// A state that does not fit is refused where a step leads to it from a state that it differs from in nothing else, too.
#[test]
fn what_does_not_fit_is_refused_from_wherever_it_is_reached() {
    let child = |age, is_small| Guest::Child { age, is_small };
    type Change<'a> = &'a dyn Fn(&mut Bounded);
    let changes: [(Change<'_>, &str); 16] = [
        (&|to| to.signed = 8, "`signed` is 8"),
        (&|to| to.constant = 6, "`constant` is 6"),
        (&|to| to.same = 4, "`same` is 4, and is 3"),
        (&|to| to.kind = child(3, true), "`kind.Child.age` is 3"),
        (
            &|to| to.kind = child(1, false),
            "`kind.Child.is_small` is false",
        ),
        (
            &|to| to.maybe = Some(Box::new(child(0, false))),
            "`maybe.Child.is_small` is false",
        ),
        (&|to| to.cages.truncate(2), "`cages` has length 2"),
        (&|to| to.cages[2] = Some(3), "`cages[2]` is 3"),
        (
            &|to| to.queue[1] = child(0, false),
            "`queue[1].Child.is_small` is false",
        ),
        (
            &|to| to.queue.extend([Guest::Nobody, Guest::Nobody]),
            "`queue` has length 4",
        ),
        (&|to| assert!(to.few.insert(10)), "`few` is 10"),
        (&|to| to.many.extend([1, 2]), "`many` has length"),
        (&|to| to.short.push_str("too long"), "`short` has length"),
        (
            &|to| assert!(to.table.insert(4, 1).is_none()),
            "`table` is 4",
        ),
        (&|to| assert!(to.open.insert(4)), "`open` is 4"),
        (&|to| to.weights.push(Weight(5)), "is 5"),
    ];
    for (change, expected) in changes {
        let mut tour = Itself(Tour::new(1));
        let first = &mut tour.0.states[0];
        first.kind = child(1, true);
        first.maybe = Some(Box::new(child(0, true)));
        first.queue = VecDeque::from([child(0, true), child(0, true)]);
        first.weights = BoundedVec::from_iter([Weight(1)]);
        let first = first.clone();
        let report = checked(&tour, &Settings::default());
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        let mut other = first;
        change(&mut other);
        tour.0.states.push(other);
        let report = checked(&tour, &Settings::default());
        assert_eq!(
            report.verdict,
            Some(Verdict::Violated),
            "{expected}: {report}"
        );
        let text = words(&report);
        assert!(text.contains("the state cannot be packed: "), "{text}");
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

/// A state of many variants, the last of which has fields.
macro_rules! of_many_variants {
    ($name:ident: $($variant:ident)*) => {
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
        #[allow(dead_code, reason = "most are there to be many")]
        enum $name {
            $($variant,)*
            Last {
                #[state(range = 0..=7)]
                one: u8,
                other: Option<bool>,
            },
        }
    };
}

of_many_variants! {
    Many:
        A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 B0 B1 B2 B3 B4 B5 B6 B7 B8 B9 C0 C1 C2 C3 C4 C5 C6 C7 C8 C9 D0 D1 D2 D3 D4 D5 D6
        D7 D8 D9 E0 E1 E2 E3 E4 E5 E6 E7 E8 E9 F0 F1 F2 F3 F4 F5 F6 F7 F8 F9 G0 G1 G2 G3 G4 G5 G6 G7 G8 G9 H0 H1 H2 H3
        H4 H5 H6 H7 H8 H9 I0 I1 I2 I3 I4 I5 I6 I7 I8 I9 J0 J1 J2 J3 J4 J5 J6 J7 J8 J9 K0 K1 K2 K3 K4 K5 K6 K7 K8 K9 L0
        L1 L2 L3 L4 L5 L6 L7 L8 L9 M0 M1 M2 M3 M4 M5 M6 M7 M8 M9 N0 N1 N2 N3 N4 N5 N6 N7 N8 N9 O0 O1 O2 O3 O4 O5 O6 O7
        O8 O9 P0 P1 P2 P3 P4 P5 P6 P7 P8 P9 Q0 Q1 Q2 Q3 Q4 Q5 Q6 Q7 Q8 Q9 R0 R1 R2 R3 R4 R5 R6 R7 R8 R9 S0 S1 S2 S3 S4
        S5 S6 S7 S8 S9 T0 T1 T2 T3 T4 T5 T6 T7 T8 T9 U0 U1 U2 U3 U4 U5 U6 U7 U8 U9 V0 V1 V2 V3 V4 V5 V6 V7 V8 V9 W0 W1
        W2 W3 W4 W5 W6 W7 W8 W9 X0 X1 X2 X3 X4 X5 X6 X7 X8 X9 Y0 Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 Z0 Z1 Z2 Z3 Z4 Z5 Z6 Z7 Z8
        Z9
}

/// The number of a variant takes more than a byte, and what is behind it is written in its place.
#[test]
fn an_enum_may_have_more_than_256_variants() {
    const LASTS: u8 = 24;
    fn of(number: u8) -> Many {
        let some = [None, Some(false), Some(true)];
        match number {
            LASTS => Many::A0,
            25 => Many::F6,
            26 => Many::Z9,
            _ => Many::Last {
                one: number % 8,
                other: some[usize::from(number / 8)],
            },
        }
    }
    let to_all = |_: &Many| {
        (0..=26)
            .map(|number| (("go", number), of(number)))
            .collect()
    };
    let system = Machine::new(&[("go", "it")], [Many::A0], to_all, |_| 0);
    for storage in [Storage::Packed, Storage::Whole] {
        let settings = Settings {
            storage,
            ..Settings::default()
        };
        let report = checked(&itself(system.clone()), &settings);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!((report.states, report.transitions), (27, 27 * 27));
    }
}
