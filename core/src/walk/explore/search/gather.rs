//! The end of a search of several processes: process 0 gets the states of all in their order, and what was found of them, as if it had
//! searched alone.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::checkpoint::expand_again;
use super::found::{Ended, Found, SearchFigures};
use super::kept::Told;
use super::list::List;
use super::order::{keys_of_all, next_in_order};
use super::state::StateSearch;
use crate::walk::explore::StateId;
use crate::walk::explore::disk::DiskError;
use crate::walk::explore::expansion::Keeps;
use crate::walk::explore::explored::End;
use crate::walk::explore::keys::Compared;
use crate::walk::explore::no_outcome::NoOutcome;
use crate::walk::explore::peers::{FIRST, push_value, take_text, take_value, to_first};
use crate::walk::explore::predecessors::Predecessors;
use crate::walk::explore::set::Visited;
use crate::walk::explore::spill::OpenDisk;
use crate::walk::explore::words::{Garbled, push_keys, take_keys};

/// A state at which a process has found something: its level and key, the process, and its number there and among those of all.
struct Mentioned<K> {
    level: u32,
    key: K,
    process: usize,
    own: u64,
    number: u64,
}

/// Findings of all processes.
struct OfAllProcesses<K> {
    /// Figures of all,
    record: Option<SearchFigures>,
    /// what each has found,
    tallies: Vec<Option<Value>>,
    /// and the states that this mentions.
    mentioned: Vec<Mentioned<K>>,
}

impl<K: Compared> OfAllProcesses<K> {
    fn nothing() -> Self {
        Self {
            record: None,
            tallies: Vec::new(),
            mentioned: Vec::new(),
        }
    }

    /// Adds the findings of a process, in its words.
    fn add(&mut self, process: usize, mut words: Vec<u64>) -> Result<(), Garbled> {
        let (told, record): (Told, SearchFigures) = take_value(&mut words)?;
        for (own, state) in told.mentioned {
            self.mentioned.push(Mentioned {
                level: state.length,
                key: take_keys(&state.words)?.pop().ok_or(Garbled)?,
                process,
                own,
                number: own,
            });
        }
        self.tallies.push(told.tally);
        match &mut self.record {
            None => self.record = Some(record),
            Some(all) => all.add(record),
        }
        Ok(())
    }
}

/// The states of all processes, as far as they have come to process 0.
struct Gathered<K, I> {
    list: List<K, I>,
    predecessors: Predecessors,
    /// Those that were mentioned, in order, and how many of them have come.
    mentioned: Vec<Mentioned<K>>,
    next: usize,
    /// Those of the sample that were expanded.
    sample: Vec<(StateId, u32, K)>,
}

impl<K: Compared, I> Gathered<K, I> {
    /// Adds states of a level, which are greater than those before.
    fn add(&mut self, level: u32, mut keys: Vec<K>, is_sampled: impl Fn(StateId) -> bool) {
        keys.sort_unstable_by(K::order);
        let first = self.list.keys.len() as u64;
        let Some(last) = keys.last() else {
            return;
        };
        while let Some(one) = self.mentioned.get_mut(self.next)
            && one.level == level
            && one.key.order(last).is_le()
        {
            let less = keys.partition_point(|key| key.order(&one.key).is_lt());
            one.number = first + less as u64;
            self.next += 1;
        }
        let numbered = (first..).map(StateId).zip(&keys);
        let sampled = numbered.filter(|(id, _)| is_sampled(*id));
        self.sample
            .extend(sampled.map(|(id, key)| (id, level, key.clone())));
        self.list.keys.extend(&keys);
    }

    /// Leaves states on disk alone.
    fn make_room(&mut self, open: OpenDisk<K, I>) -> Result<(), DiskError> {
        let refused =
            |folder: &Path, error: &io::Error| DiskError::refused("write into", folder, error);
        if self.list.disk.is_none() {
            let disk = open(&self.list.folder);
            self.list.disk = Some(disk.map_err(|error| refused(&self.list.folder, &error))?);
        }
        let all = self.list.keys.len();
        let unloaded = self.list.unload(0..all);
        unloaded.map_err(|error| refused(&self.list.folder, &error))
    }
}

