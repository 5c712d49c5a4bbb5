//! Scattered states: those of all processes, as the process that judges sees them.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::PeersError;
use super::exchange::Peers;
use super::request::Request;
use super::share::Share;
use super::words::take_keys;
use crate::walk::explore::StateId;
use crate::walk::explore::keys::{Compared, Form, Key};
use crate::walk::explore::predecessors::Predecessor;
use crate::walk::explore::store::{Reached, Way};

/// Blocks that are kept.
const BLOCKS: usize = 64;

/// The states of all processes, numbered by their levels and in each by their keys.
pub(in crate::walk::explore) struct Scattered<K> {
    peers: Arc<dyn Peers>,
    form: Form,
    /// The states of this process.
    own: Share<K>,
    /// The number of the first state of each level, and of all.
    levels: Vec<u64>,
    /// Runs of states that are asked for at once, in the order of their numbers.
    blocks: Vec<Block<K>>,
    /// Bytes of a code, on average.
    bytes_of_code: f64,
    /// The blocks that were asked for last, the latest one last. One question is asked at a time.
    last: Mutex<Vec<(usize, Vec<K>)>>,
}

/// States of a level, from one on up to the next block.
struct Block<K> {
    level: u32,
    /// Number of the first of them.
    first: u64,
    /// Key of the first of them, but where the level begins.
    from: Option<K>,
}

impl<K: Compared + Ord> Scattered<K> {
    /// `sizes` are the numbers of states of the levels, and `splitters` some of these by their levels and keys.
    ///
    /// # Errors
    ///
    /// If a process was lost.
    pub fn new(
        peers: &Arc<dyn Peers>,
        form: Form,
        own: Share<K>,
        sizes: &[u64],
        mut splitters: Vec<(u32, K)>,
        bytes_of_code: f64,
    ) -> Result<Self, PeersError> {
        let mut levels = vec![0];
        for size in sizes {
            levels.push(levels[levels.len() - 1] + size);
        }
        splitters.sort_unstable();
        let mut scattered = Self {
            peers: Arc::clone(peers),
            form,
            own,
            levels,
            blocks: Vec::new(),
            bytes_of_code,
            last: Mutex::new(Vec::new()),
        };
        let before = scattered.ranks(splitters.clone())?;
        let mut splitters = splitters.into_iter().zip(before).peekable();
        for level in 0..sizes.len() as u32 {
            scattered.blocks.push(Block {
                level,
                first: scattered.levels[level as usize],
                from: None,
            });
            while let Some(((_, key), first)) = splitters.next_if(|((of, _), _)| *of == level) {
                let from = Some(key);
                scattered.blocks.push(Block { level, first, from });
            }
        }
        Ok(scattered)
    }

    /// Numbers of states by their levels and keys.
    fn ranks(&self, wanted: Vec<(u32, K)>) -> Result<Vec<u64>, PeersError> {
        let first = |level: u32| self.levels[level as usize];
        let own = |(level, key): &(u32, K)| first(*level) + self.own.before(*level, key);
        let mut ranks: Vec<_> = wanted.iter().map(own).collect();
        let request = Request::Before(wanted);
        let ((), answers) = request.ask(&*self.peers, || ())?;
        for counts in answers {
            ranks
                .iter_mut()
                .zip(counts)
                .for_each(|(rank, count)| *rank += count);
        }
        Ok(ranks)
    }

    /// The keys of a block.
    fn block(&self, block: usize) -> Result<Vec<K>, PeersError> {
        let Block { level, from, .. } = &self.blocks[block];
        let next = self.blocks.get(block + 1);
        let to = next.filter(|next| next.level == *level);
        let request = Request::Between {
            level: *level,
            from: from.clone(),
            to: to.and_then(|next| next.from.clone()),
        };
        let Request::Between { level, from, to } = &request else {
            unreachable!("that is the request");
        };
        let own = self.own.between(*level, from.as_ref(), to.as_ref());
        let mut keys: Vec<_> = own.flatten().cloned().collect();
        let ((), answers) = request.ask(&*self.peers, || ())?;
        for (process, words) in answers.iter().enumerate() {
            let more = take_keys::<K>(self.form, words);
            keys.extend(more.map_err(|garbled| garbled.of(process))?);
        }
        keys.sort_unstable();
        Ok(keys)
    }

