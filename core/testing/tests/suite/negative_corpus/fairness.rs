//! Fairness conditions of the specification: the states between enable, the steps from and to them are taken, and a process
//! is its kind and its number.

use refmap::AbstractSteps::{One, Several};
use refmap::obligation::Liveness;
use refmap::{Action, Fairness, Report, Settings, TransitionSystem, Verdict, check, compose};
use refmap_testing::{Mapped, alike, assert_verdict, mapped, row_of};
use serde::Serialize;

use crate::liveness::live;

/// That a row is violated by a lasso of so many steps before the loop, with this explanation.
fn assert_starved(report: &Report, name: &str, stem: usize, why: &str) {
    assert_verdict(report, name, Verdict::Violated);
    let shown = &row_of(report, name).counterexamples[0];
    assert_eq!(shown.loop_start, Some(stem), "{report}");
    assert!(shown.explanation.contains(why), "{report}");
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
}

fn assert_not_tested(report: &Report, name: &str, why: &str) {
    assert_verdict(report, name, Verdict::Incomplete);
    assert_eq!(row_of(report, name).note.as_deref(), Some(why), "{report}");
    assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "p")]
enum Step {
    Open,
    Shut,
    Serve,
    Reset,
    Back,
    Blink,
}

/// Course of a round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// Each abstract step is one of its own. The specification.
    Single,
    /// It serves once, and then opens and shuts at once for ever.
    Shuts,
    /// The same, serving at once in the place of shutting.
    Serves,
    /// It opens and shuts in place: a step that leads back to where it began.
    InPlace,
}

/// A door: 0 open> 1, 1 shut> 3, 1 serve> 2, 2 reset> 0, 3 back> 0. States 0 and 1 look alike.
#[derive(Clone)]
struct Door {
    round: Round,
    /// Whether state 3 looks like 0 and 1, so that nothing of a round that shuts is seen.
    hides_shut: bool,
    fairness: Vec<Fairness>,
}

impl TransitionSystem for Door {
    type State = u8;
    type Action = Step;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, step: &Step, state: &mut u8) -> Option<()> {
        *state = match (self.round, *state, step) {
            (_, 0, Step::Open) => 1,
            (_, 1, Step::Serve) => 2,
            (Round::Single, 1, Step::Shut) => 3,
            (Round::Single, 2, Step::Reset) | (Round::Single, 3, Step::Back) => 0,
            (_, 2 | 12, Step::Reset) | (_, 13, Step::Back) => 10,
            (Round::Shuts, 10, Step::Blink) => 13,
            (Round::Serves, 10, Step::Blink) => 12,
            (Round::InPlace, 10, Step::Blink) => 10,
            _ => return None,
        };
        Some(())
    }

    fn observe(&self, state: &u8) -> u8 {
        match state % 10 {
            1 => 0,
            3 if self.hides_shut => 0,
            shown => shown,
        }
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }
}

/// Rounds of an implementation that goes on, and what the specification promises.
fn doors(round: Round, promised: &[Fairness]) -> Mapped<Door, Door> {
    let all = ["open", "serve", "reset", "blink", "back"];
    let hides_shut = round == Round::InPlace;
    let door = |round, fairness| Door {
        round,
        hides_shut,
        fairness,
    };
    mapped(
        door(round, vec![Fairness::weak("goes on", all)]),
        door(Round::Single, promised.to_vec()),
        |state| state % 10,
        move |_, action, _| match (action, round) {
            (Step::Blink, Round::Serves) => Several(vec![Step::Open, Step::Serve]),
            (Step::Blink, Round::InPlace) => Several(vec![Step::Open, Step::Shut, Step::Back]),
            (Step::Blink, _) => Several(vec![Step::Open, Step::Shut]),
            (other, _) => One(other.clone()),
        },
    )
}

/// Each round comes by state 1, which enables `serve`, and is the image of no state of the loop.
#[test]
fn a_rule_that_states_between_alone_enable_and_that_is_never_taken() {
    let served = [Fairness::strong("served", ["serve"])];
    let report = live(&doors(Round::Shuts, &served));
    assert_starved(
        &report,
        "fairness:served",
        3,
        "is enabled in mapped states and states between again and again, and is never taken",
    );
    let report = live(&doors(Round::Serves, &served));
    assert_verdict(&report, "fairness:served", Verdict::Holds);
    // In weak fairness it may be passed over: it is not enabled in state 3.
    let weakly = [Fairness::weak("served", ["serve"])];
    let report = live(&doors(Round::Shuts, &weakly));
    assert_verdict(&report, "fairness:served", Verdict::Holds);
}

