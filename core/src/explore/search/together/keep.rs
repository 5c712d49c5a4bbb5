//! Checkpoints of a search of several processes: where a level begins, process 0 gets the states that are new since the last one, and
//! writes a checkpoint as one process alone does. So a search goes on from it in whatever number of processes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::EARLIER;
use crate::explore::StateId;
use crate::explore::disk::{DiskError, Manifest, SavedSpan};
use crate::explore::expansion::Keeps;
use crate::explore::keys::{Compared, Form};
use crate::explore::limits::Limit;
use crate::explore::peers::{
    FIRST, Garbled, PeersError, Trouble, push_key, push_keys, push_value, take_keys, take_value,
    to_first,
};
use crate::explore::search::Search;
use crate::explore::search::checkpoint::{AT_FAULT, Moment};
use crate::explore::search::kept::{Kept, Listed};
use crate::explore::search::member::{Begun, Run};
use crate::explore::set::Visited;
use crate::explore::span::Span;

/// Findings that a process tells for a checkpoint, or in the end; the keys of the states that they mention come before them.
#[derive(Serialize, Deserialize)]
pub(super) struct Told {
    pub tally: Option<Value>,
    /// Numbers of these states, and their levels.
    pub mentioned: Vec<(u64, u32)>,
}

/// Findings that were told, and the keys of the states that they mention.
pub(super) fn read_told<K: Compared>(
    form: Form,
    mut words: Vec<u64>,
) -> Result<(Told, Vec<K>), Garbled> {
    let told: Told = take_value(&mut words)?;
    let keys = take_keys(form, &words)?;
    if keys.len() == told.mentioned.len() {
        Ok((told, keys))
    } else {
        Err(Garbled)
    }
}

