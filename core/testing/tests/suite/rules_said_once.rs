//! A rule is said once, as a guard and an effect on one state: what it has changed before it refuses leaves no trace. Random systems whose
//! rules scribble over all of the state before they refuse are compared with twins that refuse at once.

mod candidates;
mod contents;

use std::collections::{HashSet, VecDeque};
use std::marker::PhantomData;

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::auxiliary::{
    Fate, Predicting, Prophecy, Stuttering, WithHistory, WithProphecy, WithStuttering,
};
use refmap::explore::{StatesKept, Storage};
use refmap::inclusion::{Comparison, Inclusion, check_inclusion};
use refmap::obligation::{Liveness, Until};
use refmap::random::{Generator, Walks, random_trace};
use refmap::{
    Action, ActionOf, Fairness, Invariant, Refinement, Report, Rule, RuleId, Search, Settings,
    StateOf, TransitionSystem, Verdict, check, disagreement, replay, steps, successor,
};
use refmap_testing::{Random, alike, mapped, until_with};

use crate::auxiliary::as_the_base::{Counts, Twice};
use crate::comparison::timeless;
use crate::stepper::assert_stepped;
use contents::{Contents, Sundry, TwoWords, VALUES, Whole, Word};

/// A field, and the number of a value.
type Setting = (usize, u8);

/// Instance of a rule.
#[derive(Clone, Debug)]
struct Move {
    guard: Vec<Setting>,
    effect: Vec<Setting>,
}

impl Move {
    fn draw<T: Contents>(random: &mut Random) -> Self {
        let value = |random: &mut Random| random.below(VALUES.into()) as u8;
        let some = |random: &mut Random, count| {
            let others = (0..count).map(|_| (1 + random.below(T::FIELDS - 1), value(random)));
            let others: Vec<_> = others.collect();
            [vec![(0, value(random))], others].concat()
        };
        let guarded = random.below(2);
        Self {
            guard: some(random, guarded),
            effect: some(random, 2),
        }
    }
}

/// A system of random rules, whose actions are their instances by number.
#[derive(Clone)]
struct Scribbling<T> {
    moves: Vec<Move>,
    /// Whether a rule that refuses scribbles first.
    scribbles: bool,
    fairness: Vec<Fairness>,
    of: PhantomData<fn() -> T>,
}

/// The instance of a rule of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, refmap::State)]
struct Numbered(u8);

impl<T> Action<Scribbling<T>> for Numbered {
    fn rules(_: &Scribbling<T>) -> &[Rule] {
        const {
            &[
                Rule::new("a", "it", "a test"),
                Rule::new("b", "it", "a test"),
            ]
        }
    }

    fn rule(&self, _: &Scribbling<T>) -> RuleId {
        RuleId(usize::from(self.0 % 2))
    }
}

impl<T: Contents> TransitionSystem for Scribbling<T> {
    type State = T;
    type Action = Numbered;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(T)) {
        visit(T::first());
    }

    fn candidates(&self, _: &T, visit: &mut impl FnMut(Numbered)) {
        (0..self.moves.len() as u8).map(Numbered).for_each(visit);
    }

    fn fire(&self, Numbered(number): &Numbered, state: &mut T) -> Option<()> {
        let Move { guard, effect } = &self.moves[usize::from(*number)];
        if !guard.iter().all(|(field, value)| state.is(*field, *value)) {
            if self.scribbles {
                state.scribble(&mut Random(u64::from(*number)));
            }
            return None;
        }
        for (field, value) in effect {
            state.set(*field, *value);
        }
        Some(())
    }

    fn observe(&self, state: &T) -> u8 {
        state.place()
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }
}

/// Prediction of the place to which a step leads from the first one.
struct Ahead;

impl<T: Contents> Prophecy<Scribbling<T>> for Ahead {
    type Key = ();
    type Prediction = u8;

    fn open(&self, _: &Scribbling<T>, state: &T) -> Vec<()> {
        (state.place() == 0).then_some(()).into_iter().collect()
    }

    fn possible(&self, _: &Scribbling<T>, _: &T, (): &()) -> Vec<u8> {
        (0..VALUES).collect()
    }

    fn fate(
        &self,
        _: &Scribbling<T>,
        ((), predicted): (&(), &u8),
        _: &T,
        _: &Numbered,
        to: &T,
    ) -> Fate<()> {
        Fate::Fulfil {
            comes_true: to.place() == *predicted,
        }
    }
}

/// A random system, and a specification that differs from it in a rule or in nothing.
struct Case<T> {
    implementation: Scribbling<T>,
    specification: Scribbling<T>,
    /// Setting that an invariant excludes in one place.
    excluded: (u8, Setting),
}

