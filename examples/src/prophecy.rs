//! A clerk without a mapping: the specification decides before the clerk does.
//!
//! The one idea: a prophecy variable predicts what a step will choose, so that a mapping can say it before. A specification that
//! decides a request when it is asked is met by a clerk who decides when he comes to it, since nobody sees when it was. It is
//! the way in which `SendInt1` implements `SendInt2` in Lamport & Merz, *Auxiliary Variables in TLA+*, section 4, where the
//! next number to be sent is chosen before. And with their remark the page ends: mostly the specification is to be changed.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::auxiliary::{Fate, Predicting, Prophecy, Prophesying, WithProphecy};
use refmap::inclusion::{Comparison, Inclusion, check_inclusion};
use refmap::{Action, ObservationOf, Refinement, Report, Settings, State, TransitionSystem, check};
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
enum Answer {
    Granted,
    Refused,
}

const ANSWERS: [Answer; 2] = [Answer::Granted, Answer::Refused];

/// Request, as its client sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
enum Seen {
    Nothing,
    Waiting,
    Told(Answer),
}

// ANCHOR: early
/// The specification: it decides a request when it is asked.
struct DecidesEarly;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
enum Early {
    Idle,
    Decided(Answer),
    Told(Answer),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "specification")]
enum EarlyStep {
    Ask(#[action(any)] Answer),
    Tell,
    Leave,
}

impl TransitionSystem for DecidesEarly {
    type State = Early;
    type Action = EarlyStep;
    type Observation = Seen;

    fn initial(&self, visit: &mut impl FnMut(Early)) {
        visit(Early::Idle);
    }

    fn fire(&self, step: &EarlyStep, state: &mut Early) -> Option<()> {
        *state = match (step, &*state) {
            (EarlyStep::Ask(answer), Early::Idle) => Early::Decided(*answer),
            (EarlyStep::Tell, Early::Decided(answer)) => Early::Told(*answer),
            (EarlyStep::Leave, Early::Told(_)) => Early::Idle,
            _ => return None,
        };
        Some(())
    }

    fn observe(&self, state: &Early) -> Seen {
        match *state {
            Early::Idle => Seen::Nothing,
            Early::Decided(_) => Seen::Waiting,
            Early::Told(answer) => Seen::Told(answer),
        }
    }
}
// ANCHOR_END: early

// ANCHOR: clerk
/// The implementation: a request is queued, and decided when the clerk comes to it.
struct Clerk;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
enum Desk {
    Idle,
    Queued,
    Decided(Answer),
    Told(Answer),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "clerk")]
