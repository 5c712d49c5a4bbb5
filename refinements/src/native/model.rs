//! Validation of the native collector's histories against the x86-TSO model.
//!
//! Each event is an access of the model ([`Access`]) by the process of the event's thread: a
//! mutator once it has joined, and otherwise the collector. Every access takes place within the event's
//! interval, except two of handshakes (T9 of the model). The commit of a store is an internal step of the model,
//! which no event records.
//!
//! So a history is accepted if some order of its events that respects threads and intervals, with
//! commits interleaved, is an execution of the model as [`native::model`](refmap_systems::native::model) states
//! it, deviations included.

use refmap_histories::{Happening, NoSuch, Observed};
use refmap_systems::heap::Object as Ref;
use refmap_systems::native::model::{Action, Followed, Model};
use refmap_systems::native::on_the_fly::{Event, Phase, Reference, Stage};
use refmap_systems::tso::{self, Access, HandshakeRound, Who};

use super::event_text::described;
use super::sizes::Sizes;

/// Correspondence of recorded events to steps of the model.
pub struct ObservedModel {
    model: Model,
}

impl ObservedModel {
    /// Correspondence for this instance of the model.
    pub fn new(model: Model) -> Self {
        Self { model }
    }

    /// The step of the model that an event shows, if its references are to existing objects.
    fn shown(&self, from: &Followed, thread: u32, event: &Event) -> Shown {
        let mutator = from.mutator_of(thread);
        let by = mutator.map_or(Who::Gc, Who::Mutator);
        let of_mutator = |action: &dyn Fn(u8) -> Shown| match mutator {
            Some(mutator) => action(mutator),
            None => Shown::NotJoined,
        };
        let take = |access| Shown::Action(Action::Take { by, access });
        let slot = |reference| from.slot(reference).ok_or(Shown::Stale(reference));
        let value = |reference: Option<Reference>| reference.map(slot).transpose();
        let round = |stage| round_of(stage).ok_or(Shown::Stopped);
        let fields = self.model.scope().fields;
        let field = |field: u32| {
            let field = u8::try_from(field).ok().filter(|field| *field < fields);
            field.ok_or(Shown::NoField)
        };
        let shown = || -> Result<Shown, Shown> {
            Ok(match *event {
                Event::Join { .. } if mutator.is_some() => Shown::Joined,
                Event::Join { owes } => Shown::Action(Action::Join {
                    mutator: from.absent().iter().next().ok_or(Shown::TooMany)?,
                    thread,
                    owes: owes.map(round).transpose()?,
                }),
                Event::Hold { reference } => {
                    slot(reference)?;
                    of_mutator(&|mutator| Shown::Action(Action::Hold { mutator, reference }))
                }
                Event::Leave => of_mutator(&|mutator| Shown::Action(Action::Leave { mutator })),
                Event::Alloc {
                    reference: None, ..
                } => of_mutator(&|_| Shown::Nothing),
                Event::Alloc {
                    reference: Some(reference),
                    mark,
                } => of_mutator(&|mutator| {
                    Shown::Action(Action::Alloc {
                        mutator,
                        reference,
                        mark,
                    })
                }),
                Event::Discard { reference } => {
                    let reference = slot(reference)?;
                    of_mutator(&|_| take(Access::Discard { reference }))
                }
                Event::Load {
                    src,
                    field: at,
                    value: read,
                } => {
                    let (src, field, value) = (slot(src)?, field(at)?, value(read)?);
                    of_mutator(&|_| take(Access::Load { src, field, value }))
                }
                Event::Overwrite {
                    src,
                    field: at,
                    was,
                    value: written,
                } => {
                    let (src, field) = (slot(src)?, field(at)?);
                    let (was, value) = (value(was)?, value(written)?);
                    of_mutator(&|_| {
                        take(Access::Overwrite {
                            src,
                            field,
                            was,
                            value,
                        })
                    })
                }
                Event::Store {
                    src,
                    field: at,
                    value: written,
                } => {
                    let (src, field, value) = (slot(src)?, field(at)?, value(written)?);
                    of_mutator(&|_| take(Access::Store { src, field, value }))
                }
                Event::Asked { stage } => {
                    let round = round(stage)?;
                    of_mutator(&|_| take(Access::Asked(round)))
                }
                Event::Handshake { stage } => {
                    let round = round(stage)?;
                    of_mutator(&|_| take(Access::Done(round)))
                }
                Event::Fence => take(Access::Fence),
                Event::Sense { reference, fm } => {
                    let reference = slot(reference)?;
                    match self.is_marked_root(from, mutator, reference) {
                        true if fm == from.model.sys.fm => Shown::Nothing,
                        true => Shown::Unmarked,
                        false => take(Access::LoadFm { reference, fm }),
                    }
                }
                Event::Look { reference, mark } => {
                    let reference = slot(reference)?;
                    match self.is_marked_root(from, mutator, reference) {
                        true if mark == from.model.sys.fm => Shown::Nothing,
                        true => Shown::Unmarked,
                        false => take(Access::LoadMark { reference, mark }),
                    }
                }
                Event::Test { reference, phase } => take(Access::LoadPhase {
                    reference: slot(reference)?,
                    phase: phase_of(phase),
                }),
                Event::Mark {
                    reference,
                    won,
                    mark,
                } => take(Access::Cas {
                    reference: slot(reference)?,
                    won,
                    mark,
                }),
                Event::Ask { stage } => take(Access::Ask(round(stage)?)),
                Event::Answered { stage } => take(Access::Answered(round(stage)?)),
                Event::SetFm { fm } => take(Access::SetFm(fm)),
                Event::SetFa { fa } => take(Access::SetFa(fa)),
                Event::SetPhase { phase } => take(Access::SetPhase(phase_of(phase))),
                Event::Trace { reference } => take(Access::Trace {
                    reference: slot(reference)?,
                }),
                Event::Scan {
                    src,
                    field: at,
                    value: read,
                } => take(Access::Scan {
                    src: slot(src)?,
                    field: field(at)?,
                    value: value(read)?,
                }),
                Event::Free { reference } => take(Access::Free {
                    reference: slot(reference)?,
                }),
            })
        };
        shown().unwrap_or_else(|wrong| wrong)
    }

