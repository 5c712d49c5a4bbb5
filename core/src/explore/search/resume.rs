//! A search that goes on from a checkpoint.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::checkpoint::Moment;
use super::kept::Kept;
use super::state::Search;
use crate::explore::StateId;
use crate::explore::disk::{CHUNKS, DiskError, ListReader, Manifest, STATES, SavedChunk};
use crate::explore::expansion::{Expand, Keeps};
use crate::explore::graph::NodeId;
use crate::explore::keys::{Compared, Form, KeyList};
use crate::explore::limits::Clock;
use crate::explore::peers::take_keys;
use crate::explore::predecessors::Predecessors;
use crate::explore::segments::SegmentedVec;
use crate::explore::set::{Candidate, InsertSink, Visited};
use crate::explore::span::Span;
use crate::state::Code;
use crate::statement::asked::calls::{Watched, microseconds};

/// States that are added at a time.
const BATCH: usize = 1 << 14;
/// Words of the longest code that is believed to be one.
const LONGEST: u64 = 1 << 32;

/// Position of a search that goes on.
pub(super) struct Resumed {
    pub unexpanded: Span,
    pub before: u64,
    pub initial: usize,
}

/// Number of candidates that were added.
pub(super) struct Added(pub usize);

impl InsertSink for Added {
    fn added(&mut self, _: usize, count: usize) {
        self.0 += count;
    }

    fn numbered(&mut self, _: Option<NodeId>) {}
}

