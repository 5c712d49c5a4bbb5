//! Mutators are interchangeable, and nodes are not.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

use refmap::AbstractSteps::{self, One};
use refmap::internal::Quotient;
use refmap::obligation::{Checker, Selection, Symmetry, Until};
use refmap::state::{NameVisitor, Names, Row};
use refmap::{
    ActionOf, Asymmetry, Process, Refinement, Report, Rule, RuleId, Settings, TransitionSystem,
    Verdict, asymmetry, replay, steps,
};
use refmap_refinements::Checked;
use refmap_refinements::ben_ari::{Refinement1, Refinement2, Refinement3, composed};
use refmap_systems::ben_ari::level_3::{self, State};
use refmap_systems::ben_ari::{
    InitialColours, Level3, Look, Memory, Midway, MutatorOrder, Scope, Step,
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
    R: Checked<Implementation: TransitionSystem<State: Ord>>,
{
    let system = refinement.implementation();
    let states = reachable(system);
    let found = asymmetry(refinement, &states);
    assert_eq!(found.expect("there are names"), None);
    let quotient = Quotient::of(system).expect("there are names");
    let classes: HashSet<_> = states
        .iter()
        .map(|state| quotient.exchanged(state).into_iter().min())
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

/// A state in which the last two nodes are members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Nodes(State);

impl<S: ?Sized> refmap::State<S> for Nodes {
    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        let first = self.first();
        let shape = self.0.shared.m.shape;
        for (n, i) in shape.cells().filter(|(n, _)| *n < first) {
            let son = named(self.0.shared.m.son(n, i), first, visit);
            self.0.shared.m = self.0.shared.m.set_son(n, i, son);
        }
        for locals in &mut self.0.shared.mutators {
            locals.q = named(locals.q, first, visit);
        }
        visit.rows(0, &mut [self]);
    }
}

/// A node after the visit of its name.
fn named(node: u8, first: u8, visit: &mut dyn NameVisitor) -> u8 {
    let Some(mut member) = node.checked_sub(first) else {
        return node;
    };
    member.each_name(0, visit);
    first + member
}

impl Nodes {
    /// The first of the members.
    fn first(&self) -> u8 {
        self.0.shared.m.shape.nodes - 2
    }

    /// The colour and the sons of a member.
    fn parts(&self, member: usize) -> (bool, Vec<u8>) {
        let (n, shared) = (self.first() + member as u8, &self.0.shared);
        let sons = (0..shared.m.shape.sons).map(|i| shared.m.son(n, i));
        (shared.c.colour(n), sons.collect())
    }

    fn set_sons(&mut self, member: usize, sons: &[u8]) {
        let n = self.first() + member as u8;
        for (i, son) in (0..).zip(sons) {
            self.0.shared.m = self.0.shared.m.set_son(n, i, *son);
        }
    }
}

impl Row for Nodes {
    fn length(&self) -> usize {
        2
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        self.parts(one).cmp(&self.parts(other))
    }

    fn swap(&mut self, one: usize, other: usize) {
        let parts = [one, other].map(|member| self.parts(member));
        for (member, (black, sons)) in [other, one].into_iter().zip(&parts) {
            self.set_sons(member, sons);
            let n = self.first() + member as u8;
            self.0.shared.c = self.0.shared.c.set_colour(n, *black);
        }
    }

    fn visit_element(&mut self, at: usize, visit: &mut dyn NameVisitor) {
        let first = self.first();
        let (_, sons) = self.parts(at);
        let sons = sons.into_iter().map(|son| named(son, first, visit));
        let sons: Vec<_> = sons.collect();
        self.set_sons(at, &sons);
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

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        refmap::Action::<Level3>::visit_names(self, visit);
    }
}

impl TransitionSystem for NodesExchanged {
    type State = Nodes;
    type Action = Action;
    type Observation = Memory;

    fn initial(&self, visit: &mut impl FnMut(Nodes)) {
        self.0.initial(&mut |state| visit(Nodes(state)));
    }

    fn next(&self, from: &Nodes, visit: &mut impl FnMut(Action, &Nodes)) {
        self.0
            .next(&from.0, &mut |action, to| visit(action, &Nodes(*to)));
    }

    fn fire(&self, action: &Action, Nodes(state): &mut Nodes) -> Option<()> {
        self.0.fire(action, state)
    }

    fn observe(&self, Nodes(state): &Nodes) -> Memory {
        state.shared.m
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

    fn map(&self, state: &Nodes) -> Nodes {
        *state
    }

    fn abstract_steps(
        &self,
        _: &Nodes,
        action: &Action,
        _: &Nodes,
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
    let found = asymmetry(&attempt, &states).expect("there are names");
    assert!(
        matches!(found, Some(Asymmetry::DoesNotCommute { what: "next", .. })),
        "{found:?}"
    );
    let settings = Settings {
        symmetry: Symmetry::Full,
        ..Settings::default()
    };
    let report = Checker::new(&attempt).check(&settings);
    let report = report.expect("the settings fit");
    assert_eq!(report.verdict, Some(Verdict::Violated));
    let row = report.obligation("model").expect("it is violated");
    let explanation = &row.counterexamples[0].explanation;
    assert!(
        explanation.contains("the symmetry is none"),
        "{explanation}"
    );
}
