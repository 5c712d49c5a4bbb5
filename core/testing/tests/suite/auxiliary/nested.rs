//! One auxiliary variable over another, and variables with liveness.

use refmap::auxiliary::{
    Fate, History, Prophecy, Prophesying, Recording, Remembering, Stuttering, Stutters,
    WithHistory, WithProphecy, WithStuttering, enabled,
};
use refmap::{
    AbstractSteps, Action, ActionOf, Fairness, Process, Property, StateOf, TransitionSystem,
    Verdict, round_trip,
};
use refmap_testing::explicit::{Edge, Explicit};
use refmap_testing::{assert_verdict, mapped, row_of};

use super::{Predicting8, Predicts, live, plainly, predicting, report_of};

/// A coin that is thrown again and again: 1 or 2, then back to 0.
pub fn coin() -> Explicit {
    Explicit::new(
        &[("throw", "it"), ("pick", "it")],
        &[
            (0, "throw", 1),
            (0, "throw", 2),
            (1, "pick", 0),
            (2, "pick", 0),
        ],
    )
}

pub fn of_throws() -> Predicts {
    Predicts::new(
        |state| if state == 0 { vec![0] } else { Vec::new() },
        |_, _| vec![1, 2],
        |(_, prediction), _, step| Fate::Fulfil {
            comes_true: prediction == step.to,
        },
    )
}

/// Remembers what was foretold last.
pub struct Foretold;

impl History<WithProphecy<Explicit, Predicts>> for Foretold {
    type Value = u8;

    fn initial(&self, _: &WithProphecy<Explicit, Predicts>, state: &Prophesying<u8, u8, u8>) -> u8 {
        state.prophecy[&0]
    }

    fn after(
        &self,
        _: &WithProphecy<Explicit, Predicts>,
        before: &u8,
        _: &Prophesying<u8, u8, u8>,
        action: &Predicting8,
        _: &Prophesying<u8, u8, u8>,
    ) -> u8 {
        action.made.get(&0).copied().unwrap_or(*before)
    }
}

type Both = Remembering<Prophesying<u8, u8, u8>, u8>;

fn history_over(
    prophecy: Predicts,
) -> impl refmap::Refinement<Implementation = WithHistory<WithProphecy<Explicit, Predicts>, Foretold>>
{
    let mut refinement = mapped(
        WithHistory {
            system: predicting(coin(), prophecy),
            history: Foretold,
        },
        coin(),
        |s: &Both| s.state.state,
        |_: &Both, action: &Recording<Predicting8>, _: &Both| AbstractSteps::One(action.0.action),
    );
    refinement.environment = vec![Process::new("it")];
    refinement
}

/// A history over a prophecy: what is foretold of a throw is remembered until it is picked up. The conditions of the prophecy are
/// decided below both.
#[test]
fn a_history_over_a_prophecy() {
    let refinement = history_over(of_throws());
    let report = report_of(&refinement);
    for row in ["initial", "non-empty", "backward-total"] {
        assert_verdict(&report, &format!("auxiliary:{row}"), Verdict::Holds);
    }
    assert_verdict(&report, "simulation", Verdict::Holds);
    assert_verdict(&report, "deadlock", Verdict::Holds);
    // What is remembered cannot be guessed anew, so it is not known what the environment may do.
    assert_verdict(&report, "environment:throw", Verdict::Incomplete);

    let one_sided = Predicts {
        possible: |_, _| vec![1],
        ..of_throws()
    };
    let report = report_of(&history_over(one_sided));
    // `throw` to 2 is lost: with nothing open after it there is no prediction that comes true.
    let row = row_of(&report, "auxiliary:backward-total");
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    assert_eq!(row.counterexamples[0].length, 1);
}

/// Counts throws, modulo 3.
struct Throws;

impl History<Explicit> for Throws {
    type Value = u8;

    fn initial(&self, _: &Explicit, _: &u8) -> u8 {
        0
    }

    fn after(&self, _: &Explicit, before: &u8, _: &u8, action: &Edge, _: &u8) -> u8 {
        (before + u8::from(action.rule == 0)) % 3
    }
}

/// Foretells the next throw, of which the third can only be 1: so it says, and so it is not.
struct ThirdIsOne {
    possible_at_third: Vec<u8>,
}

