//! Side conditions of random variables of random systems, decided by their definitions; and that no behaviour is lost where they hold.
//!
//! The oracle has a table of everything, enumerates all predictions of a state, and asks for each pair of them whether they are a
//! step. That no behaviour is lost is decided on the steps of the view itself, with the set of its states to which the steps taken so
//! far may have led.

use std::collections::{BTreeMap, BTreeSet};

use refmap::auxiliary::{
    Fate, Predicting, Prophecy, Prophesying, Stuttering, Stutters, WithProphecy, WithStuttering,
};
use refmap::{AbstractSteps, Report, State, StateOf, TransitionSystem, Verdict, steps};
use refmap_testing::explicit::{Edge, Explicit};
use refmap_testing::{Random, mapped, to_the_end, verdict_on};

use super::checked_in_turn;

const PREDICTIONS: u8 = 3;

/// A prophecy variable as tables, with keys 0, 1, … that are shown as some type.
#[derive(Clone)]
pub struct Table<K> {
    key: fn(u8) -> K,
    number: fn(&K) -> u8,
    keys: u8,
    /// Per state, the open keys, each with the possible predictions.
    possible: Vec<BTreeMap<u8, Vec<u8>>>,
    /// Per step (its source and place), key and prediction.
    fates: BTreeMap<(u8, usize, u8, u8), Fate<u8>>,
    /// A key and a prediction with which nothing is offered at first.
    not_offered: Option<(u8, u8)>,
}

type Predictions = BTreeMap<u8, u8>;

impl<K> Table<K> {
    pub fn random(
        random: &mut Random,
        system: &Explicit,
        key: fn(u8) -> K,
        number: fn(&K) -> u8,
        keys: u8,
    ) -> Self {
        let all: Vec<u8> = (0..PREDICTIONS).collect();
        // Some are made so that mostly nothing is lost.
        let coherence = random.pick(&[60, 90, 100]);
        let mut possible = Vec::new();
        for _ in &system.steps {
            let mut open = BTreeMap::new();
            for key in random.some(usize::from(keys), 60) {
                let is_all = random.percent(coherence);
                let some = random.some(usize::from(PREDICTIONS), 70);
                let some = some.into_iter().map(|one| one as u8).collect();
                open.insert(key as u8, if is_all { all.clone() } else { some });
            }
            possible.push(open);
        }
        let mut fates = BTreeMap::new();
        for (from, edges) in system.steps.iter().enumerate() {
            for place in 0..edges.len() {
                for key in 0..keys {
                    let kind = random.below(10);
                    let right = random.below(usize::from(PREDICTIONS)) as u8;
                    let moved = random.below(usize::from(keys)) as u8;
                    for prediction in 0..PREDICTIONS {
                        let coherent = match kind {
                            0..5 => Fate::Keep(key),
                            5 => Fate::Keep(moved),
                            6 => Fate::Drop,
                            _ => Fate::Fulfil {
                                comes_true: prediction == right,
                            },
                        };
                        let fate = match random.below(4) {
                            _ if random.percent(coherence) => coherent,
                            0 => Fate::Keep(random.below(usize::from(keys)) as u8),
                            1 => Fate::Drop,
                            _ => Fate::Fulfil {
                                comes_true: random.percent(30),
                            },
                        };
                        fates.insert((from as u8, place, key, prediction), fate);
                    }
                }
            }
        }
        let not_offered = random.percent(10).then(|| {
            let key = random.below(usize::from(keys)) as u8;
            (key, random.below(usize::from(PREDICTIONS)) as u8)
        });
        Self {
            key,
            number,
            keys,
            possible,
            fates,
            not_offered,
        }
    }

    /// The same, of which all predictions are possible wherever their key is open, and all are offered at first.
    pub fn coherent(mut self) -> Self {
        let lists = self.possible.iter_mut().flat_map(BTreeMap::values_mut);
        lists.for_each(|possible| *possible = (0..PREDICTIONS).collect());
        self.not_offered = None;
        self
    }