enum Step {
    Ask,
    Decide(#[action(any)] Answer),
    Tell(#[action(any)] Answer),
    Leave,
}

impl TransitionSystem for Clerk {
    type State = Desk;
    type Action = Step;
    type Observation = Seen;

    fn initial(&self, visit: &mut impl FnMut(Desk)) {
        visit(Desk::Idle);
    }

    fn fire(&self, step: &Step, state: &mut Desk) -> Option<()> {
        *state = match (step, &*state) {
            (Step::Ask, Desk::Idle) => Desk::Queued,
            (Step::Decide(answer), Desk::Queued) => Desk::Decided(*answer),
            (Step::Tell(told), Desk::Decided(answer)) if told == answer => Desk::Told(*told),
            (Step::Leave, Desk::Told(_)) => Desk::Idle,
            _ => return None,
        };
        Some(())
    }

    fn observe(&self, state: &Desk) -> Seen {
        match *state {
            Desk::Idle => Seen::Nothing,
            Desk::Queued | Desk::Decided(_) => Seen::Waiting,
            Desk::Told(answer) => Seen::Told(answer),
        }
    }
}
// ANCHOR_END: clerk

// ANCHOR: prophecy
/// A prophecy variable: the answer on a request that is queued.
#[derive(Clone, Copy, Debug)]
enum Foreseen {
    Either,
    /// That it is granted. Wrong: a request is refused, too.
    Granted,
}

impl Prophecy<Clerk> for Foreseen {
    /// There is one prediction at a time.
    type Key = ();
    type Prediction = Answer;

    fn open(&self, _: &Clerk, state: &Desk) -> Vec<()> {
        match state {
            Desk::Queued => vec![()],
            _ => vec![],
        }
    }

    fn possible(&self, _: &Clerk, _: &Desk, (): &()) -> Vec<Answer> {
        match self {
            Self::Either => ANSWERS.to_vec(),
            Self::Granted => vec![Answer::Granted],
        }
    }

    /// The clerk decides as it was foreseen. No other step is taken while a request is queued.
    fn fate(
        &self,
        _: &Clerk,
        ((), foreseen): (&(), &Answer),
        _: &Desk,
        step: &Step,
        _: &Desk,
    ) -> Fate<()> {
        match step {
            Step::Decide(answer) => Fate::Fulfil {
                comes_true: answer == foreseen,
            },
            Step::Ask | Step::Tell(_) | Step::Leave => Fate::Keep(()),
        }
    }
}
// ANCHOR_END: prophecy

type Foreseeing = WithProphecy<Clerk, Foreseen>;
type DeskForeseen = Prophesying<Desk, (), Answer>;

/// The claim: a clerk who foresees his answers refines the specification that decides early.
struct ForeseeingIsEarly(Foreseeing);

// ANCHOR: foreseeing
impl Refinement for ForeseeingIsEarly {
    type Implementation = Foreseeing;
    type Specification = DecidesEarly;

    fn implementation(&self) -> &Foreseeing {
        &self.0
    }

    fn specification(&self) -> &DecidesEarly {
        &DecidesEarly
    }

    fn map(&self, from: &DeskForeseen) -> Early {
        match from.state {
            Desk::Idle => Early::Idle,
            Desk::Queued => Early::Decided(from.prophecy[&()]),
            Desk::Decided(answer) => Early::Decided(answer),
            Desk::Told(answer) => Early::Told(answer),
        }
    }

    /// The answer is chosen when it is asked, as it is foreseen there.
    fn abstract_steps(
        &self,
        _: &DeskForeseen,
        step: &Predicting<Step, (), Answer>,
        _: &DeskForeseen,
    ) -> AbstractSteps<EarlyStep> {
        match step.action {
            Step::Ask => One(EarlyStep::Ask(step.made[&()])),
            Step::Decide(_) => Stutter,
            Step::Tell(_) => One(EarlyStep::Tell),
            Step::Leave => One(EarlyStep::Leave),
        }
    }
}
// ANCHOR_END: foreseeing

// ANCHOR: late
/// Another specification: it decides a request when the client is told. What can be seen of it is all that it has.
struct DecidesLate;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "specification")]
enum LateStep {
    Ask,
    Tell(#[action(any)] Answer),
    Leave,
}

impl TransitionSystem for DecidesLate {
    type State = Seen;
    type Action = LateStep;
    type Observation = Seen;

    fn initial(&self, visit: &mut impl FnMut(Seen)) {
        visit(Seen::Nothing);
    }

    fn fire(&self, step: &LateStep, state: &mut Seen) -> Option<()> {
        *state = match (step, &*state) {
            (LateStep::Ask, Seen::Nothing) => Seen::Waiting,
            (LateStep::Tell(answer), Seen::Waiting) => Seen::Told(*answer),
            (LateStep::Leave, Seen::Told(_)) => Seen::Nothing,
            _ => return None,
        };
        Some(())
    }

    fn observe(&self, state: &Seen) -> Seen {
        state.clone()
    }
}
// ANCHOR_END: late

// ANCHOR: plain
/// The claim: the clerk, as he is, refines the specification that decides late.
struct ClerkIsLate;

impl Refinement for ClerkIsLate {
    type Implementation = Clerk;
    type Specification = DecidesLate;

    fn implementation(&self) -> &Clerk {
        &Clerk
    }

    fn specification(&self) -> &DecidesLate {
        &DecidesLate
    }

    fn map(&self, from: &Desk) -> Seen {
        Clerk.observe(from)
    }

