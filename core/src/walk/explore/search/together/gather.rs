//! The end of a search of several processes: what each has found comes to the one that judges, and the others serve it.

use std::sync::Arc;

use super::Ended;
use crate::statement::asked::model_call::catch;
use crate::walk::explore::StateId;
use crate::walk::explore::disk::Journal;
use crate::walk::explore::expansion::{Batch, Keeps, Task};
use crate::walk::explore::explored::End;
use crate::walk::explore::keys::{Compared, Form};
use crate::walk::explore::limits::{Clock, Limits, Watch};
use crate::walk::explore::no_outcome::NoOutcome;
use crate::walk::explore::peers::{
    FIRST, Garbled, Mentions, Party, PeersError, Record, Request, Scattered, Share, asked,
    push_key, push_keys, push_value, take_keys, take_value, to_all, to_first,
};
use crate::walk::explore::search::Found;
use crate::walk::explore::search::kept::Kept;
use crate::walk::explore::search::member::Together;
use crate::walk::explore::search::state::{Search, Worker};
use crate::walk::explore::segments::SegmentedVec;
use crate::walk::explore::set::Visited;

/// States that are asked for at once, of each process.
const BLOCK: usize = 1 << 12;

impl<'a, K, I> Search<'a, K, I>
where
    K: Compared + Ord,
    I: Visited<K>,
{
    /// Searches as one of several processes. Process 0 has the outcome; the others serve it until it has judged, and get its report.
    ///
    /// # Errors
    ///
    /// If the processes do not search the same, or one was lost; and where another process has the outcome.
    pub fn run_together(
        mut self,
        party: Party,
        journal: Option<Journal>,
    ) -> Result<Found, NoOutcome> {
        self.together = Some(Box::new(Together::new(party)));
        self.kept = journal.map(|journal| Box::new(Kept::new(journal)));
        let ended = self.search_together()?;
        let attended = Arc::clone(&self.together().attended);
        if !matches!(ended.end, End::Limit(_)) {
            // What is found is told, though it take longer.
            attended.end();
        }
        let ids = self.model.mentioned();
        let mentioned: Vec<_> = ids.into_iter().map(|id| (id, self.mentioned(id))).collect();
        let together = self.together.take().expect("it is there");
        let log = std::mem::replace(&mut self.log, SegmentedVec::new());
        let share = Share::new(log, together.runs.clone());
        let (sizes, record) = self.record(&ended, &together, &share, &mentioned)?;
        let mut words = Vec::new();
        for (_, key) in share.every(BLOCK) {
            push_key(&mut words, key);
        }
        push_value(&mut words, &record);
        let peers = &*together.peers;
        let received = peers.exchange(to_first(peers, words))?;
        attended.end();
        if peers.process() == FIRST {
            Ok(self.outcome(ended, &together, share, &sizes, received)?)
        } else {
            Err(NoOutcome::Served(self.serve(&together, &share)?))
        }
    }

    /// Number of states of each level in all processes, and the findings of this one.
    fn record(
        &mut self,
        ended: &Ended,
        together: &Together,
        share: &Share<K>,
        mentioned: &[(StateId, (u32, K))],
    ) -> Result<(Vec<u64>, Record), PeersError> {
        let peers = &*together.peers;
        let mentions = Mentions {
            sizes: (0..share.levels() as u32)
                .map(|level| share.size(level))
                .collect(),
            levels: mentioned.iter().map(|(_, (level, _))| *level).collect(),
        };
        let mut words = Vec::new();
        for (_, (_, key)) in mentioned {
            push_key(&mut words, key);
        }
        push_value(&mut words, &mentions);
        let mut sizes = vec![0; share.levels()];
        let mut counts = Vec::new();
        for (process, words) in peers
            .exchange(to_all(peers, &words))?
            .into_iter()
            .enumerate()
        {
            let (of, keys) = mentions_of::<K>(self.form, words, share.levels())
                .map_err(|garbled| garbled.of(process))?;
            sizes
                .iter_mut()
                .zip(of.sizes)
                .for_each(|(sum, more)| *sum += more);
            let before = of.levels.into_iter().zip(&keys);
            counts.push(
                before
                    .map(|(level, key)| share.before(level, key))
                    .collect(),
            );
        }
        let counts = peers.exchange(counts)?;
        let mut numbers = Vec::new();
        for (place, (id, (level, _))) in mentioned.iter().enumerate() {
            let before: u64 = sizes[..*level as usize].iter().sum();
            let less = counts.iter().filter_map(|counts| counts.get(place));
            numbers.push((id.0, before + less.sum::<u64>()));
        }
        let splitters = share.every(BLOCK).map(|(level, _)| level);
        let store_bytes = share.bytes() + self.predecessors.bytes() + self.visited.bytes();
        self.resident.look(store_bytes);
        let record = Record {
            tally: self.model.tell(),
            numbers,
            initial_states: ended.initial_states,
            transitions: self.transitions,
            unexamined: self.unexamined,
            is_incomplete: self.incomplete,
            panic: together.panic.clone(),
            peak_memory_bytes: self.resident.peak(),
            store_bytes,
            set_bytes: self.visited.bytes(),
            key_bytes: share.key_bytes(|keys| K::keys(keys).bytes()),
            splitters: splitters.collect(),
        };
        Ok((sizes, record))
    }

    /// Outcome of the search, of the findings of all processes.
    fn outcome(
        &mut self,
        ended: Ended,
        together: &Together,
        share: Share<K>,
        sizes: &[u64],
        received: Vec<Vec<u64>>,
    ) -> Result<Found, PeersError> {
        self.model.forget();
        let mut records = Vec::new();
        let mut splitters = Vec::new();
        for (process, mut words) in received.into_iter().enumerate() {
            let of = |garbled: Garbled| garbled.of(process);
            let record: Record = take_value(&mut words).map_err(of)?;
            let keys = take_keys::<K>(self.form, &words).map_err(of)?;
            let number = |id: StateId| {
                let numbers = &record.numbers;
                let place = numbers.binary_search_by_key(&id.0, |(here, _)| *here);
                place.map_or(id, |place| StateId(numbers[place].1))
            };
            let told = record.tally.as_ref();
            let is_heard = told.is_some_and(|told| self.model.hear(told, &number));
            if !is_heard || keys.len() != record.splitters.len() {
                return Err(of(Garbled));
            }
            splitters.extend(record.splitters.iter().copied().zip(keys));
            records.push(record);
        }
        let sum = |of: fn(&Record) -> u64| records.iter().map(of).sum::<u64>();
        let states: u64 = sizes.iter().sum();
        let scattered = Scattered::new(
            &together.peers,
            self.form,
            share,
            sizes,
            splitters,
            sum(|record| record.key_bytes) as f64 / states.max(1) as f64,
        )?;
        let expanded = sizes[..ended.levels as usize].iter().sum::<u64>();
        self.ask_again(&scattered, expanded);
        let kept = self.kept.as_ref();
        let earlier = kept.map_or(0.0, |kept| kept.journal.earlier_seconds);
        let reached = sizes.iter().rposition(|size| *size > 0);
        let panic = records.iter().find_map(|record| record.panic.clone());
        let panicked = panic.is_some() || records.iter().any(|record| record.is_incomplete);
        Ok(Found {
            end: match ended.end {
                End::Complete if panicked => End::Panicked,
                end => end,
            },
            limit_process: ended.limit_process,
            initial_states: sum(|record| record.initial_states),
            unexamined: sum(|record| record.unexamined),
            transitions: sum(|record| record.transitions),
            depth: reached.unwrap_or(0) as u32,
            seconds: earlier + self.clock.started.elapsed().as_secs_f64(),
            peak_memory_bytes: sum(|record| record.peak_memory_bytes),
            store_bytes: sum(|record| record.store_bytes),
            set_bytes: sum(|record| record.set_bytes),
            graph: None,
            graph_too_large: None,
            panic,
            spilled: None,
            written: self.kept.take().map(|kept| kept.journal.written),
            store: Box::new(scattered),
        })
    }

    /// Asks the model again at the states of the sample, of the first so many.
    fn ask_again(&mut self, scattered: &Scattered<K>, states: u64) {
        let model = self.model;
        model.ask_again();
        let clock = without_limits();
        let Worker {
            expander, expanded, ..
        } = &mut self.workers[0];
        for id in (0..states).map(StateId).filter(|id| model.is_sampled(*id)) {
            // That a process was lost is told when its service is to end.
            let Some(key) = scattered
                .key(id)
                .filter(|_| self.clock.out_of_time().is_none())
            else {
                break;
            };
            let batch = Batch {
                task: Task::Expand,
                first: id,
                length: scattered.level(id),
                keys: K::keys(std::slice::from_ref(&key)),
                clock: &clock,
            };
            let done = expander.expand(&batch, expanded);
            done.expect("a clock without limits reaches none");
        }
        expander.end_of_wave(Keeps::Sampled);
    }

    /// Answers the questions of process 0 until it has judged; returns its report.
    fn serve(&self, together: &Together, share: &Share<K>) -> Result<String, PeersError> {
        let peers = &*together.peers;
        let form = self.form;
        loop {
            let mut answer = Vec::new();
            match asked::<K>(peers, form)? {
                Request::Before(wanted) => {
                    let before = wanted.iter();
                    answer.extend(before.map(|(level, key)| share.before(*level, key)));
                }
                Request::Between { level, from, to } => {
                    for keys in share.between(level, from.as_ref(), to.as_ref()) {
                        push_keys(&mut answer, K::keys(keys));
                    }
                }
                Request::Back { level, key } => {
                    let before = level.saturating_sub(1);
                    let wanted = K::keys(std::slice::from_ref(&key)).at(0);
                    let leads = |keys: &[K]| self.model.leads(K::keys(keys), wanted);
                    let found = catch(|| share.first(before, leads));
                    // What panics here does so in process 0, too, which tells it.
                    if let Ok(Some((key, step))) = found {
                        answer.push(step.into());
                        push_key(&mut answer, key);
                    }
                }
                Request::End(report) => return Ok(report),
            }
            peers.exchange(to_first(peers, answer))?;
        }
    }
}

/// Mentions of a process, and their keys.
fn mentions_of<K: Compared>(
    form: Form,
    mut words: Vec<u64>,
    levels: usize,
) -> Result<(Mentions, Vec<K>), Garbled> {
    let mentions: Mentions = take_value(&mut words)?;
    let keys = take_keys::<K>(form, &words)?;
    let is_whole = mentions.sizes.len() == levels
        && mentions.levels.len() == keys.len()
        && mentions
            .levels
            .iter()
            .all(|level| (*level as usize) < levels);
    if is_whole {
        Ok((mentions, keys))
    } else {
        Err(Garbled)
    }
}

fn without_limits() -> Clock<'static> {
    Clock {
        limits: Limits::default(),
        watch: Watch::default(),
        started: std::time::Instant::now(),
    }
}