#[test]
fn a_rule_that_is_taken_as_one_of_several_steps() {
    let rules = ["open", "shut", "back"];
    for promised in [
        rules.map(|rule| Fairness::weak(rule, [rule])),
        rules.map(|rule| Fairness::strong(rule, [rule])),
    ] {
        let report = live(&doors(Round::Shuts, &promised));
        for name in ["fairness:open", "fairness:shut", "fairness:back"] {
            assert_verdict(&report, name, Verdict::Holds);
        }
        // Where it may stop before the step, the first of them is not taken.
        let mut stops = doors(Round::Shuts, &promised);
        let begins = Fairness::weak("begins", ["open", "serve", "reset"]);
        stops.implementation.fairness = vec![begins];
        let report = live(&stops);
        assert_verdict(&report, "fairness:open", Verdict::Violated);
        // It is enabled between alone, and there nothing stops.
        assert_verdict(&report, "fairness:shut", Verdict::Holds);
    }
}

/// A step that leads back to where it began changes nothing of the implementation, and its abstract steps do.
#[test]
fn a_round_in_place_comes_by_the_states_between() {
    let served = [Fairness::strong("served", ["serve"])];
    let report = live(&doors(Round::InPlace, &served));
    assert_starved(&report, "fairness:served", 3, "states between");
    let shown = &row_of(&report, "fairness:served").counterexamples[0];
    assert_eq!(shown.steps[4].abstract_before.len(), 2, "{report}");
    // No condition of the implementation says that it is taken.
    let opened = [Fairness::weak("opened", ["open"])];
    let report = live(&doors(Round::InPlace, &opened));
    assert_starved(&report, "fairness:opened", 3, "is never taken");
}

