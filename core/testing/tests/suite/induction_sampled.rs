//! Induction decided from states that are drawn: against the pass over all of them, where there are few, and beyond it.

use std::collections::{HashSet, VecDeque};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use refmap::AbstractSteps::{self, One};
use refmap::obligation::{CheckError, Checker, Induction, Selection, Settings, Until};
use refmap::random::Samples;
use refmap::{
    Action, Choices, Constraint, Evidence, Invariant, Refinement, Report, State, TransitionSystem,
    TypeCorrect, Verdict,
};
use refmap_testing::{
    Go, Mapped, Random, alike, assert_explained, assert_verdict, row_of, walking, with_invariant,
};
use serde::Serialize;

/// Variables of a small system, and the values of each.
const VARIABLES: usize = 3;
const VALUES: u8 = 4;
const STATES: usize = 64;
/// States that are drawn of one.
const SAMPLES: u64 = 10_000;

/// The state of a small system, kept packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Packed {
    #[state(range = 0..VALUES)]
    cells: [u8; VARIABLES],
}

/// The same, kept whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct Whole {
    cells: [u8; VARIABLES],
}

impl<S: ?Sized> State<S> for Whole {}

impl From<[u8; VARIABLES]> for Packed {
    fn from(cells: [u8; VARIABLES]) -> Self {
        Self { cells }
    }
}

impl From<[u8; VARIABLES]> for Whole {
    fn from(cells: [u8; VARIABLES]) -> Self {
        Self { cells }
    }
}

impl From<Packed> for [u8; VARIABLES] {
    fn from(state: Packed) -> Self {
        state.cells
    }
}

impl From<Whole> for [u8; VARIABLES] {
    fn from(state: Whole) -> Self {
        state.cells
    }
}

/// The number of a state.
fn number(cells: [u8; VARIABLES]) -> usize {
    let digits = cells.iter().rev();
    digits.fold(0, |all, cell| {
        all * usize::from(VALUES) + usize::from(*cell)
    })
}

/// The state of a number.
fn cells(number: usize) -> [u8; VARIABLES] {
    let values = usize::from(VALUES);
    std::array::from_fn(|place| (number / values.pow(place as u32) % values) as u8)
}

/// Way in which `type_correct` makes states.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Making {
    /// One choice a variable, in their order.
    InOrder,
    /// In another order, and each counted from elsewhere.
    Rotated,
    /// One choice for all.
    AtOnce,
    /// The first variable is never 3.
    LeavingOut,
}

/// A system of tables.
struct Tables<T> {
    initial: Vec<usize>,
    next: Vec<Vec<usize>>,
    making: Making,
    state: PhantomData<fn() -> T>,
}

trait Cells: From<[u8; VARIABLES]> + Into<[u8; VARIABLES]> + Copy {}

impl<T: From<[u8; VARIABLES]> + Into<[u8; VARIABLES]> + Copy> Cells for T {}

impl<T: Cells + State<Self>> TransitionSystem for Tables<T> {
    type State = T;
    type Action = usize;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(T)) {
        self.initial
            .iter()
            .for_each(|state| visit(cells(*state).into()));
    }

    fn candidates(&self, from: &T, visit: &mut impl FnMut(usize)) {
        let next = &self.next[number((*from).into())];
        next.iter().copied().for_each(visit);
    }

    fn fire(&self, to: &usize, state: &mut T) -> Option<()> {
        let next = &self.next[number((*state).into())];
        next.contains(to).then(|| *state = cells(*to).into())
    }

    fn observe(&self, _: &T) {}
}

impl<T: Cells + State<Self>> TypeCorrect for Tables<T> {
    fn type_correct(&self, choices: &mut Choices) -> T {
        let mut below = |bound| choices.below(bound) as u8;
        let values = u64::from(VALUES);
        match self.making {
            Making::InOrder => [0; VARIABLES].map(|_| below(values)),
            Making::Rotated => {
                let [last, first, middle] = [0; VARIABLES].map(|_| (below(values) + 3) % VALUES);
                [first, middle, last]
            }
            Making::AtOnce => cells((choices.below(STATES as u64) as usize * 5 + 7) % STATES),
            Making::LeavingOut => {
                let first = below(values - 1);
                [first, below(values), below(values)]
            }
        }
        .into()
    }
}

