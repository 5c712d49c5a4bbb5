//! Reference implementation: enumerates all interleavings without a window or a visited set, using only the
//! specification's `next`.

use refmap::TransitionSystem;
use refmap_histories::{Criterion, Effect, Event, Happening, Observed};

type State<O> = <<O as Observed>::Specification as TransitionSystem>::State;
type Action<O> = <<O as Observed>::Specification as TransitionSystem>::Action;

/// History, by the sequences of which the order counts: the threads, or each event by itself.
pub struct Oracle<'a, O: Observed> {
    observed: &'a O,
    criterion: Criterion,
    events: &'a [Event<O::Event>],
    threads: Vec<Vec<&'a Event<O::Event>>>,
    /// Greatest number of pending delayed events of a thread.
    buffer: usize,
}

/// Partial order: per thread, the number of events taken and the delayed ones that are pending.
#[derive(Clone)]
struct Order<S> {
    taken: Vec<usize>,
    pending: Vec<Vec<usize>>,
    state: S,
}

impl<'a, O: Observed> Oracle<'a, O> {
    pub fn new(observed: &'a O, events: &'a [Event<O::Event>], buffer: Option<u32>) -> Self {
        Self::by(Criterion::Linearizable, observed, events, buffer)
    }

    pub fn by(
        criterion: Criterion,
        observed: &'a O,
        events: &'a [Event<O::Event>],
        buffer: Option<u32>,
    ) -> Self {
        let mut threads: Vec<Vec<_>> = Vec::new();
        for (number, event) in events.iter().enumerate() {
            let thread = match criterion {
                Criterion::Linearizable | Criterion::Sequential => event.thread as usize,
                Criterion::Quiescent => number,
            };
            threads.resize(threads.len().max(thread + 1), Vec::new());
            threads[thread].push(event);
        }
        let buffer = buffer.map_or(usize::MAX, |most| most as usize);
        Self {
            observed,
            criterion,
            events,
            threads,
            buffer,
        }
    }

    /// Whether some order of all events is valid.
    pub fn accepts(&self) -> bool {
        let mut accepted = false;
        self.orders(&mut |oracle, order| {
            accepted |= oracle.is_complete(order);
            accepted
        });
        accepted
    }

    /// Greatest number of events with an end of a valid order that includes all events that ended before `time`.
    pub fn longest(&self, time: u64) -> usize {
        let mut longest = 0;
        self.orders(&mut |oracle, order| {
            let mut threads = oracle.threads.iter().zip(&order.taken);
            let enough = threads.all(|(events, taken)| {
                let mut rest = events[*taken..].iter();
                rest.all(|event| event.end.is_none_or(|end| end >= time))
            });
            if enough {
                let threads = oracle.threads.iter().zip(&order.taken);
                let taken = threads.flat_map(|(events, taken)| &events[..*taken]);
                longest = longest.max(taken.filter(|event| event.end.is_some()).count());
            }
            false
        });
        longest
    }

    fn orders(&self, visit: &mut impl FnMut(&Self, &Order<State<O>>) -> bool) {
        let mut initial = Vec::new();
        let specification = self.observed.specification();
        specification.initial(&mut |state| initial.push(state));
        for state in initial {
            let order = Order {
                taken: vec![0; self.threads.len()],
                pending: vec![Vec::new(); self.threads.len()],
                state,
            };
            if self.go_on(&order, visit) {
                return;
            }
        }
    }

