//! The collector and its specification with any number of mutators, as crowds of these.
//!
//! A step is one of a collector with two mutators: the one that takes it, if one does, and a stand-in for all others. Of these the collector has to know whether some are left
//! to be asked or waited for, and local fusion whether some have yet to answer, and whether some mark with the other sense. It is asked where it matters, which is where
//! the stand-in makes a difference.
//!
//! A step of the collector with one mutator (to choose it, to ask it, to poll it) is one of this mutator.

use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use refmap::crowd::{Chosen, Crowd, Others};
use refmap::internal::json;
use refmap::{Action, BoundedVec, Rule, RuleId, TransitionSystem};
use refmap_processes::{DeadRegisters, Location};
use serde::{Serialize, Serializer};

use super::label::{Label, RoundStep, SysStep};
use super::request::Act;
use super::scope::{
    Granularity, MAX_BUFFER, MAX_FIELDS, MAX_REFS, Memory, Scope, ScopeError, Variant,
};
use super::specification::{self, CollectOnlyGarbage, FieldStore, Program};
use super::stability::marks_with;
use super::state::{
    DEAD, GC, Gc, HandshakePhase, HandshakeType, Mark, Mutator, Mutators, Object, Phase, SYS,
    State, Store, Sys, Who, place_of,
};
use super::system::OnTheFly;
use crate::heap::{self, Object as Ref, Objects as Refs};
use crate::unnumbered::Unnumbered;

/// Fields of an object.
type Fields = BoundedVec<Option<Ref>, MAX_FIELDS>;
/// Pending stores, the oldest first.
type Stores = BoundedVec<Store, MAX_BUFFER>;

/// The part of a state that belongs to no mutator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Shared {
    /// Locations of the collector and of the system.
    pub at: [Location; 2],
    /// The collector's variables; the mutators that are left are marked themselves.
    pub gc: Gc,
    /// The mutator to request, or to poll.
    pub turn: Option<Chosen>,
    /// The memory model.
    #[serde(skip)]
    pub memory: Memory,
    /// The mark and the fields of the object at each reference, if there is one.
    pub heap: BoundedVec<Option<(Mark, Fields)>, MAX_REFS>,
    /// The sense with which objects are allocated.
    pub fa: Mark,
    /// The sense with which objects are marked.
    pub fm: Mark,
    /// The collector's phase.
    pub phase: Phase,
    /// The collector's pending stores.
    pub buffer: Stores,
    /// The process that holds the bus lock.
    pub lock: Option<Holder>,
    /// Type of the last handshake.
    pub handshake: HandshakeType,
    /// The work that mutators have handed over.
    pub w: Refs,
    /// The last noop or get-roots handshake begun.
    pub ghost_phase: HandshakePhase,
}

/// The process that holds the bus lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Holder {
    /// The collector.
    Gc,
    Mutator(Chosen),
}

/// The part of a state that belongs to one mutator.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State,
)]
pub struct OneMutator {
    /// Its location.
    pub at: Location,
    /// Its variables.
    #[serde(flatten)]
    pub local: Mutator,
    /// Its pending stores.
    pub buffer: Stores,
    /// Its pending bit: it has not answered the last handshake.
    pub pending: bool,
    /// True if the collector has it left to request, or to wait for.
    pub is_left: bool,
    /// True if it has answered the last handshake.
    pub ghost_in_sync: bool,
}

/// A step of the collector with two mutators: of the first one, if it is one of a mutator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AnyAct(pub Act);

