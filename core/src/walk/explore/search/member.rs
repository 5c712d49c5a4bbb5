//! Members: what a search has beside itself where it is one of several processes.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::walk::explore::keys::Compared;
use crate::walk::explore::peers::{
    Attended, FIRST, Notice, Party, Peers, PeersError, push_value, take_value, to_all,
};
use crate::walk::explore::set::Candidate;
use crate::walk::explore::words::push_key;
use crate::walk::random::generator::mix;

/// Number from which on states are those at which something was found before the search went on from a checkpoint.
pub(super) const EARLIER: u64 = 1 << 63;
/// Shards of the states: each belongs to a process as a whole.
const SHARDS: u64 = 1 << 10;
/// Targets sent last of which a worker knows. PERF: they fit into a processor's second cache.
const SENT: usize = 1 << 13;

/// A value in a sentence.
fn told(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => format!("`{text}`"),
        Value::Array(entries) if entries.is_empty() => "nothing".to_owned(),
        Value::Array(entries) => {
            let entries: Vec<_> = entries.iter().map(told).collect();
            entries.join(", ")
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// Consecutive states of one level, in the order of their keys.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub level: u32,
    pub states: Range<u64>,
}

impl Run {
    /// Number of its states.
    pub fn len(&self) -> u64 {
        self.states.end - self.states.start
    }
}

/// Data that a search has beside itself where it is one of several.
pub(super) struct Together {
    pub peers: Arc<dyn Peers>,
    /// The same, with what is known while this process waits for them.
    pub attended: Arc<Attended>,
    party: Party,
    /// Words of targets for each process.
    pub outgoing: Vec<Vec<u64>>,
    /// Level that is being expanded: those before it were.
    pub level: u32,
    /// Runs of the states, level by level.
    pub runs: Vec<Run>,
    /// The first level of which states may be missing in the list of the last checkpoint,
    pub next_level: u32,
    /// and the first place at which they are.
    pub listed: u64,
    /// Last notices of all.
    pub notices: Vec<Notice>,
    /// Whether initial states may be missing, since another process was in a hurry.
    pub is_cut: bool,
}

impl Together {
    pub fn new(party: Party) -> Self {
        let attended = Arc::clone(&party.peers);
        let peers: Arc<dyn Peers> = Arc::clone(&attended) as _;
        Self {
            outgoing: vec![Vec::new(); peers.processes()],
            peers,
            attended,
            party,
            level: 0,
            runs: Vec::new(),
            next_level: 0,
            listed: 0,
            notices: Vec::new(),
            is_cut: false,
        }
    }

    /// Number of levels.
    pub fn levels(&self) -> u32 {
        self.runs.last().map_or(0, |run| run.level + 1)
    }

    /// States of a level.
    pub fn runs_of(&self, level: u32) -> Vec<Range<u64>> {
        let runs = self.runs.iter().filter(|run| run.level == level);
        runs.map(|run| run.states.clone()).collect()
    }

    /// Level of a state that is in a run.
    pub fn level(&self, place: u64) -> u32 {
        let after = self.runs.partition_point(|run| run.states.start <= place);
        self.runs[after - 1].level
    }

    /// States of a level, which follow each other, that are not in the list of the last checkpoint.
    pub fn unlisted_of(&self, level: u32) -> Range<u64> {
        let runs = self.runs.iter().filter(|run| run.level == level);
        let end = runs.map(|run| run.states.end).max().unwrap_or(0);
        self.listed.min(end)..end
    }

    /// The first state that is in no run.
    pub fn unsorted(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.states.end)
    }

    /// Forgets all states.
    pub fn forget(&mut self) {
        self.runs = vec![Run {
            level: 0,
            states: 0..0,
        }];
    }

    /// True if any process has found that the model is at fault.
    pub fn is_at_fault(&self) -> bool {
        self.notices.iter().any(|notice| notice.is_at_fault)
    }

    /// No words for each process.
    pub fn nothing(&self) -> Vec<Vec<u64>> {
        vec![Vec::new(); self.outgoing.len()]
    }

    /// Number of the process to which a state belongs.
    pub fn owner<K: Compared>(&self, key: &K) -> usize {
        // PERF: sets go by other hashes, and this one takes a few instructions a word.
        let words = key.words().iter();
        let hash = words.fold(0, |hash, word| mix(hash ^ word));
        ((hash % SHARDS) * self.outgoing.len() as u64 / SHARDS) as usize
    }

    /// True if a state belongs to another process.
    pub fn is_foreign<K: Compared>(&self, key: &K) -> bool {
        self.owner(key) != self.peers.process()
    }

    /// Takes out of what a chunk has led to the targets that belong to others, but for those that the worker has sent lately.
    pub fn part<K: Compared>(
        &self,
        candidates: &mut Vec<Candidate<K>>,
        foreign: &mut Vec<Vec<u64>>,
        sent: &mut Vec<Option<K>>,
    ) {
        sent.resize(SENT, None);
        foreign.resize(self.outgoing.len(), Vec::new());
        let own = self.peers.process();
        candidates.retain(|candidate| {
            let owner = self.owner(&candidate.key);
            if owner == own {
                return true;
            }
            let slot = &mut sent[candidate.hash as usize % SENT];
            if slot.as_ref() != Some(&candidate.key) {
                push_key(&mut foreign[owner], &candidate.key);
                *slot = Some(candidate.key.clone());
            }
            false
        });
    }

    /// States, transitions, and states of the level that are not expanded, of all processes when they last met.
    pub fn totals(&self) -> (u64, u64, u64) {
        let sum = |of: fn(&Notice) -> u64| Notice::sum(&self.notices, of);
        (
            sum(|notice| notice.states),
            sum(|notice| notice.transitions),
            sum(|notice| notice.left),
        )
    }

    /// Bytes of memory that all processes held when they last met.
    pub fn memory_bytes(&self) -> u64 {
        Notice::sum(&self.notices, |notice| notice.memory_bytes)
    }

    /// Adds words for the others.
    pub fn send(&mut self, foreign: Vec<Vec<u64>>) {
        for (outgoing, mut words) in self.outgoing.iter_mut().zip(foreign) {
            outgoing.append(&mut words);
        }
    }

    /// Words that may be under way from this process.
    pub fn most_words(&self) -> usize {
        self.peers.most_words() / self.outgoing.len()
    }

    /// True if there are as many words for the others as may be under way.
    pub fn is_full(&self) -> bool {
        let words: usize = self.outgoing.iter().map(Vec::len).sum();
        words >= self.most_words()
    }

    /// Tests that all processes search the same.
    pub fn test_search(&self) -> Result<(), PeersError> {
        let mut words = Vec::new();
        push_value(&mut words, &self.party.identity);
        let received = self.peers.exchange(to_all(&*self.peers, &words))?;
        let mut all = Vec::new();
        for (process, mut words) in received.into_iter().enumerate() {
            let identity: Result<Map<String, Value>, _> = take_value(&mut words);
            all.push(identity.map_err(|garbled| garbled.of(process))?);
        }
        for (process, identity) in all.iter().enumerate() {
            for (what, first) in &all[FIRST] {
                let there = identity.get(what).unwrap_or(&Value::Null);
                if there != first {
                    return Err(PeersError::Other {
                        process,
                        what: what.clone(),
                        there: told(there),
                        first: told(first),
                    });
                }
            }
        }
        Ok(())
    }
}
