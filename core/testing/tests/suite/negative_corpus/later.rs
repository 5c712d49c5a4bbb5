//! Functions that return while states are searched for, and panic when they are asked again after that.

use std::sync::atomic::{AtomicBool, Ordering};

use refmap::obligation::{Checker, Settings};
use refmap::{
    Field, Fields, Layout, Packed, Process, Refinement, Report, Rule, RuleId, TransitionSystem,
    Verdict,
};

/// Which function panics.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Panicking {
    Nothing,
    Map,
    Offers,
    AtRest,
    Fields,
}

/// So many states, the last of which tells that the search is over.
const STATES: u16 = 300;
/// The state of which it panics.
const ONE: u16 = 7;

/// A counter that is kept packed.
struct Counter {
    panicking: Panicking,
    is_over: AtomicBool,
    rules: Vec<Rule>,
    layout: Layout,
    field: Field,
}

impl Counter {
    fn new(panicking: Panicking, rules: &[&'static str]) -> Self {
        let mut layout = Layout::new();
        let field = layout.below(STATES.into());
        let rules = rules.iter();
        Self {
            panicking,
            is_over: AtomicBool::new(false),
            rules: rules
                .map(|name| Rule::new(name, "clock", "a test"))
                .collect(),
            layout,
            field,
        }
    }

    fn panics(&self, function: Panicking, state: u16) {
        let is_over = self.is_over.load(Ordering::Relaxed);
        let panics = self.panicking == function && is_over && state == ONE;
        assert!(!panics, "7 is no good");
    }
}

impl TransitionSystem for Counter {
    type State = u16;
    type Action = ();
    type Observation = u16;

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn rule_of(&self, (): &()) -> RuleId {
        RuleId(0)
    }

    fn initial(&self, visit: &mut impl FnMut(u16)) {
        visit(0);
    }

    fn next(&self, from: &u16, visit: &mut impl FnMut((), u16)) {
        visit((), (from + 1) % STATES);
    }

    fn offers(&self, from: &u16, visit: &mut impl FnMut(())) {
        self.panics(Panicking::Offers, *from);
        visit(());
    }

    fn observe(&self, state: &u16) -> u16 {
        *state
    }
}

impl Packed for Counter {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn fields(&self, state: &u16, fields: &mut impl Fields) -> u16 {
        let read = fields.number(self.field, (*state).into()) as u16;
        self.panics(Panicking::Fields, read);
        read
    }
}

struct Same {
    implementation: Counter,
    specification: Counter,
    environment: Vec<Process>,
}

impl Refinement for Same {
    type Concrete = Counter;
    type Abstract = Counter;

    fn implementation(&self) -> &Counter {
        &self.implementation
    }

    fn specification(&self) -> &Counter {
        &self.specification
    }

    fn map(&self, state: &u16) -> u16 {
        self.implementation.panics(Panicking::Map, *state);
        *state
    }

    fn abstract_action(&self, from: &u16, _: &(), _: &u16) -> Option<()> {
        if *from == STATES - 1 {
            for system in [&self.implementation, &self.specification] {
                system.is_over.store(true, Ordering::Relaxed);
            }
        }
        Some(())
    }

    fn environment(&self) -> &[Process] {
        &self.environment
    }

    fn at_rest(&self, state: &u16, _: Process) -> bool {
        self.implementation.panics(Panicking::AtRest, *state);
        true
    }
}

/// A check in which `panicking` panics once the last state was expanded; the specification has a rule that it never
/// takes, so that all states are looked at once more.
fn report(panicking: Panicking, environment: &[Process]) -> Report {
    let refinement = Same {
        implementation: Counter::new(panicking, &["tick"]),
        specification: Counter::new(panicking, &["tick", "never"]),
        environment: environment.to_vec(),
    };
    let settings = Settings {
        threads: 1,
        ..Settings::default()
    };
    let checked = Checker::new(&refinement).packed().check(&settings);
    checked.expect("the settings fit")
}

#[test]
fn what_panics_after_the_search_is_named() {
    let clock = [Process::new("clock")];
    for environment in [&[][..], &clock] {
        let report = report(Panicking::Nothing, environment);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
    for (panicking, environment, row, named) in [
        (Panicking::Map, &[][..], "coverage", "`map` panicked"),
        (
            Panicking::Offers,
            &[],
            "coverage",
            "`offers` of the specification panicked",
        ),
        (
            Panicking::Fields,
            &[],
            "coverage",
            "`fields` of a state panicked",
        ),
        (Panicking::AtRest, &clock, "model", "`at_rest` panicked"),
        (Panicking::Map, &clock, "model", "`map` panicked"),
        (
            Panicking::Fields,
            &clock,
            "model",
            "`fields` of a state panicked",
        ),
    ] {
        let report = report(panicking, environment);
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
        let row = report.obligation(row);
        let row = row.unwrap_or_else(|| panic!("{panicking:?}: {report}"));
        let mut told = row.counterexamples.iter();
        let is_told = told
            .any(|one| one.explanation.contains(named) && one.explanation.contains("7 is no good"));
        assert!(is_told, "{panicking:?}: {row:?}");
    }
}