impl Hash for AnyAct {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl AnyAct {
    fn text(&self) -> String {
        let shown = json(&self.0);
        unnumbered(shown.as_str().expect("it is a text"))
    }
}

/// A text of the first mutator, said of any.
fn unnumbered(text: &str) -> String {
    text.replace("mutator 0", "a mutator")
}

impl Debug for AnyAct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Serialize for AnyAct {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

/// The mutator that takes a step, and the stand-in for all others.
const ME: u8 = 0;
const OTHERS: u8 = 1;

/// Something to know of the others, which the stand-in shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Some are left to request, or to wait for.
    Left,
    /// Some have not answered.
    Pending,
    /// Some mark with the other sense.
    OtherSense,
}

/// Of what is known of the others, that which is true.
type Is<'a> = &'a dyn Fn(Known) -> bool;

/// Result of a step: the parts of its target, and what becomes of all others.
#[derive(Clone, Copy, PartialEq)]
struct Outcome {
    shared: Shared,
    me: OneMutator,
    /// True or false if they are left, or are not, from now on; none if that does not change.
    are_left: Option<bool>,
    /// True if none has answered from now on.
    begins: bool,
}

/// The collector with any number of mutators.
#[derive(Clone)]
pub struct AnyOnTheFly(Arc<OfTwo>);

/// The system with two mutators.
struct OfTwo {
    system: OnTheFly,
    /// That with one, whose initial states are those of each.
    one: OnTheFly,
    /// Its rules without that of commits for the stand-in,
    rules: Vec<Rule>,
    /// which would be here.
    left_out: usize,
}

impl AnyOnTheFly {
    /// The collector for an instance, whose number of mutators does not matter.
    ///
    /// # Errors
    ///
    /// If the instance is empty or too large, or its steps move several mutators.
    pub fn new(scope: Scope, variant: Variant) -> Result<Self, ScopeError> {
        if scope.granularity == Granularity::Reduced {
            return Err(ScopeError::Transactions);
        }
        // A dead register would name a mutator whose turn it is no more.
        let scope = Scope {
            registers: DeadRegisters::Cleared,
            ..scope
        };
        let of = |mutators| OnTheFly::new(Scope { mutators, ..scope }, variant);
        let (one, system) = (of(1)?, of(2)?);
        let mut rules = system.processes.rules().to_vec();
        let commit = Label::Sys(SysStep::Commit(Who::Mutator(OTHERS))).to_string();
        let left_out = rules.iter().position(|rule| rule.name == commit);
        let left_out = left_out.expect("there is such a rule");
        rules.remove(left_out);
        for rule in &mut rules {
            rule.name = unnumbered(&rule.name).into();
        }
        Ok(Self(Arc::new(OfTwo {
            system,
            one,
            rules,
            left_out,
        })))
    }

    /// The instance, whose number of mutators does not matter.
    pub fn scope(&self) -> &Scope {
        &self.0.one.scope
    }

    /// The state of a system with these mutators alone, of which none holds the lock.
    pub fn with(shared: &Shared, mutators: &[&OneMutator]) -> State {
        let gc = Gc {
            mutator: DEAD,
            muts: set(mutators, |mutator| mutator.is_left),
            ..shared.gc
        };
        let object = |(mark, fields): (Mark, Fields)| Object {
            mark,
            fields: fields.into_iter().collect(),
        };
        let [of_collector, of_system] = shared.at;
        let mut state = State {
            at: Default::default(),
            gc,
            mutators: mutators.iter().map(|mutator| mutator.local).collect(),
            sys: Sys {
                memory: shared.memory,
                heap: shared.heap.iter().map(|at| at.map(object)).collect(),
                fa: shared.fa,
                fm: shared.fm,
                phase: shared.phase,
                buffers: std::iter::once(&shared.buffer)
                    .chain(mutators.iter().map(|mutator| &mutator.buffer))
                    .map(|stores| stores.iter().copied().collect())
                    .collect(),
                lock: (shared.lock == Some(Holder::Gc)).then_some(Who::Gc),
                handshake: shared.handshake,
                pending: set(mutators, |mutator| mutator.pending),
                w: shared.w,
                ghost_phase: shared.ghost_phase,
                ghost_in_sync: set(mutators, |mutator| mutator.ghost_in_sync),
            },
        };
        (state.at[GC], state.at[SYS]) = (of_collector, of_system);
        for (mutator, part) in (0..).zip(mutators) {
            state.at[place_of(mutator)] = part.at;
        }
        state
    }

