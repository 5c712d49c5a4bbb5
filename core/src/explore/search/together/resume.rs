//! A search of several processes that goes on from a checkpoint, which one process has written, or several: process 0 reads it, and sends each
//! state to the process that owns it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::EARLIER;
use crate::explore::StateId;
use crate::explore::disk::{DiskError, Manifest, STATES};
use crate::explore::expansion::Keeps;
use crate::explore::keys::{Compared, KeyList};
use crate::explore::limits::Limit;
use crate::explore::no_outcome::NoOutcome;
use crate::explore::peers::{
    FIRST, Garbled, PeersError, push_key, push_value, take_keys, take_value, to_all,
};
use crate::explore::search::Search;
use crate::explore::search::checkpoint::Moment;
use crate::explore::search::kept::{Kept, Listed};
use crate::explore::search::member::Run;
use crate::explore::search::resume::{Added, position, read_keys};
use crate::explore::set::{Candidate, Visited};
use crate::explore::span::Span;

/// Position of a search that goes on.
pub(super) struct Resumed<K> {
    /// The level that is being expanded, and the states of it that are left.
    pub level: Span,
    pub left: Span,
    /// Whether some states of the level were expanded, of whichever process.
    pub is_begun: bool,
    /// The last level of which some were.
    expanded: Option<u32>,
    /// The first state to which it has led, if there is one.
    before: Option<u64>,
    /// Distinct initial states, which process 0 counts for all.
    pub initial_states: u64,
    /// States of a part that has not come as a whole.
    pending: Vec<K>,
    /// Limit that was reached before all was read, if one was, and the process whose limit it is.
    pub limit: Option<(usize, Limit)>,
}

impl<K> Resumed<K> {
    fn nothing() -> Self {
        let nothing = Span {
            states: 0..0,
            length: 0,
        };
        Self {
            level: nothing.clone(),
            left: nothing,
            is_begun: true,
            expanded: None,
            before: None,
            initial_states: 0,
            pending: Vec::new(),
            limit: None,
        }
    }

    /// The first state to which the level has led, of so many states.
    pub fn before(&self, states: u64) -> u64 {
        self.before.unwrap_or(states)
    }
}

/// Kind of some states of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Expanded,
    Left,
    /// Those to which expanded ones of the level before led, which is not complete.
    New,
}

/// Part of the states of a checkpoint; the keys come before it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Part {
    level: u32,
    kind: Kind,
    /// Whether more of the same come.
    more: bool,
    /// Whether nothing comes after it.
    last: bool,
    /// Limit that was reached where it was to be read; a cancellation may be that of another process.
    limit: Option<Limit>,
}

