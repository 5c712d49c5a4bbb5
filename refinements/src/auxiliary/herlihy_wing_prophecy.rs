//! The array queue of Herlihy and Wing with a prophecy and a history variable refines Fifo.
//!
//! Source: Herlihy & Wing, *Linearizability*, section 4.2; the variables are those of POFifo with which Lamport, *A Science of
//! Concurrent Programs*, chapter 6, refines Fifo, with slots in the place of elements: one is added from INC to STORE.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::Refinement;
use refmap::auxiliary::{
    Fate, History, Predicting, Prophecy, Prophesying, Recording, Remembering, WithHistory,
    WithProphecy,
};
use refmap_systems::auxiliary::fifo::{self, EnqInner, Fifo};
use refmap_systems::auxiliary::herlihy_wing::{Action, Dequeuer, Enqueuer, HerlihyWing, State};

use super::herlihy_wing::{fifo_of, has_found, taken};
use super::predicted::{self, Predicts};
use super::several::steps;

/// The prophecy variable: the slot that is emptied after so many others. There is a prediction for each slot that is reserved and was
/// not emptied; it may be of a slot that is yet to be reserved.
#[derive(Clone, Copy, Debug)]
pub struct SlotOrder(pub Predicts);

/// The datum of a slot that is reserved and was not emptied: it is there, or its enqueuer has it still.
fn datum_of(state: &State, slot: usize) -> Option<usize> {
    state.items[slot].or_else(|| {
        let mut enqueuers = state.enqueuers.iter();
        let enqueuer = enqueuers.position(|enqueuer| *enqueuer == Enqueuer::Store(slot))?;
        state.interface.enq[enqueuer]
    })
}

/// The slots that are reserved and were not emptied.
fn slots(state: &State) -> Vec<usize> {
    let slots = 0..state.back;
    slots
        .filter(|slot| datum_of(state, *slot).is_some())
        .collect()
}

/// The slot in which a dequeuer finds a datum by a step.
fn found_at(from: &State, dequeuer: usize, to: &State) -> Option<usize> {
    let Dequeuer::Swap { range, searched } = from.dequeuers[dequeuer] else {
        return None;
    };
    let is_emptied = |slot: &usize| from.items[*slot].is_some() && to.items[*slot].is_none();
    let emptied = (0..range).find(is_emptied);
    emptied.or(has_found(to, dequeuer).then_some(searched))
}

impl Prophecy<HerlihyWing> for SlotOrder {
    type Key = usize;
    type Prediction = usize;

    fn open(&self, _: &HerlihyWing, state: &State) -> Vec<usize> {
        (0..slots(state).len()).collect()
    }

    fn possible(&self, system: &HerlihyWing, state: &State, _: &usize) -> Vec<usize> {
        match self.0 {
            Predicts::Everything => (0..system.operations).collect(),
            Predicts::ThePresent => slots(state),
        }
    }

    fn fate(
        &self,
        _: &HerlihyWing,
        (place, slot): (&usize, &usize),
        from: &State,
        action: &Action,
        to: &State,
    ) -> Fate<usize> {
        match *action {
            Action::Swap(dequeuer) => match found_at(from, dequeuer, to) {
                Some(found) => predicted::fate(*place, slot, &found),
                None => Fate::Keep(*place),
            },
            Action::BeginEnq(..)
            | Action::Inc(_)
            | Action::Store(_)
            | Action::EndEnq(_)
            | Action::BeginDeq(_)
            | Action::Read(_)
            | Action::EndDeq(_) => Fate::Keep(*place),
        }
    }
}

/// The array queue with its predictions.
type Predicted = WithProphecy<HerlihyWing, SlotOrder>;
/// A state of the array queue with its predictions.
type PredictedState = Prophesying<State, usize, usize>;
/// A step of the array queue with its predictions.
type PredictedAction = Predicting<Action, usize, usize>;
/// A state with both variables.
type Both = Remembering<PredictedState, Vec<usize>>;

/// The history variable of the array queue with its predictions: the queue of Fifo, as slots.
#[derive(Clone, Copy, Debug)]
pub struct SlotQueue;

impl History<Predicted> for SlotQueue {
    type Value = Vec<usize>;