    /// The parts of a state, of the first mutator.
    fn parts(state: &State, turn: Option<Chosen>, lock: Option<Holder>) -> (Shared, OneMutator) {
        let sys = &state.sys;
        let stores = |who| sys.pending_stores(who).iter().copied().collect();
        let object = |object: Object| (object.mark, object.fields.into_iter().collect());
        let shared = Shared {
            at: [state.at[GC], state.at[SYS]],
            gc: Gc {
                mutator: DEAD,
                muts: Mutators::default(),
                ..state.gc
            },
            turn,
            memory: sys.memory,
            heap: sys.heap.iter().map(|at| at.map(object)).collect(),
            fa: sys.fa,
            fm: sys.fm,
            phase: sys.phase,
            buffer: stores(Who::Gc),
            lock,
            handshake: sys.handshake,
            w: sys.w,
            ghost_phase: sys.ghost_phase,
        };
        let me = OneMutator {
            at: state.at[place_of(ME)],
            local: *state.mutator(ME),
            buffer: stores(Who::Mutator(ME)),
            pending: sys.pending.contains(ME),
            is_left: state.gc.muts.contains(ME),
            ghost_in_sync: sys.ghost_in_sync.contains(ME),
        };
        (shared, me)
    }

    /// The state with the mutator that takes a step, or none, and the stand-in. Of a mutator that the shared part names, `is_me` says whether it is this one.
    fn beside_others(
        &self,
        shared: &Shared,
        me: Option<&OneMutator>,
        is_me: &dyn Fn(Chosen) -> bool,
        others: Is<'_>,
    ) -> State {
        let at_rest = OneMutator {
            ghost_in_sync: true,
            ..OneMutator::default()
        };
        let mut stand_in = OneMutator {
            pending: others(Known::Pending),
            is_left: others(Known::Left),
            ..at_rest
        };
        if others(Known::OtherSense) {
            stand_in.local.marking.fm = Some(!shared.fm);
        }
        let mut state = Self::with(shared, &[me.unwrap_or(&at_rest), &stand_in]);
        let number = |name| if is_me(name) { ME } else { OTHERS };
        if let Some(turn) = shared.turn {
            state.gc.mutator = number(turn);
        }
        if let Some(Holder::Mutator(holder)) = shared.lock {
            state.sys.lock = Some(Who::Mutator(number(holder)));
        }
        state
    }

    /// Visits the steps of a process that the first mutator takes, or none does.
    fn steps(
        &self,
        process: usize,
        from: &State,
        is_mine: bool,
        visit: &mut dyn FnMut(Act, &State),
    ) {
        let system = &self.0.system;
        let owner = if is_mine { Who::Mutator(ME) } else { Who::Gc };
        let is_wanted = |act: &Act| match process {
            SYS => act.label == Label::Sys(SysStep::Commit(owner)),
            // The first mutator is the first to be chosen.
            GC if is_mine && from.gc.mutator == DEAD => {
                from.gc.muts.contains(ME) && act.choice == 0
            }
            GC if is_mine => from.gc.mutator == ME,
            _ => true,
        };
        let is_there = match process {
            SYS => true,
            GC => self.takes_mutator(from) == is_mine,
            _ => is_mine,
        };
        if is_there {
            system.steps_of(process, from, &mut |act, to| {
                if is_wanted(&act) {
                    visit(act, to);
                }
            });
        }
    }

    /// True if the collector's next step takes a mutator: it chooses one, asks it or polls it.
    fn takes_mutator(&self, state: &State) -> bool {
        let mut labels = self.0.system.processes.labels(GC, state.at[GC]);
        labels.any(|label| {
            let Label::Round(_, step) = label else {
                return false;
            };
            match step {
                RoundStep::ChooseWhomToAsk
                | RoundStep::SetPending
                | RoundStep::Asked
                | RoundStep::ChooseWhomToPoll
                | RoundStep::Poll => true,
                RoundStep::Fence
                | RoundStep::SetType
                | RoundStep::AskAll
                | RoundStep::MoreToAsk
                | RoundStep::WaitForAll
                | RoundStep::MoreToWaitFor
                | RoundStep::TakeWork => false,
            }
        })
    }

    /// Facts about the others that may have to be known for a step.
    fn to_know(&self, act: &Act) -> &'static [Known] {
        match (act.label, self.scope().granularity) {
            (Label::Round(..), _) => &[Known::Left, Known::Pending],
            (_, Granularity::Fine) => &[],
            _ => &[Known::OtherSense],
        }
    }

