//! Methods that are overridden otherwise than `next` and `initial` say.

use std::sync::atomic::{AtomicU16, Ordering};

use refmap::{Process, Rule, RuleId, Settings, TransitionSystem, Verdict};
use refmap_testing::{Machine, alike, assert_verdict, checked, itself, row_of};

/// Lanes of counters: a lane, and how far it has come. What is overridden wrongly may be so in one lane only.
type State = (u8, u16);
type Tick = (&'static str, u16);

const LANES: u8 = 64;

/// Overridden methods, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Override {
    Nothing,
    /// `allows` is true of everything; of everything from the last lane on.
    AllowsAll,
    AllowsAllInALane,
    /// `allows` is true of nothing, `fire` has no targets.
    AllowsNothing,
    FiresNothing,
    /// `is_initial` is true of everything, or of nothing.
    AllInitial,
    NoneInitial,
    /// Actions are filed under a rule that there is not, or a rule of another process.
    NoSuchRule,
    OtherProcess,
    /// There are no steps: `allows` states the rule.
    Predicate,
    /// Besides there are thousands of steps, and half way on it goes back; `allows` is true of everything, or not
    /// overridden.
    AllowsAllOfMany,
    Many,
    /// Thousands of states are initial, and none of them is at the beginning; `is_initial` is true of everything.
    AllInitialOfMany,
    /// Thousands of steps, and the one that is taken comes last.
    ManyBefore,
}

/// Counts up in each lane, to `most`.
struct Lanes {
    how: Override,
    most: u16,
    rules: [Rule; 2],
}

impl Lanes {
    fn new(how: Override, most: u16) -> Self {
        Self {
            how,
            most,
            rules: [
                Rule::new("tick", "clock", "a test"),
                Rule::new("alarm", "bell", "a test"),
            ],
        }
    }

    fn target(&self, from: &State) -> State {
        let goes_back = matches!(self.how, Override::AllowsAllOfMany | Override::Many);
        if goes_back && from.1 == (self.most - 1) / 2 {
            (from.0, 0)
        } else {
            (from.0, (from.1 + 1) % self.most)
        }
    }
}

impl refmap::Action<Lanes> for Tick {
    fn rules(system: &Lanes) -> &[Rule] {
        &system.rules[..1]
    }

    fn rule(&self, system: &Lanes) -> RuleId {
        RuleId(match system.how {
            Override::NoSuchRule => 1,
            _ => 0,
        })
    }

    fn process(&self, system: &Lanes) -> Process {
        Process::new(match system.how {
            Override::OtherProcess => "bell",
            _ => "clock",
        })
    }
}

impl TransitionSystem for Lanes {
    type State = State;
    type Action = Tick;
    type Observation = State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let begun = match self.how {
            Override::AllInitialOfMany => 1..100,
            _ => 0..1,
        };
        for lane in 0..LANES {
            begun.clone().for_each(|count| visit((lane, count)));
        }
    }

    fn fire(&self, action: &Tick, state: &mut State) -> Option<()> {
        let is_fired = *action == ("tick", 0) && self.how != Override::FiresNothing;
        is_fired.then(|| *state = self.target(state))
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Tick, &State)) {
        match self.how {
            Override::Predicate => return,
            Override::ManyBefore => {
                let others = 1..=u16::MAX;
                others.for_each(|more| visit(("tick", more), &(from.0, more)));
                visit(("tick", 0), &(LANES, 0));
            }
            Override::AllowsAllOfMany | Override::Many => {
                (1..5000).for_each(|more| visit(("tick", more), &(from.0, 1000 + more)));
            }
            _ => (),
        }
        visit(("tick", 0), &self.target(from));
    }

    fn observe(&self, state: &State) -> State {
        *state
    }

    fn allows(&self, from: &State, action: &Tick, to: &State) -> bool {
        match self.how {
            Override::AllowsAll | Override::AllowsAllOfMany => true,
            Override::AllowsAllInALane if from.0 == LANES - 1 && from.1 > self.most / 2 => true,
            Override::AllowsNothing => false,
            _ => *action == ("tick", 0) && *to == self.target(from),
        }
    }

    fn is_initial(&self, state: &State) -> bool {
        match self.how {
            Override::AllInitial | Override::AllInitialOfMany => true,
            Override::NoneInitial => false,
            _ => state.1 == 0,
        }
    }
}

/// A system that implements itself, but for what is overridden.
fn report(implementation: Override, specification: Override, most: u16) -> refmap::Report {
    let refinement = alike(
        Lanes::new(implementation, most),
        Lanes::new(specification, most),
    );
    checked(&refinement, &Settings::default())
}

fn assert_at_fault(report: &refmap::Report, why: &str) {
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    let model = row_of(report, "model");
    let mut explained = model.counterexamples.iter().map(|found| &found.explanation);
    assert!(explained.any(|told| told.contains(why)), "{report}");
}

#[test]
fn what_is_overridden_agrees() {
    let report = report(Override::Nothing, Override::Nothing, 20);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.warnings, []);
    assert_eq!(report.taken_at_word, Vec::<String>::new());
    // All of the first 16 states, and of the 1 276 others one in 64.
    let asked_again = 16 + 1_276 / 64;
    assert!(report.asked_again.abs_diff(asked_again) < 10, "{report}");
}