impl<T: Contents> Case<T> {
    fn draw(seed: u64) -> Self {
        let random = &mut Random(seed);
        let count = 5 + random.below(5);
        let mut moves: Vec<_> = (0..count).map(|_| Move::draw::<T>(random)).collect();
        if random.percent(75) {
            // There is a step from each place.
            for (place, one) in (0..VALUES).zip(&mut moves) {
                one.guard = vec![(0, place)];
            }
        }
        let mut others = moves.clone();
        if random.percent(50) {
            let other = random.below(count);
            others[other] = Move::draw::<T>(random);
        }
        let system = |moves, rule| Scribbling {
            moves,
            scribbles: false,
            fairness: vec![Fairness::weak("goes on", [rule])],
            of: PhantomData,
        };
        let value = |random: &mut Random| random.below(VALUES.into()) as u8;
        Self {
            implementation: system(moves, "a"),
            specification: system(others, random.pick(&["a", "b"])),
            excluded: (value(random), (random.below(T::FIELDS), value(random))),
        }
    }

    /// The implementation and the specification, which scribble or do not.
    fn systems(&self, scribbles: bool) -> [Scribbling<T>; 2] {
        [&self.implementation, &self.specification].map(|system| Scribbling {
            scribbles,
            ..system.clone()
        })
    }

    fn refinement(&self, scribbles: bool) -> impl Refinement<Implementation = Scribbling<T>> {
        let [implementation, specification] = self.systems(scribbles);
        let (place, (field, value)) = self.excluded;
        let elsewhere = move |state: &T| state.place() != place || !state.is(field, value);
        let mut alike = alike(implementation, specification);
        let elsewhere = Invariant::new("elsewhere", "a test", elsewhere);
        alike.invariants.push(elsewhere);
        alike
    }
}

/// Settings of all kinds.
fn all_settings(seed: u64) -> Vec<Settings<'static>> {
    let plain = Settings {
        until: if seed.is_multiple_of(2) {
            Until::End
        } else {
            Until::FirstViolation
        },
        threads: 1,
        ..Settings::default()
    };
    let stored = |threads, storage| Settings {
        threads,
        storage,
        ..plain.clone()
    };
    let walks = Walks {
        walks: 20,
        steps: 30,
        seed,
    };
    vec![
        Settings {
            liveness: Liveness::Included,
            ..stored(1, Storage::Packed)
        },
        stored(3, Storage::Packed),
        stored(3, Storage::Whole),
        Settings {
            search: Search::Walks(walks),
            ..stored(3, Storage::Packed)
        },
    ]
}

/// The report of a check, or the reason why it is refused.
fn told<R: Refinement>(refinement: &R, settings: &Settings<'_>) -> Result<Report, String> {
    let report = check(refinement, settings).map(timeless);
    report.map_err(|error| error.to_string())
}

/// Kinds of cases that were met.
#[derive(Debug, Default)]
struct Met {
    holds: u64,
    violated: u64,
    states: u64,
    refused: u64,
}

/// Reports of checks and of inclusion are the same.
fn compare_reports<T: Contents>(seed: u64, case: &Case<T>, met: &mut Met) {
    let [scribbling, refusing] = [true, false].map(|scribbles| case.refinement(scribbles));
    for settings in all_settings(seed) {
        let [told, expected] = [&scribbling, &refusing].map(|one| told(one, &settings));
        assert_eq!(told, expected, "{seed}");
        let Ok(report) = told else {
            continue;
        };
        assert_eq!(report.obligation("model"), None, "{report}");
        met.holds += u64::from(report.verdict == Some(Verdict::Holds));
        met.violated += u64::from(report.verdict == Some(Verdict::Violated));
        met.states += report.states;
        if let Some(counterexample) = &report.counterexample {
            assert_stepped(&scribbling, counterexample);
        }
    }
    let [told, expected] = [true, false].map(|scribbles| {
        let [implementation, specification] = case.systems(scribbles);
        let inclusion = check_inclusion(&implementation, &specification, &Comparison::default());
        Inclusion {
            seconds: 0.0,
            ..inclusion.expect("nothing panics")
        }
    });
    assert_eq!(told, expected, "{seed}");
}

