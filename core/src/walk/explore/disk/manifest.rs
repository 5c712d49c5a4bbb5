//! The manifest: what a checkpoint says of a search, beside the lists.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::checksum::Checksum;
use super::error::DiskError;
use super::folder::Folder;
use super::list::SavedList;

/// Number of the format of the files.
const FORMAT: u64 = 4;

/// Consecutive states to which paths of one length were found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::walk::explore) struct SavedSpan {
    pub start: u64,
    pub end: u64,
    pub length: u32,
    /// True in the first of two passes: all states that are known follow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_first_pass: bool,
}

/// A state: the length of the path to it, and its words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::walk::explore) struct SavedState {
    pub length: u32,
    pub words: Vec<u64>,
}

/// A chunk of states that were expanded together; see [`Predecessors`](crate::walk::explore::predecessors::Predecessors).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::walk::explore) struct SavedChunk {
    pub first: u64,
    pub start: u64,
    pub end: u64,
    pub length: u32,
}

/// A search between two of its waves.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::walk::explore) struct Manifest {
    /// Data of the caller.
    pub label: Value,
    /// Values on which the outcome of the search depends, by their names.
    pub identity: Map<String, Value>,
    /// Checksum of what a sample of the states led to.
    pub sample: Checksum,
    pub states: SavedList,
    pub chunks: SavedList,
    /// Number of states reached,
    pub reached: u64,
    /// and of those that are initial.
    pub initial: u64,
    /// The states that are left of the level that was being expanded; those after it are the ones to which it led.
    pub left: SavedSpan,
    pub transitions: u64,
    pub seconds: f64,
    pub tally: Value,
    /// The states that the tally names, by their places here.
    pub mentioned: Vec<SavedState>,
}

/// The part of a manifest that all formats have.
#[derive(Deserialize)]
struct Header {
    format: u64,
}

impl Manifest {
    /// A manifest that says nothing.
    pub fn nothing() -> Self {
        Self {
            label: Value::Null,
            identity: Map::new(),
            sample: Checksum::NOTHING,
            states: SavedList::EMPTY,
            chunks: SavedList::EMPTY,
            reached: 0,
            initial: 0,
            left: SavedSpan {
                start: 0,
                end: 0,
                length: 0,
                is_first_pass: false,
            },
            transitions: 0,
            seconds: 0.0,
            tally: Value::Null,
            mentioned: Vec::new(),
        }
    }

    pub fn write(&self, folder: &mut Folder) -> Result<(), DiskError> {
        let mut value = serde_json::to_value(self).expect("it has no keys but strings");
        value["format"] = FORMAT.into();
        folder.write_manifest(&value.to_string())
    }

    pub fn read(folder: &mut Folder) -> Result<Self, DiskError> {
        let path = folder.path().to_owned();
        let Some(text) = folder.read_manifest()? else {
            return Err(DiskError::NoCheckpoint { path });
        };
        let damaged = |error: serde_json::Error| DiskError::damaged(&path, error.to_string());
        let header: Header = serde_json::from_str(&text).map_err(damaged)?;
        if header.format != FORMAT {
            return Err(DiskError::Version {
                path,
                found: header.format,
                read: FORMAT,
            });
        }
        let mut value: Value = serde_json::from_str(&text).map_err(damaged)?;
        if let Some(object) = value.as_object_mut() {
            object.remove("format");
        }
        serde_json::from_value(value).map_err(damaged)
    }

    /// Compares what the outcome depends on with what is asked for.
    pub fn is_of(&self, identity: &Map<String, Value>, folder: &Folder) -> Result<(), DiskError> {
        let names = self.identity.keys().chain(identity.keys());
        let told = |value: Option<&Value>| value.map_or("not there".to_owned(), Value::to_string);
        for what in names {
            let (saved, asked) = (self.identity.get(what), identity.get(what));
            if saved != asked {
                return Err(DiskError::Other {
                    path: folder.path().to_owned(),
                    what: what.clone(),
                    saved: told(saved),
                    asked: told(asked),
                });
            }
        }
        Ok(())
    }
}