/// A system against one that lacks some of its steps, with invariants that are sets of states.
struct Small<T> {
    implementation: Tables<T>,
    specification: Tables<T>,
    invariants: Vec<[bool; STATES]>,
}

impl<T: Cells + State<Tables<T>>> Refinement for Small<T> {
    type Implementation = Tables<T>;
    type Specification = Tables<T>;

    fn implementation(&self) -> &Tables<T> {
        &self.implementation
    }

    fn specification(&self) -> &Tables<T> {
        &self.specification
    }

    fn map(&self, state: &T) -> T {
        *state
    }

    fn abstract_steps(&self, _: &T, to: &usize, _: &T) -> AbstractSteps<usize> {
        One(*to)
    }

    fn invariants(&self) -> Vec<Invariant<Tables<T>>> {
        let invariants = self.invariants.iter().enumerate();
        let invariant = |(index, set): (usize, &[bool; STATES])| {
            let set = *set;
            Invariant::new(format!("i{index}"), "a test", move |state: &T| {
                set[number((*state).into())]
            })
        };
        invariants.map(invariant).collect()
    }
}

impl<T> Small<T> {
    /// A random one, of which the invariants hold of all that is reached.
    fn drawn(seed: u64, making: Making) -> Self {
        let mut random = Random(seed);
        let tables = |next: Vec<Vec<usize>>, initial: &[usize]| Tables {
            initial: initial.to_vec(),
            next,
            making,
            state: PhantomData,
        };
        let initial = vec![random.below(STATES)];
        let mut next: Vec<Vec<usize>> = (0..STATES)
            .map(|from| {
                let count = 1 + random.below(2);
                let mut to: Vec<_> = (0..count)
                    .map(|_| {
                        // Most steps change one variable.
                        let mut to = cells(from);
                        to[random.below(VARIABLES)] = random.below(VALUES.into()) as u8;
                        number(to)
                    })
                    .collect();
                to.sort_unstable();
                to.dedup();
                to
            })
            .collect();
        if making == Making::LeavingOut {
            // What is left out is not reached.
            for (from, to) in next.iter_mut().enumerate() {
                if cells(from)[0] < VALUES - 1 {
                    to.retain(|to| cells(*to)[0] < VALUES - 1);
                }
            }
        }
        let initial = match making {
            Making::LeavingOut => vec![initial[0] & !3],
            _ => initial,
        };
        let reached = reached(&initial, &next);
        // In half of the cases the invariants together are a set that no step leaves.
        let mut closed = reached.clone();
        let is_closed = random.percent(50);
        if is_closed {
            let begun: Vec<_> = (0..random.below(4)).map(|_| random.below(STATES)).collect();
            closed.extend(self::reached(&begun, &next));
        }
        let chance = [40, 70, 95][random.below(3)];
        let count = 1 + random.below(3);
        let mut invariants = vec![[false; STATES]; count];
        for state in 0..STATES {
            let fails = random.below(count);
            for (index, invariant) in invariants.iter_mut().enumerate() {
                invariant[state] = closed.contains(&state)
                    || random.percent(chance) && !(is_closed && index == fails);
            }
        }
        let kept = if is_closed { &closed } else { &reached };
        let mut lacking = next.clone();
        for (from, to) in lacking.iter_mut().enumerate() {
            to.retain(|_| kept.contains(&from) || !random.percent(5));
        }
        Self {
            implementation: tables(next, &initial),
            specification: tables(lacking, &initial),
            invariants,
        }
    }

    fn satisfies(&self, state: usize) -> bool {
        self.invariants.iter().all(|set| set[state])
    }

    /// The states that the model says are type-correct.
    fn type_correct(&self) -> impl Iterator<Item = usize> {
        let leaves_out = self.implementation.making == Making::LeavingOut;
        (0..STATES).filter(move |state| !leaves_out || cells(*state)[0] < VALUES - 1)
    }

