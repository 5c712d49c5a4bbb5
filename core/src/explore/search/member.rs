//! Members: what a search has beside itself where it is one of several processes.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::explore::keys::{Compared, Key};
use crate::explore::limits::Limit;
use crate::explore::peers::{
    Attended, FIRST, Notice, Party, Peers, PeersError, Trouble, push_key, push_value, take_value,
    to_all,
};
use crate::explore::set::Candidate;
use crate::explore::span::Span;
use crate::random::generator::mix;
use crate::statement::asked::model_call::Panic;

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

/// Findings where a level begins.
pub(super) struct Begun {
    pub level: Span,
    /// Words by which this process tells its own,
    pub told: Vec<u64>,
    /// and the transitions of all.
    pub transitions: u64,
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
    /// Runs of the states, level by level.
    pub runs: Vec<Run>,
    /// Number of these that the last checkpoint has.
    pub kept_runs: usize,
    /// Number of states that are sorted.
    pub sorted: u64,
    /// Findings where the level began that is being expanded, if there are checkpoints.
    pub begun: Option<Begun>,
    /// Last notices of all.
    pub notices: Vec<Notice>,
    /// Reason why this process expands no more states.
    pub trouble: Option<Trouble>,
    /// Whether initial states may be missing, since another process was in a hurry.
    pub is_cut: bool,
    /// Panic of a function of the model that was not called for a state or a step.
    pub panic: Option<Panic>,
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
            runs: Vec::new(),
            kept_runs: 0,
            sorted: 0,
            begun: None,
            notices: Vec::new(),
            trouble: None,
            is_cut: false,
            panic: None,
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

    /// No words for each process.
    pub fn nothing(&self) -> Vec<Vec<u64>> {
        vec![Vec::new(); self.outgoing.len()]
    }

    /// Number of the process to which a state belongs.
    pub fn owner<K: Compared>(&self, key: &K) -> usize {
        // PERF: sets go by other hashes, and this one takes a few instructions a word.
        let hash = |words: &[u64]| words.iter().fold(0, |hash, word| mix(hash ^ word));
        let hash = match K::keys(std::slice::from_ref(key)).at(0) {
            Key::Fixed(words) => hash(words),
            Key::Varying(code) => hash(code.words()),
            Key::Whole(_) => unreachable!("processes that search together pack their states"),
        };
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
        is_same: impl Fn(&K, &K) -> bool,
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
            let is_sent = slot
                .as_ref()
                .is_some_and(|sent| is_same(sent, &candidate.key));
            if !is_sent {
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

    pub fn limit(&mut self, limit: Limit) {
        self.trouble.get_or_insert(Trouble::Limit(limit));
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