type Counted = WithHistory<Explicit, Throws>;

impl Prophecy<Counted> for ThirdIsOne {
    type Key = ();
    type Prediction = u8;

    fn open(&self, _: &Counted, state: &StateOf<Counted>) -> Vec<()> {
        if state.state == 0 {
            vec![()]
        } else {
            Vec::new()
        }
    }
    fn possible(&self, _: &Counted, state: &StateOf<Counted>, (): &()) -> Vec<u8> {
        match state.history {
            2 => self.possible_at_third.clone(),
            _ => vec![1, 2],
        }
    }
    fn fate(
        &self,
        _: &Counted,
        (_, prediction): (&(), &u8),
        _: &StateOf<Counted>,
        Recording(action): &Recording<Edge>,
        _: &StateOf<Counted>,
    ) -> Fate<()> {
        Fate::Fulfil {
            comes_true: *prediction == action.to,
        }
    }
}

/// A prophecy over a history: its conditions are decided on the system with the history, of which it may speak.
#[test]
fn a_prophecy_over_a_history() {
    for (possible, expected) in [(vec![1, 2], Verdict::Holds), (vec![1], Verdict::Violated)] {
        let refinement = mapped(
            WithProphecy {
                system: WithHistory {
                    system: coin(),
                    history: Throws,
                },
                prophecy: ThirdIsOne {
                    possible_at_third: possible,
                },
            },
            coin(),
            |s: &Prophesying<Remembering<u8, u8>, (), u8>| s.state.state,
            |_, action: &refmap::auxiliary::Predicting<Recording<Edge>, (), u8>, _| {
                AbstractSteps::One(action.action.0)
            },
        );
        let report = report_of(&refinement);
        assert_verdict(&report, "auxiliary:backward-total", expected);
        let row = row_of(&report, "auxiliary:backward-total");
        if expected == Verdict::Violated {
            // Two throws are picked up, and the third is lost.
            assert_eq!(row.counterexamples[0].length, 5, "{report}");
            assert_eq!(row.counterexamples[0].steps[4].state["history"], 2);
        } else {
            assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        }
    }
}

/// Two stutters before each pick.
struct BeforePick;

impl<S> Stutters<S> for BeforePick
where
    S: TransitionSystem,
{
    type Value = u8;

    fn rules(&self) -> Vec<&'static str> {
        vec!["pick"]
    }
    fn before(&self, system: &S, state: &StateOf<S>) -> Vec<(ActionOf<S>, u8)> {
        enabled(system, state, |action| {
            (ActionOf::<S>::rules(system)[action.rule(system).0].name == "pick").then_some(2)
        })
    }
    fn least(&self) -> u8 {
        1
    }
    fn decrease(&self, value: &u8) -> u8 {
        value - 1
    }
}

/// Stutters over a prophecy: five conditions, of two variables. And all of it is kept as words.
#[test]
fn a_stutter_over_a_prophecy() {
    let view = WithStuttering::new(predicting(coin(), of_throws()), BeforePick);
    let mut states = Vec::new();
    view.initial(&mut |state| states.push(state));
    let mut at = 0;
    while at < states.len() {
        for (_, to) in refmap::steps(&view, &states[at].clone()) {
            if !states.contains(&to) {
                states.push(to);
            }
        }
        at += 1;
    }
    for state in &states {
        round_trip(&view, state).expect("it is read back as it was written");
    }
    let specification = coin();
    let refinement = mapped(
        view,
        specification,
        |s: &StateOf<WithStuttering<WithProphecy<Explicit, Predicts>, BeforePick>>| s.state.state,
        |_, action: &Stuttering<Predicting8, u8>, _| match action {
            Stuttering::Step(action) => AbstractSteps::One(action.action),
            Stuttering::Stutter(_) => AbstractSteps::Stutter,
        },
    );
    let report = report_of(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.states, states.len() as u64);
    for row in [
        "initial",
        "non-empty",
        "backward-total",
        "terminates",
        "enabled",
    ] {
        assert_verdict(&report, &format!("auxiliary:{row}"), Verdict::Holds);
    }

    assert_ne!(report.states_kept, Some(refmap::explore::StatesKept::Whole));
}