impl<'a, K, I> Search<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Reads what the checkpoint has that is resumed, if one is, and tests that the model is the one that it is of.
    pub(super) fn resume(&mut self, form: Form) -> Result<Option<Resumed>, DiskError> {
        let Some(mut kept) = self.kept.take() else {
            return Ok(None);
        };
        let manifest = kept.journal.resumed.take();
        let resumed = manifest.map(|manifest| {
            self.allow_reading(&manifest);
            let read = self.read(&mut kept, &manifest, form);
            self.count_from_now();
            read
        });
        self.kept = Some(kept);
        resumed.transpose()
    }

    /// Clock of the reading of a checkpoint. It takes as much time as the limit allows, and at least as much as the searches took that
    /// wrote the checkpoint: so a search that is always ended by that limit goes on each time. Where states may go to disk there is room
    /// for them.
    pub(super) fn reading(&self, manifest: &Manifest) -> Clock<'a> {
        let mut clock = self.clock;
        let seconds = &mut clock.limits.seconds;
        *seconds = seconds.map(|most| most.max(manifest.seconds));
        if self.list.disk.is_some() {
            clock.limits.memory_bytes = None;
        }
        clock
    }

    /// Allows the functions that are called while a checkpoint is read the time that reading is allowed.
    pub(super) fn allow_reading(&self, manifest: &Manifest) {
        let clock = self.reading(manifest);
        let all = [clock.limits.seconds, self.clock.limits.seconds];
        if let ([Some(reading), Some(most)], Some(watched)) = (all, Watched::of_this_thread()) {
            let more = Duration::try_from_secs_f64(reading - most);
            watched.allow(more.unwrap_or_default());
        }
    }

    /// Counts the time of the search from now on: what was before is the reading of a checkpoint.
    pub(super) fn count_from_now(&mut self) {
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
    pub(super) fn forget_read(&mut self, reason: &str) {
        self.list.keys = SegmentedVec::new();
        self.predecessors = Predecessors::default();
        if let Some(kept) = &mut self.kept {
            kept.journal.written.resumed_states = None;
            kept.journal.end(reason);
        }
    }

    fn read(
        &mut self,
        kept: &mut Kept<K>,
        manifest: &Manifest,
        form: Form,
    ) -> Result<Resumed, DiskError> {
        let path = kept.journal.folder.path().to_owned();
        let Resumed {
            unexpanded,
            before,
            initial,
        } = position(manifest, &path)?;
        self.read_chunks(kept, manifest)?;
        let mentioned = self.read_states(kept, manifest, form)?;
        let number = |id: StateId| match &manifest.mentioned {
            None => id,
            Some(_) => mentioned.get(id.0 as usize).copied().unwrap_or(id),
        };
        if !self.model.hear(&manifest.tally, &number) {
            let what = "what was found is of another form";
            return Err(DiskError::damaged(&path, what));
        }
        kept.states = self.list.keys.len();
        kept.initial = initial;
        self.transitions = manifest.transitions;
        self.depth = manifest.depth;
        let moment = Moment {
            unexpanded: &unexpanded,
            before,
        };
        if self.sampled(kept, moment, Keeps::Sampled) != manifest.sample {
            return Err(DiskError::OtherModel {
                path,
                what: "its initial states, or the steps of some states, are others",
            });
        }
        Ok(Resumed {
            unexpanded,
            before,
            initial,
        })
    }

    /// Reads the states; returns the numbers of those that the manifest mentions by their words.
    fn read_states(
        &mut self,
        kept: &mut Kept<K>,
        manifest: &Manifest,
        form: Form,
    ) -> Result<Vec<StateId>, DiskError> {
        let path = kept.journal.folder.path().join(STATES);
        let unexpanded = manifest.frontier.iter().map(|span| span.start).min();
        let unexpanded = unexpanded.unwrap_or(manifest.reached) as usize;
        let clock = self.reading(manifest);
        let mut reader = kept.journal.reader(STATES, manifest.states, clock);
        let mut list = KeyList::new(form);
        let mut keys: Vec<K> = Vec::with_capacity(BATCH);
        let wanted = manifest.mentioned.iter().flatten();
        let wanted = wanted.map(|(_, words)| take_keys::<K>(form, words));
        let wanted = wanted.collect::<Result<Vec<_>, _>>();
        let wanted: Vec<K> = wanted.unwrap_or_default().into_iter().flatten().collect();
        let mut mentioned = vec![StateId(u64::MAX); wanted.len()];
        loop {
            read_keys(&mut reader, self.model, &mut list)?;
            keys.clear();
            K::take(&mut list, &mut keys);
            if keys.is_empty() {
                break;
            }
            let first = self.list.keys.len();
            let candidate = |key: K| Candidate {
                hash: self.visited.hash(&key),
                key,
            };
            for (id, key) in (first as u64..).map(StateId).zip(&keys) {
                if self.model.is_sampled(id) {
                    let length = self.predecessors.length(id);
                    kept.sample.push((id, length, key.clone()));
                }
                let is_it = |wanted: &K| self.visited.is_same(wanted, key);
                if let Some(place) = wanted.iter().position(is_it) {
                    mentioned[place] = id;
                }
            }
            let wave = vec![keys.drain(..).map(candidate).collect::<Vec<_>>()];
            let count = wave[0].len();
            let mut added = Added(0);
            let room = self.visited.most() as usize;
            let fits = self
                .visited
                .add_all(&mut self.list.keys, wave, &[], room, &mut added);
            let reason = match (fits, added.0 == count) {
                _ if self.visited.is_starved() => {
                    let reason = "there is no memory for its states".to_owned();
                    return Err(DiskError::NoRoom { path, reason });
                }
                (true, true) => None,
                (false, _) => Some("it has more states than can be numbered"),
                (true, false) => Some("it has a state twice"),
            };
            if let Some(reason) = reason {
                return Err(DiskError::damaged(&path, reason));
            }
            let done = self.make_room_on_disk(unexpanded.min(self.list.keys.len()) as u64, 0);
            if let (Err(_), Some(reason)) = (done, self.unwritten.clone()) {
                return Err(DiskError::NoRoom { path, reason });
            }
        }
        if self.list.keys.len() as u64 == manifest.reached {
            Ok(mentioned)
        } else {
            let (has, says) = (self.list.keys.len(), manifest.reached);
            let what = format!("it has {has} states, and a checkpoint vouches for {says}");
            Err(DiskError::damaged(&path, what))
        }
    }

    pub(super) fn read_chunks(
        &mut self,
        kept: &mut Kept<K>,
        manifest: &Manifest,
    ) -> Result<(), DiskError> {
        let path = kept.journal.folder.path().join(CHUNKS);
        let clock = self.reading(manifest);
        let mut reader = kept.journal.reader(CHUNKS, manifest.chunks, clock);
        let mut next = 0;
        let mut count = 0;
        while let Some(first) = reader.next()? {
            let [start, end, length] = [reader.word()?, reader.word()?, reader.word()?];
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

/// Position of the search that a manifest is of, if it speaks of states that there are.
pub(super) fn position(manifest: &Manifest, path: &Path) -> Result<Resumed, DiskError> {
    let of_manifest = |what: &str| Err(DiskError::damaged(path, what));
    let reached = manifest.reached;
    let is_within = |end: u64| end <= reached;
    let spans = manifest.frontier.iter();
    if !spans
        .clone()
        .all(|span| span.start <= span.end && is_within(span.end))
        || !is_within(manifest.initial)
        || !is_within(manifest.before)
    {
        return of_manifest("it speaks of states that are not there");
    }
    let unexpanded = match &manifest.frontier[..] {
        [span] => Span {
            states: span.start..span.end,
            length: span.length,
        },
        _ => return of_manifest("it does not speak of one level"),
    };
    Ok(Resumed {
        unexpanded,
        before: manifest.before,
        initial: manifest.initial as usize,
    })
}

/// Reads some keys, none at the end of the list.
pub(super) fn read_keys(
    reader: &mut ListReader<'_>,
    model: &dyn Expand,
    list: &mut KeyList,
) -> Result<(), DiskError> {
    match list {
        KeyList::Fixed { all, words } => {
            while all.len() < BATCH * *words
                && let Some(word) = reader.next()?
            {
                all.push(word);
                for _ in 1..*words {
                    all.push(reader.word()?);
                }
            }
        }
        KeyList::Varying(all) => *all = read_codes(reader)?,
        KeyList::Whole(_) => *list = model.of_codes(&read_codes(reader)?),
    }
    Ok(())
}

fn read_codes(reader: &mut ListReader<'_>) -> Result<Vec<Code>, DiskError> {
    let mut codes = Vec::new();
    let mut words = Vec::new();
    while codes.len() < BATCH
        && let Some(count) = reader.next()?
    {
        words.clear();
        if count > LONGEST {
            return Err(reader.damaged("a state is too long"));
        }
        for _ in 0..count {
            words.push(reader.word()?);
        }
        codes.push(Code::of(&words));
    }
    Ok(codes)
}
