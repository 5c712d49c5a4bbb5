//! Explanations: why the model does not allow an access.

use super::access::Access;
use super::model::AccessModel;
use crate::tso::label::{
    AnswerStep, Label, MarkLoopStep, MarkingStep, MutatorStep, RoundStep, SweepStep,
};
use crate::tso::request::Place;
use crate::tso::state::{Mutators, Phase, State, Who};

impl AccessModel {
    /// The next step of a process, as text: the one that it must take first.
    pub fn next_step(&self, state: &State, who: Who) -> String {
        let name = match who {
            Who::Gc => "the collector".to_owned(),
            mutator => mutator.to_string(),
        };
        match self.next(state, who.process()) {
            Some(label) => format!("in the model {name} has to take `{label}` next"),
            None => format!("in the model {name} is between two operations"),
        }
    }

    /// Reason why an access is not possible, as text.
    pub fn refusal(&self, from: &State, by: Who, access: Access) -> String {
        // `None` between two operations.
        let next = self.next(from, by.process());
        let is_next = |label: Label| next == Some(label);
        let object = |reference| from.sys.object(reference);
        let held = |reference| match by {
            Who::Mutator(mutator) => from.mutator(mutator).roots.contains(reference),
            Who::Gc => true,
        };
        let sense = |mark| u8::from(mark);
        let field = |src, field| match from.sys.load(by, Place::Field(src, field)).reference() {
            Some(value) => format!("it would read {value}"),
            None => "it would read null".to_owned(),
        };
        // Whether this step of marking this reference is next.
        let is_marked = |reference, step| match by {
            Who::Mutator(mutator) if is_next(AnswerStep::ChooseRoot.into()) => {
                step == MarkingStep::LoadFm && from.mutator(mutator).refs.contains(reference)
            }
            Who::Gc | Who::Mutator(_) => {
                let is_step = matches!(next, Some(Label::Marking(_, next)) if next == step);
                is_step && from.marking(by).reference == Some(reference)
            }
        };
        match access {
            Access::LoadFm { reference, .. } if is_marked(reference, MarkingStep::LoadFm) => {
                format!("fM is {}", sense(from.sys.fm))
            }
            Access::LoadMark { reference, .. } if is_marked(reference, MarkingStep::LoadMark) => {
                match object(reference) {
                    None => format!("{reference} is no object"),
                    Some(object) => format!("its mark is {}", sense(object.mark)),
                }
            }
            Access::LoadPhase { reference, .. } if is_marked(reference, MarkingStep::LoadPhase) => {
                format!("the phase is {:?}", from.sys.phase)
            }
            Access::Cas {
                reference,
                won,
                mark,
            } if is_marked(reference, MarkingStep::Lock) => {
                let fm = from.marking(by).fm;
                if mark.is_some() && mark != fm {
                    "it marks in the sense that it has not loaded".to_owned()
                } else if !from.sys.pending_stores(by).is_empty() {
                    "stores of its own are pending, for which a CAS waits".to_owned()
                } else if won {
                    "the mark has changed since it was loaded: another thread has won".to_owned()
                } else {
                    "the mark is as it was loaded: it would win".to_owned()
                }
            }
            Access::Fence if next.is_some_and(is_fence) => {
                "stores of its own are pending".to_owned()
            }
            Access::Free { reference } if is_next(SweepStep::ChooseRef.into()) => {
                match object(reference) {
                    None => format!("{reference} is no object"),
                    Some(_) if from.white().contains(reference) => {
                        format!("{reference} has been looked at")
                    }
                    Some(_) => format!("{reference} is black, and only what is white is freed"),
                }
            }
            Access::SetPhase(Phase::Idle) if is_next(SweepStep::ChooseRef.into()) => {
                let white: Vec<_> = from.white().iter().map(|r| r.to_string()).collect();
                format!("white, and not freed: {}", white.join(", "))
            }
            Access::Trace { reference } if is_next(MarkLoopStep::ChooseSrc.into()) => {
                format!("{reference} is not on the collector's worklist")
            }
            Access::Scan { src, field: at, .. } if is_next(MarkLoopStep::ChooseField.into()) => {
                field(src, at)
            }
            Access::Answered(_)
                if matches!(next, Some(Label::Round(_, RoundStep::ChooseWhomToPoll))) =>
            {
                let mutators = from.sys.pending.iter().map(|m| m.to_string());
                let mutators: Vec<_> = mutators.collect();
                format!(
                    "asked, and without an answer: mutator {}",
                    mutators.join(", ")
                )
            }
            Access::Asked(round) if next.is_none() => match from.sys.pending {
                pending if !is_in(pending, by) => "the collector does not ask it".to_owned(),
                _ => format!("the collector does not ask for {round}"),
            },
            Access::Load { src, field: at, .. } | Access::Overwrite { src, field: at, .. }
                if next.is_none() =>
            {
                if held(src) {
                    field(src, at)
                } else {
                    format!("{src} is no root of its mutator")
                }
            }
            Access::Discard { reference } if next.is_none() => {
                format!("{reference} is no root of its mutator")
            }
            Access::Alloc { reference, .. } if next.is_none() => match object(reference) {
                Some(_) => format!("there is an object at {reference}"),
                None => format!("new objects are marked {}", sense(from.sys.fa)),
            },
            _ => self.next_step(from, by),
        }
    }
}

/// Whether a step is a fence.
fn is_fence(label: Label) -> bool {
    matches!(
        label,
        Label::Round(_, RoundStep::Fence)
            | Label::Answer(AnswerStep::Fence)
            | Label::Mutator(MutatorStep::Fence)
    )
}

fn is_in(mutators: Mutators, who: Who) -> bool {
    matches!(who, Who::Mutator(mutator) if mutators.contains(mutator))
}
