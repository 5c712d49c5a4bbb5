//! Checkpoints of a search: what it writes between two waves.

use super::kept::{Extent, Kept};
use super::state::{Search, Worker};
use crate::explore::StateId;
use crate::explore::disk::{Checksum, DiskError, ListFile, Manifest, SavedSpan};
use crate::explore::expansion::{Batch, Expand, Keeps, Task};
use crate::explore::keys::{Compared, Keys};
use crate::explore::limits::{Clock, Limit, Limits, Watch};
use crate::explore::predecessors::Predecessors;
use crate::explore::set::Visited;
use crate::explore::span::Span;
use crate::state::Code;

/// Reason why there are no more checkpoints of a model: what is wrong with it is not kept.
pub(super) const AT_FAULT: &str =
    "a function of the model has panicked, or the model contradicts itself";

/// Position of a search between two waves.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    /// Rest of the states that are being expanded.
    pub unexpanded: &'a Span,
    /// The first state to which those that are being expanded have led.
    pub before: u64,
}

/// Choice when a checkpoint is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// If it is time for one.
    Due,
    Now,
}

impl<'a, K, I> Search<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Writes the states just reached to the journal, if there is one, and perhaps a checkpoint.
    pub(super) fn keep(&mut self, moment: Moment<'_>, when: When) -> Result<(), Limit> {
        // Of states that are left out nothing is known.
        let is_whole = !self.at_capacity && self.unwritten.is_none() && self.not_starved().is_ok();
        if let Some(kept) = self.kept.as_mut().filter(|_| self.incomplete) {
            kept.journal.end(AT_FAULT);
        }
        let Some(mut kept) = self
            .kept
            .take_if(|kept| kept.journal.written.ended.is_none())
        else {
            return Ok(());
        };
        let done = if is_whole {
            self.write(&mut kept, moment, when)
        } else {
            Ok(())
        };
        let done = done.map_err(|error| {
            kept.journal.end(error.to_string());
            Limit::Disk
        });
        self.kept = Some(kept);
        done
    }

    /// Writes a checkpoint of the search as it was before the wave whose states found no room: `unexpanded` are the states of that
    /// wave and those after it. What is told of it in the report is that of the search.
    pub(super) fn keep_before_full(&mut self, extent: Extent, unexpanded: &Span, before: u64) {
        let Some(mut kept) = self
            .kept
            .take_if(|kept| kept.journal.written.ended.is_none())
        else {
            return;
        };
        let moment = Moment { unexpanded, before };
        let done = self
            .list_new(&mut kept, extent.states)
            .and_then(|()| self.write_checkpoint(&mut kept, moment, extent));
        if let Err(error) = done {
            kept.journal.end(error.to_string());
        }
        self.kept = Some(kept);
    }

    /// Extent of the search, the wave that begins with a state being next.
    pub(super) fn extent(&self, next: u64) -> Extent {
        Extent {
            next,
            states: self.list.keys.len(),
            transitions: self.transitions,
            depth: self.depth,
            tally: (!self.model.is_at_fault())
                .then(|| self.model.tell())
                .flatten(),
        }
    }

    fn write(
        &mut self,
        kept: &mut Kept<K>,
        moment: Moment<'_>,
        when: When,
    ) -> Result<(), DiskError> {
        self.list_new(kept, self.list.keys.len())?;
        if when == When::Due && !kept.journal.is_due() {
            return Ok(());
        }
        let extent = self.extent(moment.before);
        self.write_checkpoint(kept, moment, extent)
    }

    /// Writes the states that the journal has not, of so many in all.
    fn list_new(&mut self, kept: &mut Kept<K>, states: usize) -> Result<(), DiskError> {
        for (first, keys) in self.list.keys.runs(kept.states..states) {
            let sampled = (first as u64..).map(StateId).zip(keys);
            let sampled = sampled.filter(|(id, _)| self.model.is_sampled(*id));
            let length = |id| self.predecessors.length(id);
            kept.sample
                .extend(sampled.map(|(id, key)| (id, length(id), key.clone())));
            push_keys(self.model, K::keys(keys), &mut kept.journal.states)?;
        }
        kept.states = states;
        kept.journal.spill()
    }

    fn write_checkpoint(
        &mut self,
        kept: &mut Kept<K>,
        moment: Moment<'_>,
        extent: Extent,
    ) -> Result<(), DiskError> {
        push_chunks(&self.predecessors, kept, extent.states);
        let Some(tally) = extent.tally else {
            kept.journal.end(AT_FAULT);
            return Ok(());
        };
        let sample = self.sampled(kept, moment, Keeps::Nothing);
        let Span { states, length } = moment.unexpanded.clone();
        kept.journal.checkpoint(Manifest {
            sample,
            reached: extent.states as u64,
            initial: kept.initial as u64,
            frontier: vec![SavedSpan {
                start: states.start,
                end: states.end,
                length,
            }],
            before: moment.before,
            transitions: extent.transitions,
            depth: extent.depth,
            seconds: kept.journal.earlier_seconds + self.clock.started.elapsed().as_secs_f64(),
            tally,
            ..Manifest::nothing()
        })
    }

    /// Checksum of the initial states and of where the steps of the states of the sample lead that are expanded. What is found on the
    /// way is kept as `keeps` says.
    pub(super) fn sampled(
        &mut self,
        kept: &mut Kept<K>,
        moment: Moment<'_>,
        keeps: Keeps,
    ) -> Checksum {
        let model = self.model;
        let mut checksum = *kept
            .enumerated
            .get_or_insert_with(|| enumerated::<K>(model));
        let worker = &mut self.workers[0];
        for state in &kept.sample {
            let (id, ..) = state;
            if id.0 >= moment.before || moment.unexpanded.states.contains(&id.0) {
                continue;
            }
            expand_again(worker, state);
            let keys = &worker.keys;
            checksum.add(id.0);
            checksum.add(keys.len() as u64);
            // A state that cannot be written is one of which the journal has ended.
            let _ = visit_words(model, K::keys(keys), &mut |word| checksum.add(word));
        }
        worker.expander.end_of_wave(keeps);
        checksum
    }
}

