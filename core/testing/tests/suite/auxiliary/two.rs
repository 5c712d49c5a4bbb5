//! Two of what a variable has one of, mostly: two steps of the action before which it stutters, two variables that have a condition.

use refmap::auxiliary::{
    Fate, History, Prophecy, Stuttering, Stutters, WithHistory, WithProphecy, WithStuttering,
    enabled,
};
use refmap::obligation::{Liveness, Settings};
use refmap::{
    AbstractSteps, Action as _, ActionOf, Constraint, Property, State, StateOf, TransitionSystem,
    Verdict, steps,
};
use refmap_testing::explicit::{Edge, Explicit};
use refmap_testing::{Action, Machine, assert_verdict, mapped, row_of, to_the_end, verdict_on};

use super::nested::{Foretold, coin, of_throws};
use super::{Predicting8, Prophesying8, checked, predicting, report_of};

/// Stutters of so many values before each enabled action of a rule.
struct Before(&'static str, u8);

impl<S: TransitionSystem<Action: State<S>>> Stutters<S> for Before {
    type Value = u8;

    fn rules(&self) -> Vec<&'static str> {
        vec![self.0]
    }

    fn before(&self, system: &S, state: &StateOf<S>) -> Vec<(ActionOf<S>, u8)> {
        let mut before = enabled(system, state, |action| {
            (ActionOf::<S>::rules(system)[action.rule(system).0].name == self.0).then_some(self.1)
        });
        before.dedup();
        before
    }

    fn least(&self) -> u8 {
        1
    }

    fn decrease(&self, value: &u8) -> u8 {
        value - 1
    }
}

/// An action that leads to two states names neither, which is a fault of the model: a stutter before it hides none of the two.
#[test]
fn both_steps_of_an_action_come_after_a_stutter() {
    fn pick(at: &u8) -> Vec<(Action, u8)> {
        match at {
            0 => vec![(("pick", 0), 1), (("pick", 0), 2), (("pass", 0), 3)],
            _ => Vec::new(),
        }
    }
    let rules = [("pick", "it"), ("pass", "it")];
    let mut system = Machine::new(&rules, [0u8], pick, |at| *at);
    system.may_stop = |at| *at != 0;
    for values in [1, 2] {
        let view = WithStuttering::new(system.clone(), Before("pick", values));
        let mut at = Vec::new();
        view.initial(&mut |state| at.push(state));
        for _ in 0..values {
            let taken = steps(&view, &at[0]);
            let stutter = taken
                .iter()
                .find(|(action, _)| matches!(action, Stuttering::Stutter(_)));
            at[0] = stutter.expect("it stutters before it picks").1.clone();
        }
        let taken = steps(&view, &at[0]);
        let targets: Vec<u8> = taken.iter().map(|(_, to)| to.state).collect();
        assert_eq!(targets, [1, 2]);
        // The specification offers it once.
        let mut specification = system.clone();
        specification.next = |at| pick(at).into_iter().filter(|(_, to)| *to != 2).collect();
        let report = report_of(&mapped(
            view,
            specification,
            |s: &StateOf<WithStuttering<Machine<u8>, Before>>| s.state,
            |_, action, _| match action {
                Stuttering::Step(action) => AbstractSteps::One(*action),
                Stuttering::Stutter(_) => AbstractSteps::Stutter,
            },
        ));
        let model = row_of(&report, "model");
        assert_eq!(model.verdict, Verdict::Violated, "{report}");
        let mut told = model.counterexamples.iter();
        assert!(
            told.any(|one| one.explanation.contains("twice")),
            "{report}"
        );
    }
}