impl<'a, K, I> StateSearch<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Ends the search: process 0 has the outcome, and the others wait for its report.
    pub(super) fn gather(
        mut self,
        ended: Ended,
        record: SearchFigures,
        open: OpenDisk<K, I>,
    ) -> Result<Found, NoOutcome> {
        let told = self.told(self.model.tell());
        let together = self.together.take().expect("there are peers");
        let mut words = Vec::new();
        push_value(&mut words, &(told, record));
        let peers = &*together.peers;
        if !matches!(ended.end, End::Limit(_)) {
            // What is found is told, though it take longer.
            together.attended.end();
        }
        let received = peers.exchange(to_first(peers, words))?;
        together.attended.end();
        let is_first = peers.process() == FIRST;
        let mut heard: OfAllProcesses<K> = OfAllProcesses::nothing();
        for (process, words) in received.into_iter().enumerate().filter(|_| is_first) {
            let added = heard.add(process, words);
            added.map_err(|garbled| garbled.of(process))?;
        }
        heard.mentioned.sort_unstable_by(|one, other| {
            let by_level = one.level.cmp(&other.level);
            by_level.then_with(|| one.key.order(&other.key))
        });
        // The set is of no use any more, and what comes takes its memory.
        drop(self.visited);
        let mut gathered = Gathered {
            list: List::new(),
            predecessors: Predecessors::default(),
            mentioned: heard.mentioned,
            next: 0,
            sample: Vec::new(),
        };
        gathered.list.folder.clone_from(&self.list.folder);
        let mut before = 0..0;
        let mut initial_states = 0;
        for level in 0..together.levels() {
            let mut runs = together.runs_of(level);
            let first = gathered.list.keys.len() as u64;
            while let Some(next) = next_in_order(peers, &mut self.list, &mut runs)? {
                let mut words = Vec::new();
                for places in next {
                    let places = places.start as usize..places.end as usize;
                    for (_, keys) in self.list.keys.runs(places) {
                        push_keys(&mut words, K::keys(keys));
                    }
                }
                let keys = keys_of_all(&peers.exchange(to_first(peers, words))?)?;
                let is_sampled = |id| level < together.level && self.model.is_sampled(id);
                gathered.add(level, keys, is_sampled);
                let keys = &gathered.list.keys;
                let is_short = || self.clock.limits.no_room_for(keys.block_bytes()).is_some();
                if keys.whole_blocks() > 0 && is_short() {
                    gathered.make_room(open)?;
                }
            }
            let states = first..gathered.list.keys.len() as u64;
            if level == 0 {
                initial_states = states.end;
            }
            if !states.is_empty() {
                gathered.predecessors.begin(first, before, level);
            }
            before = states;
        }
        if !is_first {
            let mut words = peers.exchange(together.nothing())?.swap_remove(FIRST);
            let report = take_text(&mut words);
            return Err(NoOutcome::Served(
                report.map_err(|garbled| garbled.of(FIRST))?,
            ));
        }
        drop(self.list);
        self.model.forget();
        for (process, told) in heard.tallies.iter().enumerate() {
            let number = |id: StateId| {
                let mut all = gathered.mentioned.iter();
                let is_it = |one: &&Mentioned<K>| (one.process, one.own) == (process, id.0);
                all.find(is_it).map_or(id, |one| StateId(one.number))
            };
            let is_heard = told
                .as_ref()
                .is_some_and(|told| self.model.hear(told, &number));
            if !is_heard {
                return Err(Garbled.of(process).into());
            }
        }
        self.model.ask_again();
        let worker = &mut self.workers[0];
        for one in &gathered.sample {
            if self.clock.out_of_time().is_some() {
                break;
            }
            expand_again(worker, one);
        }
        worker.expander.end_of_wave(Keeps::Sampled);
        let journal = self.kept.map(|kept| kept.journal);
        let mut record = heard.record.expect("there is a process");
        if let Some(disk) = &gathered.list.disk {
            record.spilled.get_or_insert_default().bytes += disk.bytes();
        }
        let store = gathered.list.store(gathered.predecessors);
        Ok(record.found(ended, store, initial_states, journal, self.clock.started))
    }
}