    fn abstract_steps(&self, _: &Desk, step: &Step, _: &Desk) -> AbstractSteps<LateStep> {
        match *step {
            Step::Ask => One(LateStep::Ask),
            Step::Decide(_) => Stutter,
            Step::Tell(answer) => One(LateStep::Tell(answer)),
            Step::Leave => One(LateStep::Leave),
        }
    }
}
// ANCHOR_END: plain

fn included<C, A>(implementation: &C, specification: &A) -> Inclusion
where
    C: TransitionSystem,
    A: TransitionSystem<Observation = ObservationOf<C>>,
{
    check_inclusion(implementation, specification, &Comparison::default())
        .expect("no function panics")
}

fn foreseeing(prophecy: Foreseen, settings: &Settings<'_>) -> Report {
    let system = Clerk;
    let refinement = ForeseeingIsEarly(WithProphecy { system, prophecy });
    let report = check(&refinement, settings).expect("every obligation is checked");
    report.named("early", [("foreseen", format!("{prophecy:?}"))])
}

fn late() -> Report {
    let report = check(&ClerkIsLate, &Settings::default()).expect("every obligation is checked");
    report.named("late", [("foreseen", "nothing")])
}

/// Names of the texts that the book quotes.
#[cfg(test)]
pub const OUTPUTS: [&str; 3] = ["no prophecy", "auxiliary:backward-total", "early in late"];

/// Text that the book quotes, by its name.
#[cfg(test)]
pub fn output(name: &str) -> Option<String> {
    let told = |inclusion: Inclusion| inclusion.evidence.map(|evidence| evidence.to_string());
    match name {
        "no prophecy" => told(included(&Clerk, &DecidesEarly)),
        "early in late" => told(included(&DecidesEarly, &DecidesLate)),
        "auxiliary:backward-total" => {
            let report = foreseeing(Foreseen::Granted, &Settings::default());
            let row = report.obligation(name)?;
            Some(row.counterexamples.first()?.to_string())
        }
        _ => None,
    }
}

pub fn main() {
    println!("{}", included(&Clerk, &DecidesEarly));
    println!("{}", foreseeing(Foreseen::Either, &Settings::default()));

    // The change that makes the check fail.
    println!("{}", foreseeing(Foreseen::Granted, &Settings::default()));

    // The change that makes the variable unnecessary.
    println!("{}", late());
    println!("{}", included(&DecidesEarly, &DecidesLate));
    println!("{}", included(&DecidesLate, &DecidesEarly));
}

// With the wrong variable every state and every step that is reached is right: requests are granted. That they are refused as
// well is lost, and nothing that is reached shows it. So the side conditions are decided on the clerk without the variable.
//
// The two specifications show the same, which the last two comparisons say: each includes the other. To choose early is a
// habit of writing specifications, not a demand on implementations.
//
// Change it: let the clerk tell the client while the request is queued, too. Which `fate` does that step have?

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict::{Holds, Violated};
    use refmap::inclusion::{Evidence, Included};
    use refmap::obligation::Until;

    /// From each of the two abstract states in which a request waits, one answer cannot be told.
    #[test]
    fn no_image_of_a_queued_request_serves_both_answers() {
        let inclusion = included(&Clerk, &DecidesEarly);
        assert_eq!(
            (inclusion.verdict, inclusion.rung),
            (Included::Included, Some(3))
        );
        let Some(Evidence::Prophecy {
            past,
            images,
            futures,
            ..
        }) = inclusion.evidence
        else {
            panic!("a prophecy variable is missing");
        };
        assert_eq!(past.last().expect("it has states").state, "Queued");
        assert_eq!((images.len(), futures.len()), (2, 2));
    }

    /// Idle, a request queued with either answer foreseen, decided either way, told either.
    #[test]
    fn a_clerk_who_foresees_refines_the_early_specification() {
        let report = foreseeing(Foreseen::Either, &Settings::default());
        assert_eq!(report.verdict, Some(Holds), "{report}");
        assert_eq!((report.states, report.transitions), (7, 8));
        for name in ["initial", "non-empty", "backward-total"] {
            let row = report.obligation(&format!("auxiliary:{name}"));
            assert_eq!(row.expect("it has a prophecy").verdict, Holds, "{report}");
        }
    }

    /// On the pairs that are reached nothing is wrong.
    #[test]
    fn a_clerk_who_foresees_too_little_is_found_without_the_variable_alone() {
        let settings = Settings {
            until: Until::End,
            ..Settings::default()
        };
        let report = foreseeing(Foreseen::Granted, &settings);
        assert_eq!(report.verdict, Some(Violated));
        let violated: Vec<_> = report.violated().collect();
        assert_eq!(violated, ["auxiliary:backward-total"], "{report}");
        let settings = Settings {
            without: vec!["auxiliary:*".to_owned()],
            ..Settings::default()
        };
        let report = foreseeing(Foreseen::Granted, &settings);
        assert_eq!(report.verdict, Some(Holds), "{report}");
    }

    #[test]
    fn the_late_specification_needs_no_variable() {
        let report = late();
        assert_eq!(report.verdict, Some(Holds), "{report}");
        assert_eq!((report.states, report.transitions), (6, 7));
        assert!(report.obligation("auxiliary:backward-total").is_none());
    }

    #[test]
    fn the_two_specifications_show_the_same() {
        let early = included(&DecidesEarly, &DecidesLate);
        assert_eq!((early.verdict, early.rung), (Included::Included, Some(1)));
        assert!(matches!(early.evidence, Some(Evidence::Mapping { .. })));
        let late = included(&DecidesLate, &DecidesEarly);
        assert_eq!((late.verdict, late.rung), (Included::Included, Some(3)));
    }
}
