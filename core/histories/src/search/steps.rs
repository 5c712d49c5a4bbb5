//! Steps of a search: an event takes place, a delayed event takes effect, or the specification takes an internal
//! step.

use super::Search;
use crate::configuration::{Ahead, Configuration, Fresh, Kind, Taken};
use crate::needed::Needed;
use crate::observed::{Action, Effect, Happening, Observed, State};
use crate::window::Log;
use refmap::TransitionSystem;

impl<O: Observed> Search<'_, O> {
    /// Visits every step from a configuration.
    pub(super) fn steps(
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
        self.observed.internal(&from.state, &mut |action| {
            if let Some(state) = self.successor(&from.state, &action) {
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
    }

    /// Target state of `action` by the specification; in a sample, compares it with `next`.
    fn successor(&self, from: &State<O>, action: &Action<O>) -> Option<State<O>> {
        let specification = self.observed.specification();
        let to = specification.successor(from, action);
        let mut compared = self.compared.borrow_mut();
        compared.note(specification, from, action, to.as_ref());
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
        let mut step = |action: Option<Action<O>>, state: State<O>| {
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
        let mut shown = |action: Option<Action<O>>| match action {
            None => step(None, from.state.clone()),
            Some(action) => {
                if let Some(state) = self.successor(&from.state, &action) {
                    step(Some(action), state);
                }
            }
        };
        let event = log.get(number);
        let Some(what) = &event.event else {
            shown(None);
            let visit = &mut |action| shown(Some(action));
            self.observed.unrecorded(&from.state, event.thread, visit);
            return;
        };
        let happening = Happening::of(event, what, pending);
        self.observed.shows(&from.state, &happening, &mut shown);
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