/// Neither of two actions before which it stutters is taken without a stutter, and another one is.
#[test]
fn no_action_before_which_it_stutters_is_taken_without() {
    fn pick(at: &u8) -> Vec<(Action, u8)> {
        match at {
            0 => vec![(("pick", 0), 1), (("pass", 0), 3), (("pick", 1), 2)],
            _ => Vec::new(),
        }
    }
    let rules = [("pick", "it"), ("pass", "it")];
    let view = WithStuttering::new(
        Machine::new(&rules, [0u8], pick, |at| *at),
        Before("pick", 1),
    );
    let mut initial = Vec::new();
    view.initial(&mut |state| initial.push(state));
    let (mut stutters, mut taken) = (Vec::new(), Vec::new());
    for (action, to) in steps(&view, &initial[0]) {
        match action {
            Stuttering::Stutter(stutter) => stutters.push((stutter.action, to)),
            Stuttering::Step(action) => taken.push(action),
        }
    }
    assert_eq!(taken, [("pass", 0)]);
    let before: Vec<Action> = stutters.iter().map(|(action, _)| *action).collect();
    assert_eq!(before, [("pick", 0), ("pick", 1)]);
    for (before, to) in stutters {
        let after = steps(&view, &to).into_iter().map(|(action, _)| action);
        assert_eq!(after.collect::<Vec<_>>(), [Stuttering::Step(before)]);
    }
}