    fn go_on(
        &self,
        order: &Order<State<O>>,
        visit: &mut impl FnMut(&Self, &Order<State<O>>) -> bool,
    ) -> bool {
        if visit(self, order) {
            return true;
        }
        for thread in 0..self.threads.len() {
            let at = order.taken[thread];
            if let Some(event) = self.threads[thread].get(at)
                && self.may_come(order, event)
            {
                let mut after = order.clone();
                after.taken[thread] += 1;
                let effect = event.event.as_ref().map(|what| self.observed.effect(what));
                let stop = match effect {
                    Some(Effect::Delayed) if order.pending[thread].len() >= self.buffer => false,
                    Some(Effect::Delayed) => {
                        after.pending[thread].push(at);
                        self.go_on(&after, visit)
                    }
                    Some(Effect::Draining) if !order.pending[thread].is_empty() => false,
                    _ => self.take(&after, thread, at, &order.pending[thread], visit),
                };
                if stop {
                    return true;
                }
            }
            if let Some((oldest, rest)) = order.pending[thread].split_first() {
                let mut after = order.clone();
                after.pending[thread] = rest.to_vec();
                if self.take(&after, thread, *oldest, &[], visit) {
                    return true;
                }
            }
        }
        let mut internal = Vec::new();
        self.observed
            .internal(&order.state, &mut |action| internal.push(action));
        let mut stop = false;
        self.next(&order.state, |action, state| {
            if !stop && internal.contains(&action) {
                let mut after = order.clone();
                after.state = state.clone();
                stop = self.go_on(&after, visit);
            }
        });
        stop
    }

    fn next(&self, from: &State<O>, mut visit: impl FnMut(Action<O>, &State<O>)) {
        let specification = self.observed.specification();
        specification.next(from, &mut visit);
    }

    fn take(
        &self,
        after: &Order<State<O>>,
        thread: usize,
        at: usize,
        pending: &[usize],
        visit: &mut impl FnMut(&Self, &Order<State<O>>) -> bool,
    ) -> bool {
        let events = &self.threads[thread];
        let mut shown = Vec::new();
        match &events[at].event {
            None => {
                shown.push(None);
                let thread = events[at].thread;
                let visit = &mut |action| shown.push(Some(action));
                self.observed.unrecorded(&after.state, thread, visit);
            }
            Some(event) => {
                let pending: Vec<_> = pending
                    .iter()
                    .filter_map(|at| events[*at].event.as_ref())
                    .collect();
                let happening = Happening {
                    thread: events[at].thread,
                    place: events[at].place,
                    event,
                    pending: &pending,
                };
                self.observed
                    .shows(&after.state, &happening, &mut |action| shown.push(action));
            }
        }
        let mut stop = shown.contains(&None) && self.go_on(after, visit);
        self.next(&after.state, |action, state| {
            if !stop && shown.contains(&Some(action)) {
                let mut after = after.clone();
                after.state = state.clone();
                stop = self.go_on(&after, visit);
            }
        });
        stop
    }

    /// Whether one event precedes another one by the criterion, whatever their sequences.
    fn precedes(&self, one: &Event<O::Event>, other: &Event<O::Event>) -> bool {
        let Some(end) = one.end else {
            return false;
        };
        match self.criterion {
            Criterion::Linearizable => end < other.begin,
            Criterion::Sequential => false,
            // Half a unit after some time nothing is under way. No event begins or ends there.
            Criterion::Quiescent => (end..other.begin).any(|time| {
                let mut events = self.events.iter();
                events.all(|event| event.begin > time || event.end.is_some_and(|end| end <= time))
            }),
        }
    }

    /// Whether no event that is not taken precedes this one.
    fn may_come(&self, order: &Order<State<O>>, event: &Event<O::Event>) -> bool {
        let mut threads = self.threads.iter().zip(&order.taken);
        threads.all(|(events, taken)| {
            let mut rest = events[*taken..].iter();
            rest.all(|other| !self.precedes(other, event))
        })
    }

    fn is_complete(&self, order: &Order<State<O>>) -> bool {
        let mut threads = self.threads.iter().zip(&order.taken).zip(&order.pending);
        threads.all(|((events, taken), pending)| {
            events[*taken..].iter().all(|event| event.end.is_none())
                && pending.iter().all(|at| events[*at].end.is_none())
        })
    }
}