    /// Takes a step, asking of the others what makes a difference.
    fn take(
        &self,
        AnyAct(act): &AnyAct,
        shared: &mut Shared,
        mut me: Option<&mut OneMutator>,
        others: &mut Others<'_, OneMutator>,
    ) -> Option<()> {
        let name = me.is_some().then(|| others.me());
        let to_know = self.to_know(act);
        let mut outcomes: Vec<_> = (0..1 << to_know.len())
            .map(|answers: usize| {
                let is = |known| {
                    let mut asked = to_know.iter();
                    let place = asked.position(|one| *one == known);
                    place.is_some_and(|place| answers >> place & 1 == 1)
                };
                self.outcome(act, shared, me.as_deref(), name, &is)
            })
            .collect();
        for known in to_know.iter().rev() {
            let with = outcomes.split_off(outcomes.len() / 2);
            if with != outcomes && known.is_so(others, shared.fm) {
                outcomes = with;
            }
        }
        let outcome = outcomes.pop()??;
        *shared = outcome.shared;
        if let Some(me) = &mut me {
            **me = outcome.me;
        }
        match outcome.are_left {
            Some(true) => others.each(|other| other.is_left = true),
            Some(false) => others.each(|other| other.is_left = false),
            None => (),
        }
        if outcome.begins {
            others.each(|other| other.ghost_in_sync = false);
        }
        Some(())
    }

    /// Result of a step, if this is known of the others; none if it is not enabled.
    fn outcome(
        &self,
        act: &Act,
        shared: &Shared,
        me: Option<&OneMutator>,
        name: Option<Chosen>,
        others: Is<'_>,
    ) -> Option<Outcome> {
        let from = self.beside_others(shared, me, &|other| Some(other) == name, others);
        let process = match act.label {
            Label::Sys(_) => SYS,
            _ if act.process == heap::mutator(ME, 2) => place_of(ME),
            _ => GC,
        };
        let mut outcome = None;
        self.steps(process, &from, me.is_some(), &mut |taken, to| {
            if taken != *act {
                return;
            }
            let named = |mutator, other| if mutator == ME { name } else { other };
            let turn = match to.gc.mutator {
                DEAD => None,
                turn => named(turn, shared.turn),
            };
            let lock = to.sys.lock.map(|holder| match (holder, name) {
                (Who::Gc, _) => Holder::Gc,
                (Who::Mutator(ME), Some(name)) => Holder::Mutator(name),
                (Who::Mutator(_), _) => shared.lock.expect("another one holds it"),
            });
            let are_left = |state: &State| state.gc.muts.contains(OTHERS);
            let (shared, me) = Self::parts(to, turn, lock);
            outcome = Some(Outcome {
                shared,
                me,
                are_left: (are_left(to) != are_left(&from)).then(|| are_left(to)),
                begins: !to.sys.ghost_in_sync.contains(OTHERS),
            });
        });
        outcome
    }
}

impl Known {
    /// Asks the others.
    fn is_so(self, others: &mut Others<'_, OneMutator>, sense: Mark) -> bool {
        let some = match self {
            Self::Left => others.some(|other| other.is_left),
            Self::Pending => others.some(|other| other.pending),
            Self::OtherSense => others.some_with(sense, |other, sense| {
                !marks_with(*sense, &other.local.marking, &other.buffer)
            }),
        };
        some.is_some()
    }
}

/// The set of the mutators of which this is true.
fn set(mutators: &[&OneMutator], is_in: impl Fn(&OneMutator) -> bool) -> Mutators {
    let mut set = Mutators::default();
    for (number, mutator) in (0..).zip(mutators) {
        set.set(number, is_in(mutator));
    }
    set
}

impl Action<AnyOnTheFly> for AnyAct {
    fn rules(crowd: &AnyOnTheFly) -> &[Rule] {
        &crowd.0.rules
    }

    fn rule(&self, crowd: &AnyOnTheFly) -> RuleId {
        let RuleId(rule) = self.0.rule(&crowd.0.system);
        RuleId(rule - usize::from(rule > crowd.0.left_out))
    }
}

impl Crowd for AnyOnTheFly {
    type Shared = Shared;
    type Member = OneMutator;
    type Action = AnyAct;
    type Observation = Observed;

    fn members(&self) -> &str {
        "mutators"
    }

    fn bounds(&self) -> String {
        bounds(self.scope())
    }

