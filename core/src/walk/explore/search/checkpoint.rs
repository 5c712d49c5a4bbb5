//! Checkpoints of a search: what it writes between two waves. Of several processes, process 0 gets the states that are new since the last
//! one, and what was found, and writes a checkpoint as one that is alone does. So a search goes on from it in whatever number of processes.

use std::cmp::Ordering;
use std::sync::Arc;

use serde_json::Value;

use super::kept::{BetweenWaves, KeptForCheckpoints, Told};
use super::member::EARLIER;
use super::order::keys_of_all;
use super::state::{StateSearch, Worker};
use crate::walk::explore::StateId;
use crate::walk::explore::disk::{Checksum, DiskError, Manifest, SavedSpan, SavedState};
use crate::walk::explore::expansion::{Batch, Expand, Keeps, Task};
use crate::walk::explore::keys::{Compared, Keys};
use crate::walk::explore::limits::{Clock, Limit, Limits, Watch};
use crate::walk::explore::no_outcome::NoOutcome;
use crate::walk::explore::peers::{FIRST, Peers, Trouble, push_value, take_value, to_first};
use crate::walk::explore::predecessors::Predecessors;
use crate::walk::explore::segments::BLOCK;
use crate::walk::explore::set::Visited;
use crate::walk::explore::span::{Pass, Span};
use crate::walk::explore::words::{Garbled, push_key, push_keys, take_keys};

/// Reason why there are no more checkpoints of a model: what is wrong with it is not kept.
pub(super) const AT_FAULT: &str =
    "a function of the model has panicked, or the model contradicts itself";

