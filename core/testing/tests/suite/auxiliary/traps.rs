//! The traps of auxiliary variables: what a check sees that looks at the system with the variable, and at nothing else.

use refmap::Strength;
use refmap::auxiliary::{Fate, History, Recording, Remembering, WithHistory, WithProphecy};
use refmap::obligation::{Checker, Symmetry};
use refmap::{
    AbstractSteps, Action, Fairness, Process, Property, Settings, State, TransitionSystem, Verdict,
    steps,
};
use refmap_testing::explicit::{Edge, Explicit};
use refmap_testing::{
    Mapped, assert_explained, assert_verdict, mapped, row_of, to_the_end, verdict_on,
};

use super::{Predicting8, Predicts, Prophesying8, live, naively, plainly, predicting, report_of};

/// A system that goes from 0 to 1, and then takes `b` or `c`.
fn choosing() -> Explicit {
    Explicit::new(
        &[("go", "it"), ("b", "it"), ("c", "it"), ("end", "it")],
        &[
            (0, "go", 1),
            (1, "b", 2),
            (1, "c", 3),
            (2, "end", 2),
            (3, "end", 3),
        ],
    )
}

/// Until 2 or 3 is reached, which of them that is.
fn of_choice(possible: fn(u8, u8) -> Vec<u8>) -> Predicts {
    Predicts::new(
        |state| if state < 2 { vec![0] } else { Vec::new() },
        possible,
        |(key, prediction), from, step| match from {
            1 => Fate::Fulfil {
                comes_true: prediction == step.to,
            },
            _ => Fate::Keep(key),
        },
    )
}

/// (1) A prediction that is possible only later is never made: the behaviour that needs it is lost, and no pair that is reached
/// tells of it. What is seen of those pairs is a system that never takes `c`, and refines one that cannot.
#[test]
fn lost_behaviours_are_not_among_the_pairs_that_are_reached() {
    let lossy = of_choice(|state, _| if state == 0 { vec![2] } else { vec![2, 3] });
    let only_b = Explicit::new(
        &[("go", "it"), ("b", "it"), ("c", "it"), ("end", "it")],
        &[(0, "go", 1), (1, "b", 2), (2, "end", 2)],
    );
    let mut only_b = only_b;
    // The rules are those of the implementation, for its numbers; `c` is waived by being enabled nowhere.
    only_b.shown.push(3);
    let refinement = plainly(predicting(choosing(), lossy), only_b);
    let naive = naively(&refinement);
    assert_eq!(naive.verdict, Some(Verdict::Holds), "{naive}");
    let report = report_of(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    assert_verdict(&report, "auxiliary:initial", Verdict::Holds);
    assert_verdict(&report, "auxiliary:non-empty", Verdict::Holds);
    let row = row_of(&report, "auxiliary:backward-total");
    assert_eq!(row.verdict, Verdict::Violated);
    let counterexample = &row.counterexamples[0];
    assert_eq!(counterexample.length, 1, "{report}");
    assert!(counterexample.explanation.contains("{0=3}"), "{report}");
    // A behaviour of the base, which is mapped to none.
    assert_eq!(counterexample.steps[1].state, serde_json::json!(1));
    assert!(counterexample.steps[1].abstract_state.is_null());
    let told = report.to_string();
    assert!(
        !told.contains("answered by") && !told.contains("abstract"),
        "{told}"
    );
}

/// The same prediction, possible from the beginning on, loses nothing, so that what is checked is the whole system.
#[test]
fn a_prediction_that_is_offered_in_time_loses_nothing() {
    let prophecy = of_choice(|_, _| vec![2, 3]);
    let report = report_of(&plainly(predicting(choosing(), prophecy), choosing()));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    for row in ["initial", "non-empty", "backward-total"] {
        assert_verdict(&report, &format!("auxiliary:{row}"), Verdict::Holds);
    }
    // Two predictions at the target of `go`, and of each other step the only one, that of nothing.
    assert_eq!(row_of(&report, "auxiliary:backward-total").checked, 2 + 4);
}

/// A system that takes `b` after `go`, of which `c` is foretold as well.
fn with_wrong_guesses() -> WithProphecy<Explicit, Predicts> {
    let system = Explicit::new(
        &[("go", "it"), ("b", "it"), ("end", "it")],
        &[(0, "go", 1), (1, "b", 2), (2, "end", 2)],
    );
    predicting(system, of_choice(|_, _| vec![2, 3]))
}

/// (2) A wrong guess gets stuck where the system does not: no deadlock. What is seen of the pairs alone is a state without a step.
#[test]
fn a_wrong_guess_is_no_deadlock() {
    let view = with_wrong_guesses();
    let stuck = Prophesying8 {
        state: 1,
        prophecy: [(0, 3)].into(),
    };
    assert_eq!(steps(&view, &stuck), []);
    let specification = view.system.clone();
    let report = report_of(&plainly(view, specification));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.deadlocks, 0);

    // Where the system itself gets stuck the view does, too.
    let mut view = with_wrong_guesses();
    view.system.steps[2].clear();
    let specification = view.system.clone();
    let report = report_of(&plainly(view, specification));
    let deadlock = row_of(&report, "deadlock");
    assert_eq!(deadlock.verdict, Verdict::Violated, "{report}");
    assert_eq!(
        (deadlock.counterexamples[0].length, report.deadlocks),
        (2, 1)
    );
    assert_eq!(deadlock.counterexamples[0].steps[2].state["state"], 2);
}