impl<'a, K, I> Search<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Writes a checkpoint where a level begins, if process 0 has found that it is time.
    pub(super) fn keep_together(&mut self, level: &Span) -> Result<(), PeersError> {
        let notices = &self.together().notices;
        let keeps = notices[FIRST].keeps;
        if notices.iter().any(|notice| notice.is_at_fault) {
            if let Some(kept) = &mut self.kept {
                kept.journal.end(AT_FAULT);
            }
            return Ok(());
        }
        let is_kept = notices[FIRST].is_kept;
        let begun = is_kept.then(|| self.begun(level));
        if let Some(begun) = begun.as_ref().filter(|_| keeps) {
            self.keep_begun(begun)?;
        }
        self.together().begun = begun;
        Ok(())
    }

    /// Findings of this process where a level begins.
    fn begun(&mut self, level: &Span) -> Begun {
        Begun {
            level: level.clone(),
            told: self.told(),
            transitions: self.together().totals().1,
        }
    }

    /// Writes a checkpoint, if there are any, when a limit ends the search: as it was where the level begins that is now, or where the one
    /// began in whose midst it is.
    pub(super) fn keep_at_limit(
        &mut self,
        level: Option<&Span>,
        trouble: Trouble,
    ) -> Result<(), PeersError> {
        let begun = self.together().begun.take();
        let notices = &self.together().notices;
        let is_whole = notices[FIRST].is_kept && notices.iter().all(|notice| !notice.is_at_fault);
        if !is_whole || matches!(trouble, Trouble::Panicked | Trouble::Limit(Limit::Disk)) {
            return Ok(());
        }
        let begun = match level {
            // It has more states than the limit allows.
            Some(_) if matches!(trouble, Trouble::Limit(Limit::States(_))) => begun,
            // Initial states may be missing.
            Some(level) if level.length == 0 => None,
            Some(level) => Some(self.begun(level)),
            None => begun,
        };
        match begun {
            Some(begun) => self.keep_begun(&begun),
            None => Ok(()),
        }
    }

    /// Writes a checkpoint of what there was where a level began, unless that is kept. The others wait for the one that writes, for as
    /// long as that takes.
    fn keep_begun(&mut self, begun: &Begun) -> Result<(), PeersError> {
        let attended = Arc::clone(&self.together().attended);
        attended.patiently(|| {
            self.write_begun(begun)?;
            let peers = Arc::clone(&self.together().peers);
            peers.exchange(self.together().nothing())?;
            Ok(())
        })
    }

    fn write_begun(&mut self, begun: &Begun) -> Result<(), PeersError> {
        let together = self.together();
        let first = together.kept_runs;
        let is_reached = |run: &Run| run.level <= begun.level.length;
        let runs = together.runs.partition_point(is_reached);
        if first >= runs {
            return Ok(());
        }
        for run in first..runs {
            self.send_run(run)?;
        }
        self.together().kept_runs = runs;
        let told = self.hear_told(begun.told.clone())?;
        let Some(mut kept) = self.kept.take() else {
            return Ok(());
        };
        let done = self.write_together(&mut kept, begun, told);
        if let Err(error) = done {
            kept.journal.end(error.to_string());
            self.together().limit(Limit::Disk);
        }
        self.kept = Some(kept);
        Ok(())
    }

    /// Sends the states of a run to process 0, some at a time, which adds them to the list.
    fn send_run(&mut self, number: usize) -> Result<(), PeersError> {
        let form = self.form;
        let together = self.together();
        let peers = Arc::clone(&together.peers);
        let most = together.most_words();
        let Run { level, states } = together.runs[number].clone();
        let end = states.end as usize;
        let mut at = states.start as usize;
        if let Some(kept) = &mut self.kept {
            let first = kept.states as u64;
            kept.listed.push(Listed {
                level,
                first,
                end: first,
            });
        }
        loop {
            let mut keys = Vec::new();
            for (first, piece) in self.list.keys.runs(at..end) {
                for (place, key) in (first..).zip(piece) {
                    if keys.len() >= most {
                        break;
                    }
                    push_key(&mut keys, key);
                    at = place + 1;
                }
            }
            let mut words = to_first(&*peers, keys);
            let more = u64::from(at < end);
            words.iter_mut().for_each(|words| words.push(more));
            let mut is_last = true;
            for (process, mut words) in peers.exchange(words)?.into_iter().enumerate() {
                let garbled = || Garbled.of(process);
                is_last &= words.pop().ok_or_else(garbled)? == 0;
                let keys = take_keys::<K>(form, &words).map_err(|_| garbled())?;
                if let Some(mut kept) = self.kept.take() {
                    if let Err(error) = self.list(&mut kept, &keys, level) {
                        kept.journal.end(error.to_string());
                        self.together().limit(Limit::Disk);
                    }
                    self.kept = Some(kept);
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Adds states to the list.
    fn list(&mut self, kept: &mut Kept<K>, keys: &[K], level: u32) -> Result<(), DiskError> {
        for key in keys {
            let id = StateId(kept.states as u64);
            if self.model.is_sampled(id) {
                kept.sample.push((id, level, key.clone()));
            }
            kept.states += 1;
        }
        let listed = kept.listed.last_mut().expect("a run has begun");
        listed.end = kept.states as u64;
        if kept.journal.written.ended.is_some() {
            return Ok(());
        }
        let mut words = Vec::new();
        push_keys(&mut words, K::keys(keys));
        words
            .into_iter()
            .for_each(|word| kept.journal.states.push(word));
        kept.journal.spill()
    }

    /// Findings of this process, in words.
    pub(super) fn told(&mut self) -> Vec<u64> {
        let ids = self.model.mentioned();
        let mut told = Told {
            tally: self.model.tell(),
            mentioned: Vec::new(),
        };
        let mut words = Vec::new();
        for id in ids {
            let (level, key) = self.mentioned(id);
            told.mentioned.push((id.0, level));
            push_key(&mut words, &key);
        }
        push_value(&mut words, &told);
        words
    }

    /// Findings of all processes, at process 0.
    fn hear_told(&mut self, words: Vec<u64>) -> Result<Vec<(Told, Vec<K>)>, PeersError> {
        let form = self.form;
        let peers = Arc::clone(&self.together().peers);
        let received = peers.exchange(to_first(&*peers, words))?;
        if peers.process() != FIRST {
            return Ok(Vec::new());
        }
        let read = |(process, words): (usize, Vec<u64>)| {
            read_told(form, words).map_err(|garbled| garbled.of(process))
        };
        received.into_iter().enumerate().map(read).collect()
    }

    /// Level and key of a state that was mentioned.
    fn mentioned(&mut self, id: StateId) -> (u32, K) {
        if let Some(place) = id.0.checked_sub(EARLIER) {
            let kept = self.kept.as_ref().expect("what was found earlier was read");
            return kept.earlier[place as usize].clone();
        }
        let key = self.list.keys.get(id.0 as usize).clone();
        let runs = &self.together().runs;
        let run = runs.partition_point(|run| run.states.start <= id.0) - 1;
        (runs[run].level, key)
    }

    fn write_together(
        &mut self,
        kept: &mut Kept<K>,
        begun: &Begun,
        told: Vec<(Told, Vec<K>)>,
    ) -> Result<(), DiskError> {
        let length = begun.level.length;
        if kept.journal.written.ended.is_some() {
            return Ok(());
        }
        for number in kept.chunks..kept.listed.len() {
            let Listed { level, first, end } = kept.listed[number];
            if first == end {
                continue;
            }
            let before = kept.listed.iter();
            let before = before.filter(|one| level.checked_sub(1) == Some(one.level));
            let start = before.clone().map(|one| one.first).min().unwrap_or(0);
            let end = before.map(|one| one.end).max().unwrap_or(0);
            for word in [first, start, end, level.into()] {
                kept.journal.chunks.push(word);
            }
        }
        kept.chunks = kept.listed.len();
        // By their levels and keys, so that the first is the same whichever process has found it.
        let mut mentioned = Vec::new();
        for (process, (told, keys)) in told.iter().enumerate() {
            let states = told.mentioned.iter().zip(keys);
            mentioned.extend(states.map(|((id, level), key)| (*level, key, process, *id)));
        }
        mentioned.sort_unstable_by(|(level, key, ..), (other_level, other, ..)| {
            level.cmp(other_level).then_with(|| key.order(other))
        });
        let number = |process: usize| {
            let mentioned = &mentioned;
            move |id: StateId| {
                let mut all = mentioned.iter();
                let place = all.position(|(.., of, other)| (*of, *other) == (process, id.0));
                place.map_or(id, |place| StateId(place as u64))
            }
        };
        let numbers: Vec<_> = (0..told.len()).map(number).collect();
        let mut tallies = Vec::new();
        for ((told, _), number) in told.iter().zip(&numbers) {
            let tally = told.tally.as_ref().ok_or(DiskError::Unwritable)?;
            tallies.push((tally, number as &dyn Fn(StateId) -> StateId));
        }
        let tally = self.model.merged(&tallies).ok_or(DiskError::Unwritable)?;
        let words = |key: &K| {
            let mut words = Vec::new();
            push_key(&mut words, key);
            words
        };
        let listed = kept.listed.iter().filter(|one| one.level == length);
        let start = listed.map(|one| one.first).min().unwrap_or(0);
        let unexpanded = Span {
            states: start..kept.states as u64,
            length,
        };
        let reached = kept.states as u64;
        let moment = Moment {
            unexpanded: &unexpanded,
            before: reached,
        };
        let sample = self.sampled(kept, moment, Keeps::Nothing);
        let initial = kept.listed.iter().filter(|one| one.level == 0);
        kept.journal.checkpoint(Manifest {
            sample,
            reached,
            initial: initial.map(|one| one.end - one.first).sum(),
            frontier: vec![SavedSpan {
                start,
                end: reached,
                length,
            }],
            before: reached,
            transitions: begun.transitions,
            depth: length,
            seconds: kept.journal.earlier_seconds + self.clock.started.elapsed().as_secs_f64(),
            tally,
            mentioned: Some(
                mentioned
                    .iter()
                    .map(|(level, key, ..)| (*level, words(key)))
                    .collect(),
            ),
            ..Manifest::nothing()
        })
    }
}
