//! The model access by access: which of its steps answer to what a thread of the collector's code is seen
//! to do.
//!
//! An [`Access`] is what one thread does at one moment, with what it read or wrote: it loads `fM`, it wins
//! a race to mark, it asks for a handshake. To take it is to take some steps of that thread's process one
//! after the other, those of the model at [`Granularity::Fine`], with what is the process's own behind
//! them. So whatever is reached by accesses and commits is reached by the model; there are runs of the
//! model that are none of accesses, because something came between those steps.
//!
//! What is taken together, and why that loses nothing that a thread shows:
//!
//! - A1. Guards, choices and changes of a process's own variables are taken with the access before them, or
//!   with the one after them that says what is chosen.
//! - A2. Asking for a handshake is one access. Whoever is asked early and answers at once could as well have
//!   been asked with the last one; who looks and is not asked shows nothing.
//! - A3. That all have answered is one access, with the taking over of their work: nobody is asked again
//!   before it.
//! - A4. A CAS is one access, from the lock to the unlock, and comes when nothing is pending: what is
//!   pending would be committed before the unlock with nobody able to look in between.
//! - A5. What the sweep looks at and does not free is looked at when it ends. By then it is marked, as it
//!   was: in this phase nothing is unmarked.
//! - A6. A load whose value is not told (of `fM`, by the collector, which alone writes it) is taken with the
//!   access next to it.

use refmap::process::DeadRegisters;
use serde::Serialize;
use tinyvec::ArrayVec;

use super::memory::commit_of;
use super::request::Place;
use super::scope::{Granularity, Initial, Scope, Variant};
use super::state::{
    GC, HandshakePhase, HandshakeType, Mark, Marking, Mutators, Phase, State, Who, place_of,
};
use super::system::{OnTheFly, ScopeError};
use crate::heap::{Object as Ref, Objects as Refs};

/// The system's place among the processes.
const SYS: usize = 1;
/// Where references are marked.
const MARKS: [&str; 4] = ["deletion", "insertion", "get-roots", "mark loop"];
const CHOOSE_ROOT: &str = "get-roots: choose a root";
const CHOOSE_SRC: &str = "mark loop: choose src";
const CHOOSE_FIELD: &str = "mark loop: choose field";
const CHOOSE_SWEPT: &str = "sweep: choose ref";
const FREE: &str = "sweep: free";

/// What a thread does at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// A mutator gets a fresh object.
    Alloc {
        /// Which.
        reference: Ref,
        /// Its mark, if it is told.
        mark: Option<Mark>,
    },
    /// A mutator lets go of a root.
    Discard {
        /// Which.
        reference: Ref,
    },
    /// A mutator reads a field.
    Load {
        /// The object.
        src: Ref,
        /// Its field.
        field: u8,
        /// What it reads.
        value: Option<Ref>,
    },
    /// A mutator begins a store: its deletion barrier reads the field.
    Overwrite {
        /// The object.
        src: Ref,
        /// Its field.
        field: u8,
        /// What it reads.
        was: Option<Ref>,
        /// What it will write.
        value: Option<Ref>,
    },
    /// A mutator writes a field.
    Store {
        /// The object.
        src: Ref,
        /// Its field.
        field: u8,
        /// What it writes.
        value: Option<Ref>,
    },
    /// A mutator finds that it is asked.
    Asked(Round),
    /// A mutator answers, and hands over its work.
    Done(Round),
    /// The fence of a handshake, of either side.
    Fence,
    /// Marking loads `fM`.
    LoadFm {
        /// What is to be marked.
        reference: Ref,
        /// What it reads.
        fm: Mark,
    },
    /// Marking loads the mark.
    LoadMark {
        /// Of what.
        reference: Ref,
        /// What it reads.
        mark: Mark,
    },
    /// Marking loads the phase.
    LoadPhase {
        /// What is to be marked.
        reference: Ref,
        /// What it reads.
        phase: Phase,
    },
    /// Marking compares and swaps.
    Cas {
        /// What.
        reference: Ref,
        /// Whether the mark was still the one that was loaded.
        won: bool,
        /// The mark that it writes, if it is told.
        mark: Option<Mark>,
    },
    /// The collector asks for a handshake. Mutators that nobody is, which hold nothing, answer at once.
    Ask {
        /// Which.
        round: Round,
        /// Who answers at once.
        absent: Mutators,
    },
    /// The collector has seen all answers, and takes over the work if any was asked for.
    Answered(Round),
    /// The collector inverts `fM`.
    SetFm(Mark),
    /// The collector sets `fA`.
    SetFa(Mark),
    /// The collector sets the phase.
    SetPhase(Phase),
    /// The collector chooses an object to trace.
    Trace {
        /// Which.
        reference: Ref,
    },
    /// The collector reads a field of the object that it traces.
    Scan {
        /// The object.
        src: Ref,
        /// Its field.
        field: u8,
        /// What it reads.
        value: Option<Ref>,
    },
    /// The collector frees an object.
    Free {
        /// Which.
        reference: Ref,
    },
}