/// Remembers nothing.
struct Nothing;

impl History<WithProphecy<Explicit, Predicts>> for Nothing {
    type Value = ();

    fn initial(&self, _: &WithProphecy<Explicit, Predicts>, _: &Prophesying8) {}

    fn after(
        &self,
        _: &WithProphecy<Explicit, Predicts>,
        _: &(),
        _: &Prophesying8,
        _: &Predicting8,
        _: &Prophesying8,
    ) {
    }
}

/// (2) What only a wrong guess simulates is simulated nowhere. The specification chooses at once, and may choose what the
/// implementation never does; the step that guesses so is among those of the view, and simulates `choose_c`.
#[test]
fn what_only_a_wrong_guess_simulates_is_not_covered() {
    let choosing_early = || {
        let mut early = Explicit::new(
            &[
                ("choose_b", "it"),
                ("choose_c", "it"),
                ("b", "it"),
                ("end", "it"),
            ],
            &[
                (0, "choose_b", 4),
                (4, "b", 2),
                (2, "end", 2),
                (0, "choose_c", 5),
            ],
        );
        early.shown = vec![0, 0, 2, 0, 0, 0];
        early
    };
    let early = choosing_early();
    let [choose_b, b, end] =
        [("choose_b", 4), ("b", 2), ("end", 2)].map(|(rule, to)| early.edge(rule, to));
    let choose_c = Edge { rule: 1, to: 5 };
    let image = |s: &Prophesying8| match (s.state, s.prophecy.get(&0)) {
        (1, Some(3)) => 5,
        (1, _) => 4,
        (state, _) => state,
    };
    let answer = move |from: &Prophesying8, to: &Prophesying8| {
        AbstractSteps::One(match (from.state, to.prophecy.get(&0)) {
            (0, Some(3)) => choose_c,
            (0, _) => choose_b,
            (1, _) => b,
            _ => end,
        })
    };
    let guessing = || {
        let mut view = with_wrong_guesses();
        view.system.shown = vec![0, 0, 2];
        view
    };
    let wrong = Prophesying8 {
        state: 0,
        prophecy: [(0, 3)].into(),
    };
    // It is seen that `choose_c` is simulated: the image of this step's target is 5.
    assert_eq!(steps(&guessing(), &wrong)[0].1.prophecy, [(0, 3)].into());
    let by_itself = mapped(guessing(), early.clone(), image, move |from, _, to| {
        answer(from, to)
    });
    let remembering = WithHistory {
        system: guessing(),
        history: Nothing,
    };
    let below_a_history = mapped(
        remembering,
        early.clone(),
        move |s: &Remembering<Prophesying8, ()>| image(&s.state),
        move |from: &Remembering<Prophesying8, ()>, _, to: &Remembering<Prophesying8, ()>| {
            answer(&from.state, &to.state)
        },
    );
    for report in [report_of(&by_itself), report_of(&below_a_history)] {
        assert_explained(&report, "coverage", "`choose_c`");
        assert_verdict(&report, "simulation", Verdict::Holds);
    }

    // Where the guess may be right it is covered.
    let mut view = with_wrong_guesses();
    view.system = choosing();
    view.system.shown = vec![0, 0, 2, 2];
    let mut early = choosing_early();
    early.steps[5].push(Edge { rule: 2, to: 2 });
    let right = mapped(
        view,
        early,
        |s: &Prophesying8| match (s.state, s.prophecy.get(&0)) {
            (1, Some(3)) => 5,
            (1, _) => 4,
            (0, _) => 0,
            _ => 2,
        },
        |from: &Prophesying8, _: &Predicting8, to: &Prophesying8| {
            let (rule, to) = match (from.state, to.prophecy.get(&0)) {
                (0, Some(3)) => (1, 5),
                (0, _) => (0, 4),
                (1, _) => (2, 2),
                _ => (3, 2),
            };
            AbstractSteps::One(Edge { rule, to })
        },
    );
    let report = report_of(&right);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// A user that puts one of two things again and again; foretold is which comes next.
fn putting(rules: &[(u8, &str, u8)]) -> Explicit {
    Explicit::new(
        &[("put_a", "user"), ("put_b", "user"), ("take", "server")],
        rules,
    )
}

const PUTS: [(u8, &str, u8); 4] = [
    (0, "put_a", 1),
    (0, "put_b", 2),
    (1, "take", 0),
    (2, "take", 0),
];

fn of_puts(possible: fn(u8, u8) -> Vec<u8>) -> Predicts {
    Predicts::new(
        |state| if state == 0 { vec![0] } else { Vec::new() },
        possible,
        |(_, prediction), _, step| Fate::Fulfil {
            comes_true: prediction == step.to,
        },
    )
}

/// (2) The environment is free although a guess forbids what it may do: with another guess it is done. In the pairs alone `put_b` is
/// refused where `put_a` is foretold. And what the system refuses is refused.
#[test]
fn a_guess_does_not_refuse_the_environment() {
    let user = |refinement: &mut Mapped<_, _>| {
        refinement.environment = vec![Process::new("user")];
    };
    let view = predicting(putting(&PUTS), of_puts(|_, _| vec![1, 2]));
    let foretold = Prophesying8 {
        state: 0,
        prophecy: [(0, 1)].into(),
    };
    let puts = steps(&view, &foretold)
        .into_iter()
        .map(|(by, _)| by.action.rule);
    assert_eq!(puts.collect::<Vec<_>>(), [0]);
    let mut free = plainly(view, putting(&PUTS));
    user(&mut free);
    let report = report_of(&free);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(row_of(&report, "environment:put_b").checked, 2);

    let without_b = putting(&[(0, "put_a", 1), (1, "take", 0)]);
    let mut refusing = plainly(
        predicting(without_b, of_puts(|_, _| vec![1])),
        putting(&PUTS),
    );
    user(&mut refusing);
    let report = report_of(&refusing);
    assert_verdict(&report, "environment:put_b", Verdict::Violated);
    assert_verdict(&report, "environment:put_a", Verdict::Holds);
    assert_verdict(&report, "auxiliary:backward-total", Verdict::Holds);
}

/// Counts the polls, modulo 2.
struct Polls;

impl History<Explicit> for Polls {
    type Value = u8;

    fn initial(&self, _: &Explicit, _: &u8) -> u8 {
        0
    }

    fn after(&self, system: &Explicit, before: &u8, _: &u8, action: &Edge, _: &u8) -> u8 {
        (before + u8::from(system.rules[usize::from(action.rule)].name == "poll")) % 2
    }
}

type Counting = Remembering<u8, u8>;

/// (3) A step that changes a history variable and nothing else is no step for fairness: a poll is none, so fairness of it assumes
/// nothing, and the system may stop polling. Of the pairs, polling is a step that changes the state, is enabled always and so is
/// taken again and again: the specification's clock would tick for ever.
#[test]
fn a_step_that_changes_a_history_alone_is_none_for_fairness() {
    let mut polling = Explicit::new(&[("poll", "it")], &[(0, "poll", 0)]);
    polling.fairness = vec![Fairness::weak("polls", ["poll"])];
    let mut clock = Explicit::new(&[("tick", "it")], &[(0, "tick", 1), (1, "tick", 0)]);
    clock.shown = vec![0, 0];
    clock.fairness = vec![Fairness::weak("ticks", ["tick"])];
    let refinement = mapped(
        WithHistory {
            system: polling,
            history: Polls,
        },
        clock,
        |s: &Counting| s.history,
        |_: &Counting, _: &Recording<Edge>, to: &Counting| {
            AbstractSteps::One(Edge {
                rule: 0,
                to: to.history,
            })
        },
    );
    // Fairness of the step that is taken from here would make the clock tick.
    let [zero, one] = [0, 1].map(|history| Counting { state: 0, history });
    assert_eq!(steps(&refinement.implementation, &zero)[0].1, one);
    let report = live(&refinement);
    let row = row_of(&report, "fairness:ticks");
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    assert_eq!(row.counterexamples[0].loop_start, Some(0));
}

/// (3) The other way round: fairness of all that it does forces a system to leave 0, however often it polls there.
#[test]
fn polling_does_not_meet_a_fairness_condition() {
    let mut system = Explicit::new(
        &[("poll", "it"), ("leave", "it")],
        &[(0, "poll", 0), (0, "leave", 1), (1, "poll", 1)],
    );
    system.fairness = vec![Fairness::weak("goes on", ["poll", "leave"])];
    let specification = system.clone();
    let mut refinement = mapped(
        WithHistory {
            system,
            history: Polls,
        },
        specification,
        |s: &Counting| s.state,
        |_: &Counting, action: &Recording<Edge>, _: &Counting| AbstractSteps::One(action.0),
    );
    refinement.liveness = vec![Property::eventually("leaves", "a test", |s: &Counting| {
        s.state == 1
    })];
    let report = live(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // Without the condition it may stay.
    refinement.implementation.system.fairness.clear();
    refinement.specification.fairness.clear();
    let report = live(&refinement);
    assert_verdict(&report, "eventually:leaves", Verdict::Violated);
}

/// (3) An action that a wrong guess forbids is enabled, so that no behaviour that waits with a wrong guess is fair. In the pairs
/// alone it is enabled nowhere in that loop, and the condition is met.
#[test]
fn an_action_that_a_guess_forbids_is_enabled() {
    for strength in [Strength::Weak, Strength::Strong] {
        let mut view = with_wrong_guesses();
        let fair = match strength {
            Strength::Weak => Fairness::weak("b comes", ["go", "b"]),
            Strength::Strong => Fairness::strong("b comes", ["go", "b"]),
        };
        view.system.fairness = vec![fair];
        let specification = view.system.clone();
        let mut refinement = plainly(view, specification);
        refinement.liveness = vec![Property::eventually("b", "a test", |s: &Prophesying8| {
            s.state == 2
        })];
        let report = live(&refinement);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        // The condition is what makes it so.
        refinement.implementation.system.fairness.clear();
        let report = live(&refinement);
        assert_verdict(&report, "eventually:b", Verdict::Violated);
        assert_verdict(&report, "fairness:b comes", Verdict::Violated);
    }
}

/// Two lamps, each lit once; the one whose number is here is lit.
#[derive(Clone)]
struct Lamps;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, State)]
struct Lit {
    #[state(symmetric)]
    lamps: [bool; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
#[rule(process = "lamp")]
enum Light {
    Light(#[process(0..2)] u8),
}

impl TransitionSystem for Lamps {
    type State = Lit;
    type Action = Light;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(Lit)) {
        visit(Lit { lamps: [false; 2] });
    }
    fn fire(&self, Light::Light(lamp): &Light, lit: &mut Lit) -> Option<()> {
        let is_lit = &mut lit.lamps[usize::from(*lamp)];
        (!*is_lit).then(|| *is_lit = true)
    }
    fn observe(&self, state: &Lit) -> u8 {
        state.lamps.iter().map(|lit| u8::from(*lit)).sum()
    }
    fn may_stop(&self, state: &Lit) -> bool {
        state.lamps == [true; 2]
    }
}

/// A lamp by its number; or the same, if it is not said to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, State)]
enum Lamp {
    Named(#[state(member)] u8),
    Unnamed(u8),
}

impl Lamp {
    fn number(self) -> u8 {
        match self {
            Self::Named(lamp) | Self::Unnamed(lamp) => lamp,
        }
    }
}

/// The lamp that is lit next.
struct Next {
    is_named: bool,
}

impl refmap::auxiliary::Prophecy<Lamps> for Next {
    type Key = ();
    type Prediction = Lamp;

    fn open(&self, _: &Lamps, state: &Lit) -> Vec<()> {
        let any = state.lamps.contains(&false);
        any.then_some(()).into_iter().collect()
    }
    fn possible(&self, _: &Lamps, state: &Lit, (): &()) -> Vec<Lamp> {
        let dark = (0..2).filter(|lamp| !state.lamps[usize::from(*lamp)]);
        let lamp = |lamp| match self.is_named {
            true => Lamp::Named(lamp),
            false => Lamp::Unnamed(lamp),
        };
        dark.map(lamp).collect()
    }
    fn fate(
        &self,
        _: &Lamps,
        ((), prediction): (&(), &Lamp),
        _: &Lit,
        Light::Light(lamp): &Light,
        _: &Lit,
    ) -> Fate<()> {
        Fate::Fulfil {
            comes_true: prediction.number() == *lamp,
        }
    }
}

/// (4) A symmetry permutes what is predicted too; one that leaves predictions alone is none, and is found out. Two states that
/// differ by it alone would be taken for one.
#[test]
fn a_symmetry_permutes_predictions() {
    let report = |is_named: bool, symmetry: Symmetry| {
        let refinement = mapped(
            WithProphecy {
                system: Lamps,
                prophecy: Next { is_named },
            },
            Lamps,
            |s: &refmap::auxiliary::Prophesying<Lit, (), Lamp>| s.state,
            |_, action: &refmap::auxiliary::Predicting<Light, (), Lamp>, _| {
                AbstractSteps::One(action.action)
            },
        );
        let settings = Settings {
            symmetry,
            ..to_the_end()
        };
        let checker = Checker::new(&refinement);
        checker.check(&settings).expect("the settings fit")
    };
    let plain = report(true, Symmetry::None);
    assert_eq!(plain.verdict, Some(Verdict::Holds), "{plain}");
    // Dark with either lamp foretold; one lit, and the other one foretold; both lit.
    assert_eq!(plain.states, 2 + 2 + 1);
    let quotient = report(true, Symmetry::Full);
    assert_eq!(quotient.states, 3);
    assert_verdict(&quotient, "simulation", Verdict::Holds);
    for row in ["initial", "non-empty", "backward-total"] {
        assert_verdict(&quotient, &format!("auxiliary:{row}"), Verdict::Holds);
    }
    assert_eq!(
        verdict_on(&quotient, "coverage"),
        Verdict::Holds,
        "{quotient}"
    );
    assert_eq!(quotient.verdict, Some(Verdict::Holds), "{quotient}");
    let wrong = report(false, Symmetry::Full);
    assert_eq!(verdict_on(&wrong, "model"), Verdict::Violated, "{wrong}");
}

/// (5) Mostly the specification can be changed instead: one that chooses as late as the implementation needs no prediction, and shows
/// the same. Without a prediction there is no mapping to the one that chooses early: it is refuted whichever way the state in which
/// nothing is chosen yet is mapped.
#[test]
fn a_later_choice_needs_no_prophecy() {
    let mut late = choosing();
    late.shown = vec![0, 0, 2, 3];
    let mut early = Explicit::new(
        &[("go", "it"), ("b", "it"), ("c", "it"), ("end", "it")],
        &[
            (0, "go", 4),
            (0, "go", 5),
            (4, "b", 2),
            (5, "c", 3),
            (2, "end", 2),
            (3, "end", 3),
        ],
    );
    early.shown = vec![0, 0, 2, 3, 0, 0];
    let identity = mapped(
        late.clone(),
        late.clone(),
        |state: &u8| *state,
        |_: &u8, action: &Edge, _: &u8| AbstractSteps::One(*action),
    );
    assert_eq!(report_of(&identity).verdict, Some(Verdict::Holds));
    for chosen in [4, 5] {
        let unforeseen = mapped(
            late.clone(),
            early.clone(),
            move |state: &u8| if *state == 1 { chosen } else { *state },
            move |_: &u8, action: &Edge, to: &u8| {
                let to = if *to == 1 { chosen } else { *to };
                AbstractSteps::One(Edge { to, ..*action })
            },
        );
        let report = report_of(&unforeseen);
        assert_verdict(&report, "simulation", Verdict::Violated);
    }
    let image = |s: &Prophesying8| match (s.state, s.prophecy.get(&0)) {
        (1, Some(2)) => 4,
        (1, _) => 5,
        (state, _) => state,
    };
    let foreseen = mapped(
        predicting(late, of_choice(|_, _| vec![2, 3])),
        early,
        image,
        move |_: &Prophesying8, action: &Predicting8, to: &Prophesying8| {
            AbstractSteps::One(Edge {
                to: image(to),
                ..action.action
            })
        },
    );
    let report = report_of(&foreseen);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}