    fn initial(&self, _: &Predicted, _: &PredictedState) -> Vec<usize> {
        Vec::new()
    }

    /// A slot enters the queue when those before it are there, or when it is filled.
    fn after(
        &self,
        _: &Predicted,
        before: &Vec<usize>,
        from: &PredictedState,
        action: &PredictedAction,
        to: &PredictedState,
    ) -> Vec<usize> {
        let mut queue = before.clone();
        match action.action {
            Action::Inc(_) => predicted::extend(&mut queue, &to.prophecy, |slot| {
                datum_of(&to.state, slot).is_some()
            }),
            Action::Store(enqueuer) => queue.extend(outside(&from.state, before, enqueuer)),
            Action::Swap(dequeuer) => {
                let found = found_at(&from.state, dequeuer, &to.state);
                queue.retain(|slot| Some(*slot) != found);
            }
            Action::BeginEnq(..)
            | Action::EndEnq(_)
            | Action::BeginDeq(_)
            | Action::Read(_)
            | Action::EndDeq(_) => (),
        }
        queue
    }
}

/// The slot that an enqueuer is to fill, if it is not in the queue yet.
fn outside(state: &State, queue: &[usize], enqueuer: usize) -> Option<usize> {
    match state.enqueuers[enqueuer] {
        Enqueuer::Store(slot) => Some(slot).filter(|slot| !queue.contains(slot)),
        Enqueuer::Idle | Enqueuer::Increment | Enqueuer::Return => None,
    }
}

/// The refinement for an instance.
pub struct HerlihyWingProphecyRefinement {
    implementation: WithHistory<Predicted, SlotQueue>,
    specification: Fifo,
}

impl HerlihyWingProphecyRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: HerlihyWing, predicts: Predicts) -> Self {
        let specification = fifo_of(&implementation);
        Self {
            implementation: WithHistory {
                system: WithProphecy {
                    system: implementation,
                    prophecy: SlotOrder(predicts),
                },
                history: SlotQueue,
            },
            specification,
        }
    }
}

impl Refinement for HerlihyWingProphecyRefinement {
    between!(WithHistory<Predicted, SlotQueue>, Fifo);

    fn map(&self, of: &Both) -> fifo::State {
        let state = &of.state.state;
        let inner = |enqueuer| {
            let is_before_inc = state.enqueuers[enqueuer] == Enqueuer::Increment;
            let is_outside = outside(state, &of.history, enqueuer).is_some();
            if is_before_inc || is_outside {
                EnqInner::Busy
            } else {
                EnqInner::Done
            }
        };
        let queue = of.history.iter();
        fifo::State {
            interface: state.interface.clone(),
            queue: queue.filter_map(|slot| datum_of(state, *slot)).collect(),
            enq_inner: (0..state.enqueuers.len()).map(inner).collect(),
            deq_inner: taken(state),
        }
    }

    fn abstract_steps(
        &self,
        from: &Both,
        Recording(action): &Recording<PredictedAction>,
        to: &Both,
    ) -> AbstractSteps<fifo::Action> {
        use fifo::Action::{BeginDeq, BeginEnq, DoDeq, DoEnq, EndDeq, EndEnq};
        match action.action {
            Action::BeginEnq(enqueuer, datum) => One(BeginEnq(enqueuer, datum)),
            Action::Inc(_) => {
                let entered = to.history.iter().skip(from.history.len());
                let enqueuers = entered.filter_map(|slot| {
                    let mut enqueuers = to.state.state.enqueuers.iter();
                    enqueuers.position(|one| *one == Enqueuer::Store(*slot))
                });
                steps(enqueuers.map(DoEnq).collect())
            }
            Action::Store(enqueuer) => outside(&from.state.state, &from.history, enqueuer)
                .map(|_| DoEnq(enqueuer))
                .into(),
            Action::EndEnq(enqueuer) => One(EndEnq(enqueuer)),
            Action::BeginDeq(dequeuer) => One(BeginDeq(dequeuer)),
            Action::Read(_) => Stutter,
            Action::Swap(dequeuer) => has_found(&to.state.state, dequeuer)
                .then_some(DoDeq(dequeuer))
                .into(),
            Action::EndDeq(dequeuer) => One(EndDeq(dequeuer)),
        }
    }
}