    /// True if a goal fails in a state: an invariant, or the simulation where there is none of this number.
    fn has_gap(&self, goal: usize, state: usize) -> bool {
        let fails = |to: &usize| match self.invariants.get(goal) {
            Some(set) => !set[*to],
            None => !self.specification.next[state].contains(to),
        };
        self.satisfies(state) && self.implementation.next[state].iter().any(fails)
    }
}

/// The states that are reached.
fn reached(initial: &[usize], next: &[Vec<usize>]) -> HashSet<usize> {
    let mut reached: HashSet<_> = initial.iter().copied().collect();
    let mut open: VecDeque<_> = initial.iter().copied().collect();
    while let Some(from) = open.pop_front() {
        for to in &next[from] {
            if reached.insert(*to) {
                open.push_back(*to);
            }
        }
    }
    reached
}

fn settings(induction: Induction) -> Settings<'static> {
    Settings {
        obligations: Selection::only(["inductive"]),
        induction,
        threads: 3,
        ..Settings::default()
    }
}

fn sampling(samples: u64, seed: u64) -> Settings<'static> {
    settings(Induction::Sampled(Samples { samples, seed }))
}

fn check<R: Refinement<Implementation: TypeCorrect>>(
    refinement: &R,
    settings: &Settings<'_>,
) -> Report {
    let checked = Checker::new(refinement).inductive().check(settings);
    checked.expect("the settings fit")
}

/// Cases that tests have met.
#[derive(Debug, Default)]
struct Met {
    gaps: usize,
    none: usize,
    nearest: usize,
    needed: usize,
    unneeded: usize,
    vacuous: usize,
    on_all_states: usize,
}

/// Draws say what the pass says, of each goal, and show it.
fn compare<T: Cells + State<Tables<T>>>(seed: u64, making: Making, met: &mut Met) {
    let small = Small::<T>::drawn(seed, making);
    let case = format!("seed {seed}, {making:?}");
    let reached = reached(&small.implementation.initial, &small.implementation.next);
    let mut passing = settings(Induction::Included);
    // A deadlock is no matter here.
    passing.until = Until::End;
    let all = check(&small, &passing);
    let drawing = Settings {
        until: Until::End,
        search: walking(100, 100, seed),
        ..sampling(SAMPLES, seed)
    };
    let some = check(&small, &drawing);
    let drawn = some.samples.expect("states were drawn");
    assert_eq!((drawn.samples, drawn.drawn), (SAMPLES, SAMPLES), "{case}");
    // Nearly all that satisfy the invariants are drawn, and no others.
    let satisfying = small.type_correct();
    let satisfying = satisfying.filter(|state| small.satisfies(*state)).count() as u64;
    let unmet = satisfying - drawn.on_walks;
    assert!(
        drawn.unmet <= unmet && drawn.unmet * 100 >= unmet * 95,
        "{case}: {} of {unmet}: {some}",
        drawn.unmet
    );
    // So few that hardly a state is drawn by two workers.
    let few = [1, 3].map(|threads| {
        let settings = Settings {
            threads,
            induction: Induction::Sampled(Samples { samples: 130, seed }),
            ..drawing.clone()
        };
        check(&small, &settings).samples
    });
    assert_eq!(few[0], few[1], "{case}");
    met.on_all_states += usize::from(drawn.on_walks == reached.len() as u64);
    assert!(drawn.on_walks <= reached.len() as u64, "{case}: {some}");
    let mut names: Vec<_> = (0..small.invariants.len())
        .map(|index| format!("inductive:i{index}"))
        .collect();
    names.push("inductive:simulation".to_owned());
    for (goal, name) in names.iter().enumerate() {
        let (passed, sampled) = (row_of(&all, name), row_of(&some, name));
        if passed.verdict == Verdict::Holds {
            met.none += 1;
            assert_eq!(sampled.verdict, Verdict::Incomplete, "{case}: {some}");
            if unmet > 0 {
                let needed = passed.needed.filter(|needed| *needed);
                assert_eq!(sampled.needed, needed, "{case}: {all} {some}");
                met.needed += usize::from(needed.is_some());
                met.unneeded += usize::from(passed.needed == Some(false));
            }
            continue;
        }
        met.gaps += 1;
        assert_eq!(passed.verdict, Verdict::Violated, "{case}: {all}");
        assert_eq!(sampled.verdict, Verdict::Violated, "{case}: {some}");
        let shown = &sampled.counterexamples[0];
        assert!(!shown.reachable);
        let of = |value: &serde_json::Value| {
            let cells = serde_json::from_value(value["cells"].clone());
            number(cells.expect("they are cells"))
        };
        let [from, to] = [0, 1].map(|step| of(&shown.steps[step].state));
        assert!(small.type_correct().any(|state| state == from), "{case}");
        assert!(
            small.satisfies(from) && small.has_gap(goal, from),
            "{case}: {some}"
        );
        assert!(
            small.implementation.next[from].contains(&to),
            "{case}: {some}"
        );
        match small.invariants.get(goal) {
            Some(set) => assert!(!set[to], "{case}: {some}"),
            None => assert!(
                !small.specification.next[from].contains(&to),
                "{case}: {some}"
            ),
        }
        let beside = shown.nearest_reached.as_ref().expect("there are walks");
        let base = of(&beside.state);
        assert!(reached.contains(&base), "{case}: {some}");
        let apart = |one: usize, other: usize| {
            let pairs = cells(one).into_iter().zip(cells(other));
            pairs.filter(|(one, other)| one != other).count()
        };
        assert!(base != from && !beside.differs.is_empty(), "{case}: {some}");
        let gaps = small
            .type_correct()
            .filter(|state| small.has_gap(goal, *state));
        let least = gaps.flat_map(|gap| reached.iter().map(move |state| apart(gap, *state)));
        met.nearest += usize::from(least.min() == Some(apart(base, from)));
    }
    let is_vacuous = unmet == 0;
    met.vacuous += usize::from(is_vacuous);
    assert_eq!(
        some.obligation("sample").is_some(),
        is_vacuous,
        "{case}: {some}"
    );
    let is_violated = is_vacuous
        || some
            .obligations
            .iter()
            .any(|row| row.verdict == Verdict::Violated);
    let expected = if is_violated {
        Verdict::Violated
    } else {
        Verdict::Incomplete
    };
    assert_eq!(some.verdict, Some(expected), "{case}: {some}");
}

