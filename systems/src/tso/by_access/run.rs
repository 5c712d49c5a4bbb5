//! The steps of one process that an access is.

use super::{Access, ByAccess, CHOOSE_FIELD, CHOOSE_ROOT, CHOOSE_SRC, CHOOSE_SWEPT, Round};
use crate::heap::{Object as Ref, Objects as Refs};
use crate::tso::request::Place;
use crate::tso::state::{Mark, Marking, Phase, State, Who};

/// Where references are marked.
const MARKS: [&str; 4] = ["deletion", "insertion", "get-roots", "mark loop"];
/// The step with which marking begins where `fM` is loaded first.
pub(super) const LOAD_FM: &str = "load fM";
const FREE: &str = "sweep: free";

/// Whether a label is that of a step of marking, wherever that is done.
pub(super) fn is_marking(label: &str, step: &str) -> bool {
    let split = label.split_once(": ");
    split.is_some_and(|(at, last)| MARKS.contains(&at) && last == step)
}

/// Some steps of one process, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub by_access: &'a ByAccess,
    pub who: Who,
    pub process: usize,
    pub state: State,
}

impl Run<'_> {
    fn next(&self) -> Option<&'static str> {
        self.by_access.next(&self.state, self.process)
    }

    fn is_next(&self, label: &str) -> bool {
        self.next() == Some(label)
    }

    fn marking(&self) -> &Marking {
        self.state.marking(self.who)
    }

    /// A step of the process, the one that leads where it `is_meant` to.
    fn to(mut self, label: &str, is_meant: impl Fn(&State) -> bool) -> Option<Self> {
        let step = self
            .by_access
            .step(self.process, label, &self.state, &is_meant);
        self.state = step?;
        Some(self)
    }

    /// The step labelled so, whatever it leads to.
    fn any(self, label: &str) -> Option<Self> {
        self.to(label, |_| true)
    }

    /// A1.
    fn go_on(mut self) -> Self {
        let processes = &self.by_access.model.processes;
        let goes_on = &self.by_access.goes_on[self.process];
        while goes_on[usize::from(self.state.at[self.process].0)] {
            let mut from = self.state;
            processes.steps_of(self.process, &|_| true, &mut from, &mut |_, to| {
                self.state = *to;
            });
        }
        self
    }

    fn when(self, holds: bool) -> Option<Self> {
        holds.then_some(self)
    }

    pub fn access(self, access: Access) -> Option<Self> {
        match self.who {
            Who::Gc => self.of_collector(access),
            Who::Mutator(me) => self.of_mutator(me, access),
        }
        .map(Self::go_on)
    }

    fn of_mutator(self, me: u8, access: Access) -> Option<Self> {
        let local = *self.state.mutator(me);
        let place = usize::from(me);
        match access {
            Access::Alloc { reference, mark } => {
                let is_free = self.state.sys.object(reference).is_none();
                self.when(is_free)?.to("alloc", |to| {
                    let object = to.sys.object(reference);
                    object.is_some_and(|object| mark.is_none_or(|mark| object.mark == mark))
                })
            }
            Access::Discard { reference } => {
                let kept = local.roots.without(Refs::one(reference));
                self.when(local.roots.contains(reference))?
                    .to("discard", |to| to.mutators[place].roots == kept)
            }
            Access::Load { src, field, value } => {
                let read = self.state.sys.load(self.who, Place::Field(src, field));
                self.when(local.roots.contains(src) && read.reference() == value)?
                    .to("load: choose", |to| {
                        let local = &to.mutators[place];
                        (local.src, local.field) == (src, field)
                    })?
                    .any("load")
            }
            Access::Overwrite {
                src,
                field,
                was,
                value,
            } => self
                .to("store: choose", |to| {
                    let local = &to.mutators[place];
                    (local.src, local.field, local.dst) == (src, field, value)
                })?
                .to("deletion: ref ← src.field", |to| {
                    to.mutators[place].marking.reference == was
                }),
            Access::Store { src, field, value } => self
                .when((local.src, local.field, local.dst) == (src, field, value))?
                .any("store: src.field ← dst"),
            Access::Asked(round) => {
                let is_asked = self.state.sys.pending.contains(me);
                self.when(is_asked && round.is_current(&self.state))?
                    .any("handshake: poll")
            }
            Access::Fence => self.any("handshake: mfence")?.any("handshake: load type"),
            Access::Done(round) => self.when(round.is_current(&self.state))?.any(round.done()),
            other => self.marks(other),
        }
    }

    /// What collector and mutators have in common [Fig. 5].
    fn marks(mut self, access: Access) -> Option<Self> {
        match access {
            Access::LoadFm { reference, fm } => {
                if self.is_next(CHOOSE_ROOT) {
                    let who = self.who;
                    self = self
                        .to(CHOOSE_ROOT, |to| {
                            to.marking(who).reference == Some(reference)
                        })?
                        .go_on();
                }
                let run = self.marking_step(reference, LOAD_FM)?;
                let loaded = run.marking().fm;
                run.when(loaded == Some(fm))
            }
            Access::LoadMark { reference, mark } => {
                let run = self.marking_step(reference, "load mark")?;
                let loaded = run.marking().mark;
                run.when(loaded == Some(mark))
            }
            Access::LoadPhase { reference, phase } => {
                let run = self.marking_step(reference, "load phase")?;
                let loaded = run.marking().phase;
                run.when(loaded == phase)
            }
            Access::Cas {
                reference,
                won,
                mark,
            } => self.cas(reference, won, mark),
            _ => None,
        }
    }

    /// A step of marking `reference`, wherever that is done.
    fn marking_step(self, reference: Ref, step: &str) -> Option<Self> {
        let label = self.next()?;
        let is_meant = self.marking().reference == Some(reference);
        self.when(is_marking(label, step) && is_meant)?.any(label)
    }

    /// A4.
    fn cas(self, reference: Ref, won: bool, mark: Option<Mark>) -> Option<Self> {
        let (at, _) = self.next()?.split_once(": ")?;
        let is_pending = !self.state.sys.pending_stores(self.who).is_empty();
        let is_meant = mark.is_none() || mark == self.marking().fm;
        let mut run = self
            .when(is_meant && !is_pending)?
            .marking_step(reference, "lock")?
            .any(&format!("{at}: load mark, locked"))?
            .go_on();
        let store = format!("{at}: store mark");
        let is_unchanged = run.is_next(&store);
        if is_unchanged {
            run = run.any(&store)?;
            run.state = run.by_access.commit(&run.state, run.who)?;
        }
        run.when(is_unchanged == won)?.any(&format!("{at}: unlock"))
    }

    fn of_collector(self, access: Access) -> Option<Self> {
        match access {
            Access::Fence => {
                let fence = self.next().filter(|label| label.ends_with(": mfence"))?;
                self.any(fence)
            }
            Access::Ask(round) => self.ask(round),
            Access::Answered(round) => self.answered(round),
            Access::SetFm(fm) => self
                .any("flip: load fM")?
                .go_on()
                .to("flip: store fM", |to| to.gc.marking.fm == Some(fm)),
            Access::SetFa(fa) => self
                .any("mark: load fM")?
                .to("mark: fA ← fM", |to| to.gc.marking.fm == Some(fa)),
            Access::SetPhase(phase) => {
                let run = match phase {
                    Phase::Idle => self.sweep_the_rest()?,
                    _ => self,
                };
                let run = run.any(&format!("phase ← {phase:?}"))?;
                match phase {
                    Phase::Sweep => run.any("sweep: load fM"),
                    _ => Some(run),
                }
            }
            Access::Trace { reference } => self.to(CHOOSE_SRC, |to| to.gc.src == reference),
            Access::Scan { src, field, value } => {
                let is_traced = self.state.gc.src == src;
                self.when(is_traced)?
                    .to(CHOOSE_FIELD, |to| to.gc.field == field)?
                    .to("mark loop: ref ← src.field", |to| {
                        to.gc.marking.reference == value
                    })
            }
            Access::Free { reference } => self
                .to(CHOOSE_SWEPT, |to| to.gc.src == reference)?
                .any("sweep: load mark")?
                .go_on()
                .any(FREE),
            other => self.marks(other),
        }
    }

    /// A5.
    fn sweep_the_rest(mut self) -> Option<Self> {
        while self.is_next(CHOOSE_SWEPT) {
            self = self.any(CHOOSE_SWEPT)?.any("sweep: load mark")?.go_on();
        }
        Some(self)
    }

    /// A2.
    fn ask(self, round: Round) -> Option<Self> {
        let on = |step: &str| format!("{}: {step}", round.name());
        let mut run = self.any(&on("set type"))?.go_on();
        while run.is_next(&on("choose whom to ask")) {
            run = run
                .any(&on("choose whom to ask"))?
                .any(&on("set pending"))?
                .go_on();
        }
        Some(run)
    }

    /// A3.
    fn answered(self, round: Round) -> Option<Self> {
        let on = |step: &str| format!("{}: {step}", round.name());
        let choose = on("choose whom to poll");
        let is_waiting = self.is_next(&choose);
        let mut run = self.when(is_waiting)?;
        while run.is_next(&choose) {
            run = run.any(&choose)?;
            let polled = run.state.gc.mutator;
            let has_answered = !run.state.sys.pending.contains(polled);
            run = run.when(has_answered)?.any(&on("poll"))?.go_on();
        }
        match round {
            Round::GetRoots | Round::GetWork => run.any(&on("W ← collected work")),
            _ => Some(run),
        }
    }
}