    fn is_marked_root(&self, from: &Followed, mutator: Option<u8>, reference: Ref) -> bool {
        let access_model = self.model.access_model();
        mutator.is_some_and(|mutator| access_model.is_marked_root(&from.model, mutator, reference))
    }
}

/// The meaning of an event in the model.
enum Shown {
    /// This step, if it is enabled.
    Action(Action),
    /// A stutter.
    Nothing,
    /// Not possible: the object does not exist.
    Stale(Reference),
    /// Not possible: the thread is no mutator.
    NotJoined,
    /// Not possible: the thread is a mutator already.
    Joined,
    /// Not possible: every mutator of the model is in use.
    TooMany,
    /// Not possible: the model does not stop the world.
    Stopped,
    /// Not possible: an object has fewer fields.
    NoField,
    /// Not possible: a marked root is unmarked.
    Unmarked,
}

fn round_of(stage: Stage) -> Option<HandshakeRound> {
    match stage {
        Stage::Idle => Some(HandshakeRound::Idle),
        Stage::IdleFlip => Some(HandshakeRound::IdleFlip),
        Stage::Init => Some(HandshakeRound::Init),
        Stage::Mark => Some(HandshakeRound::Mark),
        Stage::GetRoots => Some(HandshakeRound::GetRoots),
        Stage::GetWork => Some(HandshakeRound::GetWork),
        Stage::Stop => None,
    }
}

fn phase_of(phase: Phase) -> tso::Phase {
    match phase {
        Phase::Idle => tso::Phase::Idle,
        Phase::Init => tso::Phase::Init,
        Phase::Mark => tso::Phase::Mark,
        Phase::Sweep => tso::Phase::Sweep,
    }
}

