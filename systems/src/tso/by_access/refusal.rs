//! Why the model does not allow an access.

use super::run::{LOAD_FM, is_marking};
use super::{Access, ByAccess, CHOOSE_FIELD, CHOOSE_ROOT, CHOOSE_SRC, CHOOSE_SWEPT};
use crate::tso::request::Place;
use crate::tso::state::{Mutators, Phase, State, Who};

impl ByAccess {
    /// What a process takes next, in words: what it has to do before it can do anything else.
    pub fn next_step(&self, state: &State, who: Who) -> String {
        let name = match who {
            Who::Gc => "the collector".to_owned(),
            Who::Mutator(mutator) => format!("mutator {mutator}"),
        };
        match self.next(state, who.process()) {
            Some(label) => format!("in the model {name} has to take `{label}` next"),
            None => format!("in the model {name} is between two operations"),
        }
    }

    /// Why an access is not possible, in a few words.
    pub fn refusal(&self, from: &State, by: Who, access: Access) -> String {
        let next = self.next(from, by.process()).unwrap_or_default();
        let is_next = |step: &str| next.ends_with(step);
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
        // Whether that reference is the one that is marked next, by that step.
        let is_marked = |reference, step| match by {
            Who::Mutator(mutator) if next == CHOOSE_ROOT => {
                step == LOAD_FM && from.mutator(mutator).refs.contains(reference)
            }
            _ => is_marking(next, step) && from.marking(by).reference == Some(reference),
        };
        match access {
            Access::LoadFm { reference, .. } if is_marked(reference, LOAD_FM) => {
                format!("fM is {}", sense(from.sys.fm))
            }
            Access::LoadMark { reference, .. } if is_marked(reference, "load mark") => {
                match object(reference) {
                    None => format!("{reference} is no object"),
                    Some(object) => format!("its mark is {}", sense(object.mark)),
                }
            }
            Access::LoadPhase { reference, .. } if is_marked(reference, "load phase") => {
                format!("the phase is {:?}", from.sys.phase)
            }
            Access::Cas {
                reference,
                won,
                mark,
            } if is_marked(reference, "lock") => {
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
            Access::Fence if is_next("mfence") => "stores of its own are pending".to_owned(),
            Access::Free { reference } if next == CHOOSE_SWEPT => match object(reference) {
                None => format!("{reference} is no object"),
                Some(_) if from.white().contains(reference) => {
                    format!("{reference} has been looked at")
                }
                Some(_) => format!("{reference} is black, and only what is white is freed"),
            },
            Access::SetPhase(Phase::Idle) if next == CHOOSE_SWEPT => {
                let white: Vec<_> = from.white().iter().map(|r| r.to_string()).collect();
                format!("white, and not freed: {}", white.join(", "))
            }
            Access::Trace { reference } if next == CHOOSE_SRC => {
                format!("{reference} is not on the collector's worklist")
            }
            Access::Scan { src, field: at, .. } if next == CHOOSE_FIELD => field(src, at),
            Access::Answered(_) if is_next("choose whom to poll") => {
                let mutators = from.sys.pending.iter().map(|m| m.to_string());
                let mutators: Vec<_> = mutators.collect();
                format!(
                    "asked, and without an answer: mutator {}",
                    mutators.join(", ")
                )
            }
            Access::Asked(round) if next.is_empty() => match from.sys.pending {
                pending if !is_in(pending, by) => "the collector does not ask it".to_owned(),
                _ => format!("the collector does not ask for {}", round.name()),
            },
            Access::Load { src, field: at, .. } | Access::Overwrite { src, field: at, .. }
                if next.is_empty() =>
            {
                match held(src) {
                    true => field(src, at),
                    false => format!("{src} is no root of its mutator"),
                }
            }
            Access::Discard { reference } if next.is_empty() => {
                format!("{reference} is no root of its mutator")
            }
            Access::Alloc { reference, .. } if next.is_empty() => match object(reference) {
                Some(_) => format!("there is an object at {reference}"),
                None => format!("new objects are marked {}", sense(from.sys.fa)),
            },
            _ => self.next_step(from, by),
        }
    }
}

fn is_in(mutators: Mutators, who: Who) -> bool {
    matches!(who, Who::Mutator(mutator) if mutators.contains(mutator))
}