    fn initial(&self, visit: &mut impl FnMut(Shared, &[OneMutator])) {
        self.0.one.initial(&mut |state| {
            let (shared, me) = Self::parts(&state, None, None);
            visit(shared, &[me]);
        });
    }

    fn fire(
        &self,
        act: &AnyAct,
        shared: &mut Shared,
        me: &mut OneMutator,
        others: &mut Others<'_, OneMutator>,
    ) -> Option<()> {
        self.take(act, shared, Some(me), others)
    }

    fn act(
        &self,
        act: &AnyAct,
        shared: &mut Shared,
        others: &mut Others<'_, OneMutator>,
    ) -> Option<()> {
        self.take(act, shared, None, others)
    }

    /// Those that there are whatever is known of the others, and of what the shared part names.
    fn candidates(&self, shared: &Shared, me: Option<&OneMutator>, visit: &mut impl FnMut(AnyAct)) {
        let is_fine = self.scope().granularity == Granularity::Fine;
        let mut all: Vec<Act> = Vec::new();
        for (names_me, are_of_sense) in [(false, true), (true, true), (false, false), (true, false)]
        {
            if is_fine && !are_of_sense || me.is_none() && names_me {
                continue;
            }
            let others = |known| known == Known::OtherSense && !are_of_sense;
            let from = self.beside_others(shared, me, &|_| names_me, &others);
            for process in [GC, SYS, place_of(ME)] {
                self.steps(process, &from, me.is_some(), &mut |act, _| {
                    if !all.contains(&act) {
                        all.push(act);
                    }
                });
            }
        }
        all.into_iter().map(AnyAct).for_each(visit);
    }

    fn observe(&self, shared: &Shared) -> Option<Observed> {
        Some(Observed::Heap(AnyCollectOnlyGarbage::of(shared)))
    }

    fn observe_member(&self, shared: &Shared, me: &OneMutator) -> Option<Observed> {
        Some(Observed::Mutator(Self::held(shared, me)))
    }
}

impl AnyOnTheFly {
    /// That of a mutator.
    pub fn held(shared: &Shared, me: &OneMutator) -> HeldProgram {
        let program = Self::with(shared, &[me]).program();
        let (_, held) = AnyCollectOnlyGarbage::parts(&program);
        held.expect("there is a mutator")
    }
}

/// Bounds of the memory, as a verdict names them.
fn bounds(scope: &Scope) -> String {
    let Scope {
        refs,
        fields,
        buffer,
        collector_buffer,
        ..
    } = scope;
    format!(
        "references {refs}, fields {fields}, buffer {buffer}, collector's buffer {collector_buffer}"
    )
}

/// Observation: the heap, or a mutator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Observed {
    /// Memory's heap.
    Heap(SharedProgram),
    Mutator(HeldProgram),
}

/// The part of a state of the specification that belongs to no mutator: memory's heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct SharedProgram {
    /// The memory model.
    #[serde(skip)]
    pub memory: Memory,
    /// The fields of the object at each reference, if there is one.
    pub heap: BoundedVec<Option<Fields>, MAX_REFS>,
}

/// The part of a state of the specification that belongs to one mutator.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State,
)]
pub struct HeldProgram {
    pub roots: Refs,
    /// Its pending stores of fields, the oldest first.
    pub pending: BoundedVec<FieldStore, MAX_BUFFER>,
}

/// "Collect only garbage" with any number of mutators.
#[derive(Clone)]
pub struct AnyCollectOnlyGarbage {
    one: CollectOnlyGarbage,
    scope: Scope,
}

impl AnyCollectOnlyGarbage {
    /// The specification for an instance, whose number of mutators does not matter.
    pub fn new(crowd: &AnyOnTheFly) -> Self {
        Self {
            one: crowd.0.one.specification(),
            scope: *crowd.scope(),
        }
    }

    /// The state with one mutator, or none.
    fn with(shared: &SharedProgram, me: Option<&HeldProgram>) -> Program {
        let fields = |fields: Fields| fields.into_iter().collect();
        Program {
            memory: shared.memory,
            heap: shared.heap.iter().map(|at| at.map(fields)).collect(),
            roots: me.iter().map(|me| me.roots).collect(),
            pending: me
                .iter()
                .map(|me| me.pending.iter().copied().collect())
                .collect(),
        }
    }