    /// All predictions of a state.
    fn predictions(&self, state: u8) -> Vec<Predictions> {
        let mut all = vec![Predictions::new()];
        for (key, possible) in &self.possible[usize::from(state)] {
            let longer = |one: &Predictions| {
                let with = |prediction: &u8| {
                    let mut with = one.clone();
                    with.insert(*key, *prediction);
                    with
                };
                possible.iter().map(with).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// Whether a step of the system leads from predictions to others.
    fn is_step(&self, from: u8, before: &Predictions, place: usize, after: &Predictions) -> bool {
        before.iter().all(
            |(key, prediction)| match self.fates[&(from, place, *key, *prediction)] {
                Fate::Keep(kept) => after.get(&kept).is_none_or(|other| other == prediction),
                Fate::Fulfil { comes_true } => comes_true,
                Fate::Drop => true,
            },
        )
    }

    fn is_offered(&self, predictions: &Predictions) -> bool {
        let refused = self.not_offered;
        refused.is_none_or(|(key, prediction)| predictions.get(&key) != Some(&prediction))
    }
}

impl<K: State<Explicit> + Ord> Prophecy<Explicit> for Table<K> {
    type Key = K;
    type Prediction = u8;

    fn open(&self, _: &Explicit, state: &u8) -> Vec<K> {
        let open = self.possible[usize::from(*state)].keys();
        // In no order.
        open.rev().map(|key| (self.key)(*key)).collect()
    }

    fn possible(&self, _: &Explicit, state: &u8, key: &K) -> Vec<u8> {
        self.possible[usize::from(*state)][&(self.number)(key)].clone()
    }

    fn fate(
        &self,
        system: &Explicit,
        (key, prediction): (&K, &u8),
        from: &u8,
        action: &Edge,
        _: &u8,
    ) -> Fate<K> {
        let mut edges = system.steps[usize::from(*from)].iter();
        let place = edges.position(|edge| edge == action).expect("it is a step");
        match self.fates[&(*from, place, (self.number)(key), *prediction)] {
            Fate::Keep(kept) => Fate::Keep((self.key)(kept)),
            Fate::Fulfil { comes_true } => Fate::Fulfil { comes_true },
            Fate::Drop => Fate::Drop,
        }
    }

    fn is_offered(&self, _: &Explicit, _: &u8, predictions: &BTreeMap<K, u8>) -> bool {
        let predictions = predictions.iter();
        self.is_offered(
            &predictions
                .map(|(key, one)| ((self.number)(key), *one))
                .collect(),
        )
    }
}

/// A random system of so many states.
pub fn random_system(random: &mut Random, states: usize) -> Explicit {
    let mut system = Explicit::new(&[("a", "it"), ("b", "it")], &[(0, "a", states as u8 - 1)]);
    system.may_stop = (0..states as u8).collect();
    system.steps = vec![Vec::new(); states];
    for from in 0..states {
        let count = 1 + random.below(3);
        for _ in 0..count {
            // Mostly on, so that all of a large system is reached.
            let to = if random.percent(60) {
                (from + 1) % states
            } else {
                random.below(states)
            };
            let edge = Edge {
                rule: random.below(2) as u8,
                to: to as u8,
            };
            if !system.steps[from].contains(&edge) {
                system.steps[from].push(edge);
            }
        }
    }
    if random.percent(30) {
        system.initial.push(states as u8 / 2);
    }
    system
}

/// The states that are reached.
fn reached(system: &Explicit) -> BTreeSet<u8> {
    let mut reached: BTreeSet<u8> = system.initial.iter().copied().collect();
    loop {
        let targets = reached
            .iter()
            .flat_map(|from| &system.steps[usize::from(*from)]);
        let more: BTreeSet<u8> = targets.map(|edge| edge.to).collect();
        if more.is_subset(&reached) {
            return reached;
        }
        reached.extend(more);
    }
}

/// Whether each of the conditions holds, by its definition: initial, non-empty, backward-total; and whether there is anything of
/// which it is asked.
fn by_definition<K>(system: &Explicit, table: &Table<K>) -> [(bool, bool); 3] {
    let reached = reached(system);
    let any_predictions = |state: &u8| !table.predictions(*state).is_empty();
    let mut targets = reached
        .iter()
        .flat_map(|from| &system.steps[usize::from(*from)]);
    let any_targets = targets.any(|edge| any_predictions(&edge.to));
    let any_initial = system.initial.iter().any(any_predictions);
    let mut initial = system.initial.iter();
    let mut total = true;
    for from in &reached {
        for (place, edge) in system.steps[usize::from(*from)].iter().enumerate() {
            total &= table.predictions(edge.to).iter().all(|after| {
                let mut before = table.predictions(*from).into_iter();
                before.any(|before| table.is_step(*from, &before, place, after))
            });
        }
    }
    let is_offered = |state: &u8| {
        let predictions = table.predictions(*state);
        predictions.iter().all(|one| table.is_offered(one))
    };
    [
        (initial.all(is_offered), any_initial),
        (reached.iter().all(any_predictions), true),
        (total, any_targets),
    ]
}

/// Whether it is so of the pairs that are reached: what is wrong with looking at the view alone.
fn of_reached_pairs<K>(system: &Explicit, table: &Table<K>) -> bool {
    let mut pairs: BTreeSet<(u8, Predictions)> = BTreeSet::new();
    for state in &system.initial {
        let offered = table.predictions(*state).into_iter();
        pairs.extend(
            offered
                .filter(|one| table.is_offered(one))
                .map(|one| (*state, one)),
        );
    }
    let mut todo: Vec<_> = pairs.iter().cloned().collect();
    let mut led_to = BTreeSet::new();
    while let Some((from, before)) = todo.pop() {
        for (place, edge) in system.steps[usize::from(from)].iter().enumerate() {
            for after in table.predictions(edge.to) {
                if table.is_step(from, &before, place, &after) {
                    led_to.insert((from, place, after.clone()));
                    if pairs.insert((edge.to, after.clone())) {
                        todo.push((edge.to, after));
                    }
                }
            }
        }
    }
    // Each pair that is reached has a pair before it that is reached, by each step of a state that is.
    let states: BTreeSet<u8> = pairs.iter().map(|(state, _)| *state).collect();
    states.iter().all(|from| {
        let mut edges = system.steps[usize::from(*from)].iter().enumerate();
        edges.all(|(place, edge)| {
            let mut after = pairs.iter().filter(|(state, _)| *state == edge.to);
            after.all(|(_, after)| led_to.contains(&(*from, place, after.clone())))
        })
    })
}

/// Whether a behaviour of the base is none of a view: of which `below` tells the state of the base, and `taken` the step that an action
/// takes, if it does not stutter.
fn loses<V: TransitionSystem<State: Ord>>(
    system: &Explicit,
    view: &V,
    below: impl Fn(&StateOf<V>) -> u8,
    taken: impl Fn(&V::Action) -> Option<Edge>,
) -> bool {
    let stuttered = |mut states: BTreeSet<StateOf<V>>| {
        let mut todo: Vec<_> = states.iter().cloned().collect();
        while let Some(state) = todo.pop() {
            for (action, to) in steps(view, &state) {
                if taken(&action).is_none() && states.insert(to.clone()) {
                    assert_eq!(below(&to), below(&state), "a stutter changes nothing");
                    todo.push(to);
                }
            }
        }
        states
    };
    let mut first: BTreeMap<u8, BTreeSet<StateOf<V>>> = BTreeMap::new();
    view.initial(&mut |state| {
        assert!(system.initial.contains(&below(&state)));
        first.entry(below(&state)).or_default().insert(state);
    });
    if system
        .initial
        .iter()
        .any(|state| !first.contains_key(state))
    {
        return true;
    }
    let first = first
        .into_iter()
        .map(|(state, lifts)| (state, stuttered(lifts)));
    let mut seen: BTreeSet<_> = first.collect();
    let mut todo: Vec<_> = seen.iter().cloned().collect();
    while let Some((state, lifts)) = todo.pop() {
        for edge in &system.steps[usize::from(state)] {
            let mut after = BTreeSet::new();
            for lift in &lifts {
                for (action, to) in steps(view, lift) {
                    if taken(&action) == Some(*edge) {
                        assert_eq!(below(&to), edge.to, "a step is one of the base");
                        after.insert(to);
                    }
                }
            }
            if after.is_empty() {
                return true;
            }
            let next = (edge.to, stuttered(after));
            if seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    false
}

fn checked<K: State<Explicit> + Ord>(system: &Explicit, table: &Table<K>) -> Report {
    let view = WithProphecy {
        system: system.clone(),
        prophecy: table.clone(),
    };
    let refinement = mapped(
        view,
        system.clone(),
        |s: &Prophesying<u8, K, u8>| s.state,
        |_, action: &Predicting<Edge, K, u8>, _| AbstractSteps::One(action.action),
    );
    let turn = system.steps.len() + usize::from(table.keys);
    checked_in_turn(&refinement, &to_the_end(), turn)
}

/// Numbers of cases.
#[derive(Debug, Default)]
struct Seen {
    /// Per condition, in how many cases it holds, and in how many it does not.
    outcomes: [[usize; 2]; 3],
    /// Cases in which nothing is lost that is to be shown, and in which something is.
    lost: [usize; 2],
    /// Cases in which what is seen of the pairs that are reached is not so.
    hidden: usize,
}

fn compare<K: State<Explicit> + Ord>(
    random: &mut Random,
    states: usize,
    key: fn(u8) -> K,
    number: fn(&K) -> u8,
    keys: u8,
    seen: &mut Seen,
) {
    let system = random_system(random, states);
    let table = Table::random(random, &system, key, number, keys);
    let expected = by_definition(&system, &table);
    let report = checked(&system, &table);
    let names = ["initial", "non-empty", "backward-total"];
    for ((name, (holds, any)), outcomes) in names.iter().zip(expected).zip(&mut seen.outcomes) {
        let judged = verdict_on(&report, &format!("auxiliary:{name}"));
        let expected = match (any, holds) {
            (false, _) => Verdict::Untested,
            (true, true) => Verdict::Holds,
            (true, false) => Verdict::Violated,
        };
        assert_eq!(
            judged, expected,
            "{name}\n{system:?}\n{}\n{report}",
            table.keys
        );
        outcomes[usize::from(!holds)] += 1;
    }
    // Where nothing is offered at first there is no state, and `initiality` says so.
    for row in ["observation", "simulation", "model", "deadlock"] {
        let judged = report.obligation(row).map(|row| row.verdict);
        assert!(
            judged.is_none_or(|judged| judged == Verdict::Holds),
            "{row}\n{report}"
        );
    }
    let view = WithProphecy {
        system: system.clone(),
        prophecy: table.clone(),
    };
    // The steps of the view are those of the definition, from whatever is predicted.
    for from in reached(&system) {
        for before in table.predictions(from) {
            let state = Prophesying {
                state: from,
                prophecy: before
                    .iter()
                    .map(|(key, one)| (key_of(&table, *key), *one))
                    .collect(),
            };
            let mut taken: Vec<_> = steps(&view, &state)
                .into_iter()
                .map(|(action, to)| {
                    let after = to.prophecy.iter();
                    let after: Predictions = after
                        .map(|(key, one)| ((table.number)(key), *one))
                        .collect();
                    (action.action, after)
                })
                .collect();
            taken.sort();
            let mut defined = Vec::new();
            for (place, edge) in system.steps[usize::from(from)].iter().enumerate() {
                let after = table.predictions(edge.to).into_iter();
                let after = after.filter(|after| table.is_step(from, &before, place, after));
                defined.extend(after.map(|after| (*edge, after)));
            }
            defined.sort();
            assert_eq!(taken, defined);
        }
    }
    if states < 10 {
        let loses = loses(&system, &view, |s| s.state, |action| Some(action.action));
        let holds = expected.iter().all(|(holds, _)| *holds);
        assert!(!(holds && loses), "a behaviour is lost\n{report}");
        seen.lost[usize::from(loses)] += 1;
        seen.hidden += usize::from(of_reached_pairs(&system, &table) && !expected[2].0);
    }
}

fn key_of<K>(table: &Table<K>, key: u8) -> K {
    (table.key)(key)
}

#[test]
fn conditions_of_prophecy_are_those_of_the_definition() {
    conditions_are_those_of_the_definition(0x5eed, 1_200);
}

#[test]
#[ignore = "a minute"]
fn slow_conditions_of_prophecy_are_those_of_the_definition_at_length() {
    conditions_are_those_of_the_definition(0x5eed_5eed, 10_000);
}

fn conditions_are_those_of_the_definition(seed: u64, cases: usize) {
    let mut random = Random(seed);
    let mut seen = Seen::default();
    for case in 0..cases {
        let states = match case % 80 {
            0 => 65 + random.below(40),
            _ => 2 + random.below(5),
        };
        let random = &mut random;
        match case % 3 {
            0 => compare(random, states, |_| (), |()| 0, 1, &mut seen),
            1 => compare(random, states, |key| key, |key| *key, 3, &mut seen),
            // In another order than the numbers.
            _ => {
                let key = |key: u8| (key != 1, 9 - key);
                compare(random, states, key, |(_, rest)| 9 - rest, 3, &mut seen);
            }
        }
    }
    // Each outcome comes about often enough to mean something.
    let outcomes = seen.outcomes.iter().flatten().chain(&seen.lost);
    assert!(
        outcomes.clone().all(|count| *count > cases / 100),
        "{seen:?}"
    );
    assert!(
        seen.hidden > cases / 60,
        "looking at reached pairs alone would do: {seen:?}"
    );
}

/// A stuttering variable as tables.
#[derive(Clone)]
pub struct Pauses {
    before: Vec<Vec<(Edge, u8)>>,
    after: BTreeMap<(u8, Edge), u8>,
    next: [u8; 6],
    least: u8,
}

impl Stutters<Explicit> for Pauses {
    type Value = u8;

    fn rules(&self) -> Vec<&'static str> {
        vec!["b", "a"]
    }
    fn before(&self, _: &Explicit, state: &u8) -> Vec<(Edge, u8)> {
        self.before[usize::from(*state)].clone()
    }
    fn after(&self, _: &Explicit, from: &u8, action: &Edge, _: &u8) -> Option<u8> {
        self.after.get(&(*from, *action)).copied()
    }
    fn least(&self) -> u8 {
        self.least
    }
    fn decrease(&self, value: &u8) -> u8 {
        self.next[usize::from(*value)]
    }
}

pub fn random_pauses(random: &mut Random, system: &Explicit) -> Pauses {
    let is_coherent = random.percent(60);
    let least = random.below(3) as u8;
    let value = |random: &mut Random| {
        let low = if is_coherent { usize::from(least) } else { 0 };
        (low + random.below(6 - low)) as u8
    };
    let mut next = [0; 6];
    for (of, next) in next.iter_mut().enumerate() {
        *next = if is_coherent && of > usize::from(least) {
            (usize::from(least) + random.below(of - usize::from(least))) as u8
        } else {
            random.below(6) as u8
        };
    }
    let (mut before, mut after) = (Vec::new(), BTreeMap::new());
    for (from, edges) in (0..).zip(&system.steps) {
        let mut of_state = Vec::new();
        for edge in edges {
            if random.percent(30) {
                of_state.push((*edge, value(random)));
            }
            if random.percent(30) {
                after.insert((from, *edge), value(random));
            }
        }
        let other = Edge {
            rule: 0,
            to: random.below(system.steps.len()) as u8,
        };
        if random.percent(5) && of_state.iter().all(|(edge, _)| *edge != other) {
            of_state.push((other, value(random)));
        }
        before.push(of_state);
    }
    Pauses {
        before,
        after,
        next,
        least,
    }
}

/// Whether a value comes to the least one by ever smaller ones.
fn ends(pauses: &Pauses, value: u8) -> bool {
    let next = pauses.next[usize::from(value)];
    value == pauses.least || value > pauses.least && next < value && ends(pauses, next)
}

#[test]
fn conditions_of_stuttering_are_those_of_the_definition() {
    let mut random = Random(0x57u64);
    let mut outcomes = [[0; 2]; 2];
    let mut lost = [0; 2];
    for _ in 0..800 {
        let states = 2 + random.below(5);
        let system = random_system(&mut random, states);
        let pauses = random_pauses(&mut random, &system);
        let reached = reached(&system);
        let mut terminates = true;
        let mut is_enabled = true;
        let mut begins = [false; 2];
        for from in &reached {
            let edges = &system.steps[usize::from(*from)];
            for (edge, value) in &pauses.before[usize::from(*from)] {
                begins = [true; 2];
                terminates &= ends(&pauses, *value);
                is_enabled &= edges.contains(edge);
            }
            for edge in edges {
                if let Some(value) = pauses.after.get(&(*from, *edge)) {
                    begins[0] = true;
                    terminates &= ends(&pauses, *value);
                }
            }
        }
        let view = WithStuttering::new(system.clone(), pauses.clone());
        let refinement = mapped(
            view.clone(),
            system.clone(),
            |s: &StateOf<WithStuttering<Explicit, Pauses>>| s.state,
            |_, action: &Stuttering<Edge, u8>, _| match action {
                Stuttering::Step(action) => AbstractSteps::One(*action),
                Stuttering::Stutter(_) => AbstractSteps::Stutter,
            },
        );
        let report = checked_in_turn(&refinement, &to_the_end(), states);
        let expected = [("terminates", terminates), ("enabled", is_enabled)];
        for (place, (name, holds)) in expected.into_iter().enumerate() {
            let judged = verdict_on(&report, &format!("auxiliary:{name}"));
            let expected = match (begins[place], holds) {
                (false, _) => Verdict::Untested,
                (true, true) => Verdict::Holds,
                (true, false) => Verdict::Violated,
            };
            assert_eq!(judged, expected, "{name}\n{report}");
            outcomes[place][usize::from(!holds)] += 1;
        }
        let taken = |action: &Stuttering<Edge, u8>| match action {
            Stuttering::Step(action) => Some(*action),
            Stuttering::Stutter(_) => None,
        };
        let loses = loses(&system, &view, |s| s.state, taken);
        assert!(
            !(terminates && is_enabled && loses),
            "a behaviour is lost\n{report}"
        );
        lost[usize::from(loses)] += 1;
    }
    let all = outcomes.iter().flatten().chain(&lost);
    assert!(
        all.clone().all(|count| *count > 20),
        "{outcomes:?} {lost:?}"
    );
}
