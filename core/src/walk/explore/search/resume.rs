//! A search that goes on from a checkpoint, which one process has written, or several. Of several processes, process 0 reads it, and sends
//! each state to the process that owns it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::kept::KeptForCheckpoints;
use super::member::EARLIER;
use super::state::StateSearch;
use crate::state::Code;
use crate::statement::asked::calls::{Watched, microseconds};
use crate::statement::asked::model_call::named;
use crate::walk::explore::StateId;
use crate::walk::explore::disk::{CHUNKS, DiskError, Manifest, STATES, SavedChunk, SavedState};
use crate::walk::explore::expansion::{Expand, Keeps};
use crate::walk::explore::graph::NodeId;
use crate::walk::explore::keys::{Compared, EQ, Form, KeyList};
use crate::walk::explore::limits::{Clock, Limit};
use crate::walk::explore::no_outcome::NoOutcome;
use crate::walk::explore::peers::{FIRST, PeersError, push_value, take_value, to_all};
use crate::walk::explore::predecessors::Predecessors;
use crate::walk::explore::segments::SegmentedVec;
use crate::walk::explore::set::{Candidate, InsertSink, Visited};
use crate::walk::explore::span::{Pass, Span};
use crate::walk::explore::words::{Garbled, WordSource, push_key, read_keys, take_keys};

/// States that are added at a time.
const BATCH: usize = 1 << 14;
/// Number of no state.
const NONE: StateId = StateId(u64::MAX);

/// Position of a search that goes on.
pub(super) struct Resumed {
    /// States that are left of the level that is being expanded.
    pub left: Span,
    /// True if some of the level were expanded, of whichever process.
    pub is_begun: bool,
    /// Limit that was reached before all was read, if one was, and the process whose limit it is.
    pub limit: Option<(usize, Limit)>,
    /// The last states that were read,
    last: Option<Piece>,
    /// and the file that has them, in the process that reads it.
    path: PathBuf,
}

/// States of a checkpoint that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Piece {
    level: u32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Expanded,
    Left,
    /// Those to which expanded ones of the level before led, which is not complete.
    New,
}

/// Part of a checkpoint; the keys of its states come before it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum ListPart {
    States(Piece),
    /// All was read; the level that is being expanded, and whether some of it were.
    End {
        level: u32,
        is_begun: bool,
    },
    /// A limit was reached; a cancellation may be that of another process.
    Limit(Limit),
}

/// Number of candidates that were added.
pub(super) struct Added(pub usize);

impl InsertSink for Added {
    fn added(&mut self, _: usize, count: usize) {
        self.0 += count;
    }

    fn numbered(&mut self, _: Option<NodeId>) {}
}

