//! Pairs of a state of the implementation and the states of the specification in which it can be after the same trace, as a system
//! that is explored like any other: what is observed is included unless a step leads to a pair that has no abstract state.
//!
//! Source: Laveaux, Groote & Willemse, *Correct and Efficient Antichain Algorithms for Refinement Checking*.
//!
//! The specification's states and their sets are numbered as they are met, by whichever worker does. So no number says anything: what is
//! written of a pair, and what is told of it, is made of the states.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use foldhash::HashMap;
use serde::{Serialize, Serializer};

use super::after::AfterTraces;
use super::automaton::Automaton;
use super::bounds::{Bounds, Stop};
use super::edge::{ROOT, StepLabel};
use super::met::{MetState, MetStates};
use super::sets::SetId;
use crate::state::{Exact, Kept, Limits, Misfit, Sink, Source, State};
use crate::statement::action::Action;
use crate::statement::asked::model_call::break_off;
use crate::statement::erased::ErasedState;
use crate::statement::system::TransitionSystem;

/// State of the implementation, and the states of the specification after the same trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TracePair {
    pub state: Arc<MetState>,
    pub set: SetId,
}

impl TracePair {
    /// True if the specification has not the trace.
    pub fn is_unmatched(&self) -> bool {
        self.set == SetId::EMPTY
    }
}

impl Serialize for TracePair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let state: &ErasedState = &self.state;
        (state, self.set).serialize(serializer)
    }
}

/// Step of the implementation, with what it shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct ShownStep {
    pub label: StepLabel,
    /// Place among the steps of the state.
    place: usize,
}

impl Action<Pairs<'_>> for ShownStep {}

/// Beginning of traces.
pub(super) enum TraceStart {
    /// The initial states of both systems.
    Initial,
    /// A state of the implementation and one of the specification.
    From([ErasedState; 2]),
}

/// The pairs of two systems.
pub(super) struct Pairs<'a> {
    searched: Arc<AskedSystems<'a>>,
    start: TraceStart,
    bounds: Mutex<Bounds<'a>>,
    /// Time that it took to read a checkpoint, in microseconds, which is not counted; none until then, if one is to be read.
    pub(super) uncounted: AtomicU64,
    reads_checkpoint: bool,
    /// Reason why a set is not known, once there is one.
    stopped: Mutex<Option<Stop>>,
}

/// The systems as far as they were asked for, by whichever search of pairs.
pub(super) struct AskedSystems<'a> {
    implementation: Arc<MetStates<'a>>,
    numbered: RwLock<NumberedSets<'a>>,
}

/// The specification as far as it was asked for, and sets of its states. A function of it that is called with its lock may
/// panic: then the search ends.
struct NumberedSets<'a> {
    automaton: Automaton<'a>,
    after: AfterTraces,
    /// Words of sets; none of one of which a state cannot be written.
    words: HashMap<SetId, Option<Arc<[u64]>>>,
    of_words: HashMap<Arc<[u64]>, SetId>,
}

impl<'a> AskedSystems<'a> {
    /// The implementation, and an automaton that is not expanded yet.
    pub fn new(implementation: Arc<MetStates<'a>>, automaton: Automaton<'a>) -> Self {
        Self {
            implementation,
            numbered: RwLock::new(NumberedSets {
                automaton,
                after: AfterTraces::default(),
                words: HashMap::default(),
                of_words: HashMap::default(),
            }),
        }
    }
}

impl<'a> Pairs<'a> {
    /// The pairs of two systems, and the bounds on the work on sets.
    pub fn new(
        searched: &Arc<AskedSystems<'a>>,
        start: TraceStart,
        bounds: Bounds<'a>,
        reads_checkpoint: bool,
    ) -> Self {
        Self {
            searched: Arc::clone(searched),
            start,
            bounds: Mutex::new(bounds),
            uncounted: AtomicU64::new(0),
            reads_checkpoint,
            stopped: Mutex::new(None),
        }
    }