impl<'a, K, I> StateSearch<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// True if there are checkpoints, in this process or process 0.
    fn keeps(&self) -> bool {
        match &self.together {
            None => self.kept.as_ref().is_some_and(|kept| kept.goes_on()),
            Some(together) => {
                let first = together.notices.first();
                !together.is_at_fault() && first.is_some_and(|first| first.is_kept)
            }
        }
    }

    /// True if all states to which the steps so far lead are known: of those that are left out nothing is.
    fn is_whole(&self) -> bool {
        !self.at_capacity && self.unwritten.is_none() && self.not_starved().is_ok()
    }

    /// Position of the search, these states of a level being left; none if there are no checkpoints.
    pub(super) fn moment(&mut self, mut left: Span) -> Option<BetweenWaves> {
        if !self.keeps() {
            return None;
        }
        if left.pass == Pass::First {
            // The states to which it has led are of the same level.
            left.states.end = self.list.keys.len() as u64;
        }
        let is_at_fault = self.model.is_at_fault();
        let tally = if is_at_fault { None } else { self.model.tell() };
        Some(BetweenWaves {
            left,
            states: self.list.keys.len() as u64,
            told: self.told(tally),
        })
    }

    /// Findings of this process.
    pub(super) fn told(&mut self, tally: Option<Value>) -> Told {
        let mut told = Told {
            tally,
            transitions: self.transitions,
            mentioned: Vec::new(),
        };
        for id in self.model.mentioned() {
            match self.saved(id) {
                Ok(state) => told.mentioned.push((id.0, state)),
                // What cannot be read ends the search.
                Err(limit) => {
                    self.limit(limit);
                    told.tally = None;
                }
            }
        }
        told
    }

    /// A state that was mentioned.
    fn saved(&mut self, id: StateId) -> Result<SavedState, Limit> {
        if let Some(place) = id.0.checked_sub(EARLIER) {
            let kept = self.kept.as_ref().expect("what was found earlier was read");
            return Ok(kept.earlier[place as usize].clone());
        }
        let loaded = self.list.load(&(id.0..id.0 + 1));
        self.disk(loaded)?;
        let key = self.list.keys.get(id.0 as usize);
        let length = match &self.together {
            None => self.predecessors.length(id),
            Some(together) => together.level(id.0),
        };
        let mut words = Vec::new();
        // A state that cannot be written is one of which the journal has ended.
        let _ = push_saved(self.model, std::slice::from_ref(key), &mut words);
        Ok(SavedState { length, words })
    }

    /// Writes the states just reached to the journal, if there is one, and a checkpoint if it is time for one: of one process whenever it
    /// has looked at the limits, of several where a level begins.
    pub(super) fn keep_if_due(&mut self, left: &Span) -> Result<(), NoOutcome> {
        if let Some(kept) = &mut self.kept
            && (self.together.as_ref()).map_or(self.incomplete, |together| together.is_at_fault())
        {
            kept.journal.end(AT_FAULT);
        }
        if !self.keeps() {
            return Ok(());
        }
        if let Some(together) = &self.together {
            let is_due = together.notices[FIRST].keeps;
            let Some(at) = self.moment(left.clone()) else {
                return Ok(());
            };
            if is_due {
                self.keep(&at)?;
            }
            self.earlier = Some(at);
            return Ok(());
        }
        if self.trouble.is_some() || !self.is_whole() {
            return Ok(());
        }
        self.list_up_to(left.length, self.list.keys.len() as u64)?;
        let is_due = self.kept.as_ref().is_some_and(|kept| kept.journal.is_due());
        if is_due && let Some(at) = self.moment(left.clone()) {
            self.keep(&at)?;
        }
        Ok(())
    }

    /// Position of which a checkpoint is when a limit ends the search in the midst of a level.
    pub(super) fn moment_at_limit(&mut self, left: &Span) -> Option<BetweenWaves> {
        if self.together.is_some() || !self.is_whole() {
            return self.earlier.take();
        }
        self.moment(left.clone())
    }

    /// Writes a checkpoint when a limit ends the search, if there are any.
    pub(super) fn keep_at_limit(
        &mut self,
        at: Option<BetweenWaves>,
        trouble: Trouble,
    ) -> Result<(), NoOutcome> {
        self.earlier = None;
        match (trouble, at) {
            (Trouble::Limit(Limit::Disk) | Trouble::Panicked, _) | (_, None) => Ok(()),
            (_, Some(_)) if !self.keeps() => Ok(()),
            (_, Some(at)) => self.keep(&at),
        }
    }

    /// Writes a checkpoint. Other processes wait for the one that writes, for as long as that takes.
    fn keep(&mut self, at: &BetweenWaves) -> Result<(), NoOutcome> {
        let Some(together) = &self.together else {
            return self.write(at);
        };
        let attended = Arc::clone(&together.attended);
        if together.next_level > at.left.length {
            // It is there.
            return Ok(());
        }
        attended.patiently(|| {
            self.write(at)?;
            attended.exchange(vec![Vec::new(); attended.processes()])?;
            Ok(())
        })
    }

    fn write(&mut self, at: &BetweenWaves) -> Result<(), NoOutcome> {
        self.list_up_to(at.left.length, at.states)?;
        let all = self.tell(&at.told)?;
        self.with_journal(|search, kept| search.write_checkpoint(kept, at, &all));
        Ok(())
    }

    /// Does something with the journal, if it has not ended, and ends it if that fails.
    fn with_journal(
        &mut self,
        work: impl FnOnce(&mut Self, &mut KeptForCheckpoints<K>) -> Result<(), DiskError>,
    ) {
        let Some(mut kept) = self.kept.take_if(|kept| kept.goes_on()) else {
            return;
        };
        if let Err(error) = work(self, &mut kept) {
            kept.journal.end(error.to_string());
            self.limit(Limit::Disk);
        }
        self.kept = Some(kept);
    }

    /// Findings of all processes, where the journal is.
    fn tell(&mut self, told: &Told) -> Result<Vec<Told>, NoOutcome> {
        let Some(together) = &self.together else {
            return Ok(vec![told.clone()]);
        };
        let mut words = Vec::new();
        push_value(&mut words, told);
        let mut all = Vec::new();
        let peers = &*together.peers;
        let received = peers.exchange(to_first(peers, words))?;
        if peers.process() == FIRST {
            for (process, mut words) in received.into_iter().enumerate() {
                all.push(take_value(&mut words).map_err(|garbled| garbled.of(process))?);
            }
        }
        Ok(all)
    }

    /// Adds the states that are not there to the list of the journal: those of this process, of so many in all, or those of all
    /// processes, level by level up to one.
    fn list_up_to(&mut self, level: u32, states: u64) -> Result<(), NoOutcome> {
        if self.together.is_some() {
            return self.send_up_to(level);
        }
        self.with_journal(|search, kept| {
            while kept.states < states {
                let end = states.min((kept.states | (BLOCK as u64 - 1)) + 1);
                let loaded = search.list.load(&(kept.states..end));
                loaded.map_err(|error| search.unreadable(&error))?;
                let places = kept.states as usize..end as usize;
                for (_, keys) in search.list.keys.runs(places) {
                    search.push_to_list(kept, keys)?;
                }
            }
            Ok(())
        });
        Ok(())
    }

    /// Adds states to the list.
    fn push_to_list(&self, kept: &mut KeptForCheckpoints<K>, keys: &[K]) -> Result<(), DiskError> {
        let sampled = (kept.states..).map(StateId).zip(keys);
        let sampled = sampled.filter(|(id, _)| self.model.is_sampled(*id));
        let length = |id| self.predecessors.length(id);
        kept.sample
            .extend(sampled.map(|(id, key)| (id, length(id), key.clone())));
        kept.states += keys.len() as u64;
        push_saved(self.model, keys, &mut kept.journal.states)?;
        kept.journal.spill()
    }

    /// Has process 0 list the states of all processes, level by level up to one.
    fn send_up_to(&mut self, last: u32) -> Result<(), NoOutcome> {
        for level in self.together().next_level..=last {
            if let Some(kept) = &self.kept {
                let before = level.checked_sub(1);
                let before = before.map(|before| self.predecessors.level(before, kept.states));
                let before = before.unwrap_or_default();
                self.predecessors.begin(kept.states, before, level);
            }
            self.send_level(level)?;
            self.together().next_level = level + 1;
        }
        Ok(())
    }

    fn send_level(&mut self, level: u32) -> Result<(), NoOutcome> {
        let together = self.together();
        let peers = Arc::clone(&together.peers);
        let most = together.most_words();
        let mut left = together.unlisted_of(level);
        let mut is_last = false;
        while !is_last {
            let mut keys = Vec::new();
            while !left.is_empty() && keys.len() < most {
                let loaded = self.list.load(&(left.start..left.start + 1));
                loaded.map_err(|error| self.unreadable(&error))?;
                push_key(&mut keys, self.list.keys.get(left.start as usize));
                left.start += 1;
            }
            let mut words = to_first(&*peers, keys);
            let more = u64::from(!left.is_empty());
            words.iter_mut().for_each(|words| words.push(more));
            let mut received = peers.exchange(words)?;
            is_last = true;
            for (process, words) in received.iter_mut().enumerate() {
                is_last &= words.pop().ok_or(Garbled.of(process))? == 0;
            }
            let keys = keys_of_all(&received)?;
            self.with_journal(|search, kept| search.push_to_list(kept, &keys));
        }
        self.together().listed = left.end;
        Ok(())
    }

    fn write_checkpoint(
        &mut self,
        kept: &mut KeptForCheckpoints<K>,
        at: &BetweenWaves,
        all: &[Told],
    ) -> Result<(), DiskError> {
        push_chunks(&self.predecessors, kept);
        let Some((tally, mentioned)) = self.merged(all) else {
            kept.journal.end(AT_FAULT);
            return Ok(());
        };
        let (reached, length) = (kept.states, at.left.length);
        let mut left = at.left.clone();
        if self.together.is_some() {
            left.states = self.predecessors.level(length, reached);
        }
        let sample = self.sampled(kept, self.expanded_before(&left), Keeps::Nothing);
        kept.journal.checkpoint(Manifest {
            sample,
            reached,
            initial: self.predecessors.level(0, reached).end,
            left: SavedSpan {
                start: left.states.start,
                end: left.states.end,
                length,
                is_first_pass: left.pass == Pass::First,
            },
            transitions: all.iter().map(|told| told.transitions).sum(),
            seconds: kept.journal.earlier_seconds + self.clock.started.elapsed().as_secs_f64(),
            tally,
            mentioned,
            ..Manifest::nothing()
        })
    }

    /// Sum of what was found, and the states that it mentions; none if the model is at fault.
    fn merged(&self, all: &[Told]) -> Option<(Value, Vec<SavedState>)> {
        let mut mentioned: Vec<_> = (all.iter().enumerate())
            .flat_map(|(process, told)| told.mentioned.iter().map(move |one| (process, one)))
            .collect();
        if self.together.is_some() {
            // By their levels and keys, so that the first is the same whichever process has found it.
            let key = |state: &SavedState| take_keys::<K>(&state.words).ok()?.pop();
            mentioned.sort_by(|(_, (_, one)), (_, (_, other))| {
                let keys = key(one).zip(key(other));
                let by_key = || keys.map_or(Ordering::Equal, |(one, other)| one.order(&other));
                one.length.cmp(&other.length).then_with(by_key)
            });
        }
        let number = |process: usize| {
            let mentioned = &mentioned;
            move |id: StateId| {
                let mut all = mentioned.iter();
                let place = all.position(|(of, (other, _))| (*of, *other) == (process, id.0));
                place.map_or(id, |place| StateId(place as u64))
            }
        };
        let numbers: Vec<_> = (0..all.len()).map(number).collect();
        let mut tallies = Vec::new();
        for (told, number) in all.iter().zip(&numbers) {
            tallies.push((told.tally.as_ref()?, number as &dyn Fn(StateId) -> StateId));
        }
        let tally = self.model.merged(&tallies)?;
        let states = mentioned.iter().map(|(_, (_, state))| state.clone());
        Some((tally, states.collect()))
    }

    /// Number of the first state that was not expanded yet, or not in the last pass, where these are left.
    pub(super) fn expanded_before(&self, left: &Span) -> u64 {
        match left.pass {
            Pass::First => self.predecessors.level(left.length, left.states.end).start,
            Pass::Last => left.states.start,
        }
    }

    /// Checksum of the initial states and of where the steps of the states of the sample lead before one of a number. What is found on
    /// the way is kept as `keeps` says.
    pub(super) fn sampled(
        &mut self,
        kept: &mut KeptForCheckpoints<K>,
        before: u64,
        keeps: Keeps,
    ) -> Checksum {
        let model = self.model;
        let mut checksum = *kept
            .enumerated
            .get_or_insert_with(|| enumerated::<K>(model));
        let worker = &mut self.workers[0];
        for state in kept.sample.iter().filter(|(id, ..)| id.0 < before) {
            expand_again(worker, state);
            let keys = &worker.keys;
            checksum.add(state.0.0);
            checksum.add(keys.len() as u64);
            // A state that cannot be written is one of which the journal has ended.
            let _ = push_saved(model, keys, &mut checksum);
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
        pass: Pass::Last,
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
    let _ = push_saved(model, std::slice::from_ref(key), checksum);
}

/// Adds keys as they are in a file: those of states that are kept as they are, by their codes.
fn push_saved<K: Compared>(
    model: &dyn Expand,
    keys: &[K],
    words: &mut impl Extend<u64>,
) -> Result<(), DiskError> {
    match K::keys(keys) {
        Keys::Whole(states) => {
            let system = model.system();
            let codes: Option<Vec<_>> = states.iter().map(|state| system.code(state)).collect();
            let codes = codes.ok_or(DiskError::Unwritable)?;
            push_keys(words, Keys::Varying(&codes));
        }
        keys => push_keys(words, keys),
    }
    Ok(())
}

/// Writes the chunks that the journal has not, of the states that it has.
fn push_chunks<K>(predecessors: &Predecessors, kept: &mut KeptForCheckpoints<K>) {
    let chunks = predecessors.chunks_from(kept.chunks);
    for chunk in chunks.take_while(|chunk| chunk.first < kept.states) {
        let words = [chunk.first, chunk.start, chunk.end, chunk.length.into()];
        kept.journal.chunks.extend(words);
        kept.chunks += 1;
    }
}
