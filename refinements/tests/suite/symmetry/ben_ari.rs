//! Mutators are interchangeable, and nodes are not.

use std::collections::{BTreeMap, HashSet};

use refmap::AbstractSteps::{self, One};
use refmap::obligation::{Checker, Selection, Symmetry, Until};
use refmap::{
    ActionOf, Asymmetry, Process, Refinement, Report, Rule, RuleId, Settings, Symmetric,
    TransitionSystem, Verdict, asymmetry, replay, steps,
};
use refmap_refinements::Checked;
use refmap_refinements::ben_ari::{Refinement1, Refinement2, Refinement3, composed};
use refmap_systems::ben_ari::level_3::{self, State};
use refmap_systems::ben_ari::{
    InitialColours, Level3, Look, Memory, Midway, MutatorOrder, Permutation, Scope, Step,
};

use refmap_testing::reachable;

fn scope(nodes: u8, mutators: u8, mutator: MutatorOrder) -> Scope {
    Scope {
        mutators,
        mutator,
        colours: InitialColours::White,
        ..Scope::new(nodes, 1, 1)
    }
}

/// Obligations that symmetry reduction preserves.
const DECIDABLE: [&str; 7] = [
    "observation",
    "initiality",
    "simulation",
    "agency",
    "invariant",
    "deadlock",
    "coverage",
];

fn check<R>(refinement: &R, symmetry: Symmetry) -> Report
where
    R: Checked,
{
    let settings = Settings {
        symmetry,
        obligations: Selection::only(DECIDABLE),
        until: Until::End,
        ..Settings::default()
    };
    let report = refinement.checker().check(&settings);
    report.expect("the settings fit")
}

/// Asserts that every state agrees with its images, that one state of each orbit is stored, and that symmetry
/// reduction preserves all verdicts.
fn agrees<R>(refinement: &R)
where
    R: Checked<
            Implementation: Symmetric<Permutation = Permutation>,
            Specification: Symmetric<Permutation = Permutation>,
        >,
{
    let system = refinement.implementation();
    let states = reachable(system);
    assert_eq!(asymmetry(refinement, &states), None);
    let permutations = system.permutations();
    let classes: HashSet<_> = states
        .iter()
        .map(|state| {
            permutations
                .iter()
                .map(|by| system.permute(by, state))
                .min()
        })
        .collect();
    assert!(classes.len() < states.len());
    let all = check(refinement, Symmetry::None);
    let quotient = check(refinement, Symmetry::Full);
    assert_eq!(all.states, states.len() as u64);
    assert_eq!(quotient.states, classes.len() as u64);
    assert_eq!((quotient.verdict, quotient.depth), (all.verdict, all.depth));
    assert!(
        quotient
            .symmetry
            .is_some_and(|tested| tested.tested_states > 0)
    );
    assert_eq!(shortest(&all), shortest(&quotient));
}

/// The shortest counterexample to each kind of obligation.
fn shortest(report: &Report) -> BTreeMap<String, usize> {
    let mut shortest = BTreeMap::new();
    for row in &report.obligations {
        // Which of several mutators it is that fails is not the same of all members of a class.
        let kind = row.name.split('(').next().expect("a name has a beginning");
        for found in row.counterexamples.iter().take(1) {
            let least: &mut usize = shortest.entry(kind.to_owned()).or_insert(found.length);
            *least = found.length.min(*least);
        }
    }
    shortest
}

#[test]
fn a_quotient_by_the_mutators_decides_what_the_system_decides() {
    for mutators in [2, 3] {
        agrees(&Refinement1::new(scope(
            2,
            mutators,
            MutatorOrder::RedirectFirst,
        )));
        agrees(&Refinement2::new(scope(
            2,
            mutators,
            MutatorOrder::RedirectFirst,
        )));
    }
    agrees(&Refinement3::new(scope(2, 2, MutatorOrder::RedirectFirst)));
    agrees(&Refinement3::new(scope(2, 2, MutatorOrder::ColourFirst)));
    agrees(&composed(scope(2, 2, MutatorOrder::RedirectFirst)));
    for look in [Look::OneByOne, Look::AtOnce] {
        let repaired = Scope {
            midway: Midway::Coloured,
            look,
            ..scope(2, 2, MutatorOrder::Announced)
        };
        agrees(&Refinement2::new(repaired));
        agrees(&Refinement3::new(repaired));
    }
}

