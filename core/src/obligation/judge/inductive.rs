//! `inductive:*`: what a pass over the type-correct states says.

use super::Judge;
use crate::explore::{Panic, Phase, catch};
use crate::invariant::Invariant;
use crate::obligation::selection::Kind;
use crate::obligation::{Until, induction};
use crate::refinement::Refinement;
use crate::report::{Counterexample, Obligation, Verdict};
use crate::system::TransitionSystem;
use crate::trace::Trace;

impl<R: Refinement> Judge<'_, R> {
    /// The pass over the type-correct states, where it is asked for and the check got that far.
    pub(super) fn induction(&self) -> Option<induction::Findings> {
        let rows = &mut self.examiner.rows.iter();
        let asked = rows.any(|row| row.selected && matches!(row.kind, Kind::Inductive(_)));
        let violated = self.explored.tally.first.iter().any(Option::is_some);
        let ended = violated && self.settings.until == Until::FirstViolation;
        let enumerated = self.enumerated.as_ref().filter(|_| asked && !ended)?;
        if let Some(progress) = self.settings.watch.progress {
            progress(&self.after_search(Phase::Induction));
        }
        // A state that violates an invariant is not looked for.
        let reached: Vec<_> = match violated {
            true => Vec::new(),
            false => self.sample().collect(),
        };
        let findings = (enumerated.decide)(
            self.examiner.refinement,
            self.examiner.invariants,
            &reached,
            self.settings,
        );
        let mut places = reached.iter().enumerate();
        let missing = places.find(|(place, _)| !findings.met.contains(place));
        if let Some((_, state)) = missing.filter(|_| findings.decided_all()) {
            *self.type_incorrect.borrow_mut() = Some(format!(
                "`type_correct` leaves out states that are reached, so what is inductive says nothing of them: {state:?}"
            ));
        }
        Some(findings)
    }

    pub(super) fn inductive(
        &self,
        findings: &Option<induction::Findings>,
        row: usize,
    ) -> Obligation {
        let Some(findings) = findings else {
            let reason = "not evaluated: the check ended at a violation";
            return Obligation::new(Verdict::Incomplete, 0).noted(reason);
        };
        let note = format!(
            "{} of {} type-correct states satisfy the invariants",
            findings.satisfying, findings.states
        );
        let mut judged = match &findings.gaps[row] {
            Some((gap, panic)) => {
                let counterexample = self.gap(row, *gap, panic.as_ref());
                Obligation::violated(findings.steps, vec![counterexample])
            }
            None if findings.unmade.is_some() => Obligation::violated(findings.steps, Vec::new()),
            None if findings.cut_short => Obligation::new(Verdict::Incomplete, findings.steps),
            None if findings.steps == 0 => {
                let reason = "no step was tested, so nothing was decided";
                return Obligation::new(Verdict::Incomplete, 0).noted(reason);
            }
            None => Obligation::new(Verdict::Holds, findings.steps),
        };
        if let Some((number, panic)) = &findings.unmade {
            // States are unknown, so nothing is known to be inductive.
            return judged.noted(&format!(
                "`type_correct` panicked instead of making state {number}: {panic}"
            ));
        }
        // Which of them are needed is a question only about a set that is inductive and suffices.
        if findings.cut_short || findings.gaps.iter().any(Option::is_some) {
            return judged;
        }
        let mut names = self.examiner.invariants.iter().map(Invariant::name);
        judged.note = Some(match findings.needed.get(row) {
            None => note,
            Some(None) => "not needed: the others are inductive and suffice without it".to_owned(),
            Some(Some((_, failing))) => {
                let failing = names.nth(*failing).unwrap_or("simulation");
                format!("needed: without it inductive:{failing} fails")
            }
        });
        judged.needed = findings.needed.get(row).map(Option::is_some);
        judged
    }

    /// A counterexample to induction: a state, and a step unless the state itself is at fault.
    fn gap(&self, row: usize, gap: induction::Gap, panic: Option<&Panic>) -> Counterexample {
        let implementation = self.examiner.refinement.implementation();
        let enumerated = self.enumerated.as_ref();
        let enumerated = enumerated.expect("a gap was found in an enumerated state");
        let initial = (enumerated.state)(implementation, gap.number);
        let mut taken = Vec::new();
        // The state may be one in which a function of the model panics.
        let _ = catch(|| {
            implementation.next(&initial, &mut |action, to| taken.push((action, to)));
        });
        let steps = gap
            .step
            .and_then(|step| taken.into_iter().nth(step as usize));
        let is_lost = gap.step.is_some() && steps.is_none();
        let trace = Trace {
            initial,
            steps: steps.into_iter().collect(),
        };
        let invariant = self.examiner.invariants.get(row);
        let mut counterexample = match (panic, invariant) {
            _ if is_lost => self.explainer.counterexample(
                &trace,
                "`next` is not a function of the state: the step that fails is not offered again"
                    .to_owned(),
            ),
            (Some(panic), _) => self
                .explainer
                .counterexample(&trace, format!("a function of the model panicked: {panic}")),
            (None, Some(invariant)) => self.explainer.invariant(&trace, invariant),
            (None, None) if gap.step.is_some() => self.explainer.simulation(&trace),
            (None, None) => self.explainer.counterexample(
                &trace,
                "the mapped state shows something else, or is not initial".to_owned(),
            ),
        };
        counterexample.reachable = false;
        counterexample
    }
}
