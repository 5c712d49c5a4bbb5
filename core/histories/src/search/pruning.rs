//! Reductions that skip equivalent orders.

use std::mem;

use super::Search;
use crate::call::call;
use crate::configuration::{Ahead, Configuration, Fresh, Kind, Taken, Way};
use crate::needed::Needed;
use crate::observed::{Effect, Happening, Observed, State};
use crate::window::{Lane, Log};
use refmap::explore::Limit;

impl<O: Observed> Search<'_, O> {
    /// Takes every read-only event whose result matches the state: any step that can precede it can follow it, and
    /// no other event depends on it.
    pub(super) fn look(
        &self,
        log: &Log<O::Event>,
        configuration: &mut Configuration<State<O>>,
        trail: &mut Way<O>,
    ) {
        for (at, lane) in (0..).zip(&self.window.lanes) {
            if lane.queue.is_empty() {
                continue;
            }
            let mut ahead = configuration.ahead(at);
            let before = ahead.taken;
            while let Some(number) = lane.next(ahead)
                && self.sees(log, &configuration.state, lane, ahead, number)
            {
                ahead.taken += 1;
                let step = Taken {
                    kind: Kind::Event,
                    event: Some(number),
                    action: None,
                };
                *trail = self.trail(log, trail, step, &configuration.state);
            }
            if ahead.taken > before {
                configuration.set(ahead);
            }
        }
    }

    /// True if the event is read-only and possible here.
    fn sees(
        &self,
        log: &Log<O::Event>,
        state: &State<O>,
        lane: &Lane,
        ahead: Ahead,
        number: u64,
    ) -> bool {
        let event = log.get(number);
        let Some(what) = event.event.as_ref() else {
            return false;
        };
        if event.end.is_none() {
            // No order needs it: see `set`.
            return false;
        }
        let may_come = match log.effect(self.observed, number) {
            Effect::Within => true,
            Effect::Draining => ahead.pending == 0,
            Effect::Delayed => false,
        };
        if !may_come || !log.only_looks(self.observed, number) {
            return false;
        }
        let waiting = log.recorded(lane.pending(ahead));
        let mut sees = false;
        let happening = Happening::of(event, what, &waiting);
        call("`shows` of the adapter", || {
            self.observed.shows(state, &happening, &mut |action| {
                sees |= action.is_none();
            });
        });
        sees
    }

    /// Removes configurations that are reachable from another one found: a step that can be taken later need not be
    /// taken yet. Steps that take or settle an event form no cycle, so some configuration always remains from which
    /// a removed one is reachable.
    pub(super) fn postpone(&mut self, log: &Log<O::Event>) -> Result<(), Limit> {
        let found = &self.pass.found;
        let mut early = vec![false; found.entries.len()];
        let mut fresh = mem::take(&mut self.fresh);
        for (place, (configuration, _)) in found.entries.iter().enumerate() {
            if found.is_superfluous(place) {
                continue;
            }
            self.steps(log, configuration, None, &Needed::default(), &mut fresh)?;
            for Fresh { step, mut to } in fresh.drain(..) {
                if step.kind == Kind::Internal {
                    continue;
                }
                self.look(log, &mut to, &mut None);
                if let Some(place) = found.find(&to) {
                    early[place] = true;
                }
            }
        }
        self.fresh = fresh;
        self.pass.found.remove(&early);
        Ok(())
    }
}