/// Expands a state of the sample once more, whatever the limits; the worker has the keys of where its steps lead.
pub(super) fn expand_again<K: Compared>(
    worker: &mut Worker<'_, K>,
    (id, length, key): &(StateId, u32, K),
) {
    let clock = Clock::new(Limits::default(), Watch::default());
    let batch = Batch {
        task: Task::Expand,
        first: *id,
        length: *length,
        keys: K::keys(std::slice::from_ref(key)),
        clock: &clock,
    };
    let done = worker.expander.expand(&batch, &mut worker.expanded);
    done.expect("a clock without limits reaches none");
    worker.keys.clear();
    K::take(&mut worker.expanded.keys, &mut worker.keys);
}

/// Checksum of the initial states, as the model enumerates them.
fn enumerated<K: Compared>(model: &dyn Expand) -> Checksum {
    let mut checksum = Checksum::NOTHING;
    let mut keys: Vec<K> = Vec::new();
    model.initial(&mut |list| {
        K::take(list, &mut keys);
        keys.drain(..)
            .for_each(|key| add_key(&mut checksum, model, &key));
    });
    checksum
}

/// Adds a state to a checksum.
pub(super) fn add_key<K: Compared>(checksum: &mut Checksum, model: &dyn Expand, key: &K) {
    // A state that cannot be written is one of which the journal has ended.
    let _ = visit_words(model, K::keys(std::slice::from_ref(key)), &mut |word| {
        checksum.add(word)
    });
}

pub(super) fn push_keys(
    model: &dyn Expand,
    keys: Keys<'_>,
    file: &mut ListFile,
) -> Result<(), DiskError> {
    visit_words(model, keys, &mut |word| file.push(word))
}

/// Visits the words of keys as they are in a file: of codes, and of states that are kept as they are, their number first.
fn visit_words(
    model: &dyn Expand,
    keys: Keys<'_>,
    visit: &mut impl FnMut(u64),
) -> Result<(), DiskError> {
    let mut of_codes = |codes: &[Code]| {
        for words in codes.iter().map(Code::words) {
            visit(words.len() as u64);
            words.iter().for_each(|word| visit(*word));
        }
    };
    match keys {
        Keys::Fixed { all, .. } => all.iter().for_each(|word| visit(*word)),
        Keys::Varying(codes) => of_codes(codes),
        Keys::Whole(states) => of_codes(&model.codes(states).ok_or(DiskError::Unwritable)?),
    }
    Ok(())
}

/// Writes the chunks that the journal has not, of so many states in all.
fn push_chunks<K>(predecessors: &Predecessors, kept: &mut Kept<K>, states: usize) {
    let chunks = predecessors.chunks_from(kept.chunks);
    for chunk in chunks.take_while(|chunk| chunk.first < states as u64) {
        let words = [chunk.first, chunk.start, chunk.end, chunk.length.into()];
        for word in words {
            kept.journal.chunks.push(word);
        }
        kept.chunks += 1;
    }
}
