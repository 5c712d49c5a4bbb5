//! The journal of a search: its lists in a folder, and the checkpoints that say how much of them is valid.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use refmap_derive::Texts;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::checkpoints::{Checkpoints, Start};
use super::error::DiskError;
use super::folder::{CHUNKS, Folder, STATES};
use super::list::{ListFile, ListReader, SavedList};
use super::manifest::Manifest;
use crate::walk::explore::limits::{Clock, Limits, OnDisk};

/// The journal of a search that goes on.
pub(crate) struct Journal {
    pub(in crate::walk::explore) folder: Folder,
    every: Duration,
    label: Value,
    identity: Map<String, Value>,
    /// The checkpoint with which the search begins.
    pub(in crate::walk::explore) resumed: Option<Box<Manifest>>,
    /// Time of the last checkpoint.
    last: Instant,
    /// Time that the searches before this one took.
    pub(in crate::walk::explore) earlier_seconds: f64,
    pub(in crate::walk::explore) written: Written,
    /// Lists of the states reached, and of the chunks that led to them.
    pub(in crate::walk::explore) states: ListFile,
    pub(in crate::walk::explore) chunks: ListFile,
}

/// Account of the checkpoints of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Written {
    /// The folder that has them.
    pub folder: PathBuf,
    /// Number of those that the search has written.
    pub checkpoints: u64,
    /// States that the searches before it had reached, if it went on from a checkpoint.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub resumed_states: Option<u64>,
    /// Reason why it wrote no more, if it did not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<String>,
}

impl Journal {
    /// Opens the folder of a search whose outcome depends on the values of `identity`.
    ///
    /// # Errors
    ///
    /// If it cannot be used as the checkpoints say.
    pub fn open(
        checkpoints: &Checkpoints,
        identity: Map<String, Value>,
    ) -> Result<Self, DiskError> {
        if cfg!(not(feature = "disk")) {
            return Err(DiskError::MissingFeature);
        }
        if checkpoints.start == Start::Resumed {
            Checkpoints::look_for(&checkpoints.folder)?;
        }
        Self::on(Folder::open(&checkpoints.folder)?, checkpoints, identity)
    }

    /// The same in a folder that is open.
    pub(super) fn on(
        mut folder: Folder,
        checkpoints: &Checkpoints,
        identity: Map<String, Value>,
    ) -> Result<Self, DiskError> {
        let path = &checkpoints.folder;
        let resumed = match checkpoints.start {
            Start::Anew if folder.has_manifest()? => {
                return Err(DiskError::Occupied { path: path.clone() });
            }
            Start::Anew => None,
            Start::Resumed => {
                let manifest = Manifest::read(&mut folder)?;
                manifest.is_of(&identity, &folder)?;
                Some(Box::new(manifest))
            }
        };
        let saved =
            |list: fn(&Manifest) -> SavedList| resumed.as_deref().map_or(SavedList::EMPTY, list);
        let lists = [
            (STATES, saved(|manifest| manifest.states)),
            (CHUNKS, saved(|manifest| manifest.chunks)),
        ];
        // Before anything is cut off: what is too short stays as it is, to be looked at.
        for (name, list) in lists {
            list.is_there(name, &mut folder)?;
        }
        let [states, chunks] = lists.map(|(name, saved)| ListFile::open(&mut folder, name, saved));
        Ok(Self {
            every: checkpoints.every,
            label: checkpoints.label.clone(),
            identity,
            last: Instant::now(),
            earlier_seconds: resumed.as_ref().map_or(0.0, |manifest| manifest.seconds),
            written: Written {
                folder: path.clone(),
                checkpoints: 0,
                resumed_states: resumed.as_ref().map(|manifest| manifest.reached),
                ended: None,
            },
            resumed,
            states: states?,
            chunks: chunks?,
            folder,
        })
    }

    /// Tests that the checkpoint that is resumed is within these limits.
    ///
    /// # Errors
    ///
    /// If it has more states than the limit on them, or states at a greater distance than the limit on depth.
    pub fn within(self, limits: &Limits) -> Result<Self, DiskError> {
        let Some(manifest) = &self.resumed else {
            return Ok(self);
        };
        // Part of a level may have been reached.
        let left = &manifest.left;
        let depth = left.length + u32::from(manifest.reached > left.end);
        let figures = [
            ("states", manifest.reached, limits.states),
            (
                "transitions from an initial state",
                depth.into(),
                limits.depth.map(u64::from),
            ),
        ];
        for (what, has, limit) in figures {
            if let Some(limit) = limit.filter(|limit| has > *limit) {
                return Err(DiskError::BeyondLimit {
                    path: self.written.folder.clone(),
                    what,
                    has,
                    limit,
                });
            }
        }
        Ok(self)
    }

    /// A reader of one of the lists, as far as the checkpoint that is resumed vouches for it.
    pub(in crate::walk::explore) fn reader<'f>(
        &'f mut self,
        name: &'static str,
        saved: SavedList,
        clock: Clock<'f>,
    ) -> ListReader<'f> {
        ListReader::new(&mut self.folder, name, saved, clock)
    }

    /// Writes no more, for this reason.
    pub(in crate::walk::explore) fn end(&mut self, reason: impl Into<String>) {
        self.written.ended.get_or_insert_with(|| reason.into());
    }

    /// True if it is time for a checkpoint.
    pub(in crate::walk::explore) fn is_due(&self) -> bool {
        self.written.ended.is_none() && self.last.elapsed() >= self.every
    }

    /// Its files.
    pub(in crate::walk::explore) fn on_disk(&self) -> OnDisk {
        let bytes = [&self.states, &self.chunks].map(ListFile::bytes);
        OnDisk {
            bytes: bytes.iter().sum(),
            checkpoint_age: self.last.elapsed(),
        }
    }

    /// Hands what is much to the operating system.
    pub(in crate::walk::explore) fn spill(&mut self) -> Result<(), DiskError> {
        for list in [&mut self.states, &mut self.chunks] {
            list.spill(&mut self.folder)?;
        }
        Ok(())
    }

    /// Writes a checkpoint: the lists, and then what says that they are valid. `manifest` has all but the lists, the label and the
    /// identity.
    pub(in crate::walk::explore) fn checkpoint(
        &mut self,
        manifest: Manifest,
    ) -> Result<(), DiskError> {
        let manifest = Manifest {
            label: self.label.clone(),
            identity: self.identity.clone(),
            states: self.states.sync(&mut self.folder)?,
            chunks: self.chunks.sync(&mut self.folder)?,
            ..manifest
        };
        manifest.write(&mut self.folder)?;
        self.written.checkpoints += 1;
        self.last = Instant::now();
        Ok(())
    }
}