/// A round of handshakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Round {
    /// Before `fM` is inverted.
    Idle,
    /// After that.
    IdleFlip,
    /// After the phase is `Init`.
    Init,
    /// After `fA` is set.
    Mark,
    /// For roots.
    GetRoots,
    /// For work.
    GetWork,
}

impl Round {
    /// All of them, in their order.
    pub const ALL: [Self; 6] = [
        Self::Idle,
        Self::IdleFlip,
        Self::Init,
        Self::Mark,
        Self::GetRoots,
        Self::GetWork,
    ];

    /// What it is called in the collector's program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::IdleFlip => "idle flip",
            Self::Init => "init",
            Self::Mark => "mark",
            Self::GetRoots => "get-roots",
            Self::GetWork => "get-work",
        }
    }

    fn done(self) -> &'static str {
        match self {
            Self::Idle | Self::IdleFlip | Self::Init | Self::Mark => "noop: done",
            Self::GetRoots => "get-roots: done",
            Self::GetWork => "get-work: done",
        }
    }

    /// Whether it is the one that was begun last.
    pub fn is_current(self, state: &State) -> bool {
        let noop =
            |phase| state.sys.handshake == HandshakeType::Noop && state.sys.ghost_phase == phase;
        match self {
            Self::Idle => noop(HandshakePhase::Idle),
            Self::IdleFlip => noop(HandshakePhase::IdleInit),
            Self::Init => noop(HandshakePhase::InitMark),
            Self::Mark => noop(HandshakePhase::Mark),
            Self::GetRoots => state.sys.handshake == HandshakeType::GetRoots,
            Self::GetWork => state.sys.handshake == HandshakeType::GetWork,
        }
    }
}

/// The model, by accesses.
pub struct ByAccess {
    model: OnTheFly,
    /// Of each location of each process, whether the process goes on from there by itself (A1).
    goes_on: Vec<Vec<bool>>,
    /// How the commits of each buffer are labelled.
    commits: Vec<String>,
}

impl ByAccess {
    /// The model with so many mutators, references and fields of an object, and `buffer` places in each
    /// store buffer.
    ///
    /// # Errors
    ///
    /// If there is no such instance.
    pub fn new(
        [mutators, refs, fields, buffer]: [u8; 4],
        variant: Variant,
    ) -> Result<Self, ScopeError> {
        let scope = Scope {
            mutators,
            refs,
            fields,
            buffer,
            collector_buffer: buffer,
            initial: Initial::Canonical,
            granularity: Granularity::Fine,
            registers: DeadRegisters::Cleared,
        };
        let model = OnTheFly::new(scope, variant)?;
        let processes = &model.processes;
        let goes_on = |process| {
            let locations = 0..processes.locations(process) as u16;
            let goes_on = locations.map(|at| {
                let at = refmap::process::Location(at);
                let labels: Vec<_> = processes.labels(process, at).collect();
                processes.is_alone(process, at)
                    && matches!(&*labels, [label] if !label.as_str().contains("choose"))
            });
            goes_on.collect()
        };
        Ok(Self {
            goes_on: (0..processes.processes()).map(goes_on).collect(),
            commits: Who::all(mutators).map(commit_of).collect(),
            model,
        })
    }

    /// The model itself.
    pub fn model(&self) -> &OnTheFly {
        &self.model
    }

    /// Visits the state in which the heap is empty and nobody holds anything.
    pub fn initial(&self, visit: &mut impl FnMut(State)) {
        let Scope { mutators, refs, .. } = self.model.scope;
        let heap: ArrayVec<_> = (0..refs).map(|_| None).collect();
        let roots = vec![Refs::default(); usize::from(mutators)];
        self.model.begin(heap, &roots, &mut |state| visit(state));
    }

    /// Where an access leads, if the model allows it.
    pub fn take(&self, from: &State, by: Who, access: Access) -> Option<State> {
        let run = Run {
            by_access: self,
            who: by,
            process: process_of(by),
            state: *from,
        };
        run.access(access).map(|run| run.state)
    }

    /// The oldest pending store of a process goes to memory.
    pub fn commit(&self, from: &State, of: Who) -> Option<State> {
        self.step(SYS, &self.commits[of.index()], from, &|_| true)
    }