/// Steps of each state are the same, one by one, and behaviours that are replayed.
fn compare_steps<T: Contents>(seed: u64, case: &Case<T>, met: &mut Met) {
    let [scribbling, refusing] = [true, false].map(|scribbles| {
        let [system, _] = case.systems(scribbles);
        system
    });
    let mut known = HashSet::from([T::first()]);
    let mut open = VecDeque::from([T::first()]);
    while let Some(from) = open.pop_front() {
        let expected = steps(&refusing, &from);
        assert_eq!(steps(&scribbling, &from), expected, "{seed}");
        for number in (0..scribbling.moves.len() as u8).map(Numbered) {
            let to = successor(&scribbling, &from, &number);
            assert_eq!(
                to,
                successor(&refusing, &from, &number),
                "{seed} {number:?}"
            );
            met.refused += u64::from(to.is_none());
        }
        assert_eq!(disagreement(&scribbling, &from, &[T::first()]), None);
        for (_, to) in expected {
            if known.len() < 100 && known.insert(to.clone()) {
                open.push_back(to);
            }
        }
    }
    let trace = random_trace(&scribbling, &mut Generator::new(seed), 30);
    let trace = trace.expect("there is an initial state");
    let actions = trace.steps.iter().map(|(action, _)| *action);
    let replayed = replay(&refusing, trace.initial.clone(), actions);
    let replayed = replayed.expect("each action is enabled in its turn");
    assert_eq!(replayed.steps, trace.steps, "{seed}");
}

/// A system with a variable as an implementation of the specification: `below` is the state of a system that a state of it has, and
/// `taken` the action of that which a step of it takes.
fn told_of_view<T: Contents, V: TransitionSystem<Observation = u8>>(
    view: V,
    specification: Scribbling<T>,
    below: fn(&StateOf<V>) -> &T,
    taken: fn(&ActionOf<V>) -> Option<Numbered>,
) -> Result<Report, String> {
    let answer = move |_: &_, action: &_, _: &_| -> AbstractSteps<Numbered> {
        taken(action).map_or(Stutter, One)
    };
    let map = move |state: &_| below(state).clone();
    let refinement = mapped(view, specification, map, answer);
    let settings = until_with(Until::End, 2);
    told(&refinement, &settings)
}

/// Reports on systems with an auxiliary variable are the same.
fn compare_views<T: Contents>(seed: u64, case: &Case<T>) {
    let of_history = |[system, specification]: [Scribbling<T>; 2]| {
        let history = Counts;
        let view = WithHistory { system, history };
        told_of_view(view, specification, |s| &s.state, |action| Some(action.0))
    };
    let of_prophecy = |[system, specification]: [Scribbling<T>; 2]| {
        let prophecy = Ahead;
        let view = WithProphecy { system, prophecy };
        let taken = |action: &Predicting<Numbered, (), u8>| Some(action.action);
        told_of_view(view, specification, |s| &s.state, taken)
    };
    let of_stuttering = |[system, specification]: [Scribbling<T>; 2]| {
        let view = WithStuttering::new(system, Twice);
        let taken = |action: &_| match action {
            Stuttering::Step(number) => Some(*number),
            Stuttering::Stutter(_) => None,
        };
        told_of_view(view, specification, |s| &s.state, taken)
    };
    type OfView<'a, T> = &'a dyn Fn([Scribbling<T>; 2]) -> Result<Report, String>;
    let views: [(&str, OfView<'_, T>); 3] = [
        ("history", &of_history),
        ("prophecy", &of_prophecy),
        ("stuttering", &of_stuttering),
    ];
    for (variable, of_view) in views {
        let [told, expected] = [true, false].map(|scribbles| of_view(case.systems(scribbles)));
        assert_eq!(told, expected, "{seed} {variable}");
        let report = told.expect("the settings fit");
        assert_eq!(report.obligation("model"), None, "{variable}: {report}");
    }
}

fn compare<T: Contents>(kept: fn(StatesKept) -> bool) {
    let mut met = Met::default();
    for seed in 0..16 {
        let case = Case::<T>::draw(seed);
        compare_reports(seed, &case, &mut met);
        compare_steps(seed, &case, &mut met);
        compare_views(seed, &case);
    }
    assert!(met.holds > 3 && met.violated > 10, "{met:?}");
    assert!(met.states > 300 && met.refused > 300, "{met:?}");
    let settings = Settings::default();
    let report = check(&Case::<T>::draw(0).refinement(true), &settings);
    let states_kept = report.expect("the settings fit").states_kept;
    assert!(
        kept(states_kept.expect("it is a search")),
        "{states_kept:?}"
    );
}

#[test]
fn a_refused_rule_leaves_no_trace_in_a_state_of_any_length() {
    compare::<Sundry>(|kept| matches!(kept, StatesKept::Encoded { .. }));
}

#[test]
fn a_refused_rule_leaves_no_trace_in_a_state_that_derives_nothing() {
    compare::<Whole>(|kept| kept == StatesKept::Whole);
}

#[test]
fn a_refused_rule_leaves_no_trace_in_a_state_of_two_words() {
    compare::<TwoWords>(|kept| matches!(kept, StatesKept::Packed { bits: 65.. }));
}

#[test]
fn a_refused_rule_leaves_no_trace_in_a_state_of_one_word() {
    compare::<Word>(|kept| matches!(kept, StatesKept::Packed { bits: ..=64 }));
}
