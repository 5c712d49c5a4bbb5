//! The end of a search of several processes: process 0 gets the states of all in their order, and what was found of them, as if it had
//! searched alone.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Ended;
use super::keep::read_told;
use super::order::{keys_of_all, next_in_order};
use crate::explore::StateId;
use crate::explore::disk::DiskError;
use crate::explore::expansion::Keeps;
use crate::explore::explored::End;
use crate::explore::keys::Compared;
use crate::explore::no_outcome::NoOutcome;
use crate::explore::peers::{
    FIRST, Garbled, push_keys, push_value, take_text, take_value, to_first,
};
use crate::explore::predecessors::Predecessors;
use crate::explore::search::Found;
use crate::explore::search::checkpoint::expand_again;
use crate::explore::search::list::List;
use crate::explore::search::state::Search;
use crate::explore::set::Visited;
use crate::explore::spill::OpenDisk;
use crate::statement::asked::model_call::Panic;

/// Findings of one process.
#[derive(Serialize, Deserialize)]
struct Record {
    /// Transitions from the states expanded,
    transitions: u64,
    /// and states for which there was no time.
    unexamined: u64,
    /// Some steps are unknown.
    is_incomplete: bool,
    /// Panic of a function of the model that was not called for a state or a step.
    panic: Option<Panic>,
    peak_memory_bytes: u64,
    store_bytes: u64,
    set_bytes: u64,
}

/// A state at which a process has found something: its level and key, the process, and its number there and among those of all.
struct Mentioned<K> {
    level: u32,
    key: K,
    process: usize,
    own: u64,
    number: u64,
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

impl<'a, K, I> Search<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Ends the search: process 0 has the outcome, and the others wait for its report.
    pub(super) fn gather(mut self, ended: Ended, open: OpenDisk<K, I>) -> Result<Found, NoOutcome> {
        let form = self.form;
        let mut words = self.told();
        let store_bytes = self.store_bytes();
        self.resident.look(store_bytes);
        let together = self.together.take().expect("there are peers");
        let record = Record {
            transitions: self.transitions,
            unexamined: self.unexamined,
            is_incomplete: self.incomplete,
            panic: together.panic.clone(),
            peak_memory_bytes: self.resident.peak(),
            store_bytes,
            set_bytes: self.visited.bytes(),
        };
        push_value(&mut words, &record);
        let peers = &*together.peers;
        let received = peers.exchange(to_first(peers, words))?;
        together.attended.end();
        let is_first = peers.process() == FIRST;
        let mut records = Vec::new();
        let mut tallies = Vec::new();
        let mut mentioned: Vec<Mentioned<K>> = Vec::new();
        for (process, mut words) in received.into_iter().enumerate().filter(|_| is_first) {
            let of = |garbled: Garbled| garbled.of(process);
            records.push(take_value::<Record>(&mut words).map_err(of)?);
            let (told, keys) = read_told(form, words).map_err(of)?;
            let states = told.mentioned.into_iter().zip(keys);
            mentioned.extend(states.map(|((own, level), key)| Mentioned {
                level,
                key,
                process,
                own,
                number: own,
            }));
            tallies.push(told.tally);
        }
        mentioned.sort_unstable_by(|one, other| {
            let by_level = one.level.cmp(&other.level);
            by_level.then_with(|| one.key.order(&other.key))
        });
        // The set is of no use any more, and what comes takes its memory.
        drop(self.visited);
        let mut gathered = Gathered {
            list: List::new(),
            predecessors: Predecessors::default(),
            mentioned,
            next: 0,
            sample: Vec::new(),
        };
        gathered.list.folder.clone_from(&self.list.folder);
        let mut before = 0..0;
        let mut initial_states = 0;
        for level in 0..together.levels() {
            let mut runs = together.runs_of(level);
            let first = gathered.list.keys.len() as u64;
            while let Some(next) = next_in_order(peers, form, &mut self.list, &mut runs)? {
                let mut words = Vec::new();
                for places in next {
                    let places = places.start as usize..places.end as usize;
                    for (_, keys) in self.list.keys.runs(places) {
                        push_keys(&mut words, K::keys(keys));
                    }
                }
                let keys = keys_of_all(form, &peers.exchange(to_first(peers, words))?)?;
                let is_sampled = |id| level < ended.levels && self.model.is_sampled(id);
                gathered.add(level, keys, is_sampled);
                let block = gathered.list.keys.block_bytes();
                if is_first && self.clock.limits.no_room_for(block).is_some() {
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
        for (process, told) in tallies.iter().enumerate() {
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
        let sum = |of: fn(&Record) -> u64| records.iter().map(of).sum::<u64>();
        let panic = records.iter().find_map(|record| record.panic.clone());
        let panicked = panic.is_some() || records.iter().any(|record| record.is_incomplete);
        let kept = self.kept.as_ref();
        let earlier = kept.map_or(0.0, |kept| kept.journal.earlier_seconds);
        let Gathered {
            list, predecessors, ..
        } = gathered;
        let last = (list.keys.len() as u64).checked_sub(1).map(StateId);
        Ok(Found {
            end: match ended.end {
                End::Complete if panicked => End::Panicked,
                end => end,
            },
            limit_process: ended.limit_process,
            initial_states,
            unexamined: sum(|record| record.unexamined),
            transitions: sum(|record| record.transitions),
            depth: last.map_or(0, |last| predecessors.length(last)),
            seconds: earlier + self.clock.started.elapsed().as_secs_f64(),
            peak_memory_bytes: sum(|record| record.peak_memory_bytes),
            store_bytes: sum(|record| record.store_bytes),
            set_bytes: sum(|record| record.set_bytes),
            graph: None,
            graph_too_large: None,
            panic,
            spilled: None,
            written: self.kept.take().map(|kept| kept.journal.written),
            store: Box::new(list.store(predecessors)),
        })
    }
}