    /// The step of a process that is labelled so, and whose result is meant.
    fn step(
        &self,
        process: usize,
        label: &str,
        from: &State,
        is_meant: &dyn Fn(&State) -> bool,
    ) -> Option<State> {
        let mut found = None;
        self.model.processes.steps_labelled(
            process,
            &|offered| offered.as_str() == label,
            from,
            &mut |_, to| {
                if found.is_none() && is_meant(&to) {
                    found = Some(to);
                }
            },
        );
        found
    }

    /// What a process takes next, where it does not choose among several things.
    fn next(&self, state: &State, process: usize) -> Option<&'static str> {
        let mut labels = self.model.processes.labels(process, state.at[process]);
        let first = labels.next()?;
        labels.next().is_none().then_some(first.as_str())
    }

    /// What a process takes next, in words: what it has to do before it can do anything else.
    pub fn next_step(&self, state: &State, who: Who) -> String {
        let name = match who {
            Who::Gc => "the collector".to_owned(),
            Who::Mutator(mutator) => format!("mutator {mutator}"),
        };
        match self.next(state, process_of(who)) {
            Some(label) => format!("in the model {name} has to take `{label}` next"),
            None => format!("in the model {name} is between two operations"),
        }
    }

    /// Whether a mutator that marks its roots is done with a root that it also holds by another name, so
    /// that to look at it again is nothing: it is marked.
    pub fn is_marked_root(&self, state: &State, mutator: u8, reference: Ref) -> bool {
        let who = Who::Mutator(mutator);
        let local = state.mutator(mutator);
        let next = self.next(state, process_of(who));
        matches!(next, Some(CHOOSE_ROOT | "get-roots: done"))
            && local.roots.contains(reference)
            && !local.refs.contains(reference)
    }

    /// Why an access is not possible, in a few words.
    pub fn refusal(&self, from: &State, by: Who, access: Access) -> String {
        let next = self.next(from, process_of(by)).unwrap_or_default();
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
        match access {
            Access::LoadFm { .. } if is_next("load fM") => {
                format!("fM is {}", sense(from.sys.fm))
            }
            Access::LoadMark { reference, .. } if is_next(": load mark") => match object(reference)
            {
                None => format!("{reference} is no object"),
                Some(object) => format!("its mark is {}", sense(object.mark)),
            },
            Access::LoadPhase { .. } if is_next("load phase") => {
                format!("the phase is {:?}", from.sys.phase)
            }
            Access::Cas { won, mark, .. } if is_next("lock") => {
                let fm = marking(from, by).fm;
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

fn process_of(who: Who) -> usize {
    match who {
        Who::Gc => GC,
        Who::Mutator(mutator) => place_of(mutator),
    }
}

fn marking(state: &State, who: Who) -> &Marking {
    match who {
        Who::Gc => &state.gc.marking,
        Who::Mutator(mutator) => &state.mutator(mutator).marking,
    }
}

/// Some steps of one process, one after the other.
#[derive(Clone, Copy)]
struct Run<'a> {
    by_access: &'a ByAccess,
    who: Who,
    process: usize,
    state: State,
}

impl Run<'_> {
    fn next(&self) -> Option<&'static str> {
        self.by_access.next(&self.state, self.process)
    }

    fn is_next(&self, label: &str) -> bool {
        self.next() == Some(label)
    }

    fn marking(&self) -> &Marking {
        marking(&self.state, self.who)
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
            let from = self.state;
            processes.steps_of(self.process, &from, &mut |_, to| self.state = to);
        }
        self
    }

    fn when(self, holds: bool) -> Option<Self> {
        holds.then_some(self)
    }

    fn access(self, access: Access) -> Option<Self> {
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
                            marking(to, who).reference == Some(reference)
                        })?
                        .go_on();
                }
                let run = self.marking_step(reference, "load fM")?;
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
        let (at, last) = label.split_once(": ")?;
        let is_it = MARKS.contains(&at) && last == step;
        let is_meant = self.marking().reference == Some(reference);
        self.when(is_it && is_meant)?.any(label)
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
            Access::Ask { round, absent } => self.ask(round, absent),
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
    fn ask(self, round: Round, absent: Mutators) -> Option<Self> {
        let on = |step: &str| format!("{}: {step}", round.name());
        let mut run = self.any(&on("set type"))?.go_on();
        while run.is_next(&on("choose whom to ask")) {
            run = run
                .any(&on("choose whom to ask"))?
                .any(&on("set pending"))?
                .go_on();
        }
        for mutator in absent.iter() {
            let answering = Run {
                process: place_of(mutator),
                who: Who::Mutator(mutator),
                ..run
            };
            let answered = answering
                .any("handshake: poll")?
                .go_on()
                .any("handshake: mfence")?
                .any("handshake: load type")?
                .go_on()
                .any(round.done())?
                .go_on();
            run.state = answered.state;
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