impl<'a, K, I> StateSearch<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Reads what the checkpoint has that is resumed, if one is, and tests that the model is the one that it is of.
    pub(super) fn resume(&mut self) -> Result<Option<Resumed>, NoOutcome> {
        let mut kept = self.kept.take();
        let manifest = kept.as_mut().and_then(|kept| kept.journal.resumed.take());
        let mut resumes = manifest.is_some();
        if let Some(together) = &self.together {
            let told = (together.peers).exchange(to_all(&*together.peers, &[resumes.into()]))?;
            resumes = told[FIRST].first() == Some(&1);
        }
        if !resumes {
            self.kept = kept;
            return Ok(None);
        }
        if let Some(together) = &self.together {
            // To read and to send what there is takes as long as it takes.
            together.attended.end();
        }
        let mut resumed = Resumed {
            left: Span {
                states: 0..0,
                length: 0,
                pass: Pass::Last,
            },
            is_begun: true,
            limit: None,
            last: None,
            path: PathBuf::new(),
        };
        let mut reason = None;
        match (&mut kept, manifest) {
            (Some(kept), Some(manifest)) => {
                self.allow_reading(&manifest);
                match self.read(kept, &manifest, &mut resumed) {
                    Err(NoOutcome::Disk(error @ DiskError::Interrupted { limit, .. })) => {
                        self.deal(Vec::new(), Some(ListPart::Limit(limit)), &mut resumed)?;
                        reason = Some(error.to_string());
                    }
                    read => read?,
                }
            }
            _ => while !self.deal(Vec::new(), None, &mut resumed)? {},
        }
        self.kept = kept;
        self.count_from_now();
        if let Some((process, limit)) = resumed.limit {
            let of_other = || format!("{limit} came in process {process} while it was read");
            self.forget_read(&reason.unwrap_or_else(of_other));
            return Ok(Some(resumed));
        }
        let states = self.list.keys.len() as u64;
        self.before = resumed.left.states.end;
        if let Some(together) = &mut self.together {
            together.listed = states;
            together.next_level = resumed.left.length + 1;
        }
        Ok(Some(resumed))
    }

    /// Clock of the reading of a checkpoint. It takes as much time as the limit allows, and at least as much as the searches took that
    /// wrote the checkpoint: so a search that is always ended by that limit goes on each time. Where states may go to disk there is room
    /// for them.
    fn reading(&self, manifest: &Manifest) -> Clock<'a> {
        let mut clock = self.clock;
        let seconds = &mut clock.limits.seconds;
        *seconds = seconds.map(|most| most.max(manifest.seconds));
        if self.list.disk.is_some() {
            clock.limits.memory_bytes = None;
        }
        clock
    }

    /// Allows the functions that are called while a checkpoint is read the time that reading is allowed.
    fn allow_reading(&self, manifest: &Manifest) {
        let clock = self.reading(manifest);
        let all = [clock.limits.seconds, self.clock.limits.seconds];
        if let ([Some(reading), Some(most)], Some(watched)) = (all, Watched::of_this_thread()) {
            let more = Duration::try_from_secs_f64(reading - most);
            watched.allow(more.unwrap_or_default());
        }
    }

    /// Counts the time of the search from now on: what was before is the reading of a checkpoint.
    fn count_from_now(&mut self) {
        let read = self.clock.started.elapsed();
        if let Some(uncounted) = self.options.uncounted {
            uncounted.store(microseconds(read), Ordering::Relaxed);
        }
        if let Some(watched) = Watched::of_this_thread() {
            watched.allow(Duration::ZERO);
            watched.does_not_count(read);
        }
        self.clock.started = Instant::now();
        self.clock.limits.since = None;
    }

    /// Forgets what was read of a checkpoint of which the rest was not, for this reason.
    fn forget_read(&mut self, reason: &str) {
        self.list.keys = SegmentedVec::new();
        self.predecessors = Predecessors::default();
        if let Some(together) = &mut self.together {
            together.forget();
        }
        if let Some(kept) = &mut self.kept {
            kept.journal.written.resumed_states = None;
            kept.journal.end(reason);
        }
    }

    /// Reads the states, each of which is added by the process that owns it, until a limit of any process is reached; and then what was
    /// found of them.
    fn read(
        &mut self,
        kept: &mut KeptForCheckpoints<K>,
        manifest: &Manifest,
        resumed: &mut Resumed,
    ) -> Result<(), NoOutcome> {
        let path = kept.journal.folder.path().to_owned();
        let damaged = |what: &str| DiskError::damaged(&path, what);
        let (left, reached) = (&manifest.left, manifest.reached);
        let is_first_pass = left.is_first_pass;
        if left.start > left.end
            || left.end.max(manifest.initial) > reached
            || is_first_pass && (left.end < reached || !self.model.passes_twice())
        {
            return Err(damaged("it speaks of states that are not there").into());
        }
        resumed.path = kept.journal.folder.path().join(STATES);
        self.read_chunks(kept, manifest)?;
        if reached > 0 && kept.chunks == 0 {
            return Err(damaged("it has states and no chunks").into());
        }
        let mut sought = Sought::new(self, &manifest.mentioned);
        let clock = self.reading(manifest);
        let mut states = kept.journal.reader(STATES, manifest.states, clock);
        let mut keys: Vec<K> = Vec::new();
        let mut found = Vec::new();
        let mut id = 0;
        loop {
            read_saved(self.model, self.form, &mut states, &mut keys)?;
            if keys.is_empty() {
                break;
            }
            if id + keys.len() as u64 > reached {
                return Err(damaged("its list of states is longer").into());
            }
            for (id, key) in (id..).map(StateId).zip(&keys) {
                if self.model.is_sampled(id) {
                    found.push((id, self.predecessors.length(id), key.clone()));
                }
                sought.meet(&self.visited, id, key);
            }
            while !keys.is_empty() {
                let (piece, end) = self.piece(id, manifest);
                let rest = keys.split_off(keys.len().min((end - id) as usize));
                id += keys.len() as u64;
                if self.deal(keys, Some(ListPart::States(piece)), resumed)? {
                    return Ok(());
                }
                keys = rest;
            }
        }
        if id != reached {
            let what = format!("it has {id} states, and a checkpoint vouches for {reached}");
            return Err(damaged(&what).into());
        }
        kept.sample = found;
        kept.states = reached;
        self.initial_states = manifest.initial;
        self.transitions = manifest.transitions;
        let is_alone = self.together.is_none();
        let number = |id: StateId| {
            if is_alone {
                sought.numbers.get(id.0 as usize).copied().unwrap_or(id)
            } else {
                StateId(EARLIER + id.0)
            }
        };
        if !sought.are_met() || !self.model.hear(&manifest.tally, &number) {
            return Err(damaged("what was found is of another form").into());
        }
        let keeps = if is_alone {
            Keeps::Sampled
        } else {
            kept.earlier.clone_from(&manifest.mentioned);
            Keeps::Nothing
        };
        let span = Span {
            states: left.start..left.end,
            length: left.length,
            pass: if is_first_pass {
                Pass::First
            } else {
                Pass::Last
            },
        };
        resumed.left.pass = span.pass;
        self.meet_again(&span);
        if self.sampled(kept, self.expanded_before(&span), keeps) != manifest.sample {
            return Err(NoOutcome::Disk(DiskError::OtherModel {
                path,
                what: "its initial states, or the steps of some states, are others",
            }));
        }
        let all = left.start..reached;
        let end = ListPart::End {
            level: left.length,
            is_begun: self.predecessors.level(left.length, reached) != all,
        };
        self.deal(Vec::new(), Some(end), resumed)?;
        Ok(())
    }

    /// Has the model meet once more the states that were met before these were left, where each level is passed twice: what it knows of them
    /// is in no checkpoint.
    fn meet_again(&mut self, left: &Span) {
        let end = match left.pass {
            Pass::First => left.states.start,
            Pass::Last => left.states.end,
        };
        let mut length = 0;
        let mut start = 0;
        while self.model.passes_twice() && start < end {
            let level = self.predecessors.level(length, end);
            let met = Span {
                states: level.clone(),
                length,
                pass: Pass::First,
            };
            for wave in met.parts(BATCH as u64) {
                if let Err(limit) = self.look_at(&wave) {
                    self.limit(limit);
                }
            }
            (start, length) = (level.end, length + 1);
        }
    }

    /// Piece of the list that a state is part of, and the number of the first state after it.
    fn piece(&self, id: u64, manifest: &Manifest) -> (Piece, u64) {
        let level = self.predecessors.length(StateId(id));
        let end = self.predecessors.level(level, manifest.reached).end;
        let left = &manifest.left;
        let (kind, end) = match id {
            _ if id < left.start => (Kind::Expanded, end.min(left.start)),
            _ if id < left.end => (Kind::Left, end.min(left.end)),
            _ => (Kind::New, end),
        };
        (Piece { level, kind }, end.max(id + 1))
    }

    /// Limit of this process that is reached while a checkpoint is read, if one is; how much time that takes is for process 0 to say.
    fn limit_of_reading(&self) -> Option<Limit> {
        let together = self.together.as_ref()?;
        let is_cancelled = together.attended.is_cancelled();
        let cancelled = is_cancelled.then_some(Limit::Cancelled);
        // Where states may go to disk there is room for them.
        let is_in_memory = self.list.disk.is_none();
        let out_of_memory = || self.clock.limits.out_of_memory().filter(|_| is_in_memory);
        cancelled.or_else(out_of_memory)
    }

    /// Sends states to the processes that own them, and adds those of this one; says whether nothing comes after them.
    fn deal(
        &mut self,
        keys: Vec<K>,
        part: Option<ListPart>,
        resumed: &mut Resumed,
    ) -> Result<bool, NoOutcome> {
        let (keys, part) = match part {
            Some(part) if self.together.is_none() => (keys, part),
            part => self.dealt(&keys, part, resumed)?,
        };
        if resumed.limit.is_some() {
            return Ok(true);
        }
        let is_end = match part {
            ListPart::Limit(limit) => {
                resumed.limit = Some((FIRST, limit));
                return Ok(true);
            }
            ListPart::States(piece) => resumed.last.is_some_and(|last| last != piece),
            ListPart::End { level, is_begun } => {
                resumed.left.length = level;
                resumed.is_begun = is_begun;
                true
            }
        };
        if let Some(last) = resumed.last.filter(|_| is_end) {
            self.end_run(last.level);
        }
        let ListPart::States(piece) = part else {
            return Ok(true);
        };
        resumed.last = Some(piece);
        self.add_read(keys, &resumed.path)?;
        let states = self.list.keys.len() as u64;
        let left = &mut resumed.left.states;
        match piece.kind {
            Kind::Expanded => *left = states..states,
            Kind::Left => left.end = states,
            Kind::New => (),
        }
        let start = left.start;
        let done = self.make_room_on_disk(start.min(states), piece.level);
        if let (Err(_), Some(reason)) = (done, self.unwritten.clone()) {
            let path = resumed.path.clone();
            return Err(DiskError::NoRoom { path, reason }.into());
        }
        Ok(false)
    }

    /// The same of several processes: states that are this one's, and the part that they are of.
    fn dealt(
        &mut self,
        keys: &[K],
        part: Option<ListPart>,
        resumed: &mut Resumed,
    ) -> Result<(Vec<K>, ListPart), PeersError> {
        let limit = self.limit_of_reading();
        let together = self.together();
        let peers = Arc::clone(&together.peers);
        let mut outgoing = together.nothing();
        for key in keys {
            push_key(&mut outgoing[together.owner(key)], key);
        }
        for words in &mut outgoing {
            match part {
                Some(part) => push_value(words, &part),
                None => push_value(words, &limit),
            }
        }
        let mut received = peers.exchange(outgoing)?;
        let mut words = received.remove(FIRST);
        let garbled = |_| Garbled.of(FIRST);
        let part: ListPart = take_value(&mut words).map_err(garbled)?;
        let own = match part {
            ListPart::Limit(limit) => Some((FIRST, limit)),
            ListPart::States(_) | ListPart::End { .. } => None,
        };
        let mut of_others = None;
        for (process, mut words) in (FIRST + 1..).zip(received) {
            let limit: Option<Limit> =
                take_value(&mut words).map_err(|garbled| garbled.of(process))?;
            of_others = of_others.or(limit.map(|limit| (process, limit)));
        }
        // A process that is cancelled asks all to hurry, so that process 0 may tell it first.
        let is_asked = matches!(own, None | Some((_, Limit::Cancelled)));
        resumed.limit = of_others.filter(|_| is_asked).or(own);
        Ok((take_keys(&words).map_err(garbled)?, part))
    }

    /// Adds states that were read, each of which is there once.
    fn add_read(&mut self, keys: Vec<K>, path: &Path) -> Result<(), NoOutcome> {
        let count = keys.len();
        let candidates = keys.into_iter().map(|key| Candidate {
            hash: self.visited.hash(&key),
            key,
        });
        let wave = vec![candidates.collect()];
        let room = self.room();
        let mut added = Added(0);
        let fits = (self.visited).add_all(&mut self.list.keys, wave, &[], room, &mut added);
        let is_alone = self.together.is_none();
        if let Err(limit) = self.not_starved() {
            if is_alone {
                let reason = "there is no memory for its states".to_owned();
                let path = path.to_owned();
                return Err(DiskError::NoRoom { path, reason }.into());
            }
            self.limit(limit);
            return Ok(());
        }
        let reason = match (fits, added.0 == count) {
            (true, true) => return Ok(()),
            (false, _) => "it has more states than can be numbered",
            (true, false) => "it has a state twice",
        };
        if is_alone {
            Err(DiskError::damaged(path, reason).into())
        } else {
            Err(Garbled.of(FIRST).into())
        }
    }

    fn read_chunks(
        &mut self,
        kept: &mut KeptForCheckpoints<K>,
        manifest: &Manifest,
    ) -> Result<(), DiskError> {
        let path = kept.journal.folder.path().join(CHUNKS);
        let clock = self.reading(manifest);
        let mut reader = kept.journal.reader(CHUNKS, manifest.chunks, clock);
        let mut next = 0;
        let mut count = 0;
        while !reader.is_at_end()? {
            let words = reader.take(4)?.try_into();
            let [first, start, end, length] = words.expect("there are so many");
            let chunk = SavedChunk {
                first,
                start,
                end,
                length: length as u32,
            };
            let follows = count == 0 && first == 0 || first >= next && count > 0;
            if !follows || first >= manifest.reached || start > end || end > first {
                return Err(DiskError::damaged(&path, "a chunk is out of place"));
            }
            next = first + 1;
            count += 1;
            self.predecessors.add(&chunk);
        }
        kept.chunks = count;
        Ok(())
    }
}