    /// Looks at the specification, as far as it was asked for.
    pub fn with_automaton<T>(&self, look: impl FnOnce(&Automaton<'a>) -> T) -> T {
        look(&self.read().automaton)
    }

    /// Time that it took to read a checkpoint, which is not counted.
    pub fn uncounted(&self) -> Duration {
        Duration::from_micros(self.uncounted.load(Ordering::Relaxed))
    }

    /// Number of states of the specification that were met.
    pub fn specification_states(&self) -> u64 {
        self.read().automaton.states()
    }

    /// Has what was asked for be found again, however long it takes.
    pub fn unbound(&self) {
        *self.bounds() = Bounds::none();
    }

    /// Reason why a set is not known, if there is one.
    pub fn stopped(&self) -> Option<Stop> {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of the abstract states of a pair.
    pub fn members(&self, pair: &TracePair) -> usize {
        self.read().after.sets.members(pair.set).len()
    }

    /// Abstract states of a pair, in an order that depends on nothing else.
    pub fn abstract_states(&self, pair: &TracePair) -> Vec<ErasedState> {
        let numbered = self.read();
        let members = numbered.after.sets.members(pair.set).iter();
        let mut states: Vec<ErasedState> = members
            .map(|member| numbered.automaton.erased_state(*member))
            .collect();
        drop(numbered);
        states.sort_by_cached_key(|state| {
            let text = format!("{state:?}");
            (text.len(), text)
        });
        states
    }

    /// True if each member of one set is one of another, which has more.
    pub fn is_less(&self, part: SetId, whole: SetId) -> bool {
        part != whole && self.read().after.sets.is_part(part, whole)
    }

    fn read(&self) -> RwLockReadGuard<'_, NumberedSets<'a>> {
        let numbered = self.searched.numbered.read();
        numbered.unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, NumberedSets<'a>> {
        let numbered = self.searched.numbered.write();
        numbered.unwrap_or_else(PoisonError::into_inner)
    }

    fn bounds(&self) -> MutexGuard<'_, Bounds<'a>> {
        self.bounds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A set that takes work; if a limit comes before it is known, the state that is expanded is left.
    fn set(
        &self,
        find: impl FnOnce(&mut NumberedSets<'a>, &mut Bounds<'_>) -> Result<SetId, Stop>,
    ) -> SetId {
        let uncounted = self.uncounted();
        // What a checkpoint has was found before, and is to be read whatever it takes.
        let is_read = self.reads_checkpoint && uncounted.is_zero();
        let mut numbered = self.write();
        let mut bounds = self.bounds();
        bounds.uncounted = uncounted;
        let found = if is_read {
            find(&mut numbered, &mut Bounds::none())
        } else {
            find(&mut numbered, &mut bounds)
        };
        drop((numbered, bounds));
        found.unwrap_or_else(|stop| {
            *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop);
            break_off()
        })
    }

    /// The set to which a label leads.
    fn image(&self, set: SetId, label: StepLabel) -> SetId {
        let known = self.read().after.known(set, label);
        known.unwrap_or_else(|| {
            self.set(|numbered, bounds| {
                let NumberedSets {
                    automaton, after, ..
                } = numbered;
                after.image(set, label, automaton, bounds)
            })
        })
    }

    /// The set of a state of the specification, and those that are reached from it by steps that show nothing.
    fn closed(&self, number: impl FnOnce(&mut Automaton<'a>) -> u32) -> SetId {
        self.set(|numbered, bounds| {
            let NumberedSets {
                automaton, after, ..
            } = numbered;
            let state = number(automaton);
            after.closed(&[state], automaton, bounds)
        })
    }
}

impl NumberedSets<'_> {
    /// Words of a set: those of its states, in their order, the number of each first.
    fn words(&mut self, set: SetId) -> Option<Arc<[u64]>> {
        if let Some(words) = self.words.get(&set) {
            return words.clone();
        }
        let system = self.automaton.system();
        let members = self.after.sets.members(set).iter();
        let codes = members.map(|member| system.code(&self.automaton.erased_state(*member)));
        let codes: Option<Vec<_>> = codes.collect();
        let words = codes.map(|mut codes| {
            codes.sort_unstable();
            let mut words = Vec::new();
            for code in codes {
                words.push(code.words().len() as u64);
                words.extend_from_slice(code.words());
            }
            Arc::from(words)
        });
        self.words.insert(set, words.clone());
        if let Some(words) = &words {
            self.of_words.insert(Arc::clone(words), set);
        }
        words
    }

    /// The set of some words.
    fn set_of(&mut self, words: &[u64]) -> SetId {
        let system = self.automaton.system();
        let mut members = Vec::new();
        let mut rest = words;
        while let Some((count, after)) = rest.split_first() {
            let (code, after) = after.split_at(after.len().min(*count as usize));
            let state = system.of_words(code);
            members.push(self.automaton.number_of(state));
            rest = after;
        }
        members.sort_unstable();
        members.dedup();
        self.after.sets.number(members)
    }
}

impl TransitionSystem for Pairs<'_> {
    type State = TracePair;
    type Action = ShownStep;
    type Observation = StepLabel;

    fn initial(&self, visit: &mut impl FnMut(TracePair)) {
        let implementation = &self.searched.implementation;
        match &self.start {
            TraceStart::Initial => {
                let root = self.closed(|_| ROOT);
                implementation.visit_initial(&mut |state| {
                    let set = self.image(root, state.shows);
                    visit(TracePair { state, set });
                });
            }
            TraceStart::From([state, abstract_state]) => {
                let state = implementation.meet(state.clone());
                let set = self.closed(|automaton| automaton.number_of(abstract_state.clone()));
                visit(TracePair { state, set });
            }
        }
    }

    fn candidates(&self, from: &TracePair, visit: &mut impl FnMut(ShownStep)) {
        self.next(from, &mut |step, _| visit(step));
    }

    fn fire(&self, step: &ShownStep, pair: &mut TracePair) -> Option<()> {
        let steps = self.searched.implementation.steps(&pair.state);
        let taken = steps.get(step.place)?;
        if taken.label != step.label {
            return None;
        }
        pair.set = self.image(pair.set, taken.label);
        pair.state = Arc::clone(&taken.to);
        Some(())
    }

    fn next(&self, from: &TracePair, visit: &mut impl FnMut(ShownStep, &TracePair)) {
        let steps = self.searched.implementation.steps(&from.state);
        for (place, step) in steps.iter().enumerate() {
            let to = TracePair {
                state: Arc::clone(&step.to),
                set: self.image(from.set, step.label),
            };
            let label = step.label;
            visit(ShownStep { label, place }, &to);
        }
    }

    fn observe(&self, pair: &TracePair) -> StepLabel {
        pair.state.shows
    }
}

impl<'a> State<Pairs<'a>> for TracePair {
    const KEPT: Kept = Kept::Encoded;
    const EXACT: Exact<Self> = Exact::UNKNOWN;

    fn write(&self, pairs: &Pairs<'a>, _: Limits, sink: &mut impl Sink) {
        let system = pairs.searched.implementation.system;
        system.0.write(&self.state, sink);
        let known = pairs.read().words.get(&self.set).cloned();
        let words = known.unwrap_or_else(|| pairs.write().words(self.set));
        let Some(words) = words else {
            return sink.misfit(Misfit::Constant {
                value: "a state of the specification".to_owned(),
                constant: "one that can be written".to_owned(),
            });
        };
        sink.varint(words.len() as u64);
        words.iter().for_each(|word| sink.number(u64::MAX, *word));
    }

    fn read(pairs: &Pairs<'a>, _: Limits, source: &mut impl Source) -> Self {
        let implementation = &pairs.searched.implementation;
        let state = implementation.system.0.read(source);
        let length = source.length();
        let words: Vec<u64> = (0..length).map(|_| source.number(u64::MAX)).collect();
        let known = pairs.read().of_words.get(&*words).copied();
        let set = known.unwrap_or_else(|| pairs.write().set_of(&words));
        let state = implementation.meet(state);
        Self { state, set }
    }
}