/// A stutter is no step of its rule, and takes none of it away: fairness of `pick` is met by picks alone, and forces them however
/// long it stutters before.
#[test]
fn a_stutter_is_no_step_of_its_rule() {
    let mut system = coin();
    system.fairness = vec![
        Fairness::weak("picks", ["pick"]),
        Fairness::weak("throws", ["throw"]),
    ];
    let specification = system.clone();
    let mut refinement = mapped(
        WithStuttering::new(system, BeforePick),
        specification,
        |s: &StateOf<WithStuttering<Explicit, BeforePick>>| s.state,
        |_, action: &Stuttering<Edge, u8>, _| match action {
            Stuttering::Step(action) => AbstractSteps::One(*action),
            Stuttering::Stutter(_) => AbstractSteps::Stutter,
        },
    );
    refinement.liveness = vec![Property::always_eventually(
        "picked up",
        "a test",
        |s: &StateOf<WithStuttering<Explicit, BeforePick>>| s.state == 0,
    )];
    let report = live(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // Fairness of the throws alone lets it stop before a pick, where a stutter has begun or not.
    refinement.implementation.system.fairness.remove(0);
    let report = live(&refinement);
    assert_verdict(&report, "fairness:picks", Verdict::Violated);
    assert_verdict(&report, "fairness:throws", Verdict::Holds);
    assert_verdict(&report, "always-eventually:picked up", Verdict::Violated);
}

/// Stutters after a step that has no fairness condition end nevertheless: the system has no state in the middle.
#[test]
fn a_stutter_that_is_under_way_ends() {
    struct AfterThrow;
    impl Stutters<Explicit> for AfterThrow {
        type Value = u8;
        fn rules(&self) -> Vec<&'static str> {
            vec!["throw"]
        }
        fn after(&self, _: &Explicit, _: &u8, action: &Edge, _: &u8) -> Option<u8> {
            (action.rule == 0).then_some(2)
        }
        fn least(&self) -> u8 {
            1
        }
        fn decrease(&self, value: &u8) -> u8 {
            value - 1
        }
    }
    type Paused = StateOf<WithStuttering<Explicit, AfterThrow>>;
    let mut refinement = mapped(
        WithStuttering::new(coin(), AfterThrow),
        coin(),
        |s: &Paused| s.state,
        |_, action: &Stuttering<Edge, u8>, _| match action {
            Stuttering::Step(action) => AbstractSteps::One(*action),
            Stuttering::Stutter(_) => AbstractSteps::Stutter,
        },
    );
    refinement.liveness = vec![
        Property::always_eventually("no stutter", "a test", |s: &Paused| s.stutter.is_none()),
        Property::eventually("thrown", "a test", |s: &Paused| s.state != 0),
    ];
    let report = live(&refinement);
    assert_verdict(&report, "always-eventually:no stutter", Verdict::Holds);
    let thrown = row_of(&report, "eventually:thrown");
    assert_eq!(thrown.verdict, Verdict::Violated, "{report}");
    let met = &thrown.counterexamples[0].fairness;
    assert_eq!(
        met.iter()
            .map(|one| one.condition.as_str())
            .collect::<Vec<_>>(),
        ["each stutter ends"]
    );
}

/// Two predictions that are one state of the system for fairness: SF of `pick` is met along a loop that changes its guesses.
#[test]
fn guesses_that_alternate_are_no_fairness() {
    let mut system = coin();
    system.fairness = vec![Fairness::strong("picks", ["pick"])];
    let specification = system.clone();
    let refinement = plainly(predicting(system, of_throws()), specification);
    let report = live(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// Fairness of a specification that is a view itself is not decided: what it means is not that of its steps.
#[test]
fn fairness_of_a_specification_with_a_variable_is_open() {
    let mut system = coin();
    system.fairness = vec![Fairness::weak("picks", ["pick"])];
    let counted = || WithHistory {
        system: system.clone(),
        history: Throws,
    };
    let refinement = mapped(
        counted(),
        counted(),
        |s: &Remembering<u8, u8>| s.clone(),
        |_, action: &Recording<Edge>, _| AbstractSteps::One(action.clone()),
    );
    let report = live(&refinement);
    assert_verdict(&report, "fairness:picks", Verdict::Incomplete);
    assert_verdict(&report, "simulation", Verdict::Holds);
}