#[test]
fn draws_find_what_a_pass_finds() {
    let met = compare_all(4..16);
    assert!(met.needed > 3 && met.unneeded > 0, "{met:?}");
}

#[test]
#[ignore = "a minute"]
fn slow_draws_find_what_a_pass_finds_at_length() {
    let met = compare_all(16..100);
    assert!(met.needed > 30 && met.unneeded > 6, "{met:?}");
}

fn compare_all(seeds: Range<u64>) -> Met {
    let least = 2 * (seeds.end - seeds.start) as usize;
    let mut met = Met::default();
    for seed in seeds {
        for making in [Making::InOrder, Making::Rotated, Making::LeavingOut] {
            compare::<Packed>(seed, making, &mut met);
            compare::<Whole>(seed, making, &mut met);
        }
    }
    eprintln!("{met:?}");
    assert!(met.gaps > least && met.none > least, "{met:?}");
    assert!(met.vacuous > 1 && met.on_all_states > least, "{met:?}");
    assert!(met.nearest * 100 > met.gaps * 88, "{met:?}");
    met
}

/// States of a single variable have no parts in common.
#[test]
fn draws_find_what_a_pass_finds_where_there_is_one_choice() {
    let mut met = Met::default();
    for seed in 0..12 {
        compare::<Packed>(seed, Making::AtOnce, &mut met);
        compare::<Whole>(seed, Making::AtOnce, &mut met);
    }
    assert!(met.gaps > 6 && met.none > 6, "{met:?}");
}

/// Bells of a tower.
const BELLS: usize = 12;