    fn last(&self) -> MutexGuard<'_, Vec<(usize, Vec<K>)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key of a state, unless a process was lost.
    pub fn key(&self, id: StateId) -> Option<K> {
        let rank = id.0;
        let block = self.blocks.partition_point(|block| block.first <= rank) - 1;
        let mut last = self.last();
        let entry = match last.iter().rposition(|(number, _)| *number == block) {
            Some(place) => last.remove(place),
            None => (block, self.block(block).ok()?),
        };
        let place = (rank - self.blocks[block].first) as usize;
        let key = entry.1.get(place).cloned();
        if last.len() == BLOCKS {
            last.remove(0);
        }
        last.push(entry);
        key
    }

    /// The level of a state.
    pub fn level(&self, id: StateId) -> u32 {
        let after = self.levels.partition_point(|first| *first <= id.0);
        after as u32 - 1
    }

    /// The first state, by its key, of the level before that of `id` that passes a test, and what that says: the test of `own` states here, and
    /// of the others by their processes.
    fn search_back(
        &self,
        id: StateId,
        test: &mut dyn FnMut(Key<'_>) -> Option<u32>,
    ) -> Result<Option<Predecessor>, PeersError> {
        let level = self.level(id);
        let Some((before, key)) = level.checked_sub(1).zip(self.key(id)) else {
            return Ok(None);
        };
        let last = self.last();
        let request = Request::Back { level, key };
        let (own, answers) = request.ask(&*self.peers, || {
            let first = self.own.first(before, |keys| {
                let keys = K::keys(keys);
                (0..keys.len()).find_map(|place| Some((place, test(keys.at(place))?)))
            });
            first.map(|(key, step)| (key.clone(), step))
        })?;
        let mut found: Vec<_> = own.into_iter().collect();
        for (process, words) in answers.iter().enumerate() {
            let Some((step, words)) = words.split_first() else {
                continue;
            };
            let keys = take_keys::<K>(self.form, words);
            let keys = keys.map_err(|garbled| garbled.of(process))?;
            found.extend(keys.into_iter().map(|key| (key, *step as u32)));
        }
        let least = found
            .into_iter()
            .min_by(|(one, _), (other, _)| one.cmp(other));
        let Some((key, step)) = least else {
            return Ok(None);
        };
        let ranks = self.ranks(vec![(before, key)])?;
        drop(last);
        Ok(Some(Predecessor {
            source: StateId(ranks[0]),
            step,
        }))
    }
}

impl<K: Compared + Ord> Reached for Scattered<K> {
    fn len(&self) -> usize {
        self.levels[self.levels.len() - 1] as usize
    }

    fn look_at(&self, id: StateId, look: &mut dyn FnMut(Key<'_>)) -> bool {
        // That a process was lost is told when its service is to end.
        let Some(key) = self.key(id) else {
            return false;
        };
        look(K::keys(std::slice::from_ref(&key)).at(0));
        true
    }

    fn length(&self, id: StateId) -> u32 {
        self.level(id)
    }

    fn way(&self, id: StateId) -> Way {
        match self.level(id).cmp(&0) {
            Ordering::Greater => Way::FromLevelBefore,
            _ => Way::Initial,
        }
    }

    fn search_back(
        &self,
        id: StateId,
        test: &mut dyn FnMut(Key<'_>) -> Option<u32>,
    ) -> Option<Predecessor> {
        Scattered::search_back(self, id, test).ok().flatten()
    }

    fn bytes_of_code(&self) -> f64 {
        self.bytes_of_code
    }
}