/// Coverage beside a prediction counts each step of an answer: the second one is covered as the first is.
#[test]
fn both_steps_of_an_answer_are_covered_beside_a_prediction() {
    let rules = [("toss", "it"), ("land", "it"), ("pick", "it")];
    let steps = [
        (0, "toss", 3),
        (3, "land", 1),
        (3, "land", 2),
        (1, "pick", 0),
        (2, "pick", 0),
    ];
    let mut specification = Explicit::new(&rules, &steps);
    specification.shown = vec![0, 1, 2, 0];
    let refinement = mapped(
        predicting(coin(), of_throws()),
        specification,
        |s: &Prophesying8| s.state,
        |_, action: &Predicting8, _| match action.action {
            Edge { rule: 0, to } => {
                AbstractSteps::Several(vec![Edge { rule: 0, to: 3 }, Edge { rule: 1, to }])
            }
            Edge { to, .. } => AbstractSteps::One(Edge { rule: 2, to }),
        },
    );
    let report = report_of(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let coverage = row_of(&report, "coverage");
    assert_eq!(coverage.checked, 3, "{report}");
}

/// Foretells nothing.
struct Nothing;

impl<S: TransitionSystem> Prophecy<S> for Nothing {
    type Key = u8;
    type Prediction = u8;

    fn open(&self, _: &S, _: &StateOf<S>) -> Vec<u8> {
        Vec::new()
    }

    fn possible(&self, _: &S, _: &StateOf<S>, _: &u8) -> Vec<u8> {
        Vec::new()
    }

    fn fate(
        &self,
        _: &S,
        _: (&u8, &u8),
        _: &StateOf<S>,
        _: &ActionOf<S>,
        _: &StateOf<S>,
    ) -> Fate<u8> {
        Fate::Drop
    }
}

/// A condition that two variables have holds if it does of both: of the second one it is not known here.
#[test]
fn a_condition_of_two_variables_is_open_if_one_is() {
    type Twice =
        WithProphecy<WithHistory<WithProphecy<Explicit, super::Predicts>, Foretold>, Nothing>;
    let system = || WithProphecy {
        system: WithHistory {
            system: predicting(coin(), of_throws()),
            history: Foretold,
        },
        prophecy: Nothing,
    };
    let mut refinement = mapped(
        system(),
        coin(),
        |s: &StateOf<Twice>| s.state.state.state,
        |_, action: &ActionOf<Twice>, _| AbstractSteps::One(action.action.0.action),
    );
    let rows = ["auxiliary:non-empty", "auxiliary:backward-total"];
    let report = report_of(&refinement);
    for row in rows {
        assert_verdict(&report, row, Verdict::Holds);
    }
    refinement.constraint = Some(Constraint::new("any", |_: &StateOf<Twice>| true));
    let report = report_of(&refinement);
    for row in rows {
        assert_verdict(&report, row, Verdict::Incomplete);
        let note = report.obligation(row).and_then(|row| row.note.as_deref());
        let remembers = "speaks of what a history variable remembers";
        assert!(
            note.is_some_and(|note| note.contains(remembers)),
            "{report}"
        );
    }
}

/// Foretells something of the first 256 states, and of the others what is impossible.
struct OfTheFirst;

impl Prophecy<Machine<u16>> for OfTheFirst {
    type Key = u8;
    type Prediction = u8;

    fn open(&self, _: &Machine<u16>, _: &u16) -> Vec<u8> {
        vec![0]
    }

    fn possible(&self, _: &Machine<u16>, state: &u16, _: &u8) -> Vec<u8> {
        if *state < 256 { vec![1] } else { Vec::new() }
    }

    fn fate(&self, _: &Machine<u16>, _: (&u8, &u8), _: &u16, _: &Action, _: &u16) -> Fate<u8> {
        Fate::Keep(0)
    }
}

/// A condition that is not known of some states is open, though it is known of all those that are looked at after them, or by another
/// worker: no prediction makes any of them a state.
#[test]
fn a_condition_that_is_open_stays_open() {
    type First = WithHistory<WithProphecy<Machine<u16>, OfTheFirst>, Same>;
    let resting = |at: &u16| vec![(("rest", 0), *at)];
    let system = Machine::new(
        &[("rest", "it")],
        Vec::from_iter(0..1_000u16),
        resting,
        |at| u8::from(*at < 256),
    );
    let mut refinement = mapped(
        WithHistory {
            system: WithProphecy {
                system: system.clone(),
                prophecy: OfTheFirst,
            },
            history: Same,
        },
        system,
        |s: &StateOf<First>| s.state.state,
        |_, action: &ActionOf<First>, _| AbstractSteps::One(action.0.action),
    );
    refinement.constraint = Some(Constraint::new("any", |_: &StateOf<First>| true));
    let report = report_of(&refinement);
    for row in ["auxiliary:initial", "auxiliary:backward-total"] {
        assert_verdict(&report, row, Verdict::Incomplete);
    }
}

/// Stutters of so many values after each step of a rule.
struct After(&'static str, u8);

impl<S: TransitionSystem<Action: State<S>>> Stutters<S> for After {
    type Value = u8;

    fn rules(&self) -> Vec<&'static str> {
        vec![self.0]
    }

    fn after(
        &self,
        system: &S,
        _: &StateOf<S>,
        action: &ActionOf<S>,
        _: &StateOf<S>,
    ) -> Option<u8> {
        (ActionOf::<S>::rules(system)[action.rule(system).0].name == self.0).then_some(self.1)
    }

    fn least(&self) -> u8 {
        1
    }

    fn decrease(&self, value: &u8) -> u8 {
        value - 1
    }
}

/// Remembers nothing.
struct Same;

impl<S: TransitionSystem> History<S> for Same {
    type Value = u8;

    fn initial(&self, _: &S, _: &StateOf<S>) -> u8 {
        0
    }

    fn after(&self, _: &S, before: &u8, _: &StateOf<S>, _: &ActionOf<S>, _: &StateOf<S>) -> u8 {
        *before
    }
}

/// A stutter that is under way ends, as well where another variable is above the one that stutters.
#[test]
fn a_stutter_below_another_variable_ends_too() {
    type Both = WithHistory<WithStuttering<Explicit, After>, Same>;
    let mut refinement = mapped(
        WithHistory {
            system: WithStuttering::new(coin(), After("throw", 3)),
            history: Same,
        },
        coin(),
        |s: &StateOf<Both>| s.state.state,
        |_, action: &ActionOf<Both>, _| match &action.0 {
            Stuttering::Step(action) => AbstractSteps::One(*action),
            Stuttering::Stutter(_) => AbstractSteps::Stutter,
        },
    );
    let ended = |s: &StateOf<Both>| s.state.stutter.is_none();
    let thrown = |s: &StateOf<Both>| s.state.state != 0;
    refinement.liveness = vec![
        Property::always_eventually("no stutter", "a test", ended),
        Property::eventually("thrown", "a test", thrown),
    ];
    let settings = Settings {
        liveness: Liveness::Included,
        ..to_the_end()
    };
    let report = checked(&refinement, &settings);
    let of = |row| verdict_on(&report, row);
    assert_eq!(
        of("always-eventually:no stutter"),
        Verdict::Holds,
        "{report}"
    );
    // Nothing but stutters has to go on.
    assert_eq!(of("eventually:thrown"), Verdict::Violated, "{report}");
}
