//! A clock with two hands refines a clock with an hour hand.
//!
//! The one idea: a step of which the specification knows nothing is allowed if the specification
//! cannot notice it. Such a step is a stutter, and every other one simulates a step.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Refinement, Report, Settings, TransitionSystem, check, guard};
use serde::Serialize;

/// The specification: an hour hand. It leaves open how long an hour takes.
struct HourClock;

/// The implementation: an hour hand and a minute hand.
struct Clock {
    /// Minutes that the minute hand moves at a time; a divisor of 60.
    tick: u8,
    midnight: Midnight,
}

/// The hour that hour 0 follows: the one place in which the clocks below differ.
#[derive(Debug)]
enum Midnight {
    /// Hour 23.
    After23,
    /// Hour 24, which is wrong by one.
    After24,
}

/// A state of the implementation; a state of the specification is an hour.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct Time {
    hour: u8,
    minute: u8,
}

/// The steps of the specification: each variant is a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "clock")]
#[serde(rename_all = "snake_case")]
enum Strike {
    NextHour,
}

/// The steps of the implementation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "clock")]
#[serde(rename_all = "snake_case")]
enum Step {
    /// The minute hand moves within the hour.
    NextMinute,
    /// The minute hand comes round, and the hour hand moves.
    NextHour,
}

impl TransitionSystem for HourClock {
    type State = u8;
    type Action = Strike;
    /// The hour is the only observable, here and in the implementation.
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        (0..24).for_each(visit);
    }

    /// The only rule changes the hour, and is always enabled.
    fn fire(&self, _: &Strike, hour: &mut u8) -> Option<()> {
        *hour = (*hour + 1) % 24;
        Some(())
    }

    fn observe(&self, hour: &u8) -> u8 {
        *hour
    }
}

impl TransitionSystem for Clock {
    type State = Time;
    type Action = Step;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(Time)) {
        (0..24).for_each(|hour| visit(Time { hour, minute: 0 }));
    }

    /// Each rule is an arm: a guard, and an effect on the time.
    fn fire(&self, step: &Step, time: &mut Time) -> Option<()> {
        let minute = time.minute + self.tick;
        match step {
            Step::NextMinute => {
                guard("it is within the hour", minute < 60)?;
                time.minute = minute;
            }
            Step::NextHour => {
                guard("the minute hand comes round", minute == 60)?;
                let hours = match self.midnight {
                    Midnight::After23 => 24,
                    Midnight::After24 => 25,
                };
                time.hour = (time.hour + 1) % hours;
                time.minute = 0;
            }
        }
        Some(())
    }

    fn observe(&self, time: &Time) -> u8 {
        time.hour
    }
}

/// The claim: `Clock` refines `HourClock`.
struct ClockRefinesHourClock(Clock);

impl Refinement for ClockRefinesHourClock {
    type Implementation = Clock;
    type Specification = HourClock;

    fn implementation(&self) -> &Clock {
        &self.0
    }

    fn specification(&self) -> &HourClock {
        &HourClock
    }

    /// The minute hand is hidden.
    fn map(&self, time: &Time) -> u8 {
        time.hour
    }

    /// The checker trusts nothing stated here: it checks that each abstract action does simulate its step.
    fn abstract_steps(&self, _: &Time, step: &Step, _: &Time) -> AbstractSteps<Strike> {
        match step {
            Step::NextMinute => Stutter,
            Step::NextHour => One(Strike::NextHour),
        }
    }
}

fn run(tick: u8, midnight: Midnight) -> Report {
    let instance = [
        ("tick", tick.to_string()),
        ("midnight", format!("{midnight:?}")),
    ];
    let refinement = ClockRefinesHourClock(Clock { tick, midnight });
    let report = check(&refinement, &Settings::default()).expect("every obligation is checked");
    // A verdict speaks of an instance, and a report should say of which.
    report.named("clock", instance)
}

pub fn main() {
    println!("{}", run(1, Midnight::After23));

    // The change that makes the check fail. Ticks of a quarter of an hour keep its trace short.
    println!("{}", run(15, Midnight::After24));
}

// The second report shows a shortest way from an initial state to a step that the specification
// does not have. It starts at 23:00, passes three quarters by stutters, and then moves the hour
// hand from 23 to 24. The answer `next_hour` is enabled at 23 and leads to 0, so this is not that
// step; nor is it a stutter, which would stay at 23.
//
// No state gives the mistake away: at 24:00, too, the clock and its image show the same hour, so
// `observation` has found nothing. What is wrong is a step, and so it is steps that are compared.

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::{Evidence, Verdict};

    /// There are 24 · 60 times of day, and each has one successor.
    #[test]
    fn the_clock_refines_the_hour_clock() {
        let report = run(1, Midnight::After23);
        assert_eq!(report.verdict, Some(Verdict::Holds));
        assert_eq!(report.evidence, Evidence::Exhaustive);
        assert_eq!((report.initial_states, report.depth), (24, 59));
        assert_eq!((report.states, report.transitions), (1440, 1440));
        assert!(report.unexercised.is_empty());
    }

    #[test]
    fn an_hour_too_many_is_noticed_at_the_first_midnight() {
        let report = run(15, Midnight::After24);
        assert_eq!(report.verdict, Some(Verdict::Violated));
        assert_eq!(report.violated().collect::<Vec<_>>(), ["simulation"]);
        let counterexample = report.counterexample.expect("something is violated");
        assert_eq!(counterexample.length, 4);
        assert_eq!(counterexample.steps[4].state["hour"], 24);
        assert_eq!(counterexample.nearest[0].differs[0].from, 0);
    }
}