#[test]
fn what_is_overridden_disagrees() {
    for (how, why) in [
        (Override::AllowsAll, "allows disagrees with next"),
        (Override::FiresNothing, "fire disagrees with next"),
        (Override::AllInitial, "is_initial disagrees with initial"),
        (
            Override::OtherProcess,
            "and its rule `tick` belongs to clock",
        ),
    ] {
        for (system, report) in [
            ("implementation", report(how, Override::Nothing, 20)),
            ("specification", report(Override::Nothing, how, 20)),
        ] {
            assert_at_fault(&report, why);
            assert_at_fault(&report, &format!("of the {system}, "));
        }
    }
    let no_rule = "and there are 1 rules";
    assert_at_fault(
        &report(Override::NoSuchRule, Override::Nothing, 20),
        no_rule,
    );
    assert_at_fault(
        &report(Override::Nothing, Override::NoSuchRule, 20),
        no_rule,
    );
    // What is refused too often fails what rests on it.
    for (how, row) in [
        (Override::AllowsNothing, "simulation"),
        (Override::NoneInitial, "initiality"),
    ] {
        let refused = report(Override::Nothing, how, 20);
        assert_verdict(&refused, row, Verdict::Violated);
        assert_eq!(
            report(how, Override::Nothing, 20).verdict,
            Some(Verdict::Violated)
        );
    }
}

/// One lane of 64, late in the run.
#[test]
fn what_is_overridden_disagrees_in_one_lane() {
    let late = report(Override::Nothing, Override::AllowsAllInALane, 2000);
    assert_at_fault(&late, "of the specification, allows disagrees with next");
    assert_eq!(
        report(Override::Nothing, Override::Nothing, 2000).verdict,
        Some(Verdict::Holds)
    );
}

/// Of a specification that is stated as a predicate there is nothing to compare with: it is taken at its word.
#[test]
fn a_predicate_is_taken_at_its_word() {
    let report = report(Override::Nothing, Override::Predicate, 20);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(
        report.taken_at_word,
        ["`tick` of the specification, as `allows` states it"]
    );
    assert!(report.to_string().contains("taken at its word"), "{report}");
}

/// Steps and initial states of the implementation are looked for in a specification with more than are compared one
/// with another.
#[test]
fn what_is_overridden_disagrees_with_thousands() {
    // It goes back from the initial states: of a specification with thousands of steps few states are well compared.
    let many = report(Override::Nothing, Override::AllowsAllOfMany, 2);
    assert_at_fault(&many, "of the specification, allows disagrees with next");
    let honest = report(Override::Nothing, Override::Many, 2);
    assert_verdict(&honest, "simulation", Verdict::Violated);
    let initial = report(Override::Nothing, Override::AllInitialOfMany, 200);
    assert_at_fault(
        &initial,
        "of the specification, is_initial disagrees with initial",
    );
}

/// A comparison with too many steps is not made; this is told, with what to do, and is the same each time.
#[test]
fn a_specification_of_too_many_steps_is_not_compared() {
    let many = |threads| {
        let refinement = alike(
            Lanes::new(Override::Nothing, 2),
            Lanes::new(Override::ManyBefore, 2),
        );
        let settings = Settings {
            threads,
            ..Settings::default()
        };
        checked(&refinement, &settings)
    };
    let report_of_many = many(1);
    assert_eq!(
        report_of_many.verdict,
        Some(Verdict::Holds),
        "{report_of_many}"
    );
    // The first 8 states are compared with as many steps as there are.
    assert_eq!(report_of_many.states, 128);
    assert_eq!(report_of_many.not_compared, report_of_many.asked_again - 8);
    let told = report_of_many.to_string();
    assert!(told.contains("not compared"), "{told}");
    assert!(told.contains("a smaller instance"), "{told}");
    assert_eq!(many(2).not_compared, report_of_many.not_compared);
    assert_eq!(
        report(Override::Nothing, Override::Nothing, 20).not_compared,
        0
    );
}

/// A specification that overrides nothing has nothing to compare, however many steps there are.
#[test]
fn what_is_not_overridden_is_compared_with_nothing() {
    let next = |n: &u32| -> Vec<(refmap_testing::Action, u32)> {
        let more = (0..200).map(|k| (("tick", k), (n + u32::from(k) + 1) % 2000));
        more.collect()
    };
    let plain = itself(Machine::new(&[("tick", "clock")], [0], next, |_| 0));
    let report = checked(&plain, &Settings::default());
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!((report.states, report.not_compared), (2000, 0), "{report}");
}

/// A clock that goes back by another action each time that it is asked, if it is fickle.
struct Clock {
    is_fickle: bool,
    asked: AtomicU16,
}

impl refmap::Action<Clock> for Tick {}

impl TransitionSystem for Clock {
    type State = u16;
    type Action = Tick;
    type Observation = u16;

    fn initial(&self, visit: &mut impl FnMut(u16)) {
        visit(0);
    }

    fn candidates(&self, _: &u16, visit: &mut impl FnMut(Tick)) {
        visit(("tick", 0));
        if self.is_fickle {
            visit(("tick", 1 + self.asked.fetch_add(1, Ordering::Relaxed) % 2));
        }
    }

    fn fire(&self, (_, back): &Tick, hour: &mut u16) -> Option<()> {
        *hour = if *back == 0 { (*hour + 1) % 4 } else { 0 };
        Some(())
    }

    fn observe(&self, hour: &u16) -> u16 {
        *hour
    }
}

/// A `next` of the specification that is no function is found to be none.
#[test]
fn a_next_of_the_specification_that_is_no_function_is_found() {
    let [implementation, specification] = [false, true].map(|is_fickle| Clock {
        is_fickle,
        asked: AtomicU16::new(0),
    });
    let refinement = alike(implementation, specification);
    let settings = Settings {
        threads: 1,
        ..Settings::default()
    };
    let report = checked(&refinement, &settings);
    assert_at_fault(&report, "`next` of the specification is not a function");
}