/// A tower whose bells never hang so that it rings.
struct Tower {
    rings: fn(&Bells) -> bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Bells {
    windy: bool,
    ringing: bool,
    #[state(len = BELLS)]
    hanging: Vec<bool>,
}

impl TransitionSystem for Tower {
    type State = Bells;
    type Action = Go;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Bells)) {
        for windy in [false, true] {
            visit(Bells {
                windy,
                ringing: false,
                hanging: vec![false; BELLS],
            });
        }
    }

    fn fire(&self, _: &Go, state: &mut Bells) -> Option<()> {
        state.ringing |= (self.rings)(state);
        Some(())
    }

    fn observe(&self, _: &Bells) {}
}

impl TypeCorrect for Tower {
    fn type_correct(&self, choices: &mut Choices) -> Bells {
        let mut any = || choices.below(2) == 1;
        Bells {
            windy: any(),
            ringing: any(),
            hanging: (0..BELLS).map(|_| any()).collect(),
        }
    }
}

/// A gap is shown that differs from a reached state in as few variables as any does: all that need not differ are as they were reached, also
/// of a state that is drawn with most of them changed, and the reached state need not be the one beside it.
#[test]
fn gaps_differ_in_as_few_variables_as_any_does() {
    let last: fn(&Bells) -> bool = |state| state.hanging[BELLS - 2] && state.hanging[BELLS - 1];
    let beside_another: fn(&Bells) -> bool = |state| {
        let hanging = &state.hanging;
        hanging[0] && hanging[1] && (state.windy || hanging[2])
    };
    for rings in [last, beside_another] {
        for seed in 0..20 {
            let tower = with_invariant(Tower { rings }, "quiet", |state: &Bells| !state.ringing);
            let report = check(&tower, &sampling(4000, seed));
            let shown = report.counterexample.expect("there is a gap");
            let beside = shown.nearest_reached.expect("there are walks");
            assert_eq!(beside.differs.len(), 2, "{seed}: {:?}", beside.differs);
        }
    }
}

/// A seed determines all but the time, whatever the number of threads; another seed draws others.
#[test]
fn draws_repeat_by_their_seed() {
    let small = Small::<Packed>::drawn(3, Making::Rotated);
    let run = |threads, seed| {
        let settings = Settings {
            threads,
            ..sampling(1000, seed)
        };
        let report = check(&small, &settings);
        (report.obligations, report.samples)
    };
    let once = run(1, 7);
    for threads in [1, 2, 5] {
        assert_eq!(run(threads, 7), once);
    }
    assert_ne!(run(1, 8).1, once.1);
}

/// As many members as that there are more states than a number can name.
const MANY: usize = 70;

/// A lock of many members.
struct Lock {
    fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "member")]
