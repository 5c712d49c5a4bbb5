//! POFifo with a prophecy and a history variable refines Fifo.
//!
//! Source: Lamport, *A Science of Concurrent Programs*, chapter 6: `p` predicts in which order the elements are received, and the
//! queue is in this order.

use refmap::AbstractSteps::{self, One, Several};
use refmap::Refinement;
use refmap::auxiliary::{
    Fate, History, Predicting, Prophecy, Prophesying, Recording, Remembering, WithHistory,
    WithProphecy,
};
use refmap_systems::auxiliary::fifo::{self, EnqInner, Fifo};
use refmap_systems::auxiliary::po_fifo::{Action, Element, PoFifo, State};

use super::po_fifo::fifo_of;
use super::predicted::{self, Predicts};
use super::several::steps;

/// The prophecy variable `p`: the element that is received after so many others. There is a prediction for each element of the queue;
/// it may be of an element that is yet to be added.
#[derive(Clone, Copy, Debug)]
pub struct ElementOrder(pub Predicts);

impl Prophecy<PoFifo> for ElementOrder {
    type Key = usize;
    type Prediction = Element;

    fn open(&self, _: &PoFifo, state: &State) -> Vec<usize> {
        (0..state.elts.len()).collect()
    }

    fn possible(&self, system: &PoFifo, state: &State, _: &usize) -> Vec<Element> {
        match self.0 {
            Predicts::Everything => system.elements().collect(),
            Predicts::ThePresent => state.elts.iter().copied().collect(),
        }
    }

    fn fate(
        &self,
        _: &PoFifo,
        (place, element): (&usize, &Element),
        _: &State,
        action: &Action,
        _: &State,
    ) -> Fate<usize> {
        match action {
            Action::BeginEnq(..) | Action::EndEnq(_) | Action::BeginDeq(_) => Fate::Keep(*place),
            Action::EndDeq(_, received) => predicted::fate(*place, element, received),
        }
    }
}

/// POFifo with its predictions.
type Predicted = WithProphecy<PoFifo, ElementOrder>;
/// A state of POFifo with its predictions.
type PredictedState = Prophesying<State, usize, Element>;
/// A step of POFifo with its predictions.
type PredictedAction = Predicting<Action, usize, Element>;
/// A state with both variables.
type Both = Remembering<PredictedState, Vec<Element>>;

/// The history variable of POFifo with its predictions: the queue of Fifo, as elements.
#[derive(Clone, Copy, Debug)]
pub struct ElementQueue;

impl History<Predicted> for ElementQueue {
    type Value = Vec<Element>;

    fn initial(&self, _: &Predicted, _: &PredictedState) -> Vec<Element> {
        Vec::new()
    }

    /// An element enters the queue when those before it are there, or when its operation ends.
    fn after(
        &self,
        _: &Predicted,
        before: &Vec<Element>,
        from: &PredictedState,
        action: &PredictedAction,
        to: &PredictedState,
    ) -> Vec<Element> {
        let mut queue = before.clone();
        match action.action {
            Action::BeginEnq(..) => predicted::extend(&mut queue, &to.prophecy, |element| {
                to.state.elts.contains(&element)
            }),
            Action::EndEnq(enqueuer) => queue.extend(outside(&from.state, before, enqueuer)),
            Action::BeginDeq(_) => (),
            Action::EndDeq(_, received) => queue.retain(|element| *element != received),
        }
        queue
    }
}

/// The element that an enqueuer is adding, if it is not in the queue yet and was not received either.
fn outside(state: &State, queue: &[Element], enqueuer: usize) -> Option<Element> {
    state.adding[enqueuer]
        .filter(|element| state.elts.contains(element) && !queue.contains(element))
}

/// The refinement for an instance.
pub struct PoFifoProphecyRefinement {
    implementation: WithHistory<Predicted, ElementQueue>,
    specification: Fifo,
}

impl PoFifoProphecyRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: PoFifo, predicts: Predicts) -> Self {
        let specification = fifo_of(&implementation);
        Self {
            implementation: WithHistory {
                system: WithProphecy {
                    system: implementation,
                    prophecy: ElementOrder(predicts),
                },
                history: ElementQueue,
            },
            specification,
        }
    }
}

impl Refinement for PoFifoProphecyRefinement {
    between!(WithHistory<Predicted, ElementQueue>, Fifo);

    fn map(&self, of: &Both) -> fifo::State {
        let state = &of.state.state;
        let inner = |enqueuer| match outside(state, &of.history, enqueuer) {
            Some(_) => EnqInner::Busy,
            None => EnqInner::Done,
        };
        fifo::State {
            interface: state.interface.clone(),
            queue: of.history.iter().map(|element| element.datum).collect(),
            enq_inner: (0..state.adding.len()).map(inner).collect(),
            deq_inner: state.interface.deq.clone(),
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
            Action::BeginEnq(enqueuer, element) => {
                let adding = &to.state.state.adding;
                let entered = to.history.iter().skip(from.history.len());
                let enqueuers = entered.filter_map(|element| {
                    let mut adding = adding.iter();
                    adding.position(|one| *one == Some(*element))
                });
                let first = [BeginEnq(enqueuer, element.datum)];
                steps(first.into_iter().chain(enqueuers.map(DoEnq)).collect())
            }
            Action::EndEnq(enqueuer) => {
                let entered = outside(&from.state.state, &from.history, enqueuer);
                let entered = entered.map(|_| DoEnq(enqueuer));
                steps(entered.into_iter().chain([EndEnq(enqueuer)]).collect())
            }
            Action::BeginDeq(dequeuer) => One(BeginDeq(dequeuer)),
            Action::EndDeq(dequeuer, _) => Several(vec![DoDeq(dequeuer), EndDeq(dequeuer)]),
        }
    }
}
