//! The initial states, added as the model shows them.
//!
//! There may be more of them than memory, and to enumerate them may take for ever, so limits hold from
//! the first one on.

use std::ops::Range;

use super::add_key;
use super::bounds::BETWEEN_LOOKS;
use super::new_states::NewStates;
use super::state::StateSearch;
use crate::statement::asked::calls::{Function, call};
use crate::statement::asked::model_call::{Panic, break_off};
use crate::walk::explore::disk::Checksum;
use crate::walk::explore::expansion::Initial;
use crate::walk::explore::keys::{Compared, Form};
use crate::walk::explore::limits::Limit;
use crate::walk::explore::set::{Candidate, Visited};

/// Initial states between two looks at the clock.
const PATIENCE: usize = 16;
/// Initial states that are added at a time.
const BATCH: usize = 1024;

/// Reason that ended the enumeration of the initial states before all were shown.
#[derive(Debug, Default)]
pub(super) struct CutShort {
    pub limit: Option<Limit>,
    pub panic: Option<Panic>,
    /// True if as many were shown as were asked for.
    pub has_more: bool,
}

impl<K, I> StateSearch<'_, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Adds the initial states, of these places in the order in which the model shows them.
    pub(super) fn add_initial(&mut self, places: &Range<u64>) -> CutShort {
        if self.together.is_none() {
            self.predecessors.begin(0, 0..0, 0);
        }
        let mut batch = Vec::with_capacity(BATCH);
        let mut shown: u64 = 0;
        let mut limit = None;
        let mut has_more = false;
        // A checkpoint has them, and not the time to have them enumerated once more.
        let mut enumerated = self.kept.is_some().then_some(Checksum::NOTHING);
        let model = self.model;
        let mut keys = Vec::new();
        let ended = model.initial(&mut |list| {
            K::take(list, &mut keys);
            let key = keys.pop().expect("a state has a key");
            if let Some(enumerated) = &mut enumerated {
                add_key(enumerated, model, &key);
            }
            if shown >= places.end {
                has_more = true;
                break_off();
            }
            let together = self.together.as_ref();
            let is_foreign = together.is_some_and(|together| together.is_foreign(&key));
            if shown >= places.start && !is_foreign {
                batch.push(Candidate {
                    hash: self.visited.hash(&key),
                    key,
                });
            }
            shown += 1;
            if batch.len() == BATCH {
                self.add_batch(&mut batch);
                let looked = self
                    .not_starved()
                    .and_then(|()| self.has_headroom(BATCH as u64));
                limit = looked.and_then(|()| self.within_limits()).err();
                if shown.is_multiple_of(BETWEEN_LOOKS) {
                    self.report(0, 0);
                }
            } else if batch.len().is_multiple_of(PATIENCE) {
                // To find the state that stands for one may take long.
                limit = self.clock.out_of_time();
            }
            if limit.is_some() || self.at_capacity {
                break_off();
            }
        });
        self.add_batch(&mut batch);
        let limit = limit.or_else(|| self.not_starved().err());
        let limit = limit.or_else(|| model.limit());
        if let (Initial::All, Some(kept)) = (&ended, &mut self.kept) {
            kept.enumerated = enumerated;
        }
        self.incomplete |= matches!(ended, Initial::Misfit);
        let panic = match ended {
            Initial::Panicked(panic) => Some(panic),
            Initial::All | Initial::BrokenOff | Initial::Misfit => None,
        };
        CutShort {
            limit,
            panic,
            has_more,
        }
    }

    fn add_batch(&mut self, batch: &mut Vec<Candidate<K>>) {
        // The model compares states that are kept whole.
        let compares_states = self.form == Form::Whole;
        let room = self.room();
        let mut new_states = NewStates {
            next: self.list.keys.len() as u64,
            // Initial states are of one batch, which has begun.
            predecessors: None,
            sources: &[],
            length: 0,
            list: None,
            numbers: None,
        };
        let wave = vec![std::mem::take(batch)];
        let add = || {
            self.visited
                .add_all(&mut self.list.keys, wave, &[], room, &mut new_states)
        };
        let fits = if compares_states {
            call(|| Function::named("`eq` of a state"), None, add)
        } else {
            add()
        };
        self.at_capacity |= !fits;
        batch.reserve(BATCH);
    }
}