impl Observed for ObservedModel {
    type Specification = Model;
    type Event = Event;

    fn specification(&self) -> &Model {
        &self.model
    }

    fn shows(
        &self,
        from: &Followed,
        happening: &Happening<'_, Event>,
        visit: &mut impl FnMut(Option<Action>),
    ) {
        match self.shown(from, happening.thread, happening.event) {
            Shown::Action(action) => visit(Some(action)),
            Shown::Nothing => visit(None),
            _ => (),
        }
    }

    /// All steps of the thread, as a mutator or as the collector. Commits are
    /// [internal](Self::internal).
    fn unrecorded(&self, from: &Followed, thread: u32, visit: &mut impl FnMut(Action)) {
        self.model.steps_of(thread, from, visit);
    }

    fn check(&self, event: &Event) -> Result<(), NoSuch> {
        let scope = self.model.scope();
        let (objects, fields) = (scope.refs.into(), scope.fields.into());
        Sizes { objects, fields }.check(event)
    }

    /// The commits.
    fn internal(&self, from: &Followed, visit: &mut impl FnMut(Action)) {
        for of in Who::all(from.threads.len() as u8) {
            if !from.model.sys.pending_stores(of).is_empty() {
                visit(Action::Commit { of });
            }
        }
    }

    fn refusal(&self, from: &Followed, happening: &Happening<'_, Event>) -> String {
        let thread = happening.thread;
        let access_model = self.model.access_model();
        match self.shown(from, thread, happening.event) {
            Shown::Action(Action::Take { by, access }) => {
                access_model.refusal(&from.model, by, access)
            }
            Shown::Action(Action::Alloc {
                mutator,
                reference: Reference { slot, generation },
                mark,
            }) => match from.generations.get(slot as usize) {
                Some(least) if generation < *least => {
                    format!("the slot has been freed, so that its generation is at least {least}")
                }
                _ if u32::from(self.model.scope().refs) <= slot => {
                    "there is no such slot".to_owned()
                }
                _ => {
                    let (by, reference) = (Who::Mutator(mutator), slot as Ref);
                    access_model.refusal(&from.model, by, Access::Alloc { reference, mark })
                }
            },
            Shown::Action(Action::Join { .. }) => {
                "nobody owes the answer that it is to owe".to_owned()
            }
            Shown::Action(Action::Hold { mutator, .. } | Action::Leave { mutator })
                if !self.model.is_at_rest(from, mutator) =>
            {
                access_model.next_step(&from.model, Who::Mutator(mutator))
            }
            Shown::Action(Action::Hold { reference, .. }) => {
                format!("no other mutator holds {reference}")
            }
            Shown::Action(Action::Leave { .. }) => {
                "stores of its own are pending, for which leaving waits".to_owned()
            }
            Shown::Action(Action::Commit { .. }) | Shown::Nothing => "never".to_owned(),
            Shown::Stale(reference) => format!("{reference} is no object: it was freed"),
            Shown::NotJoined => format!("thread {thread} is no mutator: it has not joined"),
            Shown::Joined => format!("thread {thread} is a mutator already"),
            Shown::TooMany => "there are more mutators than the header says".to_owned(),
            Shown::Stopped => "the model does not stop the world".to_owned(),
            Shown::NoField => "an object has no such field".to_owned(),
            Shown::Unmarked => "the root has been marked, and is said not to be".to_owned(),
        }
    }

    /// Frees and races to mark: a history without them is vacuous.
    fn is_interesting(&self, event: &Event) -> bool {
        matches!(event, Event::Free { .. } | Event::Mark { .. })
    }

    fn is_partial(&self, event: &Event) -> bool {
        match event {
            Event::Alloc { reference, mark } => reference.is_some() && mark.is_none(),
            Event::Mark { mark, .. } => mark.is_none(),
            _ => false,
        }
    }

    fn describe(&self, event: &Event) -> String {
        described(event)
    }
}
