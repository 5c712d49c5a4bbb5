//! Steps of a search: an event takes place, a delayed event takes effect, or the specification takes an internal
//! step.

use super::Search;
use crate::call::call_on;
use crate::configuration::{Ahead, Configuration, Fresh, Kind, Taken};
use crate::needed::Needed;
use crate::observed::{Action, Effect, Happening, Observed, State};
use crate::window::Log;
use refmap::TransitionSystem;
use refmap::explore::Limit;
use refmap::internal::{break_off, calls_back, until_enough};

impl<O: Observed> Search<'_, O> {
    /// Adds every step from a configuration to `fresh`. A limit ends the enumeration, of one event's steps too; then those
    /// before it were added.
    pub(super) fn steps(
        &self,
        log: &Log<O::Event>,
        from: &Configuration<State<O>>,
        target: Option<u32>,
        needed: &Needed,
        fresh: &mut Vec<Fresh<O>>,
    ) -> Result<(), Limit> {
        until_enough(|| self.all_steps(log, from, target, needed, fresh));
        self.patience.reached().map_or(Ok(()), Err)
    }

    /// Leaves the function of the specification or the adapter that called back, if a limit is reached.
    fn keep_limits(&self, fresh: &[Fresh<O>]) {
        if self.patience.turn_with(fresh.len()).is_some() {
            break_off();
        }
    }

    fn all_steps(
        &self,
        log: &Log<O::Event>,
        from: &Configuration<State<O>>,
        target: Option<u32>,
        needed: &Needed,
        fresh: &mut Vec<Fresh<O>>,
    ) {
        // If a delayed event ends, steps of other threads are irrelevant: only its own thread observes that it took
        // place.
        if let Some(lane) = target
            && let ahead = from.ahead(lane)
            && let Some(number) = self.window.lanes[lane as usize].next(ahead)
            && log.effect(self.observed, number) == Effect::Delayed
            && self.has_room(ahead)
        {
            fresh.push(issue::<O>(from, ahead, number));
            return;
        }
        for (at, lane) in (0..).zip(&self.window.lanes) {
            if lane.is_idle() {
                continue;
            }
            let ahead = from.ahead(at);
            if let Some(number) = lane.next(ahead).filter(|number| needed.has(at, *number)) {
                let after = Ahead {
                    taken: ahead.taken + 1,
                    ..ahead
                };
                match log.effect(self.observed, number) {
                    // One without an end is the last of its thread: that it takes place is seen by its effect alone.
                    Effect::Delayed if log.get(number).end.is_none() => {
                        if ahead.pending == 0 && self.has_room(ahead) {
                            self.take(log, from, after, number, Kind::Effect, &[], fresh);
                        }
                    }
                    Effect::Delayed if self.has_room(ahead) => {
                        fresh.push(issue::<O>(from, ahead, number));
                    }
                    Effect::Delayed => (),
                    Effect::Draining if ahead.pending > 0 => (),
                    Effect::Within if ahead.pending > 0 => {
                        let pending = log.recorded(lane.pending(ahead));
                        self.take(log, from, after, number, Kind::Event, &pending, fresh);
                    }
                    Effect::Within | Effect::Draining => {
                        self.take(log, from, after, number, Kind::Event, &[], fresh);
                    }
                }
            }
            if ahead.pending > 0
                && let Some(number) = lane.pending(ahead).next()
                && needed.has(at, number)
            {
                let after = Ahead {
                    pending: ahead.pending - 1,
                    ..ahead
                };
                self.take(log, from, after, number, Kind::Effect, &[], fresh);
            }
        }
        call_on("`internal` of the adapter", &from.state, || {
            self.observed.internal(&from.state, &mut |action| {
                calls_back();
                self.keep_limits(fresh);
                if let Some(state) = self.fired(&from.state, &action) {
                    fresh.push(Fresh {
                        step: Taken {
                            kind: Kind::Internal,
                            event: None,
                            action: Some(action),
                        },
                        to: from.with_state(state),
                    });
                }
            });
        });
    }

    /// Target state of `action` by the specification; in a sample, compares it with `next`.
    fn fired(&self, from: &State<O>, action: &Action<O>) -> Option<State<O>> {
        let specification = self.observed.specification();
        let to = call_on("`fire` of the specification", from, || {
            let mut to = from.clone();
            specification.fire(action, &mut to).map(|()| to)
        });
        let mut compared = self.compared.borrow_mut();
        compared.note(specification, from, action, to.as_ref(), &self.patience);
        to
    }

    fn has_room(&self, ahead: Ahead) -> bool {
        let most = self.settings.buffer;
        most.is_none_or(|most| ahead.pending < most)
    }

    /// Visits the steps by which an event takes effect.
    #[allow(
        clippy::too_many_arguments,
        reason = "the hot loop has plain arguments"
    )]
    fn take(
        &self,
        log: &Log<O::Event>,
        from: &Configuration<State<O>>,
        after: Ahead,
        number: u64,
        kind: Kind,
        pending: &[&O::Event],
        fresh: &mut Vec<Fresh<O>>,
    ) {
        let mut shown = |action: Option<Action<O>>| {
            self.keep_limits(fresh);
            let state = match &action {
                None => Some(from.state.clone()),
                Some(action) => self.fired(&from.state, action),
            };
            let Some(state) = state else { return };
            let mut to = from.with_state(state);
            to.set(after);
            fresh.push(Fresh {
                step: Taken {
                    kind,
                    event: Some(number),
                    action,
                },
                to,
            });
        };
        let event = log.get(number);
        let Some(what) = &event.event else {
            shown(None);
            return call_on("`unrecorded` of the adapter", &from.state, || {
                let visit = &mut |action| shown(Some(action));
                self.observed.unrecorded(&from.state, event.thread, visit);
            });
        };
        let happening = Happening::of(event, what, pending);
        call_on("`shows` of the adapter", &from.state, || {
            self.observed.shows(&from.state, &happening, &mut shown);
        });
    }
}

/// Step in which a delayed event takes place.
fn issue<O: Observed>(from: &Configuration<State<O>>, ahead: Ahead, number: u64) -> Fresh<O> {
    let mut to = from.clone();
    to.set(Ahead {
        taken: ahead.taken + 1,
        pending: ahead.pending + 1,
        ..ahead
    });
    Fresh {
        step: Taken {
            kind: Kind::Issue,
            event: Some(number),
            action: None,
        },
        to,
    }
}