    /// The parts of a state with one mutator, or none.
    fn parts(program: &Program) -> (SharedProgram, Option<HeldProgram>) {
        let fields = |fields: specification::Fields| fields.into_iter().collect();
        let shared = SharedProgram {
            memory: program.memory,
            heap: program.heap.iter().map(|at| at.map(fields)).collect(),
        };
        let held = program.roots.iter().zip(&program.pending).next();
        let held = held.map(|(roots, pending)| HeldProgram {
            roots: *roots,
            pending: pending.iter().copied().collect(),
        });
        (shared, held)
    }

    /// The heap of a state of the collector, as programs observe it.
    pub fn of(shared: &Shared) -> SharedProgram {
        Self::parts(&AnyOnTheFly::with(shared, &[]).program()).0
    }
}

/// True if a mutator takes it.
fn is_of_mutator(action: &specification::Action) -> bool {
    !matches!(action, specification::Action::Free { .. })
}

/// An object of a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct InHeap {
    heap: SharedProgram,
    object: Ref,
}

impl InHeap {
    fn is_reached_by(&self, mutator: &HeldProgram) -> bool {
        let program = AnyCollectOnlyGarbage::with(&self.heap, Some(mutator));
        program.reachable().contains(self.object)
    }
}

impl Action<AnyCollectOnlyGarbage> for Unnumbered<specification::Action> {
    fn rules(crowd: &AnyCollectOnlyGarbage) -> &[Rule] {
        specification::Action::rules(&crowd.one)
    }

    fn rule(&self, crowd: &AnyCollectOnlyGarbage) -> RuleId {
        self.0.rule(&crowd.one)
    }

    fn inputs(&self, crowd: &AnyCollectOnlyGarbage) -> Self {
        Self(self.0.inputs(&crowd.one))
    }
}

impl Crowd for AnyCollectOnlyGarbage {
    type Shared = SharedProgram;
    type Member = HeldProgram;
    type Action = Unnumbered<specification::Action>;
    type Observation = Observed;

    fn members(&self) -> &str {
        "mutators"
    }

    fn bounds(&self) -> String {
        bounds(&self.scope)
    }

    fn initial(&self, visit: &mut impl FnMut(SharedProgram, &[HeldProgram])) {
        self.one.initial(&mut |program| {
            let (shared, held) = Self::parts(&program);
            visit(shared, &[held.expect("there is a mutator")]);
        });
    }

    fn fire(
        &self,
        Unnumbered(action): &Self::Action,
        shared: &mut SharedProgram,
        me: &mut HeldProgram,
        _: &mut Others<'_, HeldProgram>,
    ) -> Option<()> {
        if !is_of_mutator(action) {
            return None;
        }
        let mut program = Self::with(shared, Some(me));
        self.one.fire(action, &mut program)?;
        let (to, held) = Self::parts(&program);
        (*shared, *me) = (to, held?);
        Some(())
    }

    /// An object is freed that no mutator reaches.
    fn act(
        &self,
        Unnumbered(action): &Self::Action,
        shared: &mut SharedProgram,
        others: &mut Others<'_, HeldProgram>,
    ) -> Option<()> {
        let specification::Action::Free { reference } = *action else {
            return None;
        };
        let freed = InHeap {
            heap: *shared,
            object: reference,
        };
        others.none_with(freed, |held, freed| freed.is_reached_by(held))?;
        let mut program = Self::with(shared, None);
        self.one.fire(action, &mut program)?;
        *shared = Self::parts(&program).0;
        Some(())
    }

    fn candidates(
        &self,
        shared: &SharedProgram,
        me: Option<&HeldProgram>,
        visit: &mut impl FnMut(Self::Action),
    ) {
        let mutators = u8::from(me.is_some());
        let specification = CollectOnlyGarbage {
            mutators,
            ..self.one
        };
        specification.candidates(&Self::with(shared, me), &mut |action| {
            if is_of_mutator(&action) == me.is_some() {
                visit(Unnumbered(action));
            }
        });
    }

    fn observe(&self, shared: &SharedProgram) -> Option<Observed> {
        Some(Observed::Heap(*shared))
    }

    fn observe_member(&self, _: &SharedProgram, held: &HeldProgram) -> Option<Observed> {
        Some(Observed::Mutator(*held))
    }
}