/// A counterexample of a quotient is a behaviour of the system itself.
#[test]
fn counterexamples_of_a_quotient_replay() {
    let refinement = Refinement3::new(scope(2, 2, MutatorOrder::ColourFirst));
    let report = check(&refinement, Symmetry::Full);
    assert_eq!(report.verdict, Some(Verdict::Violated));
    let mut replayed = 0;
    for found in report
        .obligations
        .iter()
        .flat_map(|row| &row.counterexamples)
    {
        let system = refinement.implementation();
        let mut at = None;
        system.initial(&mut |state| at = at.or(Some(state)));
        let mut actions: Vec<Action> = Vec::new();
        for step in &found.steps[1..] {
            let from = at.expect("there is an initial state");
            let shown = |value: &State| serde_json::to_value(value).expect("a state has a form");
            let taken = steps(system, &from).into_iter().find(|(action, to)| {
                let action = serde_json::to_value(action).expect("an action has a form");
                Some(action) == step.action && shown(to) == step.state
            });
            let (action, to) = taken.expect("the step is one of the system");
            actions.push(action);
            at = Some(to);
        }
        let mut initial = None;
        system.initial(&mut |state| initial = initial.or(Some(state)));
        let trace = replay(system, initial.expect("there is one"), actions);
        assert_eq!(trace.expect("it replays").length(), found.length);
        replayed += 1;
    }
    assert!(replayed > 1);
}

/// An attempt: level 3 refines itself, and the nodes that are no roots are taken to be
/// interchangeable.
struct Attempt(NodesExchanged);

struct NodesExchanged(Level3);

type Action = Step<level_3::Action>;

impl AsRef<Scope> for NodesExchanged {
    fn as_ref(&self) -> &Scope {
        self.0.as_ref()
    }
}

impl refmap::Action<NodesExchanged> for Action {
    fn rules(system: &NodesExchanged) -> &[Rule] {
        Self::rules(&system.0)
    }

    fn rule(&self, system: &NodesExchanged) -> RuleId {
        self.rule(&system.0)
    }

    fn process(&self, system: &NodesExchanged) -> Process {
        self.process(&system.0)
    }
}

impl TransitionSystem for NodesExchanged {
    type State = State;
    type Action = Action;
    type Observation = Memory;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        self.0.initial(visit);
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, &State)) {
        self.0.next(from, visit);
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        self.0.fire(action, state)
    }

    fn observe(&self, state: &State) -> Memory {
        state.shared.m
    }
}

impl Symmetric for NodesExchanged {
    /// Whether the last two nodes are exchanged.
    type Permutation = bool;

    fn permutations(&self) -> Vec<bool> {
        vec![false, true]
    }

    fn permute(&self, exchanged: &bool, state: &State) -> State {
        let shape = state.shared.m.shape;
        let [a, b] = [shape.nodes - 2, shape.nodes - 1];
        let other = |node: u8| match (exchanged, node) {
            (true, node) if node == a => b,
            (true, node) if node == b => a,
            (_, node) => node,
        };
        let mut permuted = *state;
        for (n, i) in shape.cells() {
            let son = other(state.shared.m.son(n, i));
            permuted.shared.m = permuted.shared.m.set_son(other(n), i, son);
        }
        for n in shape.nodes() {
            let black = state.shared.c.colour(n);
            permuted.shared.c = permuted.shared.c.set_colour(other(n), black);
        }
        for locals in &mut permuted.shared.mutators {
            locals.q = other(locals.q);
        }
        permuted
    }

    /// The mutator's steps are permuted rightly, so that it is the collector that tells.
    fn permute_action(&self, exchanged: &bool, _: &State, action: &Action, _: &State) -> Action {
        use refmap_systems::ben_ari::MutatorAction;
        let nodes = self.0.scope.shape.nodes;
        let other = |node: u8| match (exchanged, nodes - 1 - node) {
            (true, 0) => nodes - 2,
            (true, 1) => nodes - 1,
            _ => node,
        };
        match *action {
            Step::Mutator(MutatorAction::Mutate { mutator, n, i, k }) => {
                Step::Mutator(MutatorAction::Mutate {
                    mutator,
                    n: other(n),
                    i,
                    k: other(k),
                })
            }
            action => action,
        }
    }
}

impl Refinement for Attempt {
    type Implementation = NodesExchanged;
    type Specification = NodesExchanged;

    fn implementation(&self) -> &NodesExchanged {
        &self.0
    }

    fn specification(&self) -> &NodesExchanged {
        &self.0
    }

    fn map(&self, state: &State) -> State {
        *state
    }

    fn abstract_steps(
        &self,
        _: &State,
        action: &Action,
        _: &State,
    ) -> AbstractSteps<ActionOf<NodesExchanged>> {
        One(*action)
    }
}

/// The collector scans nodes in order, so exchanging two of them changes what it does.
#[test]
fn nodes_are_not_interchangeable() {
    let attempt = Attempt(NodesExchanged(Level3::new(Scope {
        colours: InitialColours::Any,
        ..Scope::new(3, 1, 1)
    })));
    let states = reachable(attempt.implementation());
    let found = asymmetry(&attempt, &states);
    assert!(
        matches!(found, Some(Asymmetry::DoesNotCommute { what: "next", .. })),
        "{found:?}"
    );
    let settings = Settings {
        symmetry: Symmetry::Full,
        ..Settings::default()
    };
    let report = Checker::new(&attempt).symmetric().check(&settings);
    let report = report.expect("the settings fit");
    assert_eq!(report.verdict, Some(Verdict::Violated));
    let row = report.obligation("model").expect("it is violated");
    let explanation = &row.counterexamples[0].explanation;
    assert!(
        explanation.contains("the symmetry is none"),
        "{explanation}"
    );
}