#[test]
fn a_composition_shows_the_states_between_of_both() {
    let served = [Fairness::strong("served", ["serve"])];
    let upper = || doors(Round::Single, &served);
    let lower = |round| doors(round, &[]);
    let report = live(&compose(upper(), lower(Round::Shuts)));
    assert_starved(&report, "fairness:served", 3, "states between");
    let report = live(&compose(upper(), lower(Round::Serves)));
    assert_verdict(&report, "fairness:served", Verdict::Holds);
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[process(0..1)]
enum Work {
    #[rule(process = "client")]
    Ask(#[process] u8),
    #[rule(process = "server")]
    Sweep(#[process] u8),
}

/// An office, in which client 0 and server 0 take turns as they like.
struct Office {
    fairness: Vec<Fairness>,
}

impl TransitionSystem for Office {
    type State = (bool, bool);
    type Action = Work;
    type Observation = (bool, bool);

    fn initial(&self, visit: &mut impl FnMut((bool, bool))) {
        visit((false, false));
    }

    fn fire(&self, work: &Work, state: &mut (bool, bool)) -> Option<()> {
        match work {
            Work::Ask(_) => state.0 ^= true,
            Work::Sweep(_) => state.1 ^= true,
        }
        Some(())
    }

    fn observe(&self, state: &(bool, bool)) -> (bool, bool) {
        *state
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }
}

fn offices(assumed: Fairness, promised: Fairness) -> Mapped<Office, Office> {
    let office = |condition| Office {
        fairness: vec![condition],
    };
    alike(office(assumed), office(promised))
}

#[test]
fn processes_of_two_kinds_and_one_number() {
    let asks = || Fairness::weak("clients go on", ["ask"]);
    let both = |name| Fairness::weak(name, ["ask", "sweep"]);
    let report = live(&offices(asks(), both("each goes on")));
    assert_starved(
        &report,
        "fairness:each goes on",
        0,
        "the specification's condition `each goes on (server 0)`",
    );
    let report = live(&offices(both("each goes on"), both("each goes on")));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let report = live(&offices(asks(), both("one goes on").jointly()));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // What is assumed of each is assumed of the server too, and what is assumed of all of neither.
    let sweeps = || Fairness::weak("servers go on", ["sweep"]);
    let report = live(&offices(both("each goes on"), sweeps()));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let report = live(&offices(both("one goes on").jointly(), sweeps()));
    assert_starved(&report, "fairness:servers go on", 0, "never taken");
}

#[test]
fn a_process_that_there_is_not() {
    let asks = || Fairness::weak("clients go on", ["ask"]);
    let sweeps = || Fairness::weak("sweeper goes on", ["sweep"]);
    let report = live(&offices(asks(), sweeps().of(9)));
    assert_not_tested(
        &report,
        "fairness:sweeper goes on",
        "vacuous: the action of process 9 is enabled in no mapped state; the processes for which it is are server 0",
    );
    let report = live(&offices(asks(), sweeps().of(0)));
    assert_starved(
        &report,
        "fairness:sweeper goes on",
        0,
        "`sweeper goes on (server 0)`",
    );
    let report = live(&offices(sweeps(), sweeps().of(0)));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // Of the implementation such a condition assumes nothing.
    let report = live(&offices(sweeps().of(9), sweeps()));
    assert_starved(&report, "fairness:sweeper goes on", 0, "never taken");
    let warning = "the fairness condition `sweeper goes on` of the implementation is on an action of process 9 that is \
                   enabled nowhere: it assumes nothing";
    let mut warnings = report.warnings.iter();
    assert!(warnings.any(|one| one.text == warning), "{report}");
}

#[test]
fn a_number_on_rules_of_two_kinds_is_that_of_two_processes() {
    let both = || Fairness::weak("goes on", ["ask", "sweep"]).of(0);
    let asks = || Fairness::weak("clients go on", ["ask"]);
    let report = live(&offices(asks(), both()));
    assert_starved(&report, "fairness:goes on", 0, "`goes on (server 0)`");
    let report = live(&offices(both(), both()));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "node")]
enum Turn {
    Work(#[process] i32),
}

/// Two nodes, each of which changes a bit of its own.
struct Nodes {
    ids: [i32; 2],
    fairness: Fairness,
}

impl TransitionSystem for Nodes {
    type State = (bool, bool);
    type Action = Turn;
    type Observation = (bool, bool);

    fn initial(&self, visit: &mut impl FnMut((bool, bool))) {
        visit((false, false));
    }

    fn candidates(&self, _: &(bool, bool), visit: &mut impl FnMut(Turn)) {
        self.ids.map(Turn::Work).into_iter().for_each(visit);
    }

    fn fire(&self, Turn::Work(id): &Turn, state: &mut (bool, bool)) -> Option<()> {
        match self.ids.iter().position(|one| one == id)? {
            0 => state.0 ^= true,
            _ => state.1 ^= true,
        }
        Some(())
    }

    fn observe(&self, state: &(bool, bool)) -> (bool, bool) {
        *state
    }

    fn fairness(&self) -> Vec<Fairness> {
        vec![self.fairness.clone()]
    }
}

fn nodes(ids: [i32; 2]) -> Mapped<Nodes, Nodes> {
    let each = Fairness::weak("each works", ["work"]);
    let some = Fairness::weak("some work", ["work"]).jointly();
    let nodes = |fairness| Nodes { ids, fairness };
    alike(nodes(some), nodes(each))
}

#[test]
fn process_numbers_that_do_not_fit_are_refused_by_name() {
    for ids in [[0, 1], [0, 8], [8, 16], [255, 256], [65_534, 65_535]] {
        let report = live(&nodes(ids));
        let name = format!("each works (node {})", ids[0]);
        assert_starved(&report, "fairness:each works", 0, &name);
    }
    for (ids, beyond) in [
        ([70_000, 80_000], 70_000),
        ([-1, -2], -1),
        ([65_535, 65_536], 65_536),
        ([0, 65_536], 65_536),
        ([i32::MIN, i32::MAX], i32::MIN),
    ] {
        for liveness in [Liveness::Omitted, Liveness::Included] {
            let settings = Settings {
                liveness,
                ..Settings::default()
            };
            let report = check(&nodes(ids), &settings).unwrap();
            assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
            let shown = &row_of(&report, "model").counterexamples[0];
            let told = format!(
                "panicked: “the number of the process of Work({beyond}) does not fit: processes of a kind, here `node`, are \
                 numbered from 0 to 65535”"
            );
            let why = &shown.explanation;
            assert!(
                why.starts_with("`process`") && why.contains(&told),
                "{report}"
            );
        }
    }
}