/// States that a checkpoint mentions, which one process alone finds among those that it reads.
struct Sought<K> {
    /// Their hashes, keys and places, in the order of their hashes,
    states: Vec<(u64, K, usize)>,
    /// and their numbers.
    numbers: Vec<StateId>,
}

impl<K: Compared> Sought<K> {
    fn new<I: Visited<K>>(search: &StateSearch<'_, K, I>, mentioned: &[SavedState]) -> Self {
        let mentioned = match &search.together {
            None => mentioned,
            Some(_) => &[],
        };
        let mut states = Vec::new();
        for (place, state) in mentioned.iter().enumerate() {
            let (mut words, mut keys) = (&state.words[..], Vec::new());
            let read = read_saved::<K, _>(search.model, search.form, &mut words, &mut keys);
            if let (Ok(()), Some(key)) = (read, keys.pop()) {
                states.push((search.visited.hash(&key), key, place));
            }
        }
        states.sort_unstable_by_key(|(hash, _, place)| (*hash, *place));
        Self {
            states,
            numbers: vec![NONE; mentioned.len()],
        }
    }

    /// Takes note of the number of a state, if it is one of them.
    fn meet(&mut self, set: &impl Visited<K>, id: StateId, key: &K) {
        if self.states.is_empty() {
            return;
        }
        let hash = set.hash(key);
        let first = self.states.partition_point(|(other, ..)| *other < hash);
        let same = self.states[first..].iter();
        for (_, other, place) in same.take_while(|(other, ..)| *other == hash) {
            if named(EQ, || other == key) {
                self.numbers[*place] = id;
            }
        }
    }

    fn are_met(&self) -> bool {
        !self.numbers.contains(&NONE)
    }
}

/// Reads keys as they are in a file, none at the end of the list.
fn read_saved<K: Compared, W: WordSource>(
    model: &dyn Expand,
    form: Form,
    words: &mut W,
    keys: &mut Vec<K>,
) -> Result<(), W::Error> {
    if form != Form::Whole {
        return read_keys(words, BATCH, keys);
    }
    let mut codes: Vec<Code> = Vec::new();
    read_keys(words, BATCH, &mut codes)?;
    let system = model.system();
    let states = codes.iter().map(|code| system.of_words(code.words()));
    K::take(&mut KeyList::Whole(states.collect()), keys);
    Ok(())
}
