//! Tests of inconsistent specifications and of vacuous histories.

use refmap::report::About;
use refmap::{Action, Rule, RuleId, TransitionSystem, Verdict};
use refmap_histories::{Happening, Observed, Ordered, Settings, Validation, validate};

use super::event_in;

/// A counter up to 4, by two rules in turn, with a faulty or correct `fire`.
struct Counter {
    rules: [Rule; 2],
    fire: Fire,
}

#[derive(Clone, Copy, PartialEq)]
enum Fire {
    Correct,
    /// A step is always enabled, and changes nothing.
    Anything,
    /// Correct, of rules that `next` does not enumerate,
    Predicate,
    /// or on which `next` panics.
    Panicking,
}

/// A step, by the number of its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Tick(u8);

impl Action<Counter> for Tick {
    fn rules(counter: &Counter) -> &[Rule] {
        &counter.rules
    }

    fn rule(&self, _: &Counter) -> RuleId {
        RuleId(usize::from(self.0))
    }
}

impl TransitionSystem for Counter {
    type State = u8;
    type Action = Tick;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, Tick(rule): &Tick, state: &mut u8) -> Option<()> {
        if self.fire != Fire::Anything {
            (*state < 4 && *rule == *state % 2).then_some(())?;
            *state += 1;
        }
        Some(())
    }

    fn next(&self, from: &u8, visit: &mut impl FnMut(Tick, &u8)) {
        match self.fire {
            Fire::Predicate => (),
            Fire::Panicking => panic!("histories are decided without it"),
            _ if *from < 4 => visit(Tick(from % 2), &(from + 1)),
            _ => (),
        }
    }

    fn observe(&self, state: &u8) -> u8 {
        *state
    }
}

/// Adapter under which each event shows a step, or nothing.
struct Ticks {
    counter: Counter,
    shows_ticks: bool,
}

impl Observed for Ticks {
    type Specification = Counter;
    type Event = u8;

    fn specification(&self) -> &Counter {
        &self.counter
    }

    fn shows(&self, from: &u8, _: &Happening<'_, u8>, visit: &mut impl FnMut(Option<Tick>)) {
        visit(self.shows_ticks.then_some(Tick(from % 2)));
    }
}

/// Validates a sequence of that many events.
fn validated(fire: Fire, shows_ticks: bool, events: u64) -> Validation {
    let observed = Ticks {
        counter: Counter {
            rules: ["tick", "tock"].map(|name| Rule::new(name, "clock", "a test")),
            fire,
        },
        shows_ticks,
    };
    let events = (0..events).map(|place| event_in(0, place, place * 10..=place * 10 + 5, 0));
    let settings = Settings::default();
    validate(&observed, Ordered::of(events), &settings).expect("the history is in order")
}

#[test]
fn a_fire_that_contradicts_next() {
    let honest = validated(Fire::Correct, true, 4);
    assert_eq!(honest.verdict(), Verdict::Holds);
    assert_eq!(honest.report().taken_at_word, Vec::<String>::new());
    assert_eq!(
        validated(Fire::Correct, true, 5).verdict(),
        Verdict::Violated
    );
    let report = validated(Fire::Anything, true, 20).report();
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    let found = report.counterexample.as_ref().expect("it is told");
    assert_eq!(found.obligation, "model");
    assert!(
        found.explanation.contains("fire disagrees with next"),
        "{report}"
    );
    let told = report.to_string();
    assert!(told.contains("fire disagrees with next"), "{told}");
}

#[test]
fn a_fire_that_is_taken_at_its_word() {
    for fire in [Fire::Predicate, Fire::Panicking] {
        let report = validated(fire, true, 4).report();
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!(
            report.taken_at_word,
            ["tick", "tock"]
                .map(|rule| format!("`{rule}` of the specification, as `fire` states it"))
        );
        // A refusal by `fire` still counts.
        let refused = validated(fire, true, 5);
        assert_eq!(refused.verdict(), Verdict::Violated);
    }
}

#[test]
fn a_history_of_which_no_event_takes_a_step() {
    for (shows_ticks, told) in [(true, 0), (false, 1)] {
        let report = validated(Fire::Correct, shows_ticks, 4).report();
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        let warnings = report.warnings.iter();
        let warnings = warnings.filter(|warning| warning.about == About::Specification);
        assert_eq!(warnings.count(), told, "{report}");
    }
}