impl<'a, K, I> Search<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Reads the checkpoint that is resumed, if one is.
    pub(super) fn resume_together(&mut self) -> Result<Option<Resumed<K>>, NoOutcome> {
        let peers = Arc::clone(&self.together().peers);
        let mut kept = self.kept.take();
        let manifest = kept.as_mut().and_then(|kept| kept.journal.resumed.take());
        let resumes = u64::from(manifest.is_some());
        let told = peers.exchange(to_all(&*peers, &[resumes]))?;
        if told[FIRST].first() != Some(&1) {
            self.kept = kept;
            return Ok(None);
        }
        // To read and to send what there is takes as long as it takes.
        self.together().attended.end();
        let mut resumed = Resumed::nothing();
        let mut reason = None;
        match (&mut kept, manifest) {
            (Some(kept), Some(manifest)) => {
                self.allow_reading(&manifest);
                match self.distribute(kept, &manifest, &mut resumed) {
                    Err(NoOutcome::Disk(error @ DiskError::Interrupted { limit, .. })) => {
                        self.tell_limit(limit, &mut resumed)?;
                        reason = Some(error.to_string());
                    }
                    distributed => distributed?,
                }
                resumed.initial_states = manifest.initial;
            }
            _ => while !self.receive(Vec::new(), None, &mut resumed)? {},
        }
        self.kept = kept;
        if let Some((process, limit)) = resumed.limit {
            let of_other = || format!("{limit} came in process {process} while it was read");
            self.forget_read(&reason.unwrap_or_else(of_other));
            self.together().runs = vec![Run {
                level: 0,
                states: 0..0,
            }];
            return Ok(Some(resumed));
        }
        let states = self.list.keys.len() as u64;
        let together = self.together();
        together.kept_runs = together.runs.len();
        together.sorted = states;
        Ok(Some(resumed))
    }

    /// Tells all processes, this one too, that a limit was reached before all was read.
    fn tell_limit(&mut self, limit: Limit, resumed: &mut Resumed<K>) -> Result<(), PeersError> {
        let part = Part {
            level: 0,
            kind: Kind::Expanded,
            more: false,
            last: true,
            limit: Some(limit),
        };
        let nothing = self.together().nothing();
        self.receive(nothing, Some(part), resumed)?;
        Ok(())
    }

    /// Reads the states, and sends each to its owner, until a limit of any process is reached.
    fn distribute(
        &mut self,
        kept: &mut Kept<K>,
        manifest: &Manifest,
        resumed: &mut Resumed<K>,
    ) -> Result<(), NoOutcome> {
        let path = kept.journal.folder.path().to_owned();
        let damaged = |what: &str| DiskError::damaged(&path, what);
        let at = position(manifest, &path)?;
        self.read_chunks(kept, manifest)?;
        let runs = self.runs_of(manifest.reached, &at.unexpanded, at.before);
        let mut mentioned = self.model.mentions(&manifest.tally).unwrap_or_default();
        let form = self.form;
        if let Some(states) = &manifest.mentioned {
            mentioned.clear();
            for (level, words) in states {
                let key = take_keys::<K>(form, words)
                    .ok()
                    .and_then(|mut keys| keys.pop());
                let key = key.ok_or_else(|| damaged("a state that it mentions is none"))?;
                kept.earlier.push((*level, key));
            }
        }
        let most = self.together().most_words();
        let mut list = KeyList::new(form);
        let mut keys: Vec<K> = Vec::new();
        let mut taken = 0;
        let mut id = 0;
        let clock = self.reading(manifest);
        let mut states = kept.journal.reader(STATES, manifest.states, clock);
        let mut found = Vec::new();
        for (number, (listed, kind)) in runs.iter().enumerate() {
            let mut words = self.together().nothing();
            while id < listed.end {
                if taken == keys.len() {
                    keys.clear();
                    taken = 0;
                    read_keys(&mut states, self.model, &mut list)?;
                    K::take(&mut list, &mut keys);
                    if keys.is_empty() {
                        return Err(damaged("its list of states is shorter").into());
                    }
                }
                let key = &keys[taken];
                let number = StateId(id);
                if self.model.is_sampled(number) {
                    found.push((number, listed.level, key.clone()));
                }
                if manifest.mentioned.is_none() && mentioned.binary_search(&number).is_ok() {
                    kept.earlier.push((listed.level, key.clone()));
                }
                let owner = self.together().owner(key);
                push_key(&mut words[owner], key);
                taken += 1;
                id += 1;
                if id < listed.end && words.iter().map(Vec::len).sum::<usize>() >= most {
                    let nothing = self.together().nothing();
                    let words = std::mem::replace(&mut words, nothing);
                    let part = Part {
                        level: listed.level,
                        kind: *kind,
                        more: true,
                        last: false,
                        limit: None,
                    };
                    if self.receive(words, Some(part), resumed)? {
                        return Ok(());
                    }
                }
            }
            let part = Part {
                level: listed.level,
                kind: *kind,
                more: false,
                last: number + 1 == runs.len(),
                limit: None,
            };
            if part.last {
                // The end of the list tells whether it is the one that was written.
                read_keys(&mut states, self.model, &mut list)?;
                K::take(&mut list, &mut keys);
                if taken != keys.len() || id != manifest.reached {
                    return Err(damaged("its list of states is longer").into());
                }
            }
            self.receive(words, Some(part), resumed)?;
            if resumed.limit.is_some() {
                return Ok(());
            }
        }
        kept.sample = found;
        let number = |id: StateId| {
            let place = match &manifest.mentioned {
                Some(_) => id.0,
                None => mentioned.binary_search(&id).unwrap_or(0) as u64,
            };
            StateId(EARLIER + place)
        };
        if !self.model.hear(&manifest.tally, &number) {
            return Err(damaged("what was found is of another form").into());
        }
        kept.states = manifest.reached as usize;
        kept.listed = runs.into_iter().map(|(listed, _)| listed).collect();
        // Each run that is listed has a chunk from now on; those that it has in the file are of whatever length.
        kept.chunks = kept.listed.len();
        self.transitions = manifest.transitions;
        let moment = Moment {
            unexpanded: &at.unexpanded,
            before: at.before,
        };
        if self.sampled(kept, moment, Keeps::Nothing) != manifest.sample {
            return Err(NoOutcome::Disk(DiskError::OtherModel {
                path,
                what: "its initial states, or the steps of some states, are others",
            }));
        }
        Ok(())
    }

    /// Runs of the list, with the kinds of their states.
    fn runs_of(&self, reached: u64, unexpanded: &Span, before: u64) -> Vec<(Listed, Kind)> {
        let left = unexpanded.states.clone();
        let mut starts: Vec<(u64, u32)> = Vec::new();
        for chunk in self.predecessors.chunks_from(0) {
            if starts
                .last()
                .is_none_or(|(_, level)| *level != chunk.length)
            {
                starts.push((chunk.first, chunk.length));
            }
        }
        let mut runs = Vec::new();
        for (number, (first, level)) in starts.iter().enumerate() {
            let end = starts.get(number + 1).map_or(reached, |(next, _)| *next);
            let middle = left.start.clamp(*first, end);
            for (first, end) in [(*first, middle), (middle, end)] {
                let kind = match first {
                    _ if first < left.start => Kind::Expanded,
                    _ if first < before => Kind::Left,
                    _ => Kind::New,
                };
                let listed = Listed {
                    level: *level,
                    first,
                    end,
                };
                if first < end {
                    runs.push((listed, kind));
                }
            }
        }
        runs
    }

    /// Limit of this process that is reached while a checkpoint is read, if one is; how much time that takes is for process 0 to say.
    fn limit_of_reading(&mut self) -> Option<Limit> {
        let is_cancelled = self.together().attended.is_cancelled();
        let cancelled = is_cancelled.then_some(Limit::Cancelled);
        cancelled.or_else(|| self.clock.limits.out_of_memory())
    }

    /// Adds the states of a part that are this process's; says whether it is the last, or a limit of any process was reached.
    fn receive(
        &mut self,
        words: Vec<Vec<u64>>,
        part: Option<Part>,
        resumed: &mut Resumed<K>,
    ) -> Result<bool, PeersError> {
        let form = self.form;
        let outgoing = match part {
            Some(part) => {
                let mut outgoing = words;
                for words in &mut outgoing {
                    push_value(words, &part);
                }
                outgoing
            }
            None => {
                let mut words = Vec::new();
                push_value(&mut words, &self.limit_of_reading());
                to_all(&*self.together().peers, &words)
            }
        };
        let mut received = self.together().peers.exchange(outgoing)?;
        let mut words = received.remove(FIRST);
        let garbled = |_| Garbled.of(FIRST);
        let part: Part = take_value(&mut words).map_err(garbled)?;
        let own = part.limit.map(|limit| (FIRST, limit));
        let mut of_others = None;
        for (process, mut words) in (FIRST + 1..).zip(received) {
            let limit: Option<Limit> =
                take_value(&mut words).map_err(|garbled| garbled.of(process))?;
            of_others = of_others.or(limit.map(|limit| (process, limit)));
        }
        // A process that is cancelled asks all to hurry, so that process 0 may tell it first.
        let is_asked = matches!(own, None | Some((_, Limit::Cancelled)));
        resumed.limit = of_others.filter(|_| is_asked).or(own);
        if resumed.limit.is_some() {
            return Ok(true);
        }
        let mut keys = take_keys::<K>(form, &words).map_err(garbled)?;
        resumed.pending.append(&mut keys);
        if part.more {
            return Ok(false);
        }
        let mut keys = std::mem::take(&mut resumed.pending);
        keys.sort_unstable_by(K::order);
        let first = self.list.keys.len() as u64;
        let count = keys.len();
        let candidates = keys.into_iter().map(|key| Candidate {
            hash: self.visited.hash(&key),
            key,
        });
        let wave = vec![candidates.collect()];
        let mut added = Added(0);
        let room = self.room();
        self.visited
            .add_all(&mut self.list.keys, wave, &[], room, &mut added);
        if let Err(limit) = self.not_starved() {
            self.together().limit(limit);
        } else if added.0 != count {
            // A state is there twice, or there are more than can be numbered.
            return Err(Garbled.of(FIRST));
        }
        let (level, end) = (part.level, self.list.keys.len() as u64);
        self.together().runs.push(Run {
            level,
            states: first..end,
        });
        match part.kind {
            Kind::Expanded => {
                resumed.level.states = first..end;
                resumed.expanded = Some(level);
            }
            Kind::Left => {
                resumed.is_begun = resumed.expanded == Some(level);
                if !resumed.is_begun {
                    resumed.level.states.start = first;
                }
                resumed.left.states = first..end;
            }
            Kind::New => {
                resumed.is_begun = true;
                resumed.before = Some(first);
            }
        }
        if part.kind != Kind::New {
            resumed.level.states.end = end;
            resumed.level.length = level;
            resumed.left.length = level;
        }
        Ok(part.last)
    }
}