enum Pass {
    Enter(#[action(range = 0..MANY)] usize),
    Leave(#[action(range = 0..MANY)] usize),
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// `fire` panics where two are inside.
    Panics,
    /// `type_correct` panics where the first is inside.
    Unmade,
    /// `type_correct` has the first never inside.
    LeftOut,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Flag {
    locked: bool,
    #[state(len = MANY)]
    inside: Vec<bool>,
}

impl Flag {
    fn count(&self) -> usize {
        self.inside.iter().filter(|inside| **inside).count()
    }
}

impl TransitionSystem for Lock {
    type State = Flag;
    type Action = Pass;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Flag)) {
        visit(Flag {
            locked: false,
            inside: vec![false; MANY],
        });
    }

    fn fire(&self, pass: &Pass, flag: &mut Flag) -> Option<()> {
        assert!(
            self.fault != Fault::Panics || flag.count() < 2,
            "two are too many"
        );
        match *pass {
            Pass::Enter(member) => {
                (!flag.locked && !flag.inside[member]).then_some(())?;
                flag.locked = true;
                flag.inside[member] = true;
            }
            Pass::Leave(member) => {
                flag.inside[member].then_some(())?;
                flag.locked = false;
                flag.inside[member] = false;
            }
        }
        Some(())
    }

    fn observe(&self, _: &Flag) {}
}

impl TypeCorrect for Lock {
    fn type_correct(&self, choices: &mut Choices) -> Flag {
        let mut any = || choices.below(2) == 1;
        let locked = any();
        let mut inside: Vec<_> = (0..MANY).map(|_| any()).collect();
        assert!(
            self.fault != Fault::Unmade || !inside[0],
            "the first is not to be inside"
        );
        inside[0] &= self.fault != Fault::LeftOut;
        Flag { locked, inside }
    }
}

fn lock(exclusion: bool, flag_is_set: bool, fault: Fault) -> Mapped<Lock, Lock> {
    let mut lock = alike(Lock { fault }, Lock { fault });
    if exclusion {
        let one = |state: &Flag| state.count() < 2;
        lock.invariants.push(Invariant::new("exclusion", "", one));
    }
    if flag_is_set {
        let is_set = |state: &Flag| state.locked || state.count() == 0;
        lock.invariants
            .push(Invariant::new("flag_is_set", "", is_set));
    }
    lock
}

/// Too many states for a pass: it says so, and what to do.
#[test]
fn more_states_than_there_are_numbers_are_drawn() {
    let lock = lock(true, false, Fault::None);
    let report = check(&lock, &settings(Induction::Included));
    assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
    let note = row_of(&report, "inductive:exclusion").note.as_deref();
    let note = note.expect("it says why");
    assert!(note.contains("too many to pass over") && note.contains("sampled induction"));
    let report = check(&lock, &sampling(2000, 0));
    let inductive = row_of(&report, "inductive:exclusion");
    assert_eq!(inductive.verdict, Verdict::Violated, "{report}");
    // One is inside, the flag is not set, and another one enters: that is one variable beside a reached state.
    let shown = &inductive.counterexamples[0];
    assert_eq!(shown.steps[0].state["locked"], false);
    let beside = shown.nearest_reached.as_ref().expect("there are walks");
    assert_eq!(beside.differs.len(), 1, "{report}");
    let text = report.to_string();
    let words: Vec<_> = text.split_whitespace().collect();
    let text = words.join(" ");
    for part in [
        "a counterexample to induction",
        "the nearest state is reached by walk ",
        "differs in 1 variable, which an invariant would have to exclude:",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn where_there_is_no_gap_nothing_holds_and_what_is_needed_is_known() {
    let report = check(&lock(true, true, Fault::None), &sampling(4000, 0));
    assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
    for name in ["exclusion", "flag_is_set"] {
        let row = row_of(&report, &format!("inductive:{name}"));
        assert_eq!((row.verdict, row.needed), (Verdict::Incomplete, Some(true)));
        assert!(
            row.checked > 0 && row.counterexamples.is_empty(),
            "{report}"
        );
    }
    let drawn = report.samples.expect("states were drawn");
    assert!(drawn.unmet > 0 && drawn.satisfying > 0 && drawn.satisfying < drawn.drawn);
    let note = row_of(&report, "inductive:simulation").note.as_deref();
    assert!(note.is_some_and(|note| note.starts_with("sampled: 4 000 states drawn, ")));
    // The search was one of all states, and what it found is said; of induction nothing holds.
    assert_eq!(report.evidence, Evidence::Exhaustive);
    let walks = Settings {
        search: walking(3, 20, 5),
        ..sampling(4000, 0)
    };
    let report = check(&lock(true, false, Fault::None), &walks);
    assert_eq!(report.evidence, Evidence::Sampled);
    let shown = report.counterexample.expect("there is a gap");
    let beside = shown.nearest_reached.expect("there are walks");
    assert_eq!(beside.seed, 5);
    assert!(beside.walk < 3 && beside.steps <= 20);
}

/// The state beside a gap is the one that its walk reaches.
#[test]
fn the_walk_leads_to_the_state_that_is_shown() {
    let lock = lock(true, false, Fault::None);
    let report = check(&lock, &sampling(500, 11));
    let shown = report.counterexample.expect("there is a gap");
    let beside = shown.nearest_reached.expect("there are walks");
    let walks = Settings {
        obligations: Selection::Nothing,
        search: walking(beside.walk + 1, beside.steps, beside.seed),
        ..Settings::default()
    };
    assert_eq!(check(&lock, &walks).depth, beside.steps);
}

/// States beyond a constraint have no steps on walks, as in a search.
#[test]
fn walks_end_where_the_constraint_does() {
    let mut lock = lock(true, true, Fault::None);
    let all = check(&lock, &sampling(100, 0))
        .samples
        .expect("they are drawn");
    let within = |state: &Flag| state.count() == 0;
    lock.constraint = Some(Constraint::new("nobody inside", within));
    let within = check(&lock, &sampling(100, 0))
        .samples
        .expect("they are drawn");
    assert_eq!(all.on_walks, 71);
    // One enters on each walk.
    assert!(within.on_walks < all.on_walks && within.on_walks > 20);
}

#[test]
fn a_panic_is_a_gap() {
    // Without `exclusion` there are states in which two are inside.
    let report = check(&lock(false, true, Fault::Panics), &sampling(2000, 0));
    for name in ["inductive:flag_is_set", "inductive:simulation"] {
        assert_explained(&report, name, "two are too many");
    }
    let report = check(&lock(true, true, Fault::Panics), &sampling(2000, 0));
    assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
}

#[test]
fn states_that_cannot_be_made_are_no_pass() {
    let report = check(&lock(true, true, Fault::Unmade), &sampling(2000, 0));
    for row in &report.obligations {
        assert_eq!(row.verdict, Verdict::Violated, "{report}");
        let note = row.note.as_deref().unwrap_or_default();
        assert!(note.contains("the first is not to be inside"), "{report}");
    }
    let report = check(&lock(true, true, Fault::LeftOut), &sampling(2000, 0));
    let text = report.to_string();
    assert!(text.contains("`type_correct` leaves out states"), "{text}");
}

/// Whatever ends the draws, nothing that they did not find is said.
#[test]
fn draws_that_are_cut_short_say_so() {
    let lock = lock(true, true, Fault::None);
    let cancel = AtomicBool::new(true);
    let mut cancelled = sampling(u64::MAX, 0);
    cancelled.watch.cancel = Some(&cancel);
    let mut late = sampling(u64::MAX, 0);
    late.limits.seconds = Some(0.2);
    for settings in [cancelled, late] {
        let report = check(&lock, &settings);
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
        assert!(report.samples.expect("they are drawn").drawn < u64::MAX);
        assert_eq!(report.obligation("sample"), None);
    }
}

/// Invariants that no other state satisfies than those that are reached leave nothing to draw: the sample fails.
#[test]
fn a_sample_of_nothing_fails() {
    let mut small = Small::<Packed>::drawn(5, Making::InOrder);
    let reached = reached(&small.implementation.initial, &small.implementation.next);
    small.invariants = vec![std::array::from_fn(|state| reached.contains(&state))];
    let report = check(&small, &sampling(1000, 0));
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    assert_verdict(&report, "sample", Verdict::Violated);
    assert_verdict(&report, "inductive:i0", Verdict::Incomplete);
    let told = report.counterexample.as_ref();
    assert!(told.is_some_and(|told| told.obligation == "sample" && told.steps.is_empty()));
    let held = check(&small, &settings(Induction::Included));
    assert_eq!(held.verdict, Some(Verdict::Holds), "{held}");
}

#[test]
fn draws_are_asked_for_with_sense() {
    let lock = lock(true, true, Fault::None);
    let checker = Checker::new(&lock).inductive();
    let refused = checker
        .check(&sampling(0, 0))
        .expect_err("it draws nothing");
    assert_eq!(refused, CheckError::NoSamples);
    let refused = Checker::new(&lock).check(&sampling(9, 0));
    assert_eq!(
        refused.expect_err("nothing is type-correct"),
        CheckError::NotEnumerated
    );
}

/// A check that finds a violation on the way there draws nothing, unless it is to go on.
#[test]
fn nothing_is_drawn_after_a_violation() {
    let mut small = Small::<Packed>::drawn(2, Making::InOrder);
    small.invariants = vec![[false; STATES]];
    let mut settings = sampling(10, 0);
    settings.obligations = Selection::Default;
    assert_eq!(check(&small, &settings).samples, None);
    settings.until = Until::End;
    let report = check(&small, &settings);
    assert_eq!(report.samples.map(|drawn| drawn.satisfying), Some(0));
}
